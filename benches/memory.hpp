// Memory for the plain loops, of the kind that SYCL's allocations get: large pages where the system
// has them, so that both sides pay the same for address translation.
#ifndef SCYTHE_BENCHES_MEMORY_HPP
#define SCYTHE_BENCHES_MEMORY_HPP

#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>

template <class T> T *allocate(std::size_t count) {
  constexpr std::size_t page = std::size_t(2) << 20;
  std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
  void *memory = std::aligned_alloc(page, bytes);
  if (!memory)
    std::abort();
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<T *>(memory);
}

#endif
