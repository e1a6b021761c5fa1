// A libOpenCL.so.1 with one device, for tests of what drivers do wrong.
//
// The device has memory objects and nothing that it shares with the host. Copies and fills happen when they are
// enqueued; kernels do nothing. `fake_fail` says what goes wrong, and after how many calls; `fake_calls` counts.
// Programs name the failure in FAKE_OPENCL instead, as NAME or NAME:CALLS.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

enum {
  DEVICE_NOT_AVAILABLE = -2,
  OUT_OF_RESOURCES = -5,
  BUILD_FAILURE = -11,
  WAIT_LIST_FAILED = -14,
  INVALID_VALUE = -30,
  INVALID_OPERATION = -59,
};

// What goes wrong.
enum failure {
  NOTHING,
  BUILD,       // the compiler
  ENQUEUE,     // the device is gone when a command is enqueued
  RUN,         // the device is gone while commands are queued: they end badly
  NO_PLATFORM, // the driver has nothing to offer
  NO_SPIRV,    // the device takes no SPIR-V
  CONTEXT,     // no context can be made
  FLUSH,       // commands are taken, and flushing fails
};
static const char *const names[] = {"nothing",     "build",    "enqueue", "run",
                                    "no-platform", "no-spirv", "context", "flush"};
static int failing, good_calls;
static int counts[8];
enum counter { KERNELS, EVENTS, MARKERS, FLUSHES, ARGUMENTS, QUEUES, STATUS };

void fake_fail(int what, int after) {
  failing = what;
  good_calls = after;
  memset(counts, 0, sizeof counts);
}
int fake_calls(int counter) { return counts[counter]; }

__attribute__((constructor)) static void from_environment(void) {
  if (getenv("FAKE_OPENCL_LOUD"))
    fputs("the fake driver is loaded\n", stderr);
  const char *wanted = getenv("FAKE_OPENCL");
  for (int i = 0; wanted && i < (int)(sizeof names / sizeof *names); ++i) {
    const size_t length = strlen(names[i]);
    if (strncmp(wanted, names[i], length) == 0 && (wanted[length] == 0 || wanted[length] == ':')) {
      failing = i;
      good_calls = wanted[length] ? atoi(wanted + length + 1) : 0;
    }
  }
}

static int fails(int what) { return failing == what && (good_calls-- <= 0); }

struct object {
  int count;
  cl_int status;
  size_t size;
  unsigned char *bytes;
  struct object *parent;
  cl_ulong made;
};
static struct object platform_object = {.count = 1}, device_object = {.count = 1};

// The clock of the device is far from that of the machine.
static cl_ulong clock_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return ((cl_ulong)time.tv_sec + 1000000) * 1000000000 + (cl_ulong)time.tv_nsec;
}

static struct object *make(size_t size) {
  struct object *o = calloc(1, sizeof *o);
  o->count = 1;
  o->size = size;
  o->made = clock_ns();
  o->bytes = size ? calloc(1, size) : NULL;
  return o;
}
static cl_int retain(struct object *o) { return o ? (++o->count, 0) : INVALID_VALUE; }
static cl_int release(struct object *o) {
  if (!o || --o->count > 0)
    return o ? 0 : INVALID_VALUE;
  if (o->parent)
    release(o->parent);
  else
    free(o->bytes);
  free(o);
  return 0;
}

static cl_int answer(const void *value, size_t size, size_t room, void *place, size_t *full) {
  if (full)
    *full = size;
  if (place && room < size)
    return INVALID_VALUE;
  if (place)
    memcpy(place, value, size);
  return 0;
}
#define TEXT(t) answer(t, strlen(t) + 1, room, place, full)
#define NUMBER(type, n) answer(&(type){n}, sizeof(type), room, place, full)

