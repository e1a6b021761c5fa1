// Draws the Mandelbrot set into a PPM picture: `mandelbrot [FILE [WIDTH]]`. Without a file, only
// the check is done.
// OUTPUT: mandelbrot: all points are correct
// ARGS: mandelbrot.ppm 600
// VALGRIND: args mandelbrot.ppm 60
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct colour {
  unsigned char red, green, blue;
};

constexpr int limit = 200;

// How many steps the point takes to leave the circle of radius 2. Kernel and check share it.
int steps(float re, float im) {
  float x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    ++n;
  }
  return n;
}

struct picture {
  std::size_t width, height;

  int at(std::size_t row, std::size_t column) const {
    const float scale = 3.0f / static_cast<float>(width);
    return steps(-2.1f + scale * static_cast<float>(column),
                 scale * (static_cast<float>(row) - static_cast<float>(height) / 2));
  }
};

colour paint(int n) {
  if (n == limit)
    return {0, 0, 0};
  const float t = sycl::sqrt(static_cast<float>(n) / limit);
  return {static_cast<unsigned char>(255 * t), static_cast<unsigned char>(255 * t * t),
          static_cast<unsigned char>(64 + 191 * t)};
}

bool write_ppm(const char *path, const picture &size, const std::vector<colour> &pixels) {
  std::FILE *file = std::fopen(path, "wb");
  if (!file)
    return false;
  std::fprintf(file, "P6\n%zu %zu\n255\n", size.width, size.height);
  const bool written =
      std::fwrite(pixels.data(), sizeof(colour), pixels.size(), file) == pixels.size();
  return std::fclose(file) == 0 && written;
}

} // namespace

int main(int argc, char **argv) {
  const std::size_t width = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 900;
  if (width < 3) {
    std::printf("the width is '%s', expected a number of at least 3\n", argv[2]);
    return 1;
  }
  const picture size{width, width * 2 / 3};
  std::vector<int> counts(size.width * size.height);
  std::vector<colour> pixels(counts.size());

  sycl::queue queue;
  {
    const sycl::range<2> all(size.height, size.width);
    sycl::buffer<int, 2> count_buffer(counts.data(), all);
    sycl::buffer<colour, 2> pixel_buffer(pixels.data(), all);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor count(count_buffer, group, sycl::write_only, sycl::no_init);
      sycl::accessor pixel(pixel_buffer, group, sycl::write_only, sycl::no_init);
      group.parallel_for(all, [=](sycl::item<2> item) {
        const int n = size.at(item[0], item[1]);
        count[item] = n;
        pixel[item] = paint(n);
      });
    });
  }

  // Where host and device round differently, a point at the rim may leave a few steps earlier or
  // later.
  std::size_t different = 0;
  for (std::size_t row = 0; row < size.height; ++row)
    for (std::size_t column = 0; column < size.width; ++column)
      different += counts[row * size.width + column] != size.at(row, column);
  if (different > counts.size() / 50) {
    std::printf("%zu of %zu points differ from the serial computation\n", different, counts.size());
    return 1;
  }
  if (argc > 1 && !write_ppm(argv[1], size, pixels)) {
    std::printf("cannot write '%s'\n", argv[1]);
    return 1;
  }
  std::printf("mandelbrot: all points are correct\n");
}
