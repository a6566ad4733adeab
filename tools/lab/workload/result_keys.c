#include "tools/lab/workload/result_keys.h"

#include <string.h>

/* workloads/common.c prints these for all but the kernels, which have npb/npb.c. */
static const char *const measured[] = { "latency_ps_min", "latency_ps_median", "latency_ps_p99",
                                        "latency_ps_max", "bandwidth_kBps",    "bytes",
                                        "repeats",        "verified",          NULL };
static const char *const of_kernels[] = {
    "latency_ps_min", "latency_ps_median", "whole_ps", "bytes",    "messages",
    "write_bytes",    "iterations",        "run",      "verified", NULL
};

/** Beside those; the keys of a workload by its other programs too, which print fewer. */
static const struct {
    const char *workload, *key;
} own[] = {
    { "pingpong", "races" },           { "dma-chain", "count" },
    { "stream", "channels" },          { "block-stride", "blocks" },
    { "block-stride", "block_bytes" }, { "block-stride", "pitch_bytes" },
    { "mpi-bandwidth", "messages" },
};
#define N_OWN (sizeof(own) / sizeof(own[0]))

static const char *const *shared(const char *workload)
{
    return strncmp(workload, "npb-", 4) == 0 ? of_kernels : measured;
}

bool lab_result_has(const char *workload, const char *key)
{
    for (const char *const *k = shared(workload); *k != NULL; k++)
        if (strcmp(*k, key) == 0)
            return true;
    for (size_t i = 0; i < N_OWN; i++)
        if (strcmp(own[i].workload, workload) == 0 && strcmp(own[i].key, key) == 0)
            return true;
    return false;
}

const char *lab_result_keys(const char *workload, struct load_arena *arena)
{
    const char *text = "";

    for (const char *const *k = shared(workload); *k != NULL; k++)
        text = load_text(arena, "%s%s%s", text, text[0] != '\0' ? ", " : "", *k);
    for (size_t i = 0; i < N_OWN; i++)
        if (strcmp(own[i].workload, workload) == 0)
            text = load_text(arena, "%s, %s", text, own[i].key);
    return text;
}
