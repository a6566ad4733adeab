/*
 * What memories must hold. A put counts as done from its start on, in `want`; until it is known to
 * have landed it is a flight. Where flights meet in an order that docs/tca.md does not promise,
 * their bytes are vague: they are not compared until something else is written there.
 */
#ifndef FUZZ_SHADOW_H
#define FUZZ_SHADOW_H

#include "world.h"

/** New memory, which is filled with bytes of its own. */
void shadow_begin(struct world *w, unsigned mem);
/** The CPU of its rank writes other bytes there. */
void shadow_fill(struct world *w, unsigned mem, size_t off, size_t n);
/** tcaFree() has returned. What is under way there goes to where nothing is. */
void shadow_free(struct world *w, unsigned mem);

/** A channel's list was started. `sure`: it is known to run. */
void shadow_start(struct world *w, unsigned rank, unsigned channel, bool sure);
void shadow_pio(struct world *w, const struct pio *pio, size_t off, const uint8_t *bytes, size_t n);

/** The channel is idle: its sources may change. */
void shadow_idle(struct world *w, unsigned rank, unsigned channel);
/** A notification was taken: where all of its key were, what they say has landed is compared. */
void shadow_taken(struct world *w, struct note *note);
/** All channels have long been idle. */
void shadow_quiet(struct world *w);
/** Reports the first byte that differs; what is vague becomes what is there. */
void shadow_compare(struct world *w, unsigned mem);

#endif /* FUZZ_SHADOW_H */
