// Stencils over an nd_range in two dimensions, with accessors, and in three, with USM; work-groups,
// but no barriers.
// OUTPUT: both stencils are correct
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t width = 192, height = 128, depth = 64;

// A value for each point that is a small whole number: all sums below are exact.
float initial(std::size_t z, std::size_t y, std::size_t x) {
  return static_cast<float>((z * 7 + y * 3 + x) % 32);
}

// The average of a point and its four neighbours, times five; the edge stays as it is.
int stencil_2d(sycl::queue &queue) {
  std::vector<float> in(height * width), out(height * width);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      in[y * width + x] = initial(0, y, x);
  {
    sycl::buffer<float, 2> source(in.data(), {height, width}), result(out.data(), {height, width});
    queue.submit([&](sycl::handler &group) {
      sycl::accessor s(source, group, sycl::read_only);
      sycl::accessor r(result, group, sycl::write_only, sycl::no_init);
      group.parallel_for(sycl::nd_range<2>({height, width}, {8, 32}), [=](sycl::nd_item<2> item) {
        const std::size_t y = item.get_global_id(0), x = item.get_global_id(1);
        if (y == 0 || x == 0 || y == height - 1 || x == width - 1)
          r[y][x] = s[y][x];
        else
          r[y][x] = s[y][x] + s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1];
      });
    });
  }
  int wrong = 0;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      float expected = initial(0, y, x);
      if (y > 0 && x > 0 && y < height - 1 && x < width - 1)
        expected += initial(0, y - 1, x) + initial(0, y + 1, x) + initial(0, y, x - 1) +
                    initial(0, y, x + 1);
      wrong += out[y * width + x] != expected;
    }
  return wrong;
}

// Seven points in three dimensions; the launch leaves out the edge by its offset.
int stencil_3d(sycl::queue &queue) {
  const std::size_t row = width, plane = height * width;
  float *in = sycl::malloc_shared<float>(depth * plane, queue);
  float *out = sycl::malloc_shared<float>(depth * plane, queue);
  if (!in || !out)
    return -1;
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        in[z * plane + y * row + x] = initial(z, y, x);

  const sycl::nd_range<3> inner({depth - 2, height - 2, width - 2}, {2, 6, 19}, {1, 1, 1});
  queue
      .parallel_for(inner,
                    [=](sycl::nd_item<3> item) {
                      const std::size_t at = item.get_global_id(0) * plane +
                                             item.get_global_id(1) * row + item.get_global_id(2);
                      out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - row] + in[at + row] +
                                in[at - plane] + in[at + plane];
                    })
      .wait();

  int wrong = 0;
  for (std::size_t z = 1; z < depth - 1; ++z)
    for (std::size_t y = 1; y < height - 1; ++y)
      for (std::size_t x = 1; x < width - 1; ++x)
        wrong += out[z * plane + y * row + x] != initial(z, y, x) + initial(z - 1, y, x) +
                                                     initial(z + 1, y, x) + initial(z, y - 1, x) +
                                                     initial(z, y + 1, x) + initial(z, y, x - 1) +
                                                     initial(z, y, x + 1);
  sycl::free(in, queue);
  sycl::free(out, queue);
  return wrong;
}

} // namespace

int main() {
  sycl::queue queue;
  const int wrong_2d = stencil_2d(queue), wrong_3d = stencil_3d(queue);
  if (wrong_2d || wrong_3d) {
    std::printf("incorrect points: %d in 2D, %d in 3D\n", wrong_2d, wrong_3d);
    return 1;
  }
  std::printf("both stencils are correct\n");
}
