/*
 * Operations: puts, gets and the like that are under way. Each has a number, which is what messages
 * carry, and so many parts that are not over: the far side's answer ends one. A program's handle is
 * the number with a count of its uses, so that a handle that was synchronised before is known.
 *
 * All implicit ones count in one operation for puts and one for gets; those of an access region in
 * the region's own.
 */
#ifndef GASNET_OP_H
#define GASNET_OP_H

#include "hosts/gasnet/extended/extended.h"

enum { GASNET_OP_PUTS, GASNET_OP_GETS, GASNET_OP_FIRST }; /* numbers */

/** A new operation without parts. @return its number */
uint32_t gasnet_op_new(struct gasnet_rank *gr);
void gasnet_op_free(struct gasnet_rank *gr, uint32_t op);
/** Whom it is with, for reports; -1, as it begins: no rank; -2: several. */
void gasnet_op_set_peer(struct gasnet_rank *gr, uint32_t op, int peer);
int gasnet_op_peer(const struct gasnet_rank *gr, uint32_t op);
/** One more part is under way; it is over. */
void gasnet_op_begin(struct gasnet_rank *gr, uint32_t op);
void gasnet_op_end(struct gasnet_rank *gr, uint32_t op);
bool gasnet_op_is_done(const struct gasnet_rank *gr, uint32_t op);
/** Waits for all parts, and frees it unless it is an implicit one. `what`, `peer`: for reports. */
void gasnet_op_wait(struct gasnet_rank *gr, uint32_t op, const char *what, int peer);

gasnet_handle_t gasnet_op_handle(const struct gasnet_rank *gr, uint32_t op);
/** @return the number; ends all ranks for a handle that is no more. */
uint32_t gasnet_op_of(struct gasnet_rank *gr, gasnet_handle_t handle);
/** The handle of an operation that has begun: none, freed at once, if it is over. */
gasnet_handle_t gasnet_op_give(struct gasnet_rank *gr, uint32_t op);

/** Where an implicit put (or get) with `peer` counts now. */
uint32_t gasnet_op_implicit(struct gasnet_rank *gr, bool gets, unsigned peer);

/** Handler of the library: a part of operation args[0] is over. */
gasnet_system_fn gasnet_op_ended;

#endif /* GASNET_OP_H */
