// `sycl::stream`: what work-items write comes out whole, statement by statement, once the command
// has ended.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

// Another host compiler cannot tell by the position apart what one template submits.
template <int> class streamed_kernel;

namespace {

// What `f` prints to the standard output.
template <class F> std::string printed(F f) {
  std::fflush(stdout);
  std::FILE *const file = std::tmpfile();
  const int before = dup(1);
  dup2(fileno(file), 1);
  f();
  std::fflush(stdout);
  dup2(before, 1);
  close(before);
  std::string text(
      static_cast<std::size_t>(std::ftell(file) < 0 ? 0 : lseek(fileno(file), 0, SEEK_END)), '\0');
  lseek(fileno(file), 0, SEEK_SET);
  const auto got = read(fileno(file), text.data(), text.size());
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  std::fclose(file);
  return text;
}

template <int N, class F> std::string streamed(sycl::queue &q, F kernel) {
  return printed([&] {
    q.submit([&](sycl::handler &h) {
       sycl::stream out(4096, 256, h);
       h.single_task<streamed_kernel<N>>([=] { kernel(out); });
     }).wait();
  });
}

void values(sycl::queue &q) {
  CHECK(streamed<1>(q, [](const sycl::stream &out) {
          out << "text " << 1 << ' ' << -2L << ' ' << 3u << ' ' << true << ' ' << 2.5f
              << sycl::endl;
        }) == "text 1 -2 3 1 2.5\n");
  CHECK(streamed<2>(q, [](const sycl::stream &out) {
          out << sycl::hex << 255 << sycl::showbase << ' ' << 255 << sycl::oct << ' ' << 8
              << sycl::dec << ' ' << 9 << sycl::showpos << 1 << sycl::noshowpos << 2;
        }) == "ff 0xff 010 9+12");
  CHECK(streamed<3>(q, [](const sycl::stream &out) {
          out << sycl::setprecision(3) << 3.14159f << ' ' << sycl::fixed << 2.f << ' '
              << sycl::scientific << 1e10f << ' ' << sycl::hexfloat << 0.5f << sycl::defaultfloat
              << ' ' << 0.1f << sycl::setw(5) << 1 << sycl::setw(3) << "x";
        }) == "3.14 2.000 1.000e+10 0x1p-1 0.1    1  x");
  // What is set lasts.
  CHECK(streamed<4>(q, [](const sycl::stream &out) {
          out << sycl::hex << 10 << sycl::endl;
          out << 11 << sycl::flush << 12;
        }) == "a\nbc");
  CHECK(streamed<5>(q, [](const sycl::stream &out) {
          out << sycl::id<2>(1, 2) << sycl::range<3>(3, 4, 5) << sycl::nd_range<1>(8, 4);
        }) == "{1, 2}{3, 4, 5}nd_range(global_range: {8}, local_range: {4}, offset: {0})");
  CHECK(
      streamed<6>(q,
                  [](const sycl::stream &out) {
                    out << "a text that is longer than what one chunk of a stream's memory holds, "
                           "as texts may well be";
                  }) ==
      "a text that is longer than what one chunk of a stream's memory holds, as texts may well be");
  CHECK(streamed<7>(q, [](const sycl::stream &out) {
          const sycl::float4 v(1, 2.5f, 3, 4);
          out << v << '|' << sycl::vec<int, 1>(7) << '|' << v.swizzle<2, 1>() << '|'
              << sycl::marray<long, 3>(-1, 0, 1);
        }) == "1, 2.5, 3, 4|7|3, 2.5|-1, 0, 1");
}

// Statements of different work-items do not mix.
void work_items(sycl::queue &q) {
  const std::string text = printed([&] {
    q.submit([&](sycl::handler &h) {
      sycl::stream out(1 << 16, 128, h);
      h.parallel_for(sycl::nd_range<1>(512, 32), [=](sycl::nd_item<1> it) {
        if (it.get_global_id(0) % 2)
          out << "work-item " << it.get_global_id(0) << " of group " << it.get_group(0)
              << sycl::endl;
      });
    });
    q.wait();
  });
  std::vector<std::string> lines, expected;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  for (int i = 1; i < 512; i += 2)
    expected.push_back("work-item " + std::to_string(i) + " of group " + std::to_string(i / 32));
  std::sort(lines.begin(), lines.end());
  std::sort(expected.begin(), expected.end());
  CHECK(lines == expected);
}

// More than the stream holds is cut off, and harms nobody.
void overflow(sycl::queue &q) {
  const std::string text = printed([&] {
    q.submit([&](sycl::handler &h) {
       sycl::stream out(64, 16, h);
       h.parallel_for(sycl::range<1>(10000),
                      [=](sycl::id<1>) { out << "0123456789" << sycl::endl; });
     }).wait();
  });
  CHECK(text.size() >= 11 && text.size() < 10000);
  CHECK(text.substr(0, 11) == "0123456789\n");
}

void classes(sycl::queue &q) {
  q.submit([&](sycl::handler &h) {
    sycl::stream a(100, 20, h), b(100, 20, h);
    const sycl::stream copy = a;
    CHECK(a.size() == 100 && a.get_work_item_buffer_size() == 20);
    CHECK(a == copy && a != b && std::hash<sycl::stream>()(a) == std::hash<sycl::stream>()(copy));
  });
  // Two streams of one kernel.
  CHECK(printed([&] {
          q.submit([&](sycl::handler &h) {
             sycl::stream a(100, 20, h), b(100, 20, h);
             h.single_task<streamed_kernel<0>>([=] {
               a << "a";
               b << "b";
             });
           }).wait();
        }).size() == 2);
}

} // namespace

int main() {
  sycl::queue q;
  values(q);
  work_items(q);
  overflow(q);
  classes(q);
  return check::result();
}
