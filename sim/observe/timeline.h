/*
 * A timeline of a run in the trace-event format, which chrome://tracing, Perfetto and
 * scripts/timeline show. Each node is a process. Each direction of a link, output of a hub, DMA
 * channel, core and memory is a thread with slices of time. Arrows lead from the store that began a
 * message to the poll that has seen it. All is written as it comes; times are microseconds, exact
 * to the picosecond.
 */
#ifndef OBSERVE_TIMELINE_H
#define OBSERVE_TIMELINE_H

#include "observe/fan.h"
#include "observe/sink.h"

SIM_BEGIN_DECLS

struct observe_timeline;

/** `sink` is copied. The timeline observes by `fan` until it is destroyed. NULL: out of memory. */
struct observe_timeline *observe_timeline_create(const struct observe_sink *sink,
                                                 struct observe_fan *fan);
void observe_timeline_destroy(struct observe_timeline *t);
/** Ends the file; the machine may be gone. @return SIM_OK, SIM_ERR_IO or SIM_ERR_NOMEM */
int observe_timeline_finish(struct observe_timeline *t);

SIM_END_DECLS
#endif /* OBSERVE_TIMELINE_H */
