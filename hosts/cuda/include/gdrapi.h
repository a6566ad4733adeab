/*
 * Copies to and from GPU memory by a core's own stores and loads, for programs that were written
 * for gdrcopy. Memory is pinned, mapped and copied; each load of 16 bytes waits for its answer
 * across PCI Express, so little is to be read that way.
 *
 * Functions return 0 or an errno. A mapping begins at the page of the GPU that has the first byte
 * (gdr_info_t.va). Programs may use its pointer themselves, as any pointer to GPU memory; that
 * takes no time, and does not see what a copy has not brought there yet.
 */
#ifndef HUBSIM_GDRAPI_H
#define HUBSIM_GDRAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GDR_API_MAJOR_VERSION 2
#define GDR_API_MINOR_VERSION 0
#define GDR_API_VERSION       ((GDR_API_MAJOR_VERSION << 16) | GDR_API_MINOR_VERSION)

#define GPU_PAGE_SHIFT  16
#define GPU_PAGE_SIZE   (1UL << GPU_PAGE_SHIFT)
#define GPU_PAGE_OFFSET (GPU_PAGE_SIZE - 1)
#define GPU_PAGE_MASK   (~GPU_PAGE_OFFSET)

typedef struct gdr *gdr_t;

/** Pinned memory. */
typedef struct gdr_mh_s {
    unsigned long h;
} gdr_mh_t;

typedef struct gdr_info {
    uint64_t va; /* where a mapping begins, as the device has it */
    uint64_t mapped_size;
    uint32_t page_size;
    uint64_t tm_cycles; /* that pinning has taken */
    uint32_t cycles_per_ms;
    unsigned mapped : 1;
    unsigned wc_mapping : 1; /* write-combining */
} gdr_info_t;

/** NULL: the program sees no GPU. */
gdr_t gdr_open(void);
/** What is pinned still ends with it. */
int gdr_close(gdr_t g);

/** `p2p_token` and `va_space` are of no account. EINVAL: not memory of cudaMalloc() in one piece;
 * ENOMEM: the BAR has no room. */
int gdr_pin_buffer(gdr_t g, unsigned long addr, size_t size, uint64_t p2p_token, uint32_t va_space,
                   gdr_mh_t *handle);
/** A mapping ends with it. */
int gdr_unpin_buffer(gdr_t g, gdr_mh_t handle);
int gdr_get_info(gdr_t g, gdr_mh_t handle, gdr_info_t *info);
/** *flag: 1 when cudaFree() has given the memory back since. */
int gdr_get_callback_flag(gdr_t g, gdr_mh_t handle, int *flag);

/** EAGAIN: it is mapped already; EINVAL: more than mapped_size. */
int gdr_map(gdr_t g, gdr_mh_t handle, void **va, size_t size);
/** EINVAL: it is not mapped, or not there. */
int gdr_unmap(gdr_t g, gdr_mh_t handle, void *va, size_t size);

/*
 * EINVAL: bytes outside of a mapping, or of the mapping of `handle`. Stores have left the core when
 * a copy to a GPU returns, and may still be on their way; copies from it, of engines or by another
 * call here, come behind them.
 */
int gdr_copy_to_mapping(gdr_mh_t handle, void *map_d_ptr, const void *h_ptr, size_t size);
int gdr_copy_from_mapping(gdr_mh_t handle, void *h_ptr, const void *map_d_ptr, size_t size);
/** The same by their older names, which find the mapping themselves. */
int gdr_copy_to_bar(void *map_d_ptr, const void *h_ptr, size_t size);
int gdr_copy_from_bar(void *h_ptr, const void *map_d_ptr, size_t size);

void gdr_runtime_get_version(int *major, int *minor);
int gdr_driver_get_version(gdr_t g, int *major, int *minor);

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_GDRAPI_H */
