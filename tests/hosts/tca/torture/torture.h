/*
 * Torture of the TCA library by its documented interface alone. All ranks derive the same plan of
 * puts from a seed, so each knows what must arrive in its own buffers, byte by byte, and which
 * notifications must come. What a source holds is a function of (seed, rank, buffer, generation,
 * offset).
 */
#ifndef TORTURE_H
#define TORTURE_H

#include "random.h"

#include <mpi.h>
#include <tca-api.h>

enum {
    RANKS_MAX = 16, /* nodes of a sub-cluster */
    CHANNELS = 4,
    SLOTS = 25,
    TAGS = 8,      /* in each phase, of its own */
    TAGS_SURE = 5, /* the first of them; the others' notifications may stay uncollected */
    LISTS = 2,     /* each channel's in a phase */
    PUTS = 8,      /* each list's */
    RUNS = 4,      /* each channel's in a phase: a Set and some Starts */
    PIO_CALLS = 6,
    PIO_SECTION = 4096, /* bytes of each sender in each receiver's PIO buffer */
    PHASES_MAX = 8000,  /* TAGS in each, 65535 tags */
    GUARD = 512,        /* bytes behind a handle's range, to be left alone */
};

enum buffer { SRC_CPU, SRC_GPU, DST_CPU, DST_GPU, PIO_BUF, BUFFERS };

struct put {
    int dst; /* rank */
    enum buffer from, to;
    bool rows; /* by the 2-D call */
    size_t src_off, dst_off, src_pitch, dst_pitch, width, count;
    int flags, slot, tag; /* tag: index of the phase's tags */
    bool relay;           /* the put before it brought its bytes, from `origin` here */
    enum buffer origin;
    size_t origin_off;
};

struct list {
    int n;
    struct put put[PUTS];
};

/* The calls that a phase makes its lists by: those of today, or one of the two older families. */
enum family { FAMILY_DESC, FAMILY_TABLE, FAMILY_INTERNAL };

enum wait { WAIT_NOT, WAIT_CHANNEL, WAIT_SELF };

struct run { /* puts [0, upto) of a list, set once and started `starts` times */
    int list, upto, starts;
    enum wait wait; /* after each start */
};

struct script { /* what a rank does with a channel */
    struct list list[LISTS];
    struct run run[RUNS];
    int nruns; /* 0: channel not used */
};

struct pio_call {
    size_t off, n;
    bool commit; /* before it */
};

struct pio { /* the last call ends with a mark of 8 bytes */
    int dst; /* -1: none */
    int ncalls;
    size_t region; /* the length with which the region is set */
    struct pio_call call[PIO_CALLS];
};

struct plan {
    enum family family;
    int restarts; /* rounds after the first: what is installed is started again */
    struct script script[RANKS_MAX][CHANNELS];
    struct pio pio[RANKS_MAX];
};

struct count {
    unsigned long puts, bytes, notifications, stale, refused, pio;
};

struct torture {
    uint64_t seed;
    int me, ranks, phase, round;
    bool verbose;
    char doing[200];                  /* for the message of a failure */
    size_t shift[RANKS_MAX][BUFFERS]; /* where a handle's range begins in its allocation */
    uint64_t generation[BUFFERS];     /* which data the sources hold */
    unsigned char *base[BUFFERS];     /* own allocations */
    unsigned char *model[BUFFERS];    /* what they must hold */
    unsigned char *scratch;           /* a copy of GPU memory */
    bool by_cuda[BUFFERS];            /* allocated by cudaMalloc */
    tcaHandle handle[RANKS_MAX][BUFFERS];
    struct plan plan;
    struct count count;
};

/* plan.c */
void plan_shifts(struct torture *t, struct random *r);
void plan_make(struct torture *t);

/** For each put in the order of its channel, as often as it runs in this round. */
typedef void (*plan_fn)(struct torture *t, int src, int channel, const struct put *put, void *arg);
void plan_walk(struct torture *t, plan_fn fn, void *arg);
int plan_tag(const struct torture *t, int index);

/* memory.c */
size_t memory_length(enum buffer b); /* the range of a handle */
bool memory_on_gpu(enum buffer b);
tcaHandle *memory_handle(struct torture *t, int rank, enum buffer b);
void memory_renew(struct torture *t); /* allocates anew and exchanges handles; collective */
void memory_refill(struct torture *t, enum buffer b, uint64_t generation);
void memory_expect(struct torture *t); /* what this round brings */
void memory_check(struct torture *t);
void memory_pio_data(const struct torture *t, int src, const struct pio_call *call, bool last,
                     unsigned char *bytes);
uint64_t memory_pio_mark(const struct torture *t, int src);

/* run.c */
void run_phase(struct torture *t);

/* older.c: lists of a channel by the older calls, made once and set as often as wanted */
struct older {
    int table, first; /* of FAMILY_TABLE; position of FAMILY_INTERNAL's first descriptor */
    bool made;
};
/** *next_p: the first free position in the board's memory, 0 at first. */
void older_set(struct torture *t, struct older *o, int channel, const struct list *list,
               int *next_p);
void older_free(struct torture *t, struct older *o);

/* refuse.c: calls that must fail and change nothing */
void refuse_unset(struct torture *t);
void refuse_some(struct torture *t, struct random *r, tcaDesc *list);

/* main.c */
void doing(struct torture *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void fail(const struct torture *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define TCA(t, call)                                                                               \
    do {                                                                                           \
        tcaresult result_ = (call);                                                                \
        if (result_ != TCA_SUCCESS)                                                                \
            fail(t, "%s: %s", #call, tcaGetErrorString(result_));                                  \
    } while (0)
#endif /* TORTURE_H */
