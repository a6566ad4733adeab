/*
 * Inside of workload/: what plans share. Two things are workloads:
 *
 *   a program that describes itself (hubsim-workload.h): its keys become its arguments;
 *   a row of a table, in plan_tca.c, plan_mpi.c, plan_group.c, plan_gasnet.c or plan_link.c: it
 *   takes the words of published setups, which say which program and library was measured, and
 * where.
 */
#ifndef LAB_PLAN_PARTS_H
#define LAB_PLAN_PARTS_H

#include "hosts/launch/include/hubsim-workload.h"
#include "tools/lab/workload/plan.h"
#include "tools/load/nearest.h"

SIM_BEGIN_DECLS

/** A key of setups and what it may say: as of a struct hubsim_key, or anything (NULL). Keys that
 * `hubsim params WORKLOAD` leaves out have no unit, default and meaning here. Where two tables of a
 * workload have a key, the first one counts. */
struct lab_word {
    const char *key, *values, *unit;
    const char *absent, *meaning; /* as where the setup says nothing; "": that depends */
};

struct lab_workload;

/** A run that is being planned; the words of its setup are right. */
struct lab_planning {
    const struct lab_workload *workload;
    const struct lab_point *pt;
    const struct lab_setup *setup; /* the point's, with the defaults of the workload's keys */
    const struct lab_protocol *protocol;
    const char *mode;
    struct lab_plan *plan;
    struct lab_run *run; /* in the plan */
    struct load_arena *arena;
};
typedef void (*lab_plan_fn)(const struct lab_planning *p);

/** Chooses machine, nodes and library, and goes on with the plan. */
typedef void (*lab_plan_by_fn)(const struct lab_planning *p, lab_plan_fn plan);

#define LAB_WORD_LISTS 6u

struct lab_workload {
    const char *name;
    /* What its setup may say, besides the words of all; a list ends with { 0 }. */
    const struct lab_word *words[LAB_WORD_LISTS];
    lab_plan_by_fn by;
    /** Program, arguments, and what the measured time moves. */
    lab_plan_fn plan;
    lab_plan_fn over_mpi; /* where the setup names an MPI library; NULL: it makes no difference */
    bool one_node;        /* where the setup does not say how many */
    bool registers;       /* does a transfer that the registers of a DMA controller hold */
    bool iterates;        /* by its own count, so that there are no rounds */
    bool of_rows; /* where the setup has api= or system=; else a program of this name describes
                     itself */
    const char *prints; /* the numbers of its result, as workloads/ prints them: "a, b, c" */
    const struct hubsim_workload *own; /* how it describes itself; NULL: a row of a table */
};

/* What workloads/common.c prints. */
#define LAB_PRINTS                                                                                 \
    "latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, bytes, "   \
    "repeats, verified"

/* mode= where a list of descriptors is needed */
#define LAB_CHAIN_MODES "dma-chain-host|dma-chain-internal"
/* method= of block-stride rows: by the program, instead of by a datatype */
#define LAB_METHOD_PACK "pack and unpack by GPU kernel"

/* The families, each ended by a row without a name. */
extern const struct lab_workload lab_workloads_tca[], lab_workloads_mpi[], lab_workloads_group[],
    lab_workloads_gasnet[], lab_workloads_link[];

/* Words of both: a transfer, two ranks, and libraries over InfiniBand. */
extern const struct lab_word lab_words_transfer[], lab_words_pair[], lab_words_ib[],
    lab_words_mpi[];

/** NULL: there is none of this name, or path of a program. @param setup NULL: none is known */
const struct lab_workload *lab_workload_find(const char *name, const struct lab_setup *setup,
                                             struct load_arena *arena);
/** A key of its setups. @param near NULL, or collects what might be meant */
const struct lab_word *lab_workload_word(const struct lab_workload *workload, const char *key,
                                         struct load_nearest *near);

/* plan_read.c: reading a setup */
const char *lab_plan_text(const struct lab_planning *p, const char *key, const char *absent);
bool lab_plan_given(const struct lab_planning *p, const char *key);
bool lab_plan_says(const struct lab_planning *p, const char *key, const char *value);
uint64_t lab_plan_number(const struct lab_planning *p, const char *key, uint64_t absent);
/** A number from `step` on, in steps of that, such as the bytes that a DMA controller moves. */
uint64_t lab_plan_multiple(const struct lab_planning *p, const char *key, uint64_t absent,
                           uint64_t step);
