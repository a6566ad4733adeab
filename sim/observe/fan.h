/* One probe for several observers: each is shown everything, in the order in which it was added. */
#ifndef OBSERVE_FAN_H
#define OBSERVE_FAN_H

#include "core/probe.h"

SIM_BEGIN_DECLS

#define OBSERVE_FAN_MAX 8u

/** All zero: there is no observer. */
struct observe_fan {
    struct sim_probe probe;
    uint64_t marks; /* so far: the id of the last one */
    unsigned n;
    struct sim_probe to[OBSERVE_FAN_MAX];
};

/**
 * Before the simulation is created; `probe` is copied. An observer of levels or stalls takes marks
 * and holds as well, since models give them unasked: here it may leave them out.
 */
void observe_fan_add(struct observe_fan *fan, const struct sim_probe *probe);
/** For sim_config; NULL when none was added. Lives as long as the fan. */
const struct sim_probe *observe_fan_probe(const struct observe_fan *fan);

SIM_END_DECLS
#endif /* OBSERVE_FAN_H */
