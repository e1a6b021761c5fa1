/* Stands in for OpenCL and a driver of Intel's GPUs: one device, which says that it is of the version in FAKE_VERSION,
 * and whose kernels do nothing. It takes binaries for any device, or none where FAKE_REFUSES is set; and SPIR-V. The
 * test adds what is not here, as functions that succeed and do nothing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char platform, device, context, queue, program, kernel, event;

static int answer(const void *value, size_t length, size_t size, void *place, size_t *full) {
  if (full)
    *full = length;
  if (place && size >= length)
    memcpy(place, value, length);
  return 0;
}

static int text(const char *value, size_t size, void *place, size_t *full) {
  return answer(value, strlen(value) + 1, size, place, full);
}

static int number(uint64_t value, size_t length, size_t size, void *place, size_t *full) {
  return answer(&value, length, size, place, full);
}

int clGetPlatformIDs(uint32_t room, void **list, uint32_t *count) {
  if (room)
    list[0] = &platform;
  if (count)
    *count = 1;
  return 0;
}

int clGetDeviceIDs(void *of, uint64_t type, uint32_t room, void **list, uint32_t *count) {
  if (room)
    list[0] = &device;
  if (count)
    *count = 1;
  return 0;
}

int clGetPlatformInfo(void *of, uint32_t name, size_t size, void *place, size_t *full) {
  return text(name == 0x901 ? "OpenCL 3.0" : "Fake OpenCL", size, place, full);
}

int clGetDeviceInfo(void *of, uint32_t name, size_t size, void *place, size_t *full) {
  const size_t sizes[3] = {256, 256, 256};
  const char *version = getenv("FAKE_VERSION");
  switch (name) {
  case 0x1000: /* CL_DEVICE_TYPE */
    return number(4, 8, size, place, full);
  case 0x1001: /* CL_DEVICE_VENDOR_ID */
    return number(0x8086, 4, size, place, full);
  case 0x1004: /* CL_DEVICE_MAX_WORK_GROUP_SIZE */
    return number(256, 8, size, place, full);
  case 0x1005: /* CL_DEVICE_MAX_WORK_ITEM_SIZES */
    return answer(sizes, sizeof(sizes), size, place, full);
  case 0x100d: /* CL_DEVICE_ADDRESS_BITS */
    return number(64, 4, size, place, full);
  case 0x1027: /* CL_DEVICE_AVAILABLE */
  case 0x1028: /* CL_DEVICE_COMPILER_AVAILABLE */
    return number(1, 4, size, place, full);
  case 0x102b: /* CL_DEVICE_NAME */
    return text("Fake GPU", size, place, full);
  case 0x102f: /* CL_DEVICE_VERSION */
    return text("OpenCL 3.0", size, place, full);
  case 0x1030: /* CL_DEVICE_EXTENSIONS */
    return text(version ? "cl_intel_device_attribute_query" : "", size, place, full);
  case 0x1053: /* CL_DEVICE_SVM_CAPABILITIES */
    return number(3, 8, size, place, full);
  case 0x105b: /* CL_DEVICE_IL_VERSION */
    return text("SPIR-V_1.2", size, place, full);
  case 0x4250: /* CL_DEVICE_IP_VERSION_INTEL */
    return version ? number(strtoul(version, NULL, 0), 4, size, place, full) : -30;
  default:
    return -30;
  }
}

void *clCreateContext(const void *properties, uint32_t count, void **devices, void *call, void *data, int *error) {
  *error = 0;
  return &context;
}

void *clCreateCommandQueueWithProperties(void *in, void *of, const void *properties, int *error) {
  *error = 0;
  return &queue;
}

void *clCreateProgramWithIL(void *in, const void *words, size_t size, int *error) {
  *error = size > 4 && !memcmp(words, "\x03\x02\x23\x07", 4) ? 0 : -30;
  return *error ? NULL : &program;
}

void *clCreateProgramWithBinary(void *in, uint32_t count, void **devices, const size_t *sizes,
                                const unsigned char **binaries, int *status, int *error) {
  *status = *error = sizes[0] > 4 &&
                             !memcmp(binaries[0],
                                     "\x7f"
                                     "ELF",
                                     4) &&
                             !getenv("FAKE_REFUSES")
                         ? 0
                         : -42;
  return *error ? NULL : &program;
}

void *clCreateKernel(void *of, const char *name, int *error) {
  *error = 0;
  return &kernel;
}

int clEnqueueNDRangeKernel(void *in, void *what, uint32_t dims, const size_t *offset, const size_t *global,
                           const size_t *local, uint32_t count, void **waits, void **made) {
  if (made)
    *made = &event;
  return 0;
}

int clGetEventInfo(void *of, uint32_t name, size_t size, void *place, size_t *full) {
  return number(0, 4, size, place, full);
}

int clSetEventCallback(void *of, int status, void (*call)(void *, int, void *), void *data) {
  call(of, 0, data);
  return 0;
}

void *clSVMAlloc(void *in, uint64_t flags, size_t size, uint32_t align) { return calloc(1, size + 128); }

void clSVMFree(void *in, void *memory) { free(memory); }
