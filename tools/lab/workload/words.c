/* The words of a setup: which keys a workload knows, and what they may say. */
#include "tools/lab/workload/plan.h"
#include "tools/load/nearest.h"
#include "tools/load/value.h"

#include <stdio.h>
#include <string.h>

enum {
    PINGPONG = 1,
    CHAIN = 2,
    STRIDE = 4,
    MPI = 8, /* one of two ranks */
    STREAM = 16,
    MANY = 32,
    MPI_MANY = 64,
    NPB = 128,
    FACILITY = 256,                                 /* what MPI stands on in the MBCF cluster */
    TWO = PINGPONG | CHAIN | STRIDE | MPI | STREAM, /* of two ranks, or one */
    CLUSTER = MPI | MPI_MANY | NPB | FACILITY,
    ALL = TWO | MANY | MPI_MANY | NPB | FACILITY
};

static const struct {
    const char *name;
    unsigned bit;
} workloads[] = {
    { "pingpong", PINGPONG }, { "dma-chain", CHAIN },      { "block-stride", STRIDE },
    { "mpi-pingpong", MPI },  { "stream", STREAM },        { "broadcast", MANY },
    { "allgather", MANY },    { "all-to-all", MANY },      { "neighbour", MANY },
    { "halo", MANY },         { "mpi-bandwidth", MPI },    { "mpi-collective", MPI_MANY },
    { "npb-ep", NPB },        { "npb-mg", NPB },           { "npb-cg", NPB },
    { "npb-is", NPB },        { "npb-lu", NPB },           { "npb-sp", NPB },
    { "npb-bt", NPB },        { "mbcf-oneway", FACILITY }, { "mbcf-stream", FACILITY },
};

#define N_WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

const char *lab_workload_name(unsigned i)
{
    return i < N_WORKLOADS ? workloads[i].name : NULL;
}

/** What a key may say: one of the words, a whole number (NUMBER), or anything (NULL). */
static const char NUMBER[] = "a whole number";
static const char MEMORIES[] = "cpu|cpu-store|gpu|gpu-other-same-node|gpu-across-qpi";

static const struct word {
    const char *key, *values;
    unsigned workloads;
} words[] = {
    { "bytes", NUMBER, ALL },
    { "count", NUMBER, CHAIN | MPI | FACILITY },
    { "channels", NUMBER, STREAM | MANY },
    { "direction", "one|both", STREAM | MPI },
    { "n", NUMBER, STRIDE | MANY },
    { "blocks", NUMBER, STRIDE },
    { "block_bytes", NUMBER, STRIDE },
    { "pitch_bytes", NUMBER, STRIDE },
    { "mode", "pio|dma|dma-register|dma-chain-host|dma-chain-internal|link-only", ALL },
    { "gen", NUMBER, CHAIN },
    { "lanes", NUMBER, CHAIN },
    { "payload_bytes", NUMBER, CHAIN },
    { "tlp_overhead_bytes", NUMBER, CHAIN },
    { "src", MEMORIES, TWO },
    { "dst", MEMORIES, TWO },
    { "memory", "cpu|gpu", MANY | MPI_MANY | MPI }, /* src and dst at once */
    { "algorithm", NULL, MANY | MPI_MANY },
    { "mpi", NULL, MPI | MPI_MANY },
    { "order", "up|down", MANY },
    { "shape", NULL, MANY },
    { "part_bytes", NUMBER, MANY },
    { "segment_bytes", NUMBER, MANY },
    { "place", NULL, MANY | MPI_MANY },
    { "faults", NULL, ALL },
    { "bit_error_rate", NULL, ALL },
    { "fault_links", NULL, ALL },
    { "poll", "cpu-reads-mapped-gpu-memory", PINGPONG },
    { "notify", "internal", PINGPONG | CHAIN | STRIDE },
    { "notify_self", "on|off", PINGPONG | CHAIN | STRIDE },
    { "system", "native|mpi-ib", PINGPONG | CHAIN | STRIDE | MPI },
    { "gpu", "peach2-side|ib-side", TWO },
    { "nodes", NUMBER, ALL },
    { "hops", NUMBER, TWO },
    { "link", "direct", TWO },
    { "timing", "driver-tsc", CHAIN },
    { "end", "send-complete", CHAIN },
    { "warmup", NUMBER, ALL },
    { "rounds", NUMBER, ALL },
    { "repeats", NUMBER, ALL },
    { "reduce", "min|median|mean", ALL },
    { "uva", "on|off", PINGPONG | MPI },
    { "staging", "host", PINGPONG },
    { "api", NULL, TWO | CLUSTER },
    { "net", NULL, MPI | PINGPONG | STRIDE | NPB | MPI_MANY },
    { "duplex", "half|full", CLUSTER },
    { "receives", "preposted|called", MPI },
    { "pattern", "one|both|rate", MPI },
    { "op", NULL, FACILITY | MPI_MANY | MPI },
    { "class", "S|W", NPB },
    { "size", NULL, NPB },
    { "iterations", NUMBER, NPB },
    { "version", NULL, NPB },
    { "method", NULL, STRIDE },
    { "gdr", "on|off", MPI | PINGPONG | STRIDE },
    { "gdr_limit", NUMBER, MPI | PINGPONG | STRIDE },
    { "rails", NUMBER, MPI | PINGPONG | STRIDE },
    { "ports", NUMBER, MPI | PINGPONG | STRIDE }, /* of the adapter: rails by another name */
    /* the grammar of the rows themselves */
    { "grid", "powers of two", ALL },
    { "spread_pct", NULL, ALL },
    { "note", NULL, ALL },
    { "measure", NULL, ALL },
    { "take", "max|min", ALL },
    { "over", NULL, ALL },
    { "versus", NULL, ALL },
};

