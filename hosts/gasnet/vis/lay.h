/* Blocks of one size at one distance, which a transport may write as they are. */
#ifndef GASNET_LAY_H
#define GASNET_LAY_H

#include "hosts/gasnet/vis/pack.h"

/** Puts the blocks that begin at both cursors, as many as the transport takes at once, and moves
 * the cursors behind them. @return their number; 0: it does not take two */
uint64_t vis_lay(struct gasnet_rank *gr, uint32_t op, const struct vis_transfer *t,
                 struct vis_cursor *to, struct vis_cursor *from);

#endif /* GASNET_LAY_H */
