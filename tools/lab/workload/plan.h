/*
 * From the setup of a measurement to the simulations that repeat it: machine,
 * platform, program and arguments follow from workload and setup keys alone.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "tools/lab/format/table.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/workload/setup.h"
#include "tools/load/tree.h"

SIM_BEGIN_DECLS

#define LAB_PLAN_RUNS 3u /* mode=dma: one for each DMA mode */

/** One measurement: no lists are left in the setup. */
struct lab_point {
    const char *where, *platform, *workload;
    const struct lab_setup *setup;
    const char *machine; /* NULL: the smallest one that the setup fits */
};

/** How many rounds a deterministic simulation needs. */
struct lab_protocol {
    uint64_t warmup, rounds, repeats; /* at most so many; 0: as published */
    uint64_t bytes;                   /* measured at most, but once at least; 0: no limit */
};

/** Enough for the result of the published protocols: tests/tools/lab/test_protocol.cpp. */
extern const struct lab_protocol lab_protocol_short;

struct lab_plan {
    double closed_form; /* bytes per second when nruns is 0 */
    unsigned nruns;     /* the best of them counts */
    struct lab_run runs[LAB_PLAN_RUNS];
    bool median;         /* instead of the least repeat */
    uint64_t bytes;      /* that one measured time moves; 0: as the result says */
    uint64_t rounds;     /* where the setup says nothing; 0: 100 */
    uint64_t directions; /* a path is used in so many at once; 0: no path bounds it */
    bool stores;         /* the CPU stores, so packets are small */
    uint64_t hops;       /* lab_plan_place_ranks() has to place rank 1; 0: all are placed */
};

struct lab_plan lab_plan_make(const struct lab_point *point, const struct lab_protocol *protocol,
                              struct load_arena *arena);
/** The machine of a plan's runs as lab_load_run() has it; their ranks are placed on it. Where it
 * lacks a node of a rank, or what a fault is of, the key of the setup that says so is named.
 * @param run the first run, with values and faults of the command behind its own */
struct load_machine *lab_plan_load(const struct lab_site *site, const struct lab_point *pt,
                                   struct lab_plan *plan, const struct lab_run *run);
/** Places rank 1 on the first node that is so many cables from that of rank 0; hops 0: it stays.
 * Raises SIM_ERR_CONFIG, unless the machine has the nodes of all ranks, and these the memories. */
void lab_plan_place_ranks(const struct lab_point *pt, const struct machine_desc *desc,
                          uint64_t hops, struct lab_run *run);
/** Raises why the machine cannot have this fault of a planned run, at the key of the setup that has
 * made it; at `where` if the key has no place of its own. */
_Noreturn void lab_plan_refuse_fault(const struct lab_setup *setup, const char *where,
                                     const char *fault, const struct sim_error *why);
/** The platform file of a row's nodes: rows of one cluster name its network as well. */
const char *lab_plan_platform(const char *platform, const struct lab_setup *setup);
typedef void (*lab_workload_fn)(void *arg, const char *name, const char *summary);
/** All that have a name: those of the tables, and programs beside the command. */
void lab_workload_each(lab_workload_fn fn, void *arg);
#define LAB_PRINTS_MAX 256u
/** Does its result have the key, with a number as its value? So that a figure can be refused before
 * anything has run. @param prints all that it has: "bytes, repeats, ..." */
bool lab_workload_has(const char *name, const char *key, char prints[LAB_PRINTS_MAX]);
/** The key that a single point shows, and its value where the setup says nothing. */
void lab_workload_point(const char *name, struct load_arena *arena, const char **key_p,
                        const char **value_p);
/** The keys of its setups: key, values, unit, default, meaning. @return whether there is such a one
 */
bool lab_workload_keys(const char *name, struct lab_table *table);
/** Every key of a setup must be known, also where nothing will be run. `where` is that of the
 * workload, and of keys that do not say theirs. */
void lab_plan_check_keys(const char *where, const char *workload, const struct lab_setup *setup);

/** A series without the key name: refuses the key that must be meant to be it, or the series. */
_Noreturn void lab_words_fail_unnamed(const struct load_tree *series);

/** A value of `key` in the setup of a workload, or in the arguments of a program: where the key
 * counts bytes, without units, see lab_setup_sizes(). It does when its unit says so, and by its
 * name when nothing describes the key. @param name of the workload or program */
const char *lab_words_value(const char *name, const char *key, const char *text,
                            struct load_arena *arena);
/** The values of a whole setup, in their place. */
void lab_words_values(const char *workload, struct lab_setup *setup, struct load_arena *arena);

/** Whether a mode is one run, not several (dma) or a closed form. */
bool lab_words_is_single(const char *mode);
/** "pio|dma-register": the modes of the workload that are. */
const char *lab_words_single_modes(const char *workload, struct load_arena *arena);
/** Keys and values of a point's setup. */
void lab_words_check(const struct lab_point *point);
/** An argument of a program, as far as the program describes itself: it may take others, too. */
void lab_words_check_arg(const char *where, const char *program, const char *key,
                         const char *value);
/** Whether an argument of the program is a memory: by its description, or as workloads/ call it. */
bool lab_words_is_memory(const char *program, const char *key);

SIM_END_DECLS
#endif /* LAB_PLAN_H */
