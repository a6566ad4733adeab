/* A run: the nodes of a machine, and the ranks on them. */
#ifndef LAUNCH_RUN_H
#define LAUNCH_RUN_H

#include "hosts/launch/thread.h"

#define LAUNCH_LINE_BYTES 1024u

struct program_file;
struct race;

struct launch {
    struct machine *m;
    const struct launch_config *cfg;
    const struct launch_software *software;
    struct host_run shared;
    unsigned nnodes, nranks;
    struct launch_node *nodes;
    struct launch_thread *ranks;
    struct output *output;
    struct race *race;           /* NULL: races are not looked for */
    FILE *nothing;               /* what ranks other than 0 read */
    uint64_t found, found_lines; /* see launch_result */
    uint64_t idle_turns;         /* ends of polls of programs in vain */
    struct launch_abort {
        bool done;
        unsigned rank;
        int code;
        sim_time_t time;
        char line[LAUNCH_LINE_BYTES]; /* empty: none */
    } abort;
};

/* node/node.c */
int launch_nodes_init(struct launch *run, struct sim_error *err);
void launch_nodes_fini(struct launch *run);
int launch_boot(struct launch *run, struct sim_error *err);

/* rank.c */
int launch_ranks_init(struct launch *run, struct sim_error *err);
void launch_ranks_fini(struct launch *run);
void launch_ranks_start(struct launch *run, sim_time_t at);
/** The thread has ended, at `at`, however that came; what it still waits for never resumes it. */
void launch_end(struct launch_thread *t, int code, sim_time_t at);
/** All ranks end, at the time of the first one for which this is called; the caller ends `t`. */
void launch_abort_all(struct launch_thread *t, unsigned rank, int code, const char *line);

/* together.c: what the processes of one run give each other between its slices. All of them call
 * each of these, in the same order; of one alone they are what it has itself. */
/** Is it the same program, with the same arguments, places and settings? */
int launch_agree_inputs(const struct launch *run, const struct program_file *file,
                        struct sim_error *err);
/** Hands over lines of all ranks: see output_flush(). */
int launch_flush_all(struct launch *run, sim_time_t until);
/** The first abort of all counts: each process knows it then. */
int launch_agree_abort(struct launch *run);
/** The results of ranks that other processes run. */
int launch_share_results(const struct launch *run, struct launch_result *res);

#endif /* LAUNCH_RUN_H */
