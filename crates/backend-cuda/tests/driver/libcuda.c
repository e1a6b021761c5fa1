// A driver without a device, for tests: memory is the host's, commands run at once, and what goes wrong is the test's
// choice.
//
// fake_set(what, value) chooses, fake_get(what) counts. Device code is text: ".version 8.3", then the names of kernels.
//   count     adds 1 to the word of each work-item
//   illegal   reads an address that is not its own
//   wide      has registers for 128 work-items
//   deep      has a megabyte of private memory
// Contexts, streams and events are small numbers.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t result;
typedef uint64_t address;

enum {
  devices,
  driver,
  init_error,
  sticky,
  memory_left,
  pending,
  ptx_limit,
  shared_optin,
  grid_y,
  records,
  waits,
  launches,
  stream_syncs,
  streams,
  set_attributes,
  frees,
  last_shared,
  peers,
  prefetches,
  advises,
  elapsed,
  last_priority,
  instances,
  node_updates,
  graph_launches,
  no_hints,
  no_read_only,
  reserved,
  physical,
  grants_made,
  registered,
  cooperative,
  clusters,
  has_clusters,
  numbers
};
static int64_t state[numbers] = {[devices] = 1,    [driver] = 13000,        [memory_left] = 1 << 30,
                                 [ptx_limit] = 90, [shared_optin] = 232448, [grid_y] = 65535,
                                 [has_clusters] = 1};
static const char *names[numbers] = {
    "devices",        "driver", "init_error",  "sticky", "memory_left", "pending",      "ptx_limit",
    "shared_optin",   "grid_y", "records",     "waits",  "launches",    "stream_syncs", "streams",
    "set_attributes", "frees",  "last_shared", "peers",  "prefetches",  "advises",      "elapsed",
    "last_priority",  "instances", "node_updates", "graph_launches", "no_hints", "no_read_only",
    "reserved",       "physical", "grants_made", "registered", "cooperative", "clusters", "has_clusters"};

static int64_t *find(const char *name) {
  for (int i = 0; i < numbers; i++)
    if (!strcmp(names[i], name))
      return &state[i];
  abort();
}
void fake_set(const char *name, int64_t value) { *find(name) = value; }
int64_t fake_get(const char *name) { return *find(name); }

static _Thread_local void *current;
#define LOST                                                                                                           \
  if (state[sticky])                                                                                                   \
  return (result)state[sticky]

result cuInit(uint32_t flags) { return (void)flags, (result)state[init_error]; }
result cuDriverGetVersion(int *version) { return *version = (int)state[driver], 0; }
static const char *name_of(result code) {
  switch (code) {
  case 1:
    return "CUDA_ERROR_INVALID_VALUE";
  case 2:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case 3:
    return "CUDA_ERROR_NOT_INITIALIZED";
  case 209:
    return "CUDA_ERROR_NO_BINARY_FOR_GPU";
  case 218:
    return "CUDA_ERROR_INVALID_PTX";
  case 222:
    return "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
  case 500:
    return "CUDA_ERROR_NOT_FOUND";
  case 600:
    return "CUDA_ERROR_NOT_READY";
  case 700:
    return "CUDA_ERROR_ILLEGAL_ADDRESS";
  case 701:
    return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
  default:
    return 0;
  }
}
result cuGetErrorName(result code, const char **text) { return (*text = name_of(code)) ? 0 : 1; }
result cuGetErrorString(result code, const char **text) { return *text = "words of the driver", name_of(code) ? 0 : 1; }
result cuDeviceGetCount(int *count) { return *count = (int)state[devices], 0; }
result cuDeviceGet(int *device, int index) { return *device = index, 0; }
result cuDeviceGetName(char *name, int size, int device) {
  return snprintf(name, (size_t)size, "Fake GPU %d", device), 0;
}
result cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = 1 << 30, 0; }
result cuDeviceGetAttribute(int *value, int name, int device) {
  switch (name) {
  case 1:
    *value = 1024;
    break;
  case 2:
  case 3:
    *value = 1024;
    break;
  case 4:
    *value = 64;
    break;
  case 5:
    *value = 0x7fffffff;
    break;
  case 6:
  case 7:
    *value = (int)state[grid_y];
    break;
  case 8:
    *value = 49152;
    break;
  case 12: // registers of a block
    *value = 65536;
    break;
  case 95: // cooperative launches
    *value = 1;
    break;
  case 120: // clusters
    *value = (int)state[has_clusters];
    break;
  case 13:
    *value = 1980000;
    break;
  case 16:
    *value = 132;
    break;
  case 33: // PCI bus
    *value = 0x3b + device;
    break;
  case 36: // memory clock, kHz
    *value = 2619000;
    break;
  case 37: // memory bus, bits
    *value = 5120;
    break;
  case 75:
    *value = 9;
    break;
  case 76:
    *value = 0;
    break;
  case 97:
    *value = (int)state[shared_optin];
    break;
  case 83:
  case 89:
  case 91:
  case 99:
  case 102:
  case 103:
  case 115:
    *value = 1;
    break;
  default:
    *value = 0;
  }
  return 0;
}
result cuDeviceGetUuid(unsigned char *uuid, int device) {
  for (int i = 0; i < 16; i++)
    uuid[i] = (unsigned char)(16 * device + i);
  return 0;
}
result cuDeviceCanAccessPeer(int *can, int a, int b) { return *can = a != b, 0; }
result cuDeviceGetP2PAttribute(int *value, int name, int a, int b) { return *value = name == 3 && a < b, 0; }
result cuDeviceGetDefaultMemPool(void **pool, int device) { return *pool = (void *)(uintptr_t)(0x500 + device), 0; }
result cuDevicePrimaryCtxRetain(void **context, int device) {
  return *context = (void *)(uintptr_t)(0x100 + device), 0;
}
result cuCtxGetCurrent(void **context) { return *context = current, 0; }
result cuCtxSetCurrent(void *context) { return current = context, 0; }
result cuCtxSynchronize(void) {
  LOST;
  return 0;
}
result cuCtxEnablePeerAccess(void *peer, uint32_t flags) { return (void)peer, (void)flags, state[peers]++, 0; }

