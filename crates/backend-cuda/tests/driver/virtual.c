// The fake driver's virtual memory. Its unit is 64 KiB, physical memory is an anonymous file, and pages without access
// are protected, so that a wrong access ends the test.

#include <sys/mman.h>
#include <unistd.h>

enum { unit = 1 << 16 };
struct properties {
  int kind, handles, location, device;
  void *metadata;
  unsigned char flags[8];
};
struct grant {
  int kind, device, flags;
};
static result good(const struct properties *p) {
  return p->kind == 1 && p->handles <= 1 && p->location == 1 && p->device < state[devices] ? 0 : 1;
}

result cuMemGetAllocationGranularity(size_t *size, const struct properties *p, int option) {
  LOST;
  return *size = option == 1 ? 2 * unit : unit, good(p);
}
result cuMemAddressReserve(address *at, size_t size, size_t align, address hint, uint64_t flags) {
  LOST;
  if (!current || size % unit || align || flags)
    return 1;
  if (hint && state[no_hints])
    return 2;
  char *memory = mmap((void *)hint, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return 2;
  state[reserved]++;
  return *at = ((address)memory + unit - 1) / unit * unit, 0;
}
result cuMemAddressFree(address at, size_t size) { return munmap((void *)at, size), state[reserved]--, 0; }
result cuMemCreate(uint64_t *handle, size_t size, const struct properties *p, uint64_t flags) {
  LOST;
  if (good(p) || flags || size % unit)
    return 1;
  if ((int64_t)size > state[memory_left])
    return 2;
  int file = memfd_create("fake", 0);
  if (ftruncate(file, (off_t)size))
    return 2;
  return *handle = (uint64_t)file, state[physical]++, 0;
}
result cuMemExportToShareableHandle(int *file, uint64_t handle, int type, uint64_t flags) {
  LOST;
  return type == 1 && !flags ? (*file = dup((int)handle), 0) : 1;
}
result cuMemRelease(uint64_t handle) { return close((int)handle), state[physical]--, 0; }
result cuMemMap(address at, size_t size, size_t offset, uint64_t handle, uint64_t flags) {
  LOST;
  if (at % unit || size % unit || offset % unit || flags)
    return 1;
  void *made = mmap((void *)at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)handle, (off_t)offset);
  return made == MAP_FAILED;
}
result cuMemUnmap(address at, size_t size) {
  LOST;
  void *made = mmap((void *)at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return made == MAP_FAILED;
}
result cuMemSetAccess(address at, size_t size, const struct grant *grants, size_t count) {
  LOST;
  for (size_t i = 0; i < count; i++)
    if (grants[i].kind != 1 || grants[i].flags != grants[0].flags)
      return 1;
  if (grants[0].flags == 1 && state[no_read_only])
    return 801;
  state[grants_made] = (int64_t)count;
  int mode = grants[0].flags == 3 ? PROT_READ | PROT_WRITE : grants[0].flags == 1 ? PROT_READ : PROT_NONE;
  return mprotect((void *)at, size, mode) ? 1 : 0;
}

// Registered memory of the host.
result cuMemHostRegister_v2(void *at, size_t size, uint32_t flags) {
  LOST;
  if (!current || !at || !size)
    return 1;
  if (state[registered])
    return 712;
  return state[registered] = flags, 0;
}
result cuMemHostUnregister(void *at) {
  LOST;
  return at && state[registered] ? (state[registered] = 0, 0) : 713;
}
