/*
 * cudaMemcpyPeer between two GPUs of one node, there and back: half of a round
 * trip. uva=on: the GPUs may access each other; uva=off: by way of the host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <peach2.h>

#include "common.h"

enum { SEED = 1 };

int main(int argc, char **argv)
{
    uint64_t bytes = 8, warmup = 2, rounds = 10, repeats = 3;
    const char *uva = "on";
    const struct option options[] = { { .key = "bytes", .number = &bytes },
                                      { .key = "uva", .text = &uva, .choices = "on|off" },
                                      { .key = "warmup", .number = &warmup },
                                      { .key = "rounds", .number = &rounds },
                                      { .key = "repeats", .number = &repeats },
                                      OPTIONS_END };
    void *p[2] = { NULL, NULL };
    struct times times;
    char more[16];
    int verified;

    options_read(argc, argv, options);
    if (bytes == 0 || rounds == 0)
        fail("%s=0: expected at least 1", bytes == 0 ? "bytes" : "rounds");
    times_init(&times, repeats);
    for (int g = 0; g < 2; g++) {
        CHECK(cudaSetDevice(g), cudaSuccess);
        CHECK(cudaMalloc(&p[g], bytes), cudaSuccess);
        if (strcmp(uva, "on") == 0)
            CHECK(cudaDeviceEnablePeerAccess(!g, 0), cudaSuccess);
    }
    bytes_fill(p[0], bytes, SEED);
    bytes_clear(p[1], bytes);
    CHECK(cudaMemcpyPeer(p[1], 1, p[0], 0, bytes), cudaSuccess);
    verified = bytes_ok(p[1], bytes, SEED);
    bytes_clear(p[0], bytes);
    CHECK(cudaMemcpyPeer(p[0], 0, p[1], 1, bytes), cudaSuccess);
    verified &= bytes_ok(p[0], bytes, SEED);
    for (uint64_t r = 0; r < repeats; r++) {
        uint64_t start = 0;

        for (uint64_t i = 0; i < warmup + rounds; i++) {
            if (i == warmup)
                start = peach2_time_ps();
            CHECK(cudaMemcpyPeer(p[1], 1, p[0], 0, bytes), cudaSuccess);
            CHECK(cudaMemcpyPeer(p[0], 0, p[1], 1, bytes), cudaSuccess);
        }
        times_add(&times, half_round_ps(peach2_time_ps() - start, rounds));
    }
    snprintf(more, sizeof(more), "uva=%s", uva);
    times_print(&times, bytes, verified, more);
    return 0;
}