/** Raises SIM_ERR_CONFIG: "FILE:LINE: setup key=value: expected ..." */
_Noreturn void lab_plan_fail(const struct lab_planning *p, const char *key, const char *expected);
/** Which of the keys (NULL at their end) is said first; NULL: none. */
const char *lab_plan_first(const struct lab_planning *p, const char *const *keys);
/** Which of the words ({ 0 } at their end) is. */
const char *lab_plan_first_word(const struct lab_planning *p, const struct lab_word *words);
/** Raises, unless the run has so many ranks. */
void lab_plan_need_ranks(const struct lab_planning *p, unsigned nranks);
/** Words of the row that have no meaning here, so that none is passed over in silence. */
void lab_plan_refuse(const struct lab_planning *p, const char *const *keys, const char *why);

/* and writing the arguments of a program */
void lab_plan_arg(const struct lab_planning *p, const char *key, const char *value);
/** @param memory as of struct lab_run: "cpu", "gpu1" or "gpu@ib" */
void lab_plan_arg_memory(const struct lab_planning *p, const char *key, const char *memory);
/** The value of the setup, or `absent`; NULL: then there is none. */
void lab_plan_pass(const struct lab_planning *p, const char *key, const char *absent);
void lab_plan_arg_number(const struct lab_planning *p, const char *key, uint64_t value);
/** Words of the papers -> the programs' names of memories. CPU stores come from the CPU. */
const char *lab_plan_memory(const char *word, bool pio_source);
/** src= or dst=, of what the board moves: where its window reaches. With PIO the source is the CPU.
 */
void lab_plan_add_memory(const struct lab_planning *p, const char *key);
/** Both. */
void lab_plan_memories(const struct lab_planning *p);
/** Blocks of a block-stride transfer, of a cube of n^3 doubles where only n= is said: n rows of n
 * doubles, one from each plane. */
struct lab_shape {
    uint64_t blocks, block_bytes, pitch_bytes;
};
struct lab_shape lab_plan_shape(const struct lab_planning *p);
void lab_plan_arg_shape(const struct lab_planning *p, const struct lab_shape *shape);
/** The node of each rank: as they are numbered, or `place`, a list with commas. */
void lab_plan_place(const struct lab_planning *p);

/* plan_described.c: programs that describe themselves */
/** NULL: the program of this name or path does not. */
const struct lab_workload *lab_plan_described(const char *name, struct load_arena *arena);

void lab_plan_each_described(lab_workload_fn fn, void *arg);

/* plan_tca.c: programs that use the board */
/** The smallest machine that has this distance (or these nodes), and two ranks at it. */
void lab_plan_machine(const struct lab_planning *p);
/** The closed form of a link. */
void lab_plan_link(const struct lab_planning *p);

/* plan_mpi.c: programs that use MPI, or the facility below it */
/** By network and duplex; ranks on the first nodes. */
void lab_plan_network(const struct lab_planning *p);
void lab_plan_by_mpi(const struct lab_planning *p, lab_plan_fn plan);
/** The library over InfiniBand, with the settings that the row names. */
void lab_plan_library(const struct lab_planning *p, const char *library);
/** Ranks take cores on the socket of the GPU that the word `gpu` means, where that is not the
 * adapter's. */
void lab_plan_bind(const struct lab_planning *p, const char *gpu);
/** What a call of MPI moves, in units; 0 is good, too. */
uint64_t lab_plan_mpi_bytes(const struct lab_planning *p, const char *key, uint64_t absent,
                            uint64_t unit);
#define LAB_CALL_WORD 4u /* bytes; mpi-collective moves and adds whole words */
/** Memory of key `src` or `dst`, of a program that uses MPI. */
const char *lab_plan_mpi_memory(const struct lab_planning *p, const char *key);
void lab_plan_mpi_pingpong(const struct lab_planning *p);
void lab_plan_mpi_blocks(const struct lab_planning *p);

SIM_END_DECLS
#endif /* LAB_PLAN_PARTS_H */
