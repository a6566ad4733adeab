/* Inside of sim/observe: text of the trace-event format, one event a line. */
#ifndef OBSERVE_TRACE_H
#define OBSERVE_TRACE_H

#include "observe/sink.h"

#define TRACE_BUFFER 65536u

struct trace {
    struct observe_sink sink;
    bool failed;  /* the sink was; nothing more is written */
    bool started; /* an event stands in the file */
    uint32_t pids, tids;
    size_t n;
    char buffer[TRACE_BUFFER];
};

/** Where slices lie: none of them overlap. */
struct trace_thread {
    uint32_t pid, tid;
};

enum trace_flow { TRACE_FLOW_BEGIN, TRACE_FLOW_STEP, TRACE_FLOW_END };

void trace_begin(struct trace *tr, const struct observe_sink *sink);
/** Shown in the order of `sort`. @return its pid */
uint32_t trace_process(struct trace *tr, const char *name, uint32_t sort);
struct trace_thread trace_thread(struct trace *tr, uint32_t pid, const char *name, uint32_t sort);
/** `detail`: NULL or what a reader may want to know of it. */
void trace_slice(struct trace *tr, struct trace_thread thread, const char *name,
                 const char *category, sim_time_t from, sim_time_t to, const char *detail);
/** A point of arrow `id`, on the slice that begins at `time` or holds it. */
void trace_arrow(struct trace *tr, enum trace_flow what, uint64_t id, struct trace_thread thread,
                 sim_time_t time);
/** From `time` on, the quantity `name` of a process is `value`. */
void trace_counter(struct trace *tr, uint32_t pid, const char *name, sim_time_t time,
                   uint64_t value);
/** @return whether all was written */
bool trace_end(struct trace *tr);

#endif