result cuStreamCreate(void **stream, uint32_t flags) {
  LOST;
  if (!current || flags != 1)
    return 1;
  return *stream = (void *)(uintptr_t)(0x1000 + ++state[streams]), 0;
}
result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return current ? (*least = 0, *greatest = -5, 0) : 3;
}
result cuStreamCreateWithPriority(void **stream, uint32_t flags, int priority) {
  return state[last_priority] = priority, cuStreamCreate(stream, flags);
}
result cuStreamDestroy_v2(void *stream) { return (void)stream, 0; }
result cuStreamSynchronize(void *stream) {
  LOST;
  return (void)stream, state[stream_syncs]++, 0;
}
result cuStreamWaitEvent(void *stream, void *event, uint32_t flags) {
  LOST;
  return state[waits]++, stream && event && !flags ? 0 : 1;
}
static int64_t clock_us;
result cuEventCreate(void **event, uint32_t flags) {
  LOST;
  int64_t *made = calloc(2, sizeof *made);
  made[1] = flags;
  return *event = made, 0;
}
result cuEventDestroy_v2(void *event) { return free(event), 0; }
result cuEventRecord(void *event, void *stream) {
  LOST;
  *(int64_t *)event = clock_us += 5;
  return state[records]++, stream ? 0 : 1;
}
result cuEventQuery(void *event) {
  LOST;
  return (void)event, state[pending] ? 600 : 0;
}
result cuEventSynchronize(void *event) {
  LOST;
  return (void)event, 0;
}
result cuEventElapsedTime(float *ms, void *from, void *to) {
  if (((int64_t *)from)[1] || ((int64_t *)to)[1])
    return 1;
  return state[elapsed]++, *ms = (float)(*(int64_t *)to - *(int64_t *)from) / 1000, 0;
}

