/*
 * Where the time of a message went. An observer records what the models report
 * (core/probe.h). Afterwards the causes are followed backwards, from the moment when a core went on
 * to the moment when the message began. Each step is an
 * interval that ends where the one before begins, so that the parts add up to
 * the whole by construction.
 */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include "core/probe.h"

SIM_BEGIN_DECLS

struct observer;

/** @param most marks it keeps, some 100 bytes each. NULL: out of memory. */
struct observer *observe_create(uint64_t most);
void observe_destroy(struct observer *obs);
/** For sim_config; lives as long as the observer. */
const struct sim_probe *observe_probe(struct observer *obs);

/** An interval. Texts belong to the models: `where` lives as long as the machine. */
struct observe_part {
    const struct sim_stage *stage;
    const char *phase; /* the message's: "descriptor", "data read" ... */
    const char *where;
    sim_time_t from, to;
};

/** Parts in the order of time, without gaps, none of them empty. */
struct observe_breakdown {
    sim_time_t from, to;
    uint32_t n, room;
    struct observe_part *parts; /* free with observe_breakdown_fini() */
};

/**
 * What the core `path` ("node3.host.core0") waited for, from `from` until it went on at `to`.
 * @return SIM_OK; SIM_ERR_CONFIG when nothing is known of this core up to `to`; SIM_ERR_LIMIT when
 * there were more marks than it keeps; SIM_ERR_NOMEM
 */
int observe_explain(struct observer *obs, const char *path, sim_time_t from, sim_time_t to,
                    struct observe_breakdown *b_p, struct sim_error *err);
void observe_breakdown_fini(struct observe_breakdown *b);

SIM_END_DECLS
#endif /* OBSERVE_OBSERVE_H */