/** @param near collects what might be meant; NULL: nothing to collect. */
static const struct word *find_word(const char *key, unsigned workload, struct load_nearest *near)
{
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if ((words[i].workloads & workload) == 0)
            continue;
        if (strcmp(words[i].key, key) == 0)
            return &words[i];
        if (near != NULL)
            load_nearest_offer(near, words[i].key);
    }
    return NULL;
}

static bool one_of(const char *values, const char *text)
{
    size_t n = strlen(text);

    for (;;) {
        size_t len = strcspn(values, "|");

        if (len == n && strncmp(values, text, n) == 0)
            return true;
        if (values[len] == '\0')
            return false;
        values += len + 1;
    }
}

static int find_workload(const char *where, const char *name, unsigned *bit_p,
                         struct sim_error *err)
{
    char names[512] = "";

    for (unsigned i = 0; i < N_WORKLOADS; i++) {
        if (strcmp(workloads[i].name, name) == 0) {
            *bit_p = workloads[i].bit;
            return SIM_OK;
        }
    }
    for (unsigned i = 0; i < N_WORKLOADS; i++) {
        size_t n = strlen(names);

        (void)snprintf(names + n, sizeof(names) - n, "%s%s",
                       i == 0 ? "" : (i + 1 < N_WORKLOADS ? ", " : " or "), workloads[i].name);
    }
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: workload = %s: expected %s", where, name, names);
}

int lab_plan_check_keys(const char *where, const char *workload, const struct lab_setup *setup,
                        struct sim_error *err)
{
    unsigned bit;
    int rc = find_workload(where, workload, &bit, err);

    for (unsigned i = 0; i < setup->n && rc == SIM_OK; i++) {
        const char *key = setup->keys[i].key;
        struct load_nearest near;
        char hint[128];

        if (strncmp(key, "versus_", 7) == 0) { /* the other side's key, of the other workload */
            key += 7;
            bit = ALL;
        }
        load_nearest_init(&near, key);
        if (find_word(key, bit, &near) == NULL)
            rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s=%s: unknown key%s", where,
                               setup->keys[i].key, setup->keys[i].value,
                               load_nearest_hint(&near, hint, sizeof(hint)));
    }
    return rc;
}

int lab_words_check(const struct lab_point *pt, struct sim_error *err)
{
    int rc = lab_plan_check_keys(pt->where, pt->workload, pt->setup, err);

    for (unsigned i = 0; i < pt->setup->n && rc == SIM_OK; i++) {
        const char *key = pt->setup->keys[i].key, *value = pt->setup->keys[i].value;
        const struct word *word;
        uint64_t number;
        bool good;

        word = find_word(strncmp(key, "versus_", 7) == 0 ? key + 7 : key, ALL, NULL);
        SIM_ASSERT(word != NULL);
        good = word->values == NULL || (word->values == NUMBER ? load_number(value, false, &number)
                                                               : one_of(word->values, value));
        if (!good)
            rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", pt->where, key,
                               value, word->values);
    }
    return rc;
}
