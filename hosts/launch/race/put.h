/* Puts of hubs: their lists, starts and notifications. */
#ifndef LAUNCH_RACE_PUT_H
#define LAUNCH_RACE_PUT_H

#include "hosts/launch/race/memory.h"

/** A transfer of the rank that begins now, but for what it uses and the order that it is in. */
struct race_transfer race_transfer_of(const struct launch_thread *t, struct host_place place,
                                      struct race_clock *clock);
void race_notices_free(struct race_node *node);

void race_op_part(struct host *h, unsigned subcluster, unsigned part, const uint64_t *area_bus);
void race_op_install(struct host *h, unsigned channel, const struct host_put *puts, unsigned n);
void race_op_start(struct host *h, unsigned channel, struct host_place place);
void race_op_failed(struct host *h, unsigned channel);
void race_op_idle(struct host *h, unsigned channel);
void race_op_notified(struct host *h, unsigned part, unsigned slot, uint32_t tag);
void race_op_stored(struct host *h, const struct host_put *put, struct host_place place);

#endif /* LAUNCH_RACE_PUT_H */
