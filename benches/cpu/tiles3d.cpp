// A seven-point stencil over 128 x 128 x 128 floats that marches along z. Each work-group of 8 x 32
// keeps three planes of its tile, with a border of one, in local memory. Indices are 32-bit
// integers. Two barriers per plane.
#include "harness.hpp"

constexpr int nx = 128, ny = 128, nz = 128, n = nx * ny * nz, tile_x = 32, tile_y = 8;
// The plane of a tile with its border.
constexpr int pitch = tile_x + 2, plane = pitch * (tile_y + 2);
constexpr float centre = 0.4f, side = 0.1f;

#ifdef PEER_OPENCL
static const char *source = R"(
#define TX 32
#define TY 8
#define PITCH (TX + 2)
#define PLANE (PITCH * (TY + 2))
kernel void stencil(global float *restrict out, global const float *restrict in, int nx, int ny,
    int nz, float centre, float side, local float *tile) {
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_global_id(0), y = get_global_id(1);
  int inside = x < nx && y < ny, here = PLANE + (ly + 1) * PITCH + lx + 1, at = y * nx + x;
  int number = ly * TX + lx, border = number < 2 * (TX + TY), bx = 0, by = 0;
  if (border) {
    if (number < 2 * TX) {
      bx = number % TX + 1;
      by = number / TX * (TY + 1);
    } else {
      bx = (number - 2 * TX) % 2 * (TX + 1);
      by = (number - 2 * TX) / 2 + 1;
    }
  }
  int edge = PLANE + by * PITCH + bx;
  int edge_x = x - lx + bx - 1, edge_y = y - ly + by - 1, edge_at = edge_y * nx + edge_x;
  border = border && edge_x >= 0 && edge_x < nx && edge_y >= 0 && edge_y < ny;
  if (inside)
    tile[here + PLANE] = in[at];
  if (border)
    tile[edge + PLANE] = in[edge_at];
  int write = at;
  for (int z = 0; z < nz; ++z) {
    if (inside) {
      write = at;
      at += nx * ny;
      tile[here - PLANE] = tile[here];
      tile[here] = tile[here + PLANE];
      if (z < nz - 1)
        tile[here + PLANE] = in[at];
    }
    if (border) {
      edge_at += nx * ny;
      tile[edge - PLANE] = tile[edge];
      tile[edge] = tile[edge + PLANE];
      if (z < nz - 1)
        tile[edge + PLANE] = in[edge_at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
      float value = tile[here];
      if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        value = centre * value + side * (tile[here - 1] + tile[here + 1] + tile[here - PITCH] +
                    tile[here + PITCH] + tile[here - PLANE] + tile[here + PLANE]);
      out[write] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
})";
#endif

// The value at `at`, which is inside the box.
inline float step(const float *in, int at) {
  return centre * in[at] + side * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] +
                                   in[at - nx * ny] + in[at + nx * ny]);
}
inline bool is_inside(int x, int y, int z) {
  return x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
}

#if !defined(PEER_OPENCL) && !defined(PEER_OPENMP)
inline void march(sycl::nd_item<2> item, float *__restrict out, const float *__restrict in, int nx,
                  int ny, int nz, float *__restrict tile) {
  int lx = item.get_local_id(1), ly = item.get_local_id(0);
  int x = item.get_global_id(1), y = item.get_global_id(0);
  bool inside = x < nx && y < ny;
  int here = plane + (ly + 1) * pitch + lx + 1, at = y * nx + x;
  int number = ly * tile_x + lx, bx = 0, by = 0;
  bool border = number < 2 * (tile_x + tile_y);
  if (border) {
    if (number < 2 * tile_x) {
      bx = number % tile_x + 1;
      by = number / tile_x * (tile_y + 1);
    } else {
      bx = (number - 2 * tile_x) % 2 * (tile_x + 1);
      by = (number - 2 * tile_x) / 2 + 1;
    }
  }
  int edge = plane + by * pitch + bx;
  int edge_x = x - lx + bx - 1, edge_y = y - ly + by - 1, edge_at = edge_y * nx + edge_x;
  border = border && edge_x >= 0 && edge_x < nx && edge_y >= 0 && edge_y < ny;
  if (inside)
    tile[here + plane] = in[at];
  if (border)
    tile[edge + plane] = in[edge_at];
  int write = at;
  for (int z = 0; z < nz; ++z) {
    if (inside) {
      write = at;
      at += nx * ny;
      tile[here - plane] = tile[here];
      tile[here] = tile[here + plane];
      if (z < nz - 1)
        tile[here + plane] = in[at];
    }
    if (border) {
      edge_at += nx * ny;
      tile[edge - plane] = tile[edge];
      tile[edge] = tile[edge + plane];
      if (z < nz - 1)
        tile[edge + plane] = in[edge_at];
    }
    sycl::group_barrier(item.get_group());
    if (inside) {
      float value = tile[here];
      if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        value =
            centre * value + side * (tile[here - 1] + tile[here + 1] + tile[here - pitch] +
                                     tile[here + pitch] + tile[here - plane] + tile[here + plane]);
      out[write] = value;
    }
    sycl::group_barrier(item.get_group());
  }
}
#endif

int main() {
  float *in = allocate<float>(n), *out = allocate<float>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "stencil");
#endif
  auto prepare = [&] {
    for (int i = 0; i < n; ++i) {
      in[i] = fraction(i);
      out[i] = 0.0f;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::local_memory tile{3 * plane * sizeof(float)};
    opencl::launch(kernel, {nx, ny}, {tile_x, tile_y}, out, in, nx, ny, nz, centre, side, tile);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for collapse(2)
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
#pragma omp simd
        for (int x = 0; x < nx; ++x) {
          int at = (z * ny + y) * nx + x;
          out[at] = is_inside(x, y, z) ? step(in, at) : in[at];
        }
#else
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<float, 1> tile(3 * plane, h);
          // The sizes are arguments, as in the OpenCL kernel.
          int x = nx, y = ny, z = nz;
          h.parallel_for(sycl::nd_range<2>({ny, nx}, {tile_y, tile_x}),
                         [=](sycl::nd_item<2> item) { march(item, out, in, x, y, z, &tile[0]); });
        })
        .wait();
#endif
  };
  auto check = [&] {
    for (int at = 0; at < n; at += 13) {
      bool inside = is_inside(at % nx, at / nx % ny, at / nx / ny);
      if (!near(out[at], inside ? step(in, at) : in[at], 1e-6, at))
        return false;
    }
    return true;
  };
  return measure(10, prepare, run, check);
}
