/*
 * The Extended API: memory of other nodes. The device does puts and gets alone where it
 * can. Else a put is a Long, which the far side answers when it has the data, and a get a request
 * whose answer is a Long or Mediums.
 *
 *   op.h         operations under way     value.c    values in registers
 *   transfer.h   puts and gets            sync.c     waiting for operations
 *   direct.h     by the device alone      barrier.c  the split-phase barrier
 */
#ifndef GASNET_EXTENDED_H
#define GASNET_EXTENDED_H

#include "hosts/gasnet/core/message.h"

/** Messages of the library. */
enum {
    GASNET_SYS_PUT = GASNET_SYS_EXTENDED, /* data of a put: to be answered */
    GASNET_SYS_ENDED,                     /* a part of an operation is over */
    GASNET_SYS_GET,                       /* to be answered by a Long into the segment */
    GASNET_SYS_GET_KEY,                   /* by a Long into other memory: its key is the data */
    GASNET_SYS_GET_PIECE,                 /* by a Medium */
    GASNET_SYS_PIECE,                     /* data of a get */
    GASNET_SYS_GET_VALUE,                 /* by a Short that has it in its arguments */
    GASNET_SYS_VALUE,
    GASNET_SYS_MEMSET,
    GASNET_SYS_BARRIER,
};
_Static_assert((int)GASNET_SYS_BARRIER < (int)GASNET_SYS_VIS, "the numbers behind are taken");

/** At gasnet_init(): its handlers. */
void gasnet_extended_init(struct gasnet_rank *gr);
void gasnet_extended_release(struct gasnet_rank *gr);
/** What has come may let something go on: a barrier. Not from within a handler. */
void gasnet_extended_advance(struct gasnet_rank *gr);
/** Between notify and wait? No collective may begin there. */
bool gasnet_barrier_is_open(const struct gasnet_rank *gr);

#endif /* GASNET_EXTENDED_H */
