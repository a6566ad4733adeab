/* Makes one run happen: machine file -> machine -> program on it -> its lines. */
#ifndef LAB_SIMULATE_H
#define LAB_SIMULATE_H

#include "tools/lab/run/pool.h"
#include "tools/lab/watch/watch.h"
#include "tools/load/machine.h"

SIM_BEGIN_DECLS

/** Where things are, for all runs of a command. */
struct lab_site {
    struct load_roots roots;
    char programs[1024];            /* folder of the workloads */
    bool fingerprint;               /* costs time on each TLP */
    bool statistics;                /* at the end of each run, those that are not 0 */
    sim_time_t max_time_ps;         /* of one run; 0: no limit */
    const struct sim_probe *probe;  /* attached to the simulation, or NULL */
    struct lab_watch_options watch; /* files that observers of each run write: of one, the last */
    /** NULL, or what is to observe one of these runs later: refused where it could not. */
    const struct lab_watch_options *later;
    /** NULL, or called after the program has ended well, while its machine still is. */
    void (*ended)(void *arg);
    void *ended_arg;
};

/** Beside the running program: bin/../share/hubsim/configs and bin/../lib/hubsim/workloads. */
void lab_site_init(struct lab_site *site);

/** The file of a program, by name or path; lives in `arena`. */
const char *lab_program_path(const struct lab_site *site, const char *program,
                             struct load_arena *arena);

/** The machine of a run as it would be built. */
struct load_machine *lab_load_run(const struct lab_site *site, const struct lab_run *run);

/** A machine with memories for ranks; they belong to `arena`. */
struct machine *lab_machine(const struct machine_desc *desc, const struct sim_config *cfg,
                            struct load_arena *arena);

/** Whether a memory that begins with "gpu@" goes on as one: see struct lab_run. */
bool lab_run_gpu_reads(const char *text);
/** Which GPU of a node "gpu1" or "gpu@ib" is: see struct lab_run. @return false: there is none */
bool lab_run_gpu(const struct machine_desc *desc, unsigned node, const char *text, unsigned *gpu_p);
/** The memory that argument i of the run names; NULL: it is another argument. */
const char *lab_run_memory(const struct lab_run *run, unsigned i);
/** Argument i of the run, a memory "src=gpu@ib" as "src=gpu1", by the run's first node. Raises
 * where that node has no such GPU, of "gpu1" as well. */
const char *lab_run_place_memory(const struct lab_run *run, const struct machine_desc *desc,
                                 unsigned i, struct load_arena *arena);

/** Both fingerprints of a machine whose program has ended, and all that it has counted. */
void lab_report_prints(struct machine *machine, FILE *out);
void lab_report_counts(struct machine *machine, FILE *out);
/** The faults that it was given. */
void lab_report_faults(const struct load_machine *machine, FILE *out);

/** The run on its machine, loaded before. */
void lab_simulate_on(const struct lab_site *site, const struct lab_run *run,
                     const struct load_machine *machine, FILE *out);

/** A lab_execute_fn; `site` is a struct lab_site. */
void lab_simulate(void *site, const struct lab_run *run, FILE *out);

SIM_END_DECLS
#endif /* LAB_SIMULATE_H */