cl_int clGetPlatformIDs(cl_uint room, void **list, cl_uint *count) {
  if (failing == NO_PLATFORM)
    return -1001;
  if (count)
    *count = 1;
  if (list && room)
    *list = &platform_object;
  return 0;
}
cl_int clGetPlatformInfo(void *p, cl_uint name, size_t room, void *place, size_t *full) {
  (void)p;
  static const char *const answers[] = {"FULL_PROFILE", "OpenCL 3.0 fake", "Fake platform", "Tests"};
  return name >= 0x0900 && name <= 0x0903 ? TEXT(answers[name - 0x0900]) : INVALID_VALUE;
}
cl_int clGetDeviceIDs(void *p, cl_ulong type, cl_uint room, void **list, cl_uint *count) {
  (void)p, (void)type;
  if (count)
    *count = 1;
  if (list && room)
    *list = &device_object;
  return 0;
}
cl_int clGetDeviceInfo(void *d, cl_uint name, size_t room, void *place, size_t *full) {
  (void)d;
  switch (name) {
  case 0x1000: // type: accelerator
    return NUMBER(cl_ulong, 8);
  case 0x1002: // compute units
  case 0x1027: // available
  case 0x1028: // compiler available
    return NUMBER(cl_uint, 1);
  case 0x1004: // work-group size
    return NUMBER(size_t, 256);
  case 0x1005: // work-item sizes
    return answer((size_t[]){256, 256, 256}, 3 * sizeof(size_t), room, place, full);
  case 0x100d: // address bits
    return NUMBER(cl_uint, 64);
  case 0x1010: // largest allocation
  case 0x101f: // memory
    return NUMBER(cl_ulong, 1 << 26);
  case 0x1019: // alignment of parts
    return NUMBER(cl_uint, 1024);
  case 0x1023: // local memory
    return NUMBER(cl_ulong, 1 << 15);
  case 0x102b:
    return TEXT("Fake device");
  case 0x102c:
    return TEXT("Tests");
  case 0x102d:
    return TEXT("1.0");
  case 0x102f:
    return TEXT("OpenCL 3.0 fake");
  case 0x1030:
    return TEXT("cl_khr_fp64");
  case 0x105b:
    return TEXT(failing == NO_SPIRV ? "" : "SPIR-V_1.4");
  default:
    return INVALID_VALUE;
  }
}
void *clGetExtensionFunctionAddressForPlatform(void *p, const char *name) { return (void)p, (void)name, NULL; }

// Its device cannot be partitioned.
cl_int clCreateSubDevices(void *d, const intptr_t *p, cl_uint room, void **out, cl_uint *n) {
  return (void)d, (void)p, (void)room, (void)out, (void)n, INVALID_VALUE;
}

void *clCreateContext(const intptr_t *p, cl_uint n, void *const *d, const void *f, void *data, cl_int *code) {
  (void)p, (void)n, (void)d, (void)f, (void)data;
  *code = failing == CONTEXT ? OUT_OF_RESOURCES : 0;
  return *code ? NULL : make(0);
}
cl_int clGetContextInfo(void *c, cl_uint name, size_t room, void *place, size_t *full) {
  (void)c;
  return name == 0x1081 ? NUMBER(void *, &device_object) : INVALID_VALUE;
}
void *clCreateCommandQueueWithProperties(void *c, void *d, const cl_ulong *p, cl_int *code) {
  (void)c, (void)d, (void)p;
  ++counts[QUEUES];
  *code = 0;
  return make(0);
}
cl_int clGetCommandQueueInfo(void *q, cl_uint name, size_t room, void *place, size_t *full) {
  (void)q, (void)name, (void)room, (void)place, (void)full;
  return INVALID_VALUE;
}

