// What submitting costs on an OpenCL device. Prints `empty N` and `arguments N`: seconds for each
// of 10,000 kernels without and with eight arguments, on an in-order queue, until the last has
// ended. With -DPEER_OPENCL, the same by bare calls.
#include <chrono>
#include <cstdio>

#ifdef PEER_OPENCL

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

static const char *source =
    "kernel void empty(void) {}"
    "kernel void arguments(global int *a, global int *b, global int *c, global int *d, int e,"
    "                      int f, long g, float h) {"
    "  if (e == 1) { a[0] = b[0] + c[0] + d[0] + f + g + h; }"
    "}";

struct device {
  device() {
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr);
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueueWithProperties(context, id, nullptr, nullptr);
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
    clBuildProgram(program, 1, &id, "", nullptr, nullptr);
    empty = clCreateKernel(program, "empty", nullptr);
    arguments = clCreateKernel(program, "arguments", nullptr);
    memory = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
  }
  void launch(cl_kernel kernel) {
    std::size_t one = 1;
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
  }
  void submit_empty() { launch(empty); }
  void submit_arguments(int f) {
    int e = 0;
    long g = 1;
    float h = 2;
    for (cl_uint i = 0; i < 4; ++i)
      clSetKernelArgSVMPointer(arguments, i, memory);
    clSetKernelArg(arguments, 4, sizeof e, &e);
    clSetKernelArg(arguments, 5, sizeof f, &f);
    clSetKernelArg(arguments, 6, sizeof g, &g);
    clSetKernelArg(arguments, 7, sizeof h, &h);
    launch(arguments);
  }
  void wait() { clFinish(queue); }

  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  cl_kernel empty, arguments;
  void *memory;
};

#else

#include <sycl/sycl.hpp>

struct device {
  void submit_empty() {
    queue.parallel_for(1, [=](sycl::id<1>) {});
  }
  void submit_arguments(int f) {
    int *a = memory, *b = memory, *c = memory, *d = memory, e = 0;
    long g = 1;
    float h = 2;
    queue.parallel_for(1, [=](sycl::id<1>) {
      if (e == 1)
        a[0] = static_cast<int>(b[0] + c[0] + d[0] + f + g + h);
    });
  }
  void wait() { queue.wait(); }

  sycl::queue queue{sycl::property::queue::in_order()};
  int *memory = sycl::malloc_shared<int>(16, queue);
};

#endif

template <class Submit> static double seconds(device &d, Submit submit) {
  using clock = std::chrono::steady_clock;
  constexpr int count = 10000;
  double best = 1e300;
  for (int round = 0; round < 8; ++round) {
    const auto start = clock::now();
    for (int i = 0; i < count; ++i)
      submit(i);
    d.wait();
    const double each = std::chrono::duration<double>(clock::now() - start).count() / count;
    best = each < best ? each : best;
  }
  return best;
}

int main() {
  device d;
  d.submit_empty();
  d.submit_arguments(0);
  d.wait();
  std::printf("empty %.9f\n", seconds(d, [&](int) { d.submit_empty(); }));
  std::printf("arguments %.9f\n", seconds(d, [&](int i) { d.submit_arguments(i); }));
}
