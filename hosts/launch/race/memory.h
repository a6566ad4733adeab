/* Memory that transfers use, and accesses that may meet it. */
#ifndef LAUNCH_RACE_MEMORY_H
#define LAUNCH_RACE_MEMORY_H

#include "hosts/launch/race/clock.h"

#define RACE_ANY UINT_MAX /* of race_transfer.only */

/** One access of a program, or of a call of a library. */
struct race_use {
    uintptr_t at;
    uint64_t bytes;
    enum hub_program_access access;
    const char *verb;           /* what it does there; NULL: loads or stores */
    struct host_place place;    /* no call: the program itself */
    struct program_calls calls; /* that led there; none: those that do now */
    uint64_t bus;               /* of memory that is freed, or of a GPU; else 0 */
};

/** Memory that a transfer uses, until all ranks know that it has ended; or those of its node alone,
 * where its stream has many. */
struct race_transfer {
    TAILQ_ENTRY(race_transfer) in_node, in_stream, in_pending;
    struct race_span span; /* of its rows, in the node's tree */
    bool writes, arrived;
    bool elsewhere;          /* not in the node's memory: its rows have bus addresses */
    unsigned only;           /* rank whose memory it is, by a one-sided operation; or RACE_ANY */
    struct host_reach reach; /* then */
    struct host_rows rows;   /* addresses of this process, else */
    struct race_stream *stream, *reads; /* its own; that of what it reads */
    uint64_t seq;
    struct race_clock *clock; /* what the rank knew that began it */
    unsigned rank;
    struct host_place place;
    struct program_calls calls;
    sim_time_t since;
    /* What is at the rows until it has come, to see whether a word of them has been written;
     * `come`: so many bytes are known to have been. */
    uint8_t *before;
    uint64_t come;
    unsigned ahead; /* transfers that end with the same byte and have not come */
    /* An older one, which has come and has made room for it; or no clock. */
    struct {
        uint64_t seq;
        struct race_clock *clock;
    } older;
    struct mem_ram *ram;    /* NULL: no device watches it */
    struct mem_watch watch; /* for its last byte */
};

/** Behind the last byte of the rows, of which there is one or more. */
static inline uintptr_t race_rows_end(const struct host_rows *rows)
{
    return rows->at + (rows->count - 1) * rows->pitch + rows->width;
}

/** The range has [low, end) as well from now on, and what lies between. */
void race_range_add(struct hub_program_range *range, uintptr_t low, uintptr_t end);
/** The ranges of the node's ranks have [low, end) as well, or that of the rank `only`. */
void race_range_grow(struct race *race, unsigned index, unsigned only, uintptr_t low,
                     uintptr_t end);
/** Does the rank know that the transfer has ended? */
bool race_knows(const struct race_rank *r, const struct race_transfer *x);
/** Is it the rank's memory that a transfer of its node uses? */
bool race_concerns(const struct race *race, const struct race_rank *r,
                   const struct race_transfer *x);
/** The calls that have led the rank to a place, where it is now. They are looked for once in one
 * call of the program, which may announce many pieces. */
const struct program_calls *race_calls(struct race *race, const struct launch_thread *t,
                                       struct host_place place);
/** A transfer of the rank that begins now, but for what it uses and the order that it is in. The
 * clock remains the caller's: race_transfer_keep() takes a reference of its own. */
struct race_transfer race_transfer_of(struct race *race, const struct launch_thread *t,
                                      struct host_place place, struct race_clock *clock);
/** Takes it out of the node's list, with its watch and its references to clocks. */
void race_transfer_free(struct race_node *node, struct race_transfer *x);
/** Keeps a copy of `x`, with a reference of its own to its clock, at the end of the node's list. An
 * older transfer that the copy stands for is freed, and no other one: race_settle() does that,
 * which the caller has to call when it has begun all of its transfers.
 * @return the copy, which the node owns: race_node_changed() may free it. */
struct race_transfer *race_transfer_keep(struct race *race, unsigned index, struct race_transfer x);
/** As race_transfer_keep(), for `rows` of bus addresses of the node, one or more. What the transfer
 * writes to the node's memory is watched from now on. */
const struct race_transfer *race_transfer_add(struct race *race, unsigned index,
                                              struct race_transfer x);
/** @return the first one's offset in the rows, or UINT64_MAX: none of the bytes is in them. */
uint64_t race_rows_overlap(const struct host_rows *rows, uintptr_t at, uint64_t bytes);

#endif /* LAUNCH_RACE_MEMORY_H */
