/* Accesses of programs and of what they call. */
#ifndef LAUNCH_RACE_ACCESS_H
#define LAUNCH_RACE_ACCESS_H

#include "hosts/launch/race/state.h"

/** One access of a program, or of a call of a library. */
struct race_use {
    uintptr_t at;
    uint64_t bytes;
    enum hub_program_access access;
    const char *verb;        /* what it does there; NULL: loads or stores */
    struct host_place place; /* no call: the program itself */
    uint64_t bus;            /* of memory that is freed; else 0 */
};

void race_look_at(struct race *race, struct launch_thread *t, const struct race_use *u);
void race_op_freed(struct host *h, const struct host_freed *freed, struct host_place place);
void race_op_used(struct host *h, struct host_rows rows, bool stores, struct host_place place);

#endif /* LAUNCH_RACE_ACCESS_H */
