/*
 * Puts and gets of many pieces. Both lists are walked together: what lies in one piece on both
 * sides and is long goes as a put or get of its own, all else is packed into Mediums.
 *
 *   pieces.c  lists and walking them    packet.c  what messages say of far pieces
 *   pack.c    operations                forms.c   what programs call
 */
#ifndef GASNET_VIS_VIS_H
#define GASNET_VIS_VIS_H

#include "hosts/gasnet/core/message.h"

/** At gasnet_init(): its handlers. */
void gasnet_vis_start(struct gasnet_rank *gr);
void gasnet_vis_release(struct gasnet_rank *gr);

#endif /* GASNET_VIS_VIS_H */
