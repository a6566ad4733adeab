/*
 * Two kernels an iteration: the stencil, which leaves a sum for each block of threads, and the sum
 * of those. The fields of pressures are exchanged rather than copied. The stencil has 34 operations
 * in single precision for each point. It reads 13 floats: four coefficients of a, three of b, three
 * of c, bnd, wrk1, and the pressure, once, since neighbours' are in the cache. It writes one.
 */
#include "himeno.h"

#include <cuda_runtime.h>
#include <gdrapi.h>
#include <hub-kernel.h>

#define POINT_OPS    34u
#define POINT_READS  13u
#define BLOCK_POINTS 128u /* of threads, each with a sum */

struct work {
    const struct grid *g;
    const float *from;
    float *to;
    double *residual;
};

void kernel_start(const struct grid *g, float *p)
{
    double last = (double)(g->whole_i - 1);

    for (uint64_t i = 0; i < g->n[ALONG_I] + 2; i++) {
        double at = (double)(g->first[ALONG_I] + i);
        float value = (float)(at * at / (last * last));

        for (uint64_t at_row = 0; at_row < grid_at(g, 1, 0); at_row++)
            p[grid_at(g, i, 0) + at_row] = value;
    }
}

/* The benchmark's coefficients: a = 1, 1, 1, 1/6; b = 0; c = 1; bnd = 1; wrk1 = 0; omega = 0.8. */
static double compute_row(const struct work *w, uint64_t at)
{
    const float *p = w->from;
    uint64_t row = w->g->k, plane = grid_at(w->g, 1, 0);
    double sum = 0;

    for (uint64_t k = at + 1; k < at + row - 1; k++) {
        float s0 = p[k + plane] + p[k + row] + p[k + 1] + p[k - plane] + p[k - row] + p[k - 1];
        float ss = s0 * (1.0f / 6.0f) - p[k];

        sum += (double)ss * (double)ss;
        w->to[k] = p[k] + 0.8f * ss;
    }
    return sum;
}

static void compute(void *arg)
{
    const struct work *w = arg;
    double sum = 0;

    for (uint64_t i = 1; i <= w->g->n[ALONG_I]; i++)
        for (uint64_t j = 1; j <= w->g->n[ALONG_J]; j++)
            sum += compute_row(w, grid_at(w->g, i, j));
    *w->residual = sum;
}

void kernel_run(const struct grid *g, const struct fields *f, int now, int computes)
{
    uint64_t points = g->n[ALONG_I] * g->n[ALONG_J] * (g->k - 2);
    uint64_t blocks = (points + BLOCK_POINTS - 1) / BLOCK_POINTS;
    struct work work = { g, f->p[now], f->p[1 - now], f->residual };
    const struct hub_kernel stencil = { .sp_operations = points * POINT_OPS,
                                        .read_bytes = points * POINT_READS * sizeof(float),
                                        .written_bytes = points * sizeof(float),
                                        .run = computes ? compute : NULL,
                                        .arg = &work };
    const struct hub_kernel reduce = { .dp_operations = blocks,
                                       .read_bytes = blocks * sizeof(double),
                                       .written_bytes = sizeof(double) };

    gpu_use(f->gpu);
    CHECK(hubKernel(&stencil, NULL), cudaSuccess);
    CHECK(hubKernel(&reduce, NULL), cudaSuccess);
    CHECK(cudaDeviceSynchronize(), cudaSuccess);
}

/* ---- the residual ---- */

static gdr_mh_t mapped;
static const double *map;

void kernel_open(struct fields *f)
{
    gdr_t gdr = gdr_open();
    gdr_info_t info;
    void *va;

    gpu_use(f->gpu);
    if (gdr == NULL)
        fail("gdr_open: expected a GPU");
    CHECK(cudaMalloc((void **)&f->residual, GPU_PAGE_SIZE), cudaSuccess);
    CHECK(gdr_pin_buffer(gdr, (unsigned long)f->residual, sizeof(double), 0, 0, &mapped), 0);
    CHECK(gdr_map(gdr, mapped, &va, sizeof(double)), 0);
    CHECK(gdr_get_info(gdr, mapped, &info), 0);
    map = (const double *)(const void *)((const uint8_t *)va +
                                         ((uint64_t)(uintptr_t)f->residual - info.va));
}

double kernel_residual(void)
{
    double residual = 0;

    CHECK(gdr_copy_from_mapping(mapped, &residual, map, sizeof(residual)), 0);
    return residual;
}
