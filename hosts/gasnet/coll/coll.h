/*
 * Collectives. A call makes a plan: steps which this rank does one after the other, that is
 * messages out, messages in, copies and sums. It goes on with them until one has to wait, then
 * whenever the library takes messages. The files, each of which uses those before it:
 *
 *   teams.c   teams and their numbers, init, split
 *   letter.c  data between members, kept until they are expected
 *   plan.c    operations and their steps
 *   data.c, fold.c, phase.c   the plans of each collective: of data, of sums, of barriers
 *   finish.c  handles; calls.c  what programs call
 */
#ifndef GASNET_COLL_COLL_H
#define GASNET_COLL_COLL_H

#include "hosts/gasnet/core/message.h"

/** At gasnet_init(): its handlers, as messages may come before this rank's gasnet_coll_init(). */
void gasnet_coll_start(struct gasnet_rank *gr);
void gasnet_coll_release(struct gasnet_rank *gr);
/** Goes on with all operations that messages have come for. Not from within a handler. */
void gasnet_coll_advance(struct gasnet_rank *gr);

#endif /* GASNET_COLL_COLL_H */
