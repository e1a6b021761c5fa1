// A library's header, found with -isystem.
namespace sycl {
enum class aspect : unsigned;
}
namespace library {
struct [[__sycl_detail__::__uses_aspects__(static_cast<sycl::aspect>(28))]] decorated {
  int i;
};
} // namespace library
