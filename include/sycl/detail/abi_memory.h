// The C interface of extensions for memory. The conventions are those of `abi.h`.
#ifndef SCYTHE_DETAIL_ABI_MEMORY_H
#define SCYTHE_DETAIL_ABI_MEMORY_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Virtual memory ------------------------------------------------------------------------------

// Access modes are the numbers of `address_access_mode`. No command may use a range during a call
// that changes it. All functions fail with `errc::feature_not_supported` if a device lacks
// `aspect::ext_oneapi_virtual_mem`, and with `errc::invalid` for ranges that are not multiples of
// the granularity, not reserved, or not mapped, as the function requires.
typedef struct scythe_physical_t *scythe_physical;

scythe_status scythe_virtual_granularity(scythe_context context,
                                         scythe_device device /* null: all */, int32_t recommended,
                                         size_t *out);
scythe_status scythe_virtual_reserve(scythe_context context, const void *start /* null: any */,
                                     size_t size, void **out);
scythe_status scythe_virtual_free(scythe_context context, const void *start, size_t size);
scythe_status scythe_virtual_unmap(scythe_context context, const void *start, size_t size);
scythe_status scythe_virtual_set_access(scythe_context context, const void *start, size_t size,
                                        uint32_t access);
scythe_status scythe_virtual_access(scythe_context context, const void *start, size_t size,
                                    uint32_t *out);
scythe_status scythe_physical_create(scythe_context context, scythe_device device, size_t size,
                                     scythe_physical *out);
void scythe_physical_retain(scythe_physical memory);
// Mappings keep the memory until they are removed.
void scythe_physical_release(scythe_physical memory);
scythe_status scythe_physical_map(scythe_physical memory, const void *start, size_t size,
                                  size_t offset, uint32_t access);

// Device memory that other interfaces can import by file descriptor. `_handle` gives a new
// descriptor, which the caller owns. All functions fail with `errc::feature_not_supported` if the
// device lacks `aspect::ext_oneapi_memory_export_linear`.
scythe_status scythe_exported_alloc(scythe_context context, scythe_device device, size_t align,
                                    size_t size, void **out);
scythe_status scythe_exported_handle(scythe_context context, scythe_device device, const void *ptr,
                                     int32_t *out);
scythe_status scythe_exported_free(scythe_context context, scythe_device device, const void *ptr);

// --- Memory of the host --------------------------------------------------------------------------

// Makes pages of the program a USM allocation of kind host, until it is unregistered. Fails with
// `errc::feature_not_supported` if a device lacks `aspect::ext_oneapi_register_host_memory`, with
// `errc::invalid` for ranges that are not pages, and with `errc::runtime` for memory that cannot be
// registered.
scythe_status scythe_host_register(scythe_context context, const void *ptr, size_t size,
                                   int32_t read_only);
scythe_status scythe_host_unregister(scythe_context context, const void *ptr);
// Tells the devices that the memory will be copied often, or no longer if `size` is 0.
scythe_status scythe_host_prepare(scythe_context context, const void *ptr, size_t size);

#ifdef __cplusplus
}
#endif
#endif
