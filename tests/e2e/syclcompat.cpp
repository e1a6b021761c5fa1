// SYCLcompat: launches of functions, positions, memory, devices, atomics, and exchange between
// work-items.
//
// MODES: device,host
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <syclcompat/syclcompat.hpp>
#include <vector>

namespace {

constexpr int block = 16;

void scale(float *out, const float *in, float m, float b, std::size_t n) {
  const std::size_t i = syclcompat::work_group_id::x() * block + syclcompat::local_id::x();
  if (i < n && i == syclcompat::global_id::x())
    out[i] = m * in[i] + b;
}

template <int Size> void transpose(int *data) {
  auto tile = syclcompat::local_mem<int[Size][Size]>();
  const std::size_t x = syclcompat::local_id::x(), y = syclcompat::local_id::y();
  tile[y][x] = int(x * Size + y);
  syclcompat::wg_barrier();
  data[syclcompat::global_id::y() * Size + x] = tile[Size - y - 1][Size - x - 1];
}

void with_local(int *out, int add, char *memory) {
  int *row = reinterpret_cast<int *>(memory);
  const std::size_t i = syclcompat::local_id::x(), n = syclcompat::local_range::x();
  row[i] = int(i) + add;
  syclcompat::wg_barrier();
  out[syclcompat::global_id::x()] = row[n - 1 - i];
}

void positions(std::size_t *out) {
  if (syclcompat::global_id::x() == 5 && syclcompat::global_id::y() == 3 &&
      syclcompat::global_id::z() == 1) {
    out[0] = syclcompat::local_id::x() * 100 + syclcompat::local_id::y() * 10 +
             syclcompat::local_id::z();
    out[1] = syclcompat::work_group_range::x() * 100 + syclcompat::work_group_range::y() * 10 +
             syclcompat::work_group_range::z();
    out[2] = syclcompat::global_range::x() * 100 + syclcompat::global_range::y() * 10 +
             syclcompat::global_range::z();
  }
}

void launches() {
  constexpr std::size_t n = 50;
  float *in = syclcompat::malloc_shared<float>(n), *out = syclcompat::malloc_shared<float>(n);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = float(i);
  syclcompat::launch<scale>(4, block, out, in, 2.0f, 1.0f, n).wait();
  bool right = true;
  for (std::size_t i = 0; i < n; ++i)
    right = right && out[i] == 2.0f * float(i) + 1.0f;
  CHECK(right);
  syclcompat::launch<scale>(sycl::nd_range<1>(64, block), syclcompat::get_default_queue(), out, in,
                            3.0f, 0.0f, n)
      .wait();
  CHECK(out[49] == 147.0f);

  int *data = syclcompat::malloc_shared<int>(64);
  syclcompat::launch<transpose<8>>(syclcompat::dim3(1), syclcompat::dim3(8, 8), data).wait();
  CHECK(data[0] == 63 && data[1] == 55 && data[8] == 62);
  syclcompat::launch<with_local>(syclcompat::dim3(2), syclcompat::dim3(8), 8 * sizeof(int), data, 5)
      .wait();
  CHECK(data[0] == 12 && data[7] == 5 && data[8] == 12);
  syclcompat::launch<with_local>(sycl::nd_range<1>(8, 8), 8 * sizeof(int),
                                 syclcompat::get_default_queue(), data, 7)
      .wait();
  CHECK(data[0] == 14);
  namespace policies = syclcompat::experimental;
  policies::launch<with_local>(
      policies::launch_policy{
          syclcompat::dim3(1), syclcompat::dim3(8), policies::local_mem_size(8 * sizeof(int)),
          policies::kernel_properties{sycl::ext::oneapi::experimental::work_group_size<1, 1, 8>}},
      data, 9)
      .wait();
  CHECK(data[0] == 16);
  policies::launch<scale>(policies::launch_policy{sycl::nd_range<1>(64, block)},
                          syclcompat::get_default_queue(), out, in, 1.0f, 0.5f, n)
      .wait();
  CHECK(out[1] == 1.5f);

  std::size_t *seen = syclcompat::malloc_shared<std::size_t>(3);
  syclcompat::launch<positions>(syclcompat::dim3(3, 2, 1), syclcompat::dim3(2, 2, 2), seen).wait();
  CHECK(seen[0] == 111 && seen[1] == 321 && seen[2] == 642);
  CHECK(syclcompat::compute_nd_range(50, 16).get_global_range() == sycl::range<1>(64));
  for (void *p : {(void *)in, (void *)out, (void *)data, (void *)seen})
    syclcompat::free(p);
}

void memory() {
  std::vector<int> host(64), back(64);
  for (int i = 0; i < 64; ++i)
    host[std::size_t(i)] = i;
  int *device = syclcompat::malloc<int>(64);
  syclcompat::memcpy(device, host.data(), 64 * sizeof(int));
  syclcompat::memcpy<int>(back.data(), device, 64);
  CHECK(back == host);
  syclcompat::fill(device, 7, 32);
  syclcompat::memset_async(device + 32, 1, 32 * sizeof(int)).wait();
  syclcompat::memcpy_async(back.data(), device, 64 * sizeof(int)).wait();
  CHECK(back[0] == 7 && back[31] == 7 && back[32] == 0x01010101);
  syclcompat::memset_d32(device, 0xabcdu, 4);
  syclcompat::memcpy<int>(back.data(), device, 5);
  CHECK(back[3] == 0xabcd && back[4] == 7);

  std::size_t pitch = 0;
  void *plane = syclcompat::malloc(pitch, 20, 3);
  CHECK(pitch == 32);
  syclcompat::memset(plane, pitch, 0, 20, 3);
  syclcompat::memcpy(plane, pitch, host.data(), 8, 8, 3);
  syclcompat::memcpy(back.data(), 20, plane, pitch, 20, 3);
  CHECK(back[0] == 0 && back[1] == 1 && back[2] == 0 && back[5] == 2 && back[11] == 5);
  syclcompat::pitched_data box = syclcompat::malloc(sycl::range<3>(20, 3, 2));
  CHECK(box.get_pitch() == 32 && box.get_x() == 20 && box.get_y() == 3);
  syclcompat::memset(box, 0, sycl::range<3>(20, 3, 2));
  syclcompat::pitched_data from(host.data(), 8, 8, 3), to(back.data(), 20, 20, 3);
  syclcompat::memcpy(box, sycl::id<3>(4, 0, 0), from, sycl::id<3>(0, 0, 0),
                     sycl::range<3>(8, 3, 2));
  syclcompat::memcpy(to, sycl::id<3>(0, 0, 0), box, sycl::id<3>(0, 0, 0), sycl::range<3>(20, 3, 2));
  CHECK(back[0] == 0 && back[1] == 0 && back[2] == 1 && back[6] == 2 && back[16] == 6);

  syclcompat::pointer_attributes attributes;
  attributes.init(device);
  CHECK(attributes.get_memory_type() == sycl::usm::alloc::device);
  CHECK(attributes.get_device_pointer() == device && !attributes.get_host_pointer());
  CHECK(attributes.get_device_id() == syclcompat::get_current_device_id());
  attributes.init(host.data());
  CHECK(attributes.get_memory_type() == sycl::usm::alloc::unknown);
  syclcompat::free(plane);
  syclcompat::free(box.get_data_ptr());
  syclcompat::free_async({device}, {}).wait();
}

syclcompat::global_memory<int, 1> table(sycl::range<1>(4), {3, 1, 4});
syclcompat::constant_memory<float, 0> factor(2.5f);
syclcompat::shared_memory<int, 2> grid(3, 5);

void variables() {
  sycl::queue q = syclcompat::get_default_queue();
  table.init();
  grid.init();
  int *values = table.get_ptr();
  const float *scalar = factor.get_ptr();
  q.submit([&](sycl::handler &h) {
     auto cells = grid.get_access(h);
     h.single_task([=] {
       values[3] = int(*scalar * 2);
       for (std::size_t y = 0; y < 3; ++y)
         for (std::size_t x = 0; x < 5; ++x)
           cells[y][x] = int(10 * y + x);
     });
   }).wait();
  int seen[4];
  syclcompat::memcpy<int>(seen, values, 4);
  CHECK(seen[0] == 3 && seen[2] == 4 && seen[3] == 5);
  CHECK(grid.get_ptr()[7] == 12 && table.get_size() == 16);
}

void devices() {
  syclcompat::device_ext &device = syclcompat::get_current_device();
  CHECK(syclcompat::get_current_device_id() == 0 && syclcompat::device_count() > 0);
  CHECK(syclcompat::select_device(0u) == 0);
  const syclcompat::device_info info = device.get_device_info();
  CHECK(info.get_max_work_group_size() > 0 && info.get_max_compute_units() > 0);
  CHECK(device.get_info<sycl::info::device::name>() == info.get_name());
  CHECK(info.get_global_mem_size() == device.get_info<sycl::info::device::global_mem_size>());
  sycl::queue mine = syclcompat::create_queue();
  CHECK(mine.is_in_order() && mine.get_device() == device);
  CHECK(!syclcompat::create_queue(true, false).is_in_order());
  syclcompat::set_default_queue(mine);
  CHECK(syclcompat::get_default_queue() == mine && *device.get_saved_queue() == mine);
  syclcompat::queue_ptr other = device.create_queue();
  device.destroy_queue(other);
  CHECK(other == nullptr && syclcompat::get_default_context() == mine.get_context());
  bool refused = false;
  try {
    syclcompat::select_device(1000u);
  } catch (const std::runtime_error &) {
    refused = true;
  }
  CHECK(refused && syclcompat::get_kernel_function_info(nullptr).max_work_group_size > 0);
}

void atomics(int *sums, unsigned *wraps, int **pointer) {
  syclcompat::atomic_fetch_add(&sums[0], 2);
  syclcompat::atomic_fetch_sub<sycl::access::address_space::global_space>(&sums[1], 1);
  syclcompat::atomic_fetch_max(&sums[2], int(syclcompat::global_id::x()));
  syclcompat::atomic_fetch_or(&sums[3], 1 << (syclcompat::global_id::x() % 8),
                              sycl::memory_order::acq_rel);
  syclcompat::atomic_fetch_compare_inc(&wraps[0], 9u);
  syclcompat::atomic_fetch_compare_dec(&wraps[1], 9u);
  syclcompat::atomic_fetch_add(pointer, 1);
  syclcompat::atomic_compare_exchange_strong(&sums[4], 0, int(syclcompat::global_id::x()) + 1);
}

// Exchange in parts of four work-items, which every sub-group size is a multiple of.
void exchanges(int *out) {
  const sycl::sub_group g = sycl::ext::oneapi::this_work_item::get_sub_group();
  const int self = int(g.get_local_linear_id());
  if (g.get_max_local_range()[0] % 4 != 0)
    return;
  int faults = 0;
  faults += syclcompat::select_from_sub_group(g, self, 2, 4) != self / 4 * 4 + 2;
  faults += syclcompat::shift_sub_group_left(g, self, 1, 4) != (self % 4 == 3 ? self : self + 1);
  faults += syclcompat::shift_sub_group_right(g, self, 1, 4) != (self % 4 == 0 ? self : self - 1);
  faults += syclcompat::permute_sub_group_by_xor(g, self, 3, 4) != (self ^ 3);
  syclcompat::atomic_fetch_add(out, faults);
}

void groups() {
  int *sums = syclcompat::malloc_shared<int>(6);
  unsigned *wraps = syclcompat::malloc_shared<unsigned>(2);
  int **pointer = syclcompat::malloc_shared<int *>(1);
  for (int i = 0; i < 6; ++i)
    sums[i] = 0;
  wraps[0] = wraps[1] = 0;
  *pointer = sums;
  syclcompat::launch<atomics>(4, 8, sums, wraps, pointer).wait();
  CHECK(sums[0] == 64 && sums[1] == -32 && sums[2] == 31 && sums[3] == 255 && sums[4] > 0);
  CHECK(wraps[0] == 32 % 10 && wraps[1] == 8 && *pointer == sums + 32);
  syclcompat::launch<exchanges>(2, 32, &sums[5]).wait();
  CHECK(sums[5] == 0);
  for (void *p : {(void *)sums, (void *)wraps, (void *)pointer})
    syclcompat::free(p);
  syclcompat::atomic<int> counter(5);
  CHECK(counter.fetch_add(2) == 5 && counter.load() == 7 && counter.exchange(1) == 7);
  int expected = 1;
  CHECK(counter.compare_exchange_strong(expected, 4) && counter.load() == 4);
}

} // namespace

int main() {
  launches();
  memory();
  variables();
  devices();
  groups();
  return check::result();
}
