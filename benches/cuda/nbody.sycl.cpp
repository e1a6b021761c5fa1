// One step of gravity between all pairs of bodies, tile by tile through local memory.
#include "nbody.hpp"

int main() {
  measure_step([](const body *in, body *out) {
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<body, 1> tile(block, h);
          h.parallel_for(sycl::nd_range<1>(n, block), [=](sycl::nd_item<1> item) {
            const unsigned i = item.get_global_id(0), local = item.get_local_id(0);
            const body me = in[i];
            float ax = 0, ay = 0, az = 0;
            for (unsigned first = 0; first < n; first += block) {
              tile[local] = in[first + local];
              sycl::group_barrier(item.get_group());
#pragma unroll 32
              for (unsigned j = 0; j < block; ++j) {
                const body other = tile[j];
                const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
                const float near = dx * dx + dy * dy + dz * dz + 1e-6f;
                const float inverse = sycl::rsqrt(near);
                const float pull = other.mass * inverse * inverse * inverse;
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
              }
              sycl::group_barrier(item.get_group());
            }
            out[i] = {ax, ay, az, me.mass};
          });
        })
        .wait();
  });
}
