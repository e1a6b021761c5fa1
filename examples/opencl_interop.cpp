// SYCL and OpenCL in one program: a kernel in OpenCL C, built in SYCL's context, works on SYCL's memory between two
// SYCL kernels, and on a SYCL buffer inside of a host task.
//
// flags: -lOpenCL
// modes: device
// levels: O2
// backends: opencl
// expect-output: results are right
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <sycl/backend/opencl.hpp>
#include <sycl/sycl.hpp>

#include <cstdio>
#include <stdexcept>

static void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

// A kernel of OpenCL's own in SYCL's context.
static cl_kernel build(cl_context context, cl_device_id device) {
  const char *source = "kernel void triple(global int *data) { data[get_global_id(0)] *= 3; }";
  cl_int code = 0;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "triple", &code);
  check(code, "clCreateKernel");
  clReleaseProgram(program);
  return kernel;
}

int main() {
  constexpr std::size_t n = 1000;
  constexpr auto opencl = sycl::backend::opencl;
  sycl::queue queue;
  cl_context context = sycl::get_native<opencl>(queue.get_context());
  cl_device_id device = sycl::get_native<opencl>(queue.get_device());
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  if (sycl::make_device<opencl>(device) != queue.get_device())
    throw std::runtime_error("the device is not the same after the way through OpenCL");
  cl_kernel kernel = build(context, device);

  // Shared memory: SYCL, OpenCL, SYCL, each after the one before by its event.
  int *data = sycl::malloc_shared<int>(n, queue);
  sycl::event filled = queue.parallel_for(n, [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); });
  cl_event before = sycl::get_native<opencl>(filled), after = nullptr;
  check(clSetKernelArgSVMPointer(kernel, 0, data), "clSetKernelArgSVMPointer");
  check(clEnqueueNDRangeKernel(commands, kernel, 1, nullptr, &n, nullptr, 1, &before, &after),
        "clEnqueueNDRangeKernel");
  sycl::event tripled = sycl::make_event<opencl>(after, queue.get_context());
  queue.parallel_for(n, tripled, [=](sycl::id<1> i) { data[i] += 1; }).wait();
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += data[i] != static_cast<int>(3 * i + 1);
  clReleaseEvent(before);
  clReleaseEvent(after);
  sycl::free(data, queue);

  // A buffer: the host task gets it as a memory object.
  std::vector<int> values(n, 5);
  {
    sycl::buffer<int> buffer(values.data(), n);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor access(buffer, h, sycl::read_write);
      h.host_task([=](sycl::interop_handle interop) {
        cl_mem memory = interop.get_native_mem<opencl>(access);
        cl_command_queue own = interop.get_native_queue<opencl>();
        check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
        cl_event done = nullptr;
        check(clEnqueueNDRangeKernel(own, kernel, 1, nullptr, &n, nullptr, 0, nullptr, &done),
              "clEnqueueNDRangeKernel");
        check(clWaitForEvents(1, &done), "clWaitForEvents");
        clReleaseEvent(done);
        clReleaseCommandQueue(own);
        clReleaseMemObject(memory);
      });
    });
    queue.parallel_for(n, [=](sycl::id<1>) {});
  }
  for (int value : values)
    wrong += value != 15;

  clReleaseKernel(kernel);
  clReleaseCommandQueue(commands);
  clReleaseContext(context);
  std::printf("%s: results are %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str(),
              wrong ? "wrong" : "right");
  return wrong ? 1 : 0;
}
