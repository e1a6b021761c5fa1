// Clusters of blocks, from compute capability 9.0 on: the position of a block in its cluster, a
// barrier, and addresses in the shared memory of the other blocks.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_CLUSTER_GROUP_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_CLUSTER_GROUP_HPP

#include "groups.hpp"

// Reads a special register that does not change.
#define SCYTHE_REGISTER(name)                                                                      \
  ({                                                                                               \
    scythe_u32 value;                                                                              \
    asm("mov.u32 %0, %%" name ";" : "=r"(value));                                                  \
    value;                                                                                         \
  })

// Dimension 0 varies fastest.
extern "C" SCYTHE_GROUP scythe_u32 __scythe_cluster_group_id(int d) noexcept {
  return d == 0   ? SCYTHE_REGISTER("cluster_ctaid.x")
         : d == 1 ? SCYTHE_REGISTER("cluster_ctaid.y")
                  : SCYTHE_REGISTER("cluster_ctaid.z");
}
extern "C" SCYTHE_GROUP scythe_u32 __scythe_cluster_group_range(int d) noexcept {
  return d == 0   ? SCYTHE_REGISTER("cluster_nctaid.x")
         : d == 1 ? SCYTHE_REGISTER("cluster_nctaid.y")
                  : SCYTHE_REGISTER("cluster_nctaid.z");
}
#undef SCYTHE_REGISTER

// Also orders the memory accesses of the work-items of the cluster.
extern "C" SCYTHE_GROUP void __scythe_cluster_barrier() noexcept {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

// Returns the address of the variable of another block that is at the address `p` in this block.
extern "C" SCYTHE_GROUP void *__scythe_cluster_map(void *p, scythe_u32 block) noexcept {
  unsigned long mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(block));
  return reinterpret_cast<void *>(mapped);
}

// Returns the number of the block to whose shared memory the address belongs.
extern "C" SCYTHE_GROUP scythe_u32 __scythe_cluster_rank_of(const void *p) noexcept {
  scythe_u32 block;
  asm("getctarank.u64 %0, %1;" : "=r"(block) : "l"(p));
  return block;
}

#endif
