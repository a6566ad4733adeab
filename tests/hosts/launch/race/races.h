/* What the cases of races have in common. */
#ifndef TESTS_RACES_H
#define TESTS_RACES_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <tca-api.h>

enum { WORDS = 1024, BYTES = WORDS * 8, IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal };
enum { SLOT = 1, OTHER_SLOT = 2, TAG = 0x100, EVERY = 64 };

extern int me;
extern uint64_t *mine;       /* WORDS to be sent, then WORDS to be written by the other rank */
extern tcaHandle handles[2]; /* of both ranks */
extern tcaHandle gpus[2];    /* BYTES of both ranks' GPUs: set_up_gpus() */
extern void *on_gpu;         /* where the own ones are */
extern uint64_t seen;        /* what was loaded, for its own sake */
extern MPI_Request request, other_request;
extern uint64_t buffer[WORDS], other_buffer[WORDS];

/** All ranks call it, for new memory each time. */
void set_up_gpus(void);
/** The own words [from, from + n) go to the other rank's words WORDS + from. */
void put(int channel, size_t from, size_t n, int flags, int slot);
/** Two of them in one list. */
void put_two(void);
/** One word of each EVERY. */
void put_rows(void);
void arrived(int slot);
void sent(int slot);
void load(size_t word);
void await(size_t word, uint64_t value);
/** Waits for the request. */
void end(void);

struct race_case {
    const char *name; /* NULL: the end */
    void (*run)(void);
};
/* clang-format off */
#define CASE(name) { #name, name }
/* clang-format on */
extern const struct race_case race_puts[];
extern const struct race_case race_loops[];
extern const struct race_case race_messages[];
extern const struct race_case race_collectives[];
extern const struct race_case race_windows[];
extern const struct race_case race_meets[];
extern const struct race_case race_freed[];
extern const struct race_case race_many[];
extern const struct race_case race_pairs[];
extern const struct race_case race_channels[];
extern const struct race_case race_cuda[];

#endif /* TESTS_RACES_H */
