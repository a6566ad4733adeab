/* Shared by the files of the timeline only. */
#ifndef OBSERVE_TIMELINE_IMPL_H
#define OBSERVE_TIMELINE_IMPL_H

#include "observe/map.h"
#include "observe/timeline.h"
#include "observe/trace.h"

/* ---- tracks.c: where slices lie ------------------------------------------------------- */

enum track_group {
    TRACK_NONE,  /* no slice */
    TRACK_CORE,  /* steps of a program */
    TRACK_WIRE,  /* packets on a direction of a link */
    TRACK_STATE, /* what a part of a device does, a DMA channel */
    TRACK_OUT,   /* packets on an output of a crossbar */
    TRACK_STALL, /* what held a queue */
    TRACK_KIND,  /* stages of one kind, by which it is named */
};

/** Slices of one place and group lie on one track, or on further lanes where they overlap. */
struct track {
    struct trace_thread thread;
    sim_time_t end; /* of its last slice */
    uint32_t next;  /* lane: number of the next track, or 0 */
    uint32_t lane;  /* 0: the first */
    uint32_t sort;
    char *name;
};

struct tracks {
    struct trace *trace;
    struct observe_map map; /* (where, kind or group) to a number */
    uint32_t n, room;
    struct track *all; /* number i is all[i - 1] */
    uint32_t nprocesses, processes_room;
    const char **processes; /* a place in each: pid i is processes[i - 1] */
};

void tracks_fini(struct tracks *ts);
/** The first track of a place; `other`: the far end of a wire, the name of a kind or
 * a state, the side of a stall. 0: out of memory.
 */
uint32_t tracks_at(struct tracks *ts, const char *where, enum track_group group, const char *other);
/** `track`, or its first lane that is free from `from` on; taken up to `to`. */
uint32_t tracks_take(struct tracks *ts, uint32_t track, sim_time_t from, sim_time_t to);
/** The process that a place belongs to; 0: out of memory. */
uint32_t tracks_process(struct tracks *ts, const char *where);

static inline struct track *track_of(const struct tracks *ts, uint32_t track)
{
    return &ts->all[track - 1];
}

/* ---- timeline.c ------------------------------------------------------------------------ */

/** What is kept of a mark. */
struct timeline_mark {
    sim_time_t time;
    sim_time_t from; /* its slice begins */
    uint64_t cause;  /* that decided; 0: none is known */
    uint32_t track;  /* of its slice; 0: none */
    bool step;       /* a program's */
    bool wire;       /* a packet on a link */
    bool poll;       /* somebody who waited for bytes saw them */
};

/* Kept: marks, 64 MB, half a millisecond of eight busy nodes; writes, to find what a read saw. */
#define TIMELINE_MARKS  (UINT64_C(1) << 21)
#define TIMELINE_WRITES 4096u

struct timeline_write {
    const char *where;
    uint64_t addr, bytes, id;
    sim_time_t time;
};

/** A state, or a length, of one place. */
struct timeline_level {
    const struct sim_signal *signal;
    const char *where;
    bool known;     /* it has a value, */
    uint64_t value; /* the last one */
    sim_time_t since;
    uint32_t track; /* states; 0: lengths */
    char *name;     /* lengths: of their counter */
};

struct observe_timeline {
    uint64_t marks, writes, arrows; /* so far */
    sim_time_t last;                /* of all marks */
    bool nomem;
    struct timeline_mark *mark;   /* ring */
    struct timeline_write *write; /* ring */
    struct observe_table levels;  /* of struct timeline_level, by place and signal */
    struct tracks tracks;
    struct trace trace;
};

/* timeline_levels.c */
void timeline_level(void *arg, const struct sim_level *level);
/** Slices that nothing has ended. */
void timeline_levels_end(struct observe_timeline *t);
void timeline_levels_fini(struct observe_timeline *t);
/** A slice on a track, 0: there was no memory for it. @return the lane that took it */
uint32_t timeline_slice(struct observe_timeline *t, uint32_t track, const char *name,
                        const char *category, sim_time_t from, sim_time_t to, const char *detail);

#endif
