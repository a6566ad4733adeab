/*
 * What the ranks print, line by line. Lines of all ranks come out in order of
 * (simulated time of the newline, rank), whatever order the domains ran in.
 */
#ifndef LAUNCH_OUTPUT_H
#define LAUNCH_OUTPUT_H

#include <stdio.h>

#include "core/sim.h"

SIM_BEGIN_DECLS

enum output_stream {
    OUTPUT_STDOUT,
    OUTPUT_STDERR,
    OUTPUT_LIBRARY, /* what is wrong with a rank, in words of ours: for stderr, too */
    OUTPUT_STREAMS
};

/** `line` has no newline. */
typedef void (*output_fn)(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                          const char *line);

struct output;

/** NULL: out of memory. */
struct output *output_create(output_fn fn, void *arg);
void output_destroy(struct output *out); /* closes the streams; what was not flushed is lost */
/** From now on what is written is lost, no clock is asked, and streams use no memory of those who
 * have them, who may still write while they are unloaded. */
void output_end(struct output *out);
/** Instead of output_destroy(): threads that do not end before the process may still write. */
void output_keep(struct output *out);

/**
 * `codes` has OUTPUT_STREAMS error numbers, 0 at first, and must outlive `out`; NULL: nothing
 * fails. The function that takes the lines sets codes[stream] when it cannot pass them on: from
 * then on what ranks write to that stream fails with that number, and is lost.
 */
void output_follow(struct output *out, const int *codes);

/** A line-buffered stream of one rank; `clock` gives the time of a newline. NULL: out of memory. */
FILE *output_open(struct output *out, unsigned rank, enum output_stream stream,
                  sim_time_t (*clock)(void *arg), void *clock_arg);
/** A whole line, without its newline, that no stream of the rank has written. */
void output_put(struct output *out, unsigned rank, enum output_stream stream, sim_time_t time,
                const char *line);
/** Hands over all complete lines of times before `until`; with SIM_TIME_NEVER all, also the last
 * one of a rank when it lacks its newline. */
void output_flush(struct output *out, sim_time_t until);
/** Takes out the complete lines of times before `until`, with SIM_TIME_NEVER all as above, for
 * another process's output_unpack(): its lines are among its own from then on. @return bytes that
 * the caller frees; NULL: out of memory. */
unsigned char *output_pack(struct output *out, sim_time_t until, size_t *n_p);
/** @return false: out of memory. */
bool output_unpack(struct output *out, const unsigned char *bytes, size_t n);

SIM_END_DECLS
#endif /* LAUNCH_OUTPUT_H */
