/*
 * What the workloads of many ranks share: one start for all, the time until the
 * last one is through, and parts of a message on channels of their own, so that
 * one part moves while another one is being announced.
 */
#ifndef WORKLOADS_COLLECTIVE_H
#define WORKLOADS_COLLECTIVE_H

#include <hubsim-workload.h>

#include "common.h"

enum { TAG = 0x100, CHANNELS = 4, NO_SLOT = -1 };

/** Options that all of them have, and who is who. */
struct collective {
    int me, ranks;
    int memory; /* IN_HOST or a GPU */
    uint64_t channels, part_bytes, warmup, rounds, repeats;
    const char *mode, *notify, *traffic, *start, *pipeline;
    int flags; /* of every put */
};
#define COLLECTIVE_DEFAULTS                                                                        \
    {                                                                                              \
        .memory = IN_HOST, .channels = CHANNELS, .part_bytes = 4096, .warmup = 1, .rounds = 1,     \
        .repeats = 3, .mode = "dma-chain-internal", .notify = "", .traffic = "off",                \
        .start = "together", .pipeline = "on"                                                      \
    }
/* rounds: each exchange is timed alone, so one is as good as many. */
#define COLLECTIVE_OPTIONS(c)                                                                      \
    { .key = "memory", .memory = &(c)->memory }, { .key = "channels", .number = &(c)->channels },  \
        { .key = "part_bytes", .number = &(c)->part_bytes },                                       \
        { .key = "mode", .text = &(c)->mode, .choices = "dma-chain-host|dma-chain-internal" },     \
        { .key = "notify", .text = &(c)->notify, .choices = "internal|host" },                     \
        { .key = "traffic", .text = &(c)->traffic, .choices = "on|off" },                          \
        { .key = "warmup", .number = &(c)->warmup }, { .key = "rounds", .number = &(c)->rounds },  \
    {                                                                                              \
        .key = "repeats", .number = &(c)->repeats                                                  \
    }

/* Where exchanges may follow each other: as programs of others time them, or put their lists. */
#define COLLECTIVE_MANNERS(c)                                                                      \
    { .key = "start", .text = &(c)->start, .choices = "together|barrier" },                        \
    {                                                                                              \
        .key = "pipeline", .text = &(c)->pipeline, .choices = "on|off"                             \
    }

/* The same for experiments; what is not theirs, the program's defaults decide. */
#define COLLECTIVE_KEYS                                                                            \
    { "nodes", "2..64", "1", "2", "ranks, one on each" },                                          \
        { "channels", "1..4", "1", "", "DMA channels for the parts of a message" },                \
        { "part_bytes", "256..", "B", "", "least size of a part" },                                \
        { "mode", "dma|dma-chain-host|dma-chain-internal", "", "dma-chain-internal",               \
          "where descriptors lie; dma: the faster of both" },                                      \
        { "memory", "cpu|gpu", HUBSIM_MEMORY, "cpu", "of all data" },                              \
        { "traffic", "on|off", "", "on", "prints what moves, for the bound" },                     \
        { "warmup", HUBSIM_NUMBER, "1", "", "exchanges before those that count" },                 \
        { "rounds", "1..", "1", "", "without effect: each exchange is timed alone" },              \
    {                                                                                              \
        "repeats", "1..", "1", "", "exchanges that count"                                          \
    }
#define COLLECTIVE_PRINTS                                                                          \
    "latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, bytes, "   \
    "repeats, verified"

/** After options_read(): MPI, the board, and a check of what the options say. */
void collective_init(struct collective *c, int *argc, char ***argv);

/** One exchange. `number` differs in each call, for the bytes. */
struct exchange {
    void (*fill)(void *arg, unsigned number); /* and what the first play needs */
    void (*play)(void *arg);
    int (*arrived)(void *arg, unsigned number); /* 1: every byte is right on this rank */
    void *arg;
};
/**
 * Warm-up and repeats; all ranks begin at one time, and the time of the last one counts. The bytes
 * are new, and checked on all ranks, each time. Rank 0 prints the result; `bytes` is what a rank
 * receives at most.
 */
void collective_measure(struct collective *c, const struct exchange *x, uint64_t bytes,
                        const char *more);

/** All ranks return at one time, which is the result. */
double collective_start_together(void);

/** How many parts n bytes make: each on its own channel. Small messages are not cut. */
unsigned collective_parts(const struct collective *c, uint64_t n);
/** Part `part` of `parts` of n bytes: whole packets, but for the last. */
struct part {
    uint64_t at, n;
};
struct part collective_part(uint64_t n, unsigned part, unsigned parts);

/** A list of its own with the flags of this program; the slot is the part. */
tcaDesc *collective_list(void);
void collective_put(const struct collective *c, tcaDesc *list, tcaHandle *dst, uint64_t dst_at,
                    tcaHandle *src, uint64_t src_at, uint64_t n, int slot);
/** Rows of `n` bytes each `pitch`; one notification for all, or with NO_SLOT none. */
void collective_put_rows(const struct collective *c, tcaDesc *list, tcaHandle *dst, uint64_t dst_at,
                         tcaHandle *src, uint64_t src_at, uint64_t pitch, uint64_t n, uint64_t rows,
                         int slot);
void collective_set(tcaDesc *list, int channel);
void collective_start(int channel);
/** `lists` too; entries may be NULL. */
void collective_free(tcaDesc **lists, unsigned n);
void collective_wait(tcaHandle *from, int slot);

/**
 * With traffic=on rank 0 prints what moves, in ranks and as pieces that lie apart: `traffic step=0
 * src=3 dst=4 bytes=65536 blocks=1`. The steps depend on each other: one needs what the one before
 * has brought.
 */
void collective_traffic(const struct collective *c, unsigned step, int src, int dst, uint64_t bytes,
                        uint64_t blocks);

#endif /* WORKLOADS_COLLECTIVE_H */
