/*
 * What a program computes between its calls, as the program itself reports it. Operations of a
 * kind of loop take simulated time by the platform's cost of each (keys loop.*_ps of `software`).
 * Elsewhere, define the functions away.
 */
#ifndef HUB_WORK_H
#define HUB_WORK_H

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of loops: how near a processor comes to its peak depends on these, much more than on what
 * is computed. An operation is a floating-point one where nothing else is said. */
enum hub_loop {
    HUB_LOOP_RANDOM,   /* elementary functions of random numbers; a number */
    HUB_LOOP_STENCIL,  /* sums of neighbours in a grid larger than caches */
    HUB_LOOP_INDEXED,  /* rows of a sparse matrix: each product reads by an index */
    HUB_LOOP_COUNTING, /* integers counted or moved by their value; an integer */
    HUB_LOOP_SWEEP,    /* 5x5 blocks of a grid solved point by point, each after its neighbours */
    HUB_LOOP_LINES,    /* five-point recurrences along the lines of a grid, many small arrays */
    HUB_LOOP_BLOCKS,   /* 5x5 blocks eliminated along the lines of a grid */
    HUB_LOOPS
};

/*
 * Beside that, loops wait for memory where what they walk through again and again, `set` bytes,
 * does not stay in the cache (keys memory.* of `software`): lines are fetched, and those that were
 * written are written back. Pages lie anywhere in a direct-mapped cache, so of a set of its size
 * 37 % stay, of a fourth of it 78 %.
 */
/** Bytes read and written one after the other. */
void hub_walk(unsigned long long read, unsigned long long written, unsigned long long set);
/** Values that lie apart, so that each moves a line of its own. */
void hub_touch(unsigned long long reads, unsigned long long writes, unsigned long long set);

/** Values read from anywhere in `set` bytes, again and again: what the first-level cache does not
 * hold of them comes from the larger one. */
void hub_gather(unsigned long long reads, unsigned long long set);

/** The calling rank's core computes. Nothing happens outside of a rank. */
void hub_work(enum hub_loop kind, unsigned long long operations);

#ifdef __cplusplus
}
#endif
#endif /* HUB_WORK_H */
