/*
 * A timeline of a run in the trace-event format, which chrome://tracing, Perfetto and
 * scripts/timeline show. Each node is a process. Each direction of a link, output of a hub, DMA
 * channel, core and memory is a thread with slices of time. Arrows lead from the store that began a
 * message to the poll that has seen it. All is written as it comes; times are microseconds, exact
 * to the picosecond.
 */
#ifndef OBSERVE_TIMELINE_H
#define OBSERVE_TIMELINE_H

#include "core/probe.h"
#include "observe/sink.h"

SIM_BEGIN_DECLS

struct observe_timeline;

/** `sink` is copied. NULL: out of memory. */
struct observe_timeline *observe_timeline_create(const struct observe_sink *sink);
void observe_timeline_destroy(struct observe_timeline *t);
/** For sim_config; lives as long as the timeline. */
const struct sim_probe *observe_timeline_probe(struct observe_timeline *t);
/** Ends the file; the machine may be gone. @return SIM_OK, SIM_ERR_IO or SIM_ERR_NOMEM */
int observe_timeline_finish(struct observe_timeline *t);

SIM_END_DECLS
#endif /* OBSERVE_TIMELINE_H */
