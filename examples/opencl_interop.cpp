// SYCL and OpenCL in one program, both ways.
//
// First SYCL lends: a kernel in OpenCL C, built in SYCL's context, works on SYCL's memory between
// two SYCL kernels, and on a SYCL buffer inside of a host task. Then OpenCL lends: SYCL takes a
// context, a queue, a memory object and a kernel that OpenCL made, and launches OpenCL's kernel
// between two of its own.
//
// FLAGS: -lOpenCL
// MODES: device
// LEVELS: O2
// BACKENDS: opencl,opencl-objects
// OUTPUT: results are correct
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <sycl/sycl.hpp>

#ifndef SYCL_BACKEND_OPENCL
#error "sycl.hpp does not define SYCL_BACKEND_OPENCL"
#endif

#include <cstdio>
#include <stdexcept>

constexpr auto opencl = sycl::backend::opencl;
constexpr std::size_t n = 1000;

static void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

static void expect(bool yes, const char *what) {
  if (!yes)
    throw std::runtime_error(std::string("expected: ") + what);
}

static cl_program build(cl_context context, cl_device_id device) {
  const char *source = "kernel void triple(global int *data) { data[get_global_id(0)] *= 3; }"
                       "kernel void add(global int *data, int more, local int *copy) {"
                       "  copy[get_local_id(0)] = more; barrier(CLK_LOCAL_MEM_FENCE);"
                       "  data[get_global_id(0)] += copy[get_local_size(0) - 1 - get_local_id(0)];"
                       "}";
  cl_int code = 0;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  return program;
}

static cl_kernel find(cl_program program, const char *name) {
  cl_int code = 0;
  cl_kernel kernel = clCreateKernel(program, name, &code);
  check(code, "clCreateKernel");
  return kernel;
}

// Shared memory: SYCL, OpenCL, SYCL, each after the one before by its event.
static int in_shared_memory(sycl::queue &queue, cl_kernel triple) {
  int *data = sycl::malloc_shared<int>(n, queue);
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  sycl::event filled =
      queue.parallel_for(n, [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); });
  std::vector<cl_event> before = sycl::get_native<opencl>(filled);
  cl_event after = nullptr;
  check(clSetKernelArgSVMPointer(triple, 0, data), "clSetKernelArgSVMPointer");
  check(clEnqueueNDRangeKernel(commands, triple, 1, nullptr, &n, nullptr,
                               static_cast<cl_uint>(before.size()), before.data(), &after),
        "clEnqueueNDRangeKernel");
  sycl::event tripled = sycl::make_event<opencl>({after}, queue.get_context());
  queue.parallel_for(n, tripled, [=](sycl::id<1> i) { data[i] += 1; }).wait();
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += data[i] != static_cast<int>(3 * i + 1);
  for (cl_event e : before)
    clReleaseEvent(e);
  clReleaseEvent(after);
  clReleaseCommandQueue(commands);
  sycl::free(data, queue);
  return wrong;
}

// A buffer: the host task gets it as a memory object.
static int in_a_host_task(sycl::queue &queue, cl_kernel triple) {
  std::vector<int> values(n, 5);
  {
    sycl::buffer<int> buffer(values.data(), n);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor access(buffer, h, sycl::read_write);
      h.host_task([=](sycl::interop_handle interop) {
        cl_mem memory = interop.get_native_mem<opencl>(access).front();
        cl_command_queue own = interop.get_native_queue<opencl>();
        cl_context around = interop.get_native_context<opencl>();
        expect(interop.get_native_device<opencl>() != nullptr, "a device in the host task");
        check(clSetKernelArg(triple, 0, sizeof memory, &memory), "clSetKernelArg");
        cl_event done = nullptr;
        check(clEnqueueNDRangeKernel(own, triple, 1, nullptr, &n, nullptr, 0, nullptr, &done),
              "clEnqueueNDRangeKernel");
        check(clWaitForEvents(1, &done), "clWaitForEvents");
        clReleaseEvent(done);
        clReleaseContext(around);
        clReleaseCommandQueue(own);
        clReleaseMemObject(memory);
      });
    });
  }
  int wrong = 0;
  for (int value : values)
    wrong += value != 15;
  return wrong;
}

