/* Ends of copies in device memory: bytes without gaps, or rows at one distance. */
#include "node/gpu/internal.h"

#include <string.h>

uint64_t gpu_rows_span(struct node_gpu_end end, uint64_t bytes)
{
    uint64_t last = end.row_bytes == 0 || bytes == 0 ? 0 : (bytes - 1) / end.row_bytes;

    return bytes + last * (end.pitch - end.row_bytes);
}

/** Where byte `at` of an end in device memory is. *n_p: no more than to the end of its row. */
static uint64_t device_at(struct node_gpu_end end, uint64_t at, uint64_t *n_p)
{
    if (end.row_bytes == 0)
        return end.addr + at;
    *n_p = sim_min(*n_p, end.row_bytes - at % end.row_bytes);
    return end.addr + at / end.row_bytes * end.pitch + at % end.row_bytes;
}

void gpu_rows_put(struct node_gpu *gpu, struct node_gpu_end to, uint64_t at, const uint8_t *bytes,
                  uint64_t n)
{
    while (n > 0) {
        uint64_t run = n, offset = device_at(to, at, &run);

        memcpy(gpu->memory.bytes + offset, bytes, run);
        gpu_wrote(gpu, offset, run);
        at += run;
        bytes += run;
        n -= run;
    }
}

void gpu_rows_get(const struct node_gpu *gpu, struct node_gpu_end from, uint64_t at, uint8_t *bytes,
                  uint64_t n)
{
    while (n > 0) {
        uint64_t run = n, offset = device_at(from, at, &run);

        memcpy(bytes, gpu->memory.bytes + offset, run);
        at += run;
        bytes += run;
        n -= run;
    }
}
