/* Inside of tools/lab: what the families of plans share. The words of a setup are right. */
#ifndef LAB_PLAN_PARTS_H
#define LAB_PLAN_PARTS_H

#include "tools/lab/workload/plan.h"

SIM_BEGIN_DECLS

/* plan_read.c: reading a setup */
const char *lab_plan_text(const struct lab_setup *setup, const char *key, const char *absent);
bool lab_plan_says(const struct lab_setup *setup, const char *key, const char *value);
uint64_t lab_plan_number(const struct lab_setup *setup, const char *key, uint64_t absent);
/** "FILE:LINE: setup key=value: expected ..." @return SIM_ERR_CONFIG */
int lab_plan_fail(const struct lab_point *pt, struct sim_error *err, const char *key,
                  const char *expected);

/* and writing what a program is told */
void lab_plan_arg(struct lab_run *run, struct load_arena *arena, const char *key,
                  const char *value);
void lab_plan_arg_number(struct lab_run *run, struct load_arena *arena, const char *key,
                         uint64_t value);
/** Words of the papers -> the programs' names of memories. CPU stores come from the CPU. */
const char *lab_plan_memory(const char *word, bool pio_source);
/** src= and dst=. With PIO the source is the CPU. */
void lab_plan_memories(const struct lab_point *pt, bool pio, struct lab_run *run,
                       struct load_arena *arena);
/** warmup, rounds (as many as `rounds` where the setup says nothing) and repeats. Rounds of large
 * transfers differ by nothing but their start, so few of them tell as much. */
void lab_plan_rounds(const struct lab_point *pt, const struct lab_protocol *protocol,
                     uint64_t bytes, uint64_t rounds, struct lab_run *run,
                     struct load_arena *arena);
/** Blocks of a block-stride transfer, of a cube of n^3 doubles where only n= is said: n rows of n
 * doubles, one from each plane. */
struct lab_shape {
    uint64_t blocks, block_bytes, pitch_bytes;
};
int lab_plan_shape(const struct lab_point *pt, struct lab_shape *shape_p, struct sim_error *err);
/** The node of each rank: as they are numbered, or `place`, a list with commas. */
int lab_plan_place(const struct lab_point *pt, struct lab_run *run, struct sim_error *err);

/* plan_tca.c: programs that use the board */
/** The smallest machine that has this distance (or these nodes), and two ranks at it. */
int lab_plan_machine(const struct lab_point *pt, struct lab_run *run, struct sim_error *err);
int lab_plan_tca(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                 struct lab_run *run, struct load_arena *arena, struct sim_error *err);
/** The closed form of a link. */
int lab_plan_link(const struct lab_point *pt, struct lab_plan *plan, struct sim_error *err);

/* plan_mpi.c: programs that use MPI, or the facility below it */
int lab_plan_mpi(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                 struct load_arena *arena, struct sim_error *err);
int lab_plan_npb(const struct lab_point *pt, const struct lab_protocol *protocol,
                 struct lab_plan *plan, struct lab_run *run, struct load_arena *arena,
                 struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_PLAN_PARTS_H */