void *clCreateProgramWithIL(void *c, const void *il, size_t size, cl_int *code) {
  (void)c, (void)il, (void)size;
  *code = 0;
  return make(0);
}
void *clCreateProgramWithSource(void *c, cl_uint n, const char *const *texts, const size_t *sizes, cl_int *code) {
  (void)c, (void)n, (void)texts, (void)sizes;
  *code = 0;
  return make(0);
}
cl_int clGetProgramInfo(void *p, cl_uint name, size_t room, void *place, size_t *full) {
  (void)p;
  return name == 0x1168 ? TEXT("first;second") : INVALID_VALUE;
}
void *clCreateProgramWithBinary(void *c, cl_uint n, void *const *d, const size_t *s, const unsigned char *const *b,
                                cl_int *each, cl_int *code) {
  (void)c, (void)n, (void)d, (void)s, (void)b, (void)each;
  *code = INVALID_VALUE;
  return NULL;
}
cl_int clBuildProgram(void *p, cl_uint n, void *const *d, const char *o, const void *f, void *data) {
  (void)p, (void)n, (void)d, (void)o, (void)f, (void)data;
  return fails(BUILD) ? BUILD_FAILURE : 0;
}
cl_int clGetProgramBuildInfo(void *p, void *d, cl_uint name, size_t room, void *place, size_t *full) {
  (void)p, (void)d;
  return name == 0x1183 ? TEXT("fake compiler: 12:7: no register is left\n") : INVALID_VALUE;
}
void *clCreateKernel(void *p, const char *name, cl_int *code) {
  (void)name;
  struct object *kernel = make(0);
  kernel->parent = p;
  retain(p);
  *code = 0;
  return kernel;
}
cl_int clGetKernelInfo(void *k, cl_uint name, size_t room, void *place, size_t *full) {
  return name == 0x1194 ? NUMBER(void *, ((struct object *)k)->parent) : INVALID_VALUE;
}
cl_int clGetKernelWorkGroupInfo(void *k, void *d, cl_uint name, size_t room, void *place, size_t *full) {
  (void)k;
  return !d && name == 0x11b0 ? NUMBER(size_t, 128) : INVALID_VALUE;
}
cl_int clGetKernelSubGroupInfo(void *k, void *d, cl_uint name, size_t input, const void *local, size_t room, void *place,
                               size_t *full) {
  (void)k, (void)d;
  const size_t items = input == 3 * sizeof(size_t) ? *(const size_t *)local : 0;
  return name == 0x2033 ? NUMBER(size_t, 16) : name == 0x2034 ? NUMBER(size_t, (items + 15) / 16) : INVALID_VALUE;
}
cl_int clSetKernelArg(void *k, cl_uint i, size_t size, const void *value) {
  (void)k, (void)i, (void)size, (void)value;
  ++counts[ARGUMENTS];
  return 0;
}
cl_int clSetKernelArgSVMPointer(void *k, cl_uint i, const void *value) {
  (void)k, (void)i, (void)value;
  return INVALID_OPERATION;
}
cl_int clSetKernelExecInfo(void *k, cl_uint name, size_t size, const void *value) {
  (void)k, (void)name, (void)size, (void)value;
  return 0;
}