static result take(address *at, size_t size) {
  LOST;
  if (!current)
    return 3;
  if ((int64_t)size > state[memory_left])
    return 2;
  return *at = (address)aligned_alloc(512, (size + 511) / 512 * 512), 0;
}
result cuMemGetInfo_v2(size_t *left, size_t *total) {
  LOST;
  return current ? (*left = (size_t)state[memory_left], *total = 1 << 30, 0) : 3;
}
result cuMemAlloc_v2(address *at, size_t size) { return take(at, size); }
result cuMemFree_v2(address at) { return free((void *)at), state[frees]++, 0; }
result cuMemHostAlloc(void **at, size_t size, uint32_t flags) { return (void)flags, take((address *)at, size); }
result cuMemFreeHost(void *at) { return free(at), state[frees]++, 0; }
result cuMemAllocManaged(address *at, size_t size, uint32_t flags) { return flags == 1 ? take(at, size) : 1; }
result cuMemAllocFromPoolAsync(address *at, size_t size, void *pool, void *stream) {
  return pool && stream ? take(at, size) : 1;
}
result cuMemFreeAsync(address at, void *stream) { return (void)stream, cuMemFree_v2(at); }
result cuMemPoolSetAttribute(void *pool, int name, void *value) { return (void)pool, (void)value, name == 4 ? 0 : 1; }
result cuMemPoolSetAccess(void *pool, const void *access, size_t count) {
  return (void)pool, (void)access, count == 1 ? 0 : 1;
}
result cuMemPoolTrimTo(void *pool, size_t size) { return (void)pool, (void)size, 0; }
struct copy;
static int captures(void *stream);
static void capture_copy(address to, address from, size_t size);
static void capture_box(const struct copy *c);
static void capture_fill(address at, uint32_t value, int width, size_t count);
result cuMemcpyAsync(address to, address from, size_t size, void *stream) {
  LOST;
  if (captures(stream))
    return capture_copy(to, from, size), 0;
  return (void)stream, memmove((void *)to, (void *)from, size), 0;
}
struct side {
  size_t x, y, z, lod;
  int kind;
  const void *host;
  address device;
  void *array, *reserved;
  size_t pitch, height;
};
struct copy {
  struct side src, dst;
  size_t width, height, depth;
};
static char *base(const struct side *s) { return s->kind == 1 ? (char *)s->host : (char *)s->device; }
result cuMemcpy3DAsync_v2(const struct copy *c, void *stream) {
  LOST;
  if (captures(stream))
    return capture_box(c), 0;
  if (c->src.pitch < c->width || c->dst.pitch < c->width)
    return 1;
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++)
      memcpy(base(&c->dst) + (z * c->dst.height + y) * c->dst.pitch,
             base(&c->src) + (z * c->src.height + y) * c->src.pitch, c->width);
  return 0;
}
result cuMemsetD8Async(address at, uint8_t value, size_t count, void *stream) {
  if (captures(stream))
    return capture_fill(at, value, 1, count), 0;
  return (void)stream, memset((void *)at, value, count), 0;
}
result cuMemsetD16Async(address at, uint16_t value, size_t count, void *stream) {
  if (captures(stream))
    return capture_fill(at, value, 2, count), 0;
  for (size_t i = 0; i < count; i++)
    ((uint16_t *)at)[i] = value;
  return (void)stream, 0;
}
result cuMemsetD32Async(address at, uint32_t value, size_t count, void *stream) {
  if (captures(stream))
    return capture_fill(at, value, 4, count), 0;
  for (size_t i = 0; i < count; i++)
    ((uint32_t *)at)[i] = value;
  return (void)stream, 0;
}
result cuMemPrefetchAsync(address at, size_t size, int device, void *stream) {
  LOST;
  return (void)device, (void)stream, state[prefetches]++, at && size ? 0 : 1;
}
result cuMemAdvise(address at, size_t size, int advice, int device) {
  LOST;
  return (void)device, state[advises]++, at && size && advice >= 1 && advice <= 6 ? 0 : 1;
}
result cuPointerGetAttribute(void *value, int name, address at) {
  return (void)at, name == 2 || name == 8 ? (*(uint32_t *)value = 2, 0) : 1;
}

static void tell(uint32_t count, const int *options, void *const *values, const char *text) {
  for (uint32_t i = 0; i < count; i++)
    if (options[i] == 5)
      strcpy(values[i], text);
}
result cuModuleLoadDataEx(void **module, const void *code, uint32_t count, const int *options, void *const *values) {
  LOST;
  const char *version = strstr(code, ".version ");
  if (!version)
    return tell(count, options, values, "line 1: this is no device code"), 218;
  if (strtod(version + 9, 0) * 10 > (double)state[ptx_limit])
    return 222;
  return *module = strdup(code), 0;
}
result cuModuleUnload(void *module) { return free(module), 0; }
struct function {
  char name[64];
  void *context;
};
result cuModuleGetFunction(void **function, void *module, const char *name) {
  LOST;
  if (!strstr(module, name))
    return 500;
  struct function *made = calloc(1, sizeof *made);
  snprintf(made->name, sizeof made->name, "%s", name);
  made->context = current;
  return *function = made, 0;
}
result cuModuleGetGlobal_v2(address *at, size_t *size, void *module, const char *name) {
  static int64_t variable[8];
  if (!strstr(module, name))
    return 500;
  return *at = (address)variable, *size = sizeof variable, 0;
}
result cuFuncGetAttribute(int *value, int name, void *function) {
  int wide = !strcmp(((struct function *)function)->name, "wide");
  if (name == 3)
    return *value = strcmp(((struct function *)function)->name, "deep") ? 0 : 1 << 20, 0;
  return *value = name == 0 ? (wide ? 128 : 1024) : name == 1 ? 1024 : name == 4 ? (wide ? 255 : 32) : 0, 0;
}
result cuFuncSetAttribute(void *function, int name, int value) {
  return (void)function, (void)value, state[set_attributes]++, name == 8 ? 0 : 1;
}
result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  return (void)function, (void)shared, *blocks = 2048 / threads, 0;
}

