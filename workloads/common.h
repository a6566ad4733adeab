/*
 * What the workloads share: arguments key=value, memories, checking bytes, and
 * the result line.
 */
#ifndef WORKLOADS_COMMON_H
#define WORKLOADS_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <tca-api.h>

/** One argument. Exactly one of `number`, `text`, `memory` is set; *it holds the default. */
struct option {
    const char *key;
    uint64_t *number;
    const char **text;
    const char *choices; /* of text: "on|off"; NULL: anything */
    int *memory;         /* "cpu" or "gpu0" ..: IN_HOST or the GPU's number */
};
#define IN_HOST (-1)
#define OPTIONS_END                                                                                \
    {                                                                                              \
        NULL, NULL, NULL, NULL, NULL                                                               \
    }

/** Ends the program with a message on a wrong argument. */
void options_read(int argc, char **argv, const struct option *options);
/** One line on stderr, then the rank ends with status 2. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(call, ok)                                                                            \
    do {                                                                                           \
        int check_code_ = (int)(call);                                                             \
        if (check_code_ != (ok))                                                                   \
            fail("%s:%d: %s = %d", __FILE__, __LINE__, #call, check_code_);                        \
    } while (0)

/** Between memories of any kind; also on nodes without a GPU. */
void bytes_copy(void *to, const void *from, size_t n);
/** Memory of a kind with bytes that differ by position and `seed`; also GPU memory. */
void bytes_fill(void *p, size_t n, unsigned seed);
void bytes_clear(void *p, size_t n);
/** 1 when all are as bytes_fill() made them. */
int bytes_ok(const void *p, size_t n, unsigned seed);
uint8_t byte_of(unsigned seed, size_t at);

/** Ends the program when other ranks are on the node: its DMA channels and their lists, slots and
 * tags of notifications would be theirs as well. */
void tca_alone(void);
/** Ends the program unless there are two ranks on two nodes. */
void tca_pair(void);
/** What follows is on this GPU; ends the program if the node has no such one. */
void gpu_use(int gpu);
/** Memory that the board reaches, by tcaMalloc(); memory: IN_HOST or a GPU. */
void *tca_memory(int memory, size_t n);
tcaMemoryKind tca_kind(int memory);
/** result[r] describes rank r's buffer. Collective. */
tcaHandle *tca_publish(void *p, size_t n, int memory);

/** Times of the repeats, in picoseconds. */
struct times {
    unsigned n;
    uint64_t *ps;
};
void times_init(struct times *t, uint64_t repeats);
void times_add(struct times *t, uint64_t ps);
/** Half of a round trip, when `rounds` of them took so long. */
uint64_t half_round_ps(uint64_t elapsed_ps, uint64_t rounds);
/** `result bytes=... latency_ps_min=... ...`: of n times p99 is the one that 1 % lie above;
 * bandwidth is `bytes` over the least time.
 * `more` ("count=4") is added as it stands, or NULL. */
void times_print(struct times *t, uint64_t bytes, int verified, const char *more);

#endif /* WORKLOADS_COMMON_H */
