/* One probe for several observers: each is shown everything, in the order in which it was added. */
#ifndef OBSERVE_FAN_H
#define OBSERVE_FAN_H

#include "core/probe.h"

SIM_BEGIN_DECLS

#define OBSERVE_FAN_MAX 8u

struct observe_fan {
    struct sim_probe probe;
    uint64_t marks; /* so far: the id of the last one */
    unsigned n;
    const struct sim_probe *to[OBSERVE_FAN_MAX];
};

void observe_fan_init(struct observe_fan *fan);
/** Before the simulation is created; `probe` outlives it. */
void observe_fan_add(struct observe_fan *fan, const struct sim_probe *probe);
/** For sim_config; NULL when none was added. Lives as long as the fan. */
const struct sim_probe *observe_fan_probe(const struct observe_fan *fan);

/** An observer of other things takes marks and holds as well, since models give them unasked. */
uint64_t observe_ignore_mark(void *arg, const struct sim_mark *mark);
void observe_ignore_hold(void *arg, const struct sim_hold *hold);

SIM_END_DECLS
#endif /* OBSERVE_FAN_H */
