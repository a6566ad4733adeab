/*
 * What the studies of GASNet's conduit tca share: messages to node 0 or node 1 and their arrival,
 * and what the conduits of all nodes count over a part of the run.
 */
#ifndef WORKLOADS_GASNET_STUDY_H
#define WORKLOADS_GASNET_STUDY_H

#include <hubsim-workload.h>

#include "../gasnet-common.h"

enum { STUDY_LONG = 200, STUDY_MEDIUM, STUDY_SHORT, STUDY_COUNTS, STUDY_HANDLERS = 4 };
enum { STUDY_COUNTERS = 8 };

/** A row of the profile over a part of the run. */
struct study_counter {
    const char *name;     /* as in the profile: "copy for BtoB" */
    uint64_t here, there; /* at node 0, and at all others together */
};

/** Messages for the three handlers before STUDY_COUNTS that have come here. */
extern volatile uint64_t study_arrived;
/** That each Medium has to have, which mpi_fill() has made with its source as the seed. */
extern uint64_t study_medium_bytes;

/** Attaches segments of at least so many bytes. @return the own one */
uint8_t *study_start(int *argc, char ***argv, uint64_t segment_bytes);
/** Ends the program where the conduit has no such counters. */
void study_count_begin(struct study_counter *counters, unsigned n);
/** Collective, behind a barrier; only node 0 has `there`. */
void study_count_end(struct study_counter *counters, unsigned n);
/** A Long into the segment of the other one of two nodes. */
void study_send(void *from, uint64_t bytes);
/** Time of `rounds` such messages each way, one at a time. Collective. */
uint64_t study_pingpong_ps(uint64_t rounds, void *from, uint64_t bytes);
/** A difference of gasnet_seconds(), in ps. */
uint64_t study_ps(double seconds);

#endif /* WORKLOADS_GASNET_STUDY_H */