// A command that has run by now, unless the device is lost.
static cl_int enqueued(void **event) {
  if (fails(ENQUEUE))
    return DEVICE_NOT_AVAILABLE;
  const cl_int status = fails(RUN) ? OUT_OF_RESOURCES : 0;
  if (event) {
    struct object *made = make(0);
    made->status = status;
    ++counts[EVENTS];
    *event = made;
  }
  return 0;
}
#define WAITS cl_uint n, void *const *waits, void **event
#define NO_WAITS (void)q, (void)n, (void)waits
cl_int clEnqueueNDRangeKernel(void *q, void *k, cl_uint dims, const size_t *o, const size_t *g, const size_t *l,
                              WAITS) {
  NO_WAITS, (void)k, (void)dims, (void)o, (void)g, (void)l;
  ++counts[KERNELS];
  return enqueued(event);
}
cl_int clEnqueueMarkerWithWaitList(void *q, WAITS) {
  NO_WAITS;
  ++counts[MARKERS];
  return enqueued(event);
}
cl_int clEnqueueBarrierWithWaitList(void *q, WAITS) {
  NO_WAITS;
  ++counts[MARKERS];
  return enqueued(event);
}
cl_int clEnqueueReadBuffer(void *q, struct object *m, cl_uint b, size_t at, size_t size, void *to, WAITS) {
  NO_WAITS, (void)b;
  memcpy(to, m->bytes + at, size);
  return enqueued(event);
}
cl_int clEnqueueWriteBuffer(void *q, struct object *m, cl_uint b, size_t at, size_t size, const void *from, WAITS) {
  NO_WAITS, (void)b;
  memcpy(m->bytes + at, from, size);
  return enqueued(event);
}
cl_int clEnqueueCopyBuffer(void *q, struct object *a, struct object *b, size_t from, size_t to, size_t size, WAITS) {
  NO_WAITS;
  memmove(b->bytes + to, a->bytes + from, size);
  return enqueued(event);
}
cl_int clEnqueueFillBuffer(void *q, struct object *m, const void *pattern, size_t width, size_t at, size_t size,
                           WAITS) {
  NO_WAITS;
  for (size_t i = 0; i < size; i += width)
    memcpy(m->bytes + at + i, pattern, width);
  return enqueued(event);
}
cl_int clEnqueueSVMMemcpy(void *q, cl_uint b, void *to, const void *from, size_t size, WAITS) {
  NO_WAITS, (void)b, (void)to, (void)from, (void)size, (void)event;
  return INVALID_OPERATION;
}
cl_int clEnqueueSVMMemFill(void *q, void *to, const void *pattern, size_t width, size_t size, WAITS) {
  NO_WAITS, (void)to, (void)pattern, (void)width, (void)size, (void)event;
  return INVALID_OPERATION;
}
void *clSVMAlloc(void *c, cl_ulong flags, size_t size, cl_uint align) {
  (void)c, (void)flags, (void)size, (void)align;
  return NULL;
}
void clSVMFree(void *c, void *p) { (void)c, (void)p; }

cl_int clFinish(void *q) {
  (void)q;
  return 0;
}

cl_int clFlush(void *q) {
  (void)q;
  ++counts[FLUSHES];
  return failing == FLUSH ? OUT_OF_RESOURCES : 0;
}
cl_int clWaitForEvents(cl_uint n, struct object *const *list) {
  cl_int worst = 0;
  for (cl_uint i = 0; i < n; ++i)
    worst = list[i]->status < 0 ? WAIT_LIST_FAILED : worst;
  return worst;
}
cl_int clGetEventInfo(struct object *e, cl_uint name, size_t room, void *place, size_t *full) {
  ++counts[STATUS];
  return name == 0x11d3 ? NUMBER(cl_int, e->status) : INVALID_VALUE;
}
cl_int clGetEventProfilingInfo(struct object *e, cl_uint name, size_t room, void *place, size_t *full) {
  // Queued, submitted, started and ended.
  return name >= 0x1280 && name <= 0x1283 ? NUMBER(cl_ulong, e->made + 100 * (name - 0x1280))
                                          : INVALID_VALUE;
}
cl_int clSetEventCallback(struct object *e, cl_int when, void (*f)(void *, cl_int, void *), void *data) {
  (void)when;
  f(e, e->status, data);
  return 0;
}

void *clCreateBuffer(void *c, cl_ulong flags, size_t size, void *host, cl_int *code) {
  (void)c, (void)flags;
  struct object *memory = make(size);
  if (host)
    memcpy(memory->bytes, host, size);
  *code = 0;
  return memory;
}
void *clCreateSubBuffer(struct object *m, cl_ulong flags, cl_uint type, const size_t *region, cl_int *code) {
  (void)flags, (void)type;
  struct object *part = make(0);
  part->parent = m;
  part->bytes = m->bytes + region[0];
  part->size = region[1];
  retain(m);
  *code = 0;
  return part;
}
cl_int clGetMemObjectInfo(struct object *m, cl_uint name, size_t room, void *place, size_t *full) {
  return name == 0x1102 ? NUMBER(size_t, m->size) : INVALID_VALUE;
}

#define COUNTED(name)                                                                                                  \
  cl_int clRetain##name(void *o) { return retain(o); }                                                                 \
  cl_int clRelease##name(void *o) { return release(o); }
COUNTED(Context)
COUNTED(CommandQueue)
COUNTED(Program)
COUNTED(Kernel)
COUNTED(Event)
COUNTED(MemObject)
