/*
 * Runs a program on a machine: one copy for each rank, each a task on a core of
 * its node. First a boot task on every node does what firmware and drivers do;
 * when all have ended, the ranks start at one simulated time.
 */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include "core/group.h"
#include "hosts/host/param.h"
#include "hosts/host/profile.h"
#include "hosts/launch/memory.h"
#include "hosts/launch/process/output.h"
#include "machine/machine.h"

SIM_BEGIN_DECLS

#define LAUNCH_SETTINGS_MAX 255u

#define LAUNCH_FOUND_MAX 100u /* lines of checks, in a run that has not asked for all */

#define LAUNCH_SOCKET_BESIDE 0u /* of launch_config.beside, else the first; n: socket n - 1 */

#define LAUNCH_HUB_TURN 8u /* a node's ranks in turn; n: all of them use hub n */

/** Costs of software and its settings on a platform. */
struct launch_software {
    uint64_t cost_ps[HOST_COSTS]; /* by enum host_cost */
    uint64_t local_message_ps;    /* between two ranks of one node */
    uint64_t start_spread_ps;     /* ranks start within this, seeded; 0: all at once */
    uint64_t pio_mapping;         /* enum host_mapping */
    uint64_t rank_socket;         /* whose cores ranks take first */
    uint64_t rank_hub;            /* which of the hubs of its node a rank uses */
    struct host_setting settings[LAUNCH_SETTINGS_MAX + 1]; /* for libraries */
};
/** The i-th row of the tables of all libraries, and the one transport of MPI that has the setting,
 * or NULL. @return NULL: there are fewer. */
const struct host_param *launch_param(unsigned i, const char **transport_p);
/** Costs as the tables have them, and no settings. */
struct launch_software launch_software_default(void);
/** A row of launch_param(). */
void launch_software_set(struct launch_software *software, const struct host_param *p,
                         uint64_t value);
/** Empty, to be filled in. */
struct host_setting *launch_software_setting(struct launch_software *software, const char *key);

/** What the program's own computing between calls takes. */
enum launch_compute {
    LAUNCH_COMPUTE_NONE,     /* nothing */
    LAUNCH_COMPUTE_MEASURED, /* what it takes here: differs from run to run */
    LAUNCH_COMPUTE_COUNTED   /* `block_ps` for each block of a program that counts them */
};

struct launch_config {
    const char *program;                 /* path of the object; NULL: `entry` */
    int (*entry)(int argc, char **argv); /* for tests: all ranks share its globals */
    int argc;
    const char *const *argv;
    unsigned nranks;        /* 0: one on each node */
    const unsigned *nodes;  /* each rank's; NULL: rank r on node r modulo the nodes */
    const char *visible;    /* their CUDA_VISIBLE_DEVICES, not that of the process; or NULL */
    const char *beside;     /* a component that ranks run on the socket of, as `software` has it */
    sim_time_t max_time_ps; /* when the run ends at the latest; 0: no limit */
    /* Seconds of the processor's time: a rank that computes so long without a call is ended, and so
     * is a run in which nothing but loops of programs goes on. 0: no limit. */
    unsigned patience_s;
    bool profile;    /* counts the calls of each rank */
    unsigned checks; /* bits of enum host_check */
    bool lists;      /* the caller says where each rank was, so the message names none */
    bool signals;    /* SIGINT and SIGTERM stop the run, instead of what they did */
    enum launch_compute compute;
    uint64_t block_ps;
    output_fn output;                            /* NULL: lines are dropped */
    void (*remark)(void *arg, const char *line); /* a library's, on the run; NULL: dropped */
    /* A library has, a call of this rank: the line says which, and why. NULL: dropped */
    void (*refused)(void *arg, unsigned rank, const char *line);
    void (*found)(void *arg, const char *line); /* a check has, in a program; NULL: dropped */
    void (*begins)(void *arg); /* drivers have set up all, ranks are next; NULL: not wanted */
    void *output_arg;          /* of all five */
    /* By stream, the error number that `output` has met, 0: none. NULL: it meets none. */
    const int *output_codes;
    const struct launch_software *software; /* NULL: the default */
};

struct launch_rank_result {
    bool ended;
    int exit_code;
    int signal; /* that has ended it, or 0: 128 less than its exit code */
    sim_time_t end_ps;
    unsigned node;
    char where[200];              /* what it was doing, when it has not ended */
    bool in_collective;           /* that was a collective of a library for messages */
    struct host_profile *profile; /* if it was asked for */
    char *names;                  /* in it, if another process has run the rank; or NULL */
};

struct launch_result {
    sim_time_t start_ps, end_ps; /* start of the ranks; end of the last one, or of the run */
    bool aborted;                /* by this rank, with its exit code: all have ended */
    unsigned abort_rank;
    int signal;           /* that stopped the run, or 0 */
    uint64_t found;       /* by checks, in the program */
    uint64_t found_lines; /* for them: one may stand for several */
    bool announces;       /* the program does all of its loads and stores: hubcc --races */
    bool uses_mpi;        /* a rank has initialised it */
    bool uses_gasnet;     /* likewise */
    unsigned nranks;
    struct launch_rank_result *ranks; /* free with launch_result_fini() */
};

/** Is the component linked to the node's host? */
bool launch_at_root_port(const struct machine_desc *desc, unsigned node, const char *component);
/** The GPU number `skip` of those on the socket of a component, or (not `beside`) of the others.
 * @return false: there is none, or no such component at a root port. */
bool launch_gpu_by(const struct machine_desc *desc, unsigned node, const char *component,
                   bool beside, unsigned skip, unsigned *gpu_p);

/** How many lines a run with these checks has for what they find, whose rest is counted. */
uint64_t launch_found_max(unsigned checks);

/** GPUs of a node that a rank sees with this CUDA_VISIBLE_DEVICES; NULL: all. */
unsigned launch_gpus(const struct machine_desc *desc, unsigned node, const char *visible);

/** The name of a node's hub, as its driver numbers them: by root port. NULL: there are fewer. */
const char *launch_hub(const struct machine_desc *desc, unsigned node, unsigned hub);
/** How many hubs the node has. */
unsigned launch_hubs(const struct machine_desc *desc, unsigned node);
/** The number of the hub that the node's rank number `local` uses, by launch_software.rank_hub; the
 * node need not have so many. */
unsigned launch_rank_hub(uint64_t rank_hub, unsigned nhubs, unsigned local);

/** The first one, in the order of the enum, that joins all nodes which may run ranks. */
enum host_network launch_network(const struct machine *m);

/** Does any node have a component of this network? */
bool launch_has_network(const struct machine_desc *desc, enum host_network network);

/** Nodes that may run ranks: those of parts of the network, without a host, are the last ones. */
unsigned launch_hosts(const struct machine *m);

/**
 * `m` was created with launch_memory_map() and has not run yet. Lines go to `output` in order of
 * (time, rank).
 * @return SIM_OK when all ranks have ended, with whatever exit code, or why it could not start. It
 * is SIM_ERR_STALLED when ranks wait for what will never come, SIM_ERR_LIMIT when the time is over
 * or a signal came: the message names a rank and the operation it waits in, unless the caller
 * lists them. *result_p is always set.
 */
int launch_run(struct machine *m, const struct launch_config *cfg, struct launch_result *result_p,
               struct sim_error *err);
void launch_result_fini(struct launch_result *result);

SIM_END_DECLS
#endif /* LAUNCH_LAUNCH_H */