// `scythe_abi::cuda::Launch`.
struct launch {
  uint64_t start[3], end[3], size[3], offset[3];
  uint32_t first[3], groups[3];
  uint64_t meeting;
};
static void capture_kernel(void *function, const uint32_t *grid, const uint32_t *block, uint32_t shared,
                           void **arguments);
static void capture_together(void);
result cuLaunchKernel(void *function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                      uint32_t shared, void *stream, void **arguments, void **extra) {
  LOST;
  struct function *f = function;
  if (!current || f->context != current)
    return current ? 400 : 201;
  if (!stream || extra)
    return 1;
  if (gy > state[grid_y] || gz > state[grid_y] || bx * by * bz > 1024)
    return 1;
  if (captures(stream))
    return capture_kernel(function, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, shared, arguments), 0;
  state[launches]++;
  state[last_shared] = shared;
  if (!strcmp(f->name, "illegal"))
    return state[sticky] = 700, 0;
  if (strcmp(f->name, "count"))
    return 0;
  uint32_t *words = *(uint32_t **)arguments[0];
  const struct launch *l = arguments[1];
  for (uint64_t z = 0; z < (uint64_t)gz * bz; z++)
    for (uint64_t y = 0; y < (uint64_t)gy * by; y++)
      for (uint64_t x = 0; x < (uint64_t)gx * bx; x++) {
        uint64_t id[3] = {l->start[0] + x, l->start[1] + y, l->start[2] + z};
        if (id[0] >= l->end[0])
          continue;
        for (int d = 0; d < 3; d++)
          id[d] -= l->offset[d];
        words[id[0] + l->size[0] * (id[1] + l->size[1] * id[2])]++;
      }
  return 0;
}
// The blocks meet once: each adds to the word, which must be 0 in its lower bits before and after.
result cuLaunchCooperativeKernel(void *function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                                 uint32_t bz, uint32_t shared, void *stream, void **arguments) {
  if (gx * gy * gz > 132 * (2048 / (bx * by * bz)))
    return 720;
  int captured_now = captures(stream);
  result code = cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, 0);
  if (code || !strcmp(((struct function *)function)->name, "illegal"))
    return code;
  if (captured_now)
    return capture_together(), 0;
  uint32_t *word = (uint32_t *)((struct launch *)arguments[1])->meeting;
  if (!word || *word & 0x7fffffff)
    return 1;
  for (uint32_t i = 0; i < gx * gy * gz; i++)
    *word += i ? 1 : 0x80000000u - (gx * gy * gz - 1);
  state[cooperative]++;
  return 0;
}
struct attribute {
  int id;
  char padding[4];
  uint32_t value[16];
};
struct config {
  uint32_t grid[3], block[3], shared;
  void *stream;
  struct attribute *attributes;
  uint32_t count;
};
result cuLaunchKernelEx(const struct config *c, void *function, void **arguments, void **extra) {
  if (c->count != 1 || c->attributes->id != 4)
    return 1;
  for (int d = 0; d < 3; d++)
    if (!c->attributes->value[d] || c->grid[d] % c->attributes->value[d])
      return 1;
  state[clusters]++;
  return cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared,
                        c->stream, arguments, extra);
}
result cuLinkCreate_v2(uint32_t count, const int *options, void *const *values, void **link) {
  (void)count, (void)options, (void)values;
  return *link = calloc(1, 4096), 0;
}
result cuLinkAddData_v2(void *link, int kind, const void *data, size_t size, const char *name, uint32_t count,
                        const int *options, void *const *values) {
  (void)name, (void)count, (void)options, (void)values;
  if (kind != 1)
    return 1;
  return strncat(link, data, size), 0;
}
result cuLinkComplete(void *link, void **cubin, size_t *size) { return *cubin = link, *size = strlen(link) + 1, 0; }
result cuLinkDestroy(void *link) { return free(link), 0; }

#include "graphs.c"
#include "virtual.c"