// OpenCL's own context, queue, memory and kernel.
static int of_opencl(cl_device_id device) {
  cl_int code = 0;
  cl_context native_context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  cl_command_queue commands =
      clCreateCommandQueueWithProperties(native_context, device, nullptr, &code);
  check(code, "clCreateCommandQueueWithProperties");
  std::vector<int> values(n, 1);
  cl_mem memory = clCreateBuffer(native_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 n * sizeof(int), values.data(), &code);
  check(code, "clCreateBuffer");
  cl_program program = build(native_context, device);
  cl_kernel add = find(program, "add");
  {
    sycl::context context = sycl::make_context<opencl>(native_context);
    sycl::queue queue = sycl::make_queue<opencl>(commands, context);
    expect(context.get_devices().front() == sycl::make_device<opencl>(device),
           "the device of the context");
    expect(queue.is_in_order() && queue.get_context() == context,
           "an in-order queue of the context");
    cl_context same_context = sycl::get_native<opencl>(context);
    cl_command_queue same_queue = sycl::get_native<opencl>(queue);
    expect(same_context == native_context && same_queue == commands,
           "the native context and queue");
    clReleaseContext(same_context);
    clReleaseCommandQueue(same_queue);

    sycl::buffer<int> buffer = sycl::make_buffer<opencl, int>(memory, context);
    sycl::kernel kernel = sycl::make_kernel<opencl>(add, context);
    auto bundle =
        sycl::make_kernel_bundle<opencl, sycl::bundle_state::executable>(program, context);
    expect(buffer.size() == n && kernel.get_context() == context,
           "a buffer of all elements, a kernel of the context");
    for (cl_program p : sycl::get_native<opencl>(bundle)) {
      expect(p == program, "the program of the bundle");
      clReleaseProgram(p);
    }
    for (cl_mem m : sycl::get_native<opencl>(buffer)) {
      expect(m == memory, "the memory object of the buffer");
      clReleaseMemObject(m);
    }
    auto times_two = [&] {
      queue.submit([&](sycl::handler &h) {
        sycl::accessor access(buffer, h, sycl::read_write);
        h.parallel_for(n,
                       [=](sycl::id<1> i) { access[i] = access[i] * 2 + static_cast<int>(i[0]); });
      });
    };
    times_two();
    queue.submit([&](sycl::handler &h) {
      sycl::accessor access(buffer, h, sycl::read_write);
      h.set_args(access, 100, sycl::local_accessor<int>(10, h));
      h.parallel_for(sycl::nd_range<1>(n, 10), kernel);
    });
    times_two();
    // What OpenCL enqueues itself comes after all that, since the queue is in order.
    const sycl::host_accessor read(buffer, sycl::read_only);
    for (std::size_t i = 0; i < n; ++i)
      if (read[i] != static_cast<int>((2 + i + 100) * 2 + i))
        return 1;
  }
  check(clEnqueueReadBuffer(commands, memory, CL_TRUE, 0, n * sizeof(int), values.data(), 0,
                            nullptr, nullptr),
        "clEnqueueReadBuffer");
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += values[i] != static_cast<int>((2 + i + 100) * 2 + i);
  clReleaseKernel(add);
  clReleaseProgram(program);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(commands);
  clReleaseContext(native_context);
  return wrong;
}

int main() {
  sycl::queue queue;
  cl_platform_id platform = sycl::get_native<opencl>(queue.get_device().get_platform());
  cl_context context = sycl::get_native<opencl>(queue.get_context());
  cl_device_id device = sycl::get_native<opencl>(queue.get_device());
  expect(sycl::make_device<opencl>(device) == queue.get_device(),
         "the device made from its cl_device_id");
  expect(sycl::make_platform<opencl>(platform) == queue.get_device().get_platform(),
         "the platform made from its cl_platform_id");
  cl_program program = build(context, device);
  cl_kernel triple = find(program, "triple");
  int wrong = 0;
  if (queue.get_device().has(sycl::aspect::usm_shared_allocations))
    wrong += in_shared_memory(queue, triple);
  wrong += in_a_host_task(queue, triple);
  wrong += of_opencl(device);
  clReleaseKernel(triple);
  clReleaseProgram(program);
  clReleaseContext(context);
  std::printf("%s: results are %s\n",
              queue.get_device().get_info<sycl::info::device::name>().c_str(),
              wrong ? "incorrect" : "correct");
  return wrong ? 1 : 0;
}
