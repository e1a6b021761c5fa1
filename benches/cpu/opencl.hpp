// The OpenCL side of the harness: the first CPU device, an in-order queue, programs from source,
// launches.
#ifndef SCYTHE_BENCHES_CPU_OPENCL_HPP
#define SCYTHE_BENCHES_CPU_OPENCL_HPP

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

// Programs may embed the source of their kernels.
#pragma clang diagnostic ignored "-Wc23-extensions"

namespace opencl {

// The floating-point rules of the other contenders: operations of float are rounded correctly,
// contraction as the language has it (on), nothing relaxed.
constexpr const char *build_options = "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt";

inline void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::printf("%s: OpenCL error %d\n", what, status);
  std::exit(1);
}

struct machine {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  machine() {
    std::array<cl_platform_id, 16> platforms;
    cl_uint count = 0;
    check(clGetPlatformIDs(platforms.size(), platforms.data(), &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < platforms.size() && !device; ++i)
      if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS)
        device = nullptr;
    check(device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "no CPU device");
    cl_int status;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
    check(status, "clCreateCommandQueueWithProperties");
  }
};

inline machine &the_machine() {
  static machine m;
  return m;
}

inline void *allocate(std::size_t bytes) {
  void *memory = clSVMAlloc(the_machine().context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                            bytes, 128);
  check(memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "clSVMAlloc");
  return memory;
}

inline cl_program build(const char *source) {
  machine &m = the_machine();
  cl_int status;
  cl_program program = clCreateProgramWithSource(m.context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &m.device, build_options, nullptr, nullptr) != CL_SUCCESS) {
    std::size_t length = 0;
    clGetProgramBuildInfo(program, m.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length);
    std::string log(length, '\0');
    clGetProgramBuildInfo(program, m.device, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr);
    std::printf("%s\n", log.c_str());
    std::exit(1);
  }
  return program;
}

inline cl_kernel kernel(cl_program program, const char *name) {
  cl_int status;
  cl_kernel k = clCreateKernel(program, name, &status);
  check(status, name);
  return k;
}

// Stands for a pointer to local memory among the arguments of a launch.
struct local_memory {
  std::size_t bytes;
};

inline void argument(cl_kernel k, cl_uint i, local_memory m) {
  check(clSetKernelArg(k, i, m.bytes, nullptr), "clSetKernelArg");
}
template <class T> void argument(cl_kernel k, cl_uint i, T *pointer) {
  check(clSetKernelArgSVMPointer(k, i, pointer), "clSetKernelArgSVMPointer");
}
template <class T> void argument(cl_kernel k, cl_uint i, const T &value) {
  check(clSetKernelArg(k, i, sizeof(T), &value), "clSetKernelArg");
}

// Sizes have the dimension that varies fastest first, as OpenCL counts them. No local size lets the
// runtime choose.
template <class... Arguments>
void launch(cl_kernel k, const std::vector<std::size_t> &global,
            const std::vector<std::size_t> &local, Arguments... arguments) {
  cl_uint i = 0;
  (argument(k, i++, arguments), ...);
  check(clEnqueueNDRangeKernel(the_machine().queue, k, cl_uint(global.size()), nullptr,
                               global.data(), local.empty() ? nullptr : local.data(), 0, nullptr,
                               nullptr),
        "clEnqueueNDRangeKernel");
}

inline void finish() { check(clFinish(the_machine().queue), "clFinish"); }

} // namespace opencl

#endif
