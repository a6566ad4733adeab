/* Iterations, and the parts of their time. */
#include "himeno.h"

#include <stdio.h>
#include <stdlib.h>

#include <hubsim-workload.h>

enum { CALCULATION, HALO, CONVERGENCE, PARTS };

HUBSIM_WORKLOAD = {
    .summary = "Himeno's benchmark on GPUs: Jacobi iterations, faces, convergence",
    .prints = "latency_ps_min, latency_ps_median, calculation_ps, halo_ps, convergence_ps, "
              "iterations, run, residual_e9, bytes, verified",
    .keys = {
        { "nodes", "1..16", "1", "4", "ranks, one on each" },
        { "size", "small|middle|large", "", "small", "64x64x128, 128x128x256 or 256x256x512" },
        { "split", "i|j|both", "", "i", "the axes that the ranks share" },
        { "library", "gasnet|mpi", "", "gasnet", "for faces and the residual" },
        { "iterations", "1..", "1", "1000", "whose time is printed" },
        { "sample", HUBSIM_NUMBER, "1", "0",
          "so many run, the others take as long as their second half; 0: all run" },
        { "verify", HUBSIM_NUMBER, "1", "0", "so many run, and numbers are computed" },
        { "gpu", "", HUBSIM_MEMORY, "gpu0", "that computes" },
    },
};

/** Seconds since the first iteration began. */
struct spent {
    double parts[PARTS], whole;
};

static struct run {
    struct grid grid;
    struct fields fields;
    const struct exchange *x;
    uint64_t iterations, run;
    int computes;
    struct spent all, half; /* in all iterations that run, and in the first half of them */
    double residual;
} r;

static void lap(double *since, unsigned part)
{
    double now = r.x->seconds();

    r.all.parts[part] += now - *since;
    *since = now;
}

static void iterate(void)
{
    double start, at;
    int now = 0;

    r.x->barrier();
    start = at = r.x->seconds();
    for (uint64_t n = 0; n < r.run; n++) {
        if (n == r.run / 2) {
            r.half = r.all;
            r.half.whole = r.x->seconds() - start;
        }
        kernel_run(&r.grid, &r.fields, now, r.computes);
        lap(&at, CALCULATION);
        now = 1 - now;
        r.x->faces(&r.grid, &r.fields, now);
        lap(&at, HALO);
        r.residual = r.x->sum(&r.grid, kernel_residual());
        lap(&at, CONVERGENCE);
    }
    r.all.whole = r.x->seconds() - start;
}

/** Iterations that do not run take as long as those of the second half: the first ones make what
 * later ones find, descriptors for one. */
static uint64_t scaled_ps(double all, double half)
{
    uint64_t second_half = r.run - r.run / 2;
    double each = (all - half) / (double)second_half;

    return (uint64_t)((all + each * ((double)r.iterations - (double)r.run)) * 1e12 + 0.5);
}

static uint64_t part_ps(unsigned part)
{
    return scaled_ps(r.all.parts[part], r.half.parts[part]);
}

static void print(void)
{
    uint64_t bytes = grid_floats(&r.grid) * sizeof(float);
    uint64_t ps = scaled_ps(r.all.whole, r.half.whole);

    printf("result latency_ps_min=%llu latency_ps_median=%llu calculation_ps=%llu halo_ps=%llu "
           "convergence_ps=%llu iterations=%llu run=%llu residual_e9=%lld bytes=%llu verified=1\n",
           (unsigned long long)ps, (unsigned long long)ps, (unsigned long long)part_ps(CALCULATION),
           (unsigned long long)part_ps(HALO), (unsigned long long)part_ps(CONVERGENCE),
           (unsigned long long)r.iterations, (unsigned long long)r.run,
           (long long)(r.residual * 1e9 + 0.5), (unsigned long long)bytes);
}

int main(int argc, char **argv)
{
    const char *size = "small", *split = "i", *library = "gasnet";
    uint64_t sample = 0, verify = 0;
    int gpu = 0;
    const struct option options[] = {
        { .key = "size", .text = &size, .choices = "small|middle|large" },
        { .key = "split", .text = &split, .choices = "i|j|both" },
        { .key = "library", .text = &library, .choices = "gasnet|mpi" },
        { .key = "iterations", .number = &r.iterations },
        { .key = "sample", .number = &sample },
        { .key = "verify", .number = &verify },
        { .key = "gpu", .memory = &gpu },
        OPTIONS_END
    };

    r.iterations = 1000;
    options_read(argc, argv, options);
    if (r.iterations == 0)
        fail("iterations=0: expected at least 1");
    if (gpu == IN_HOST)
        fail("gpu=cpu: expected a GPU");
    r.computes = verify > 0;
    r.run = verify > 0 ? verify : sample > 0 && sample < r.iterations ? sample : r.iterations;
    r.x = library[0] == 'm' ? &exchange_mpi : &exchange_gasnet;
    r.fields.gpu = gpu;
    r.fields.p[0] = r.x->start(&argc, &argv, gpu, size, split, &r.grid);
    r.fields.p[1] = r.fields.p[0] + grid_floats(&r.grid);
    kernel_open(&r.fields);
    for (int i = 0; r.computes && i < 2; i++)
        kernel_start(&r.grid, r.fields.p[i]);
    iterate();
    r.x->barrier();
    if (r.grid.rank == 0)
        print();
    r.x->end();
    return 0;
}
