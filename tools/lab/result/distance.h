/* What a machine alone is asked: ping-pong from its first node, by distance. */
#ifndef LAB_DISTANCE_H
#define LAB_DISTANCE_H

#include "tools/lab/result/write.h"

SIM_BEGIN_DECLS

/**
 * From the first node of each part of the machine to the others of that part: nodes, hops, PIO and
 * DMA latency of 8 bytes [us], DMA bandwidth of 256 KiB with its bound; and what made each row, in
 * ev->arena. *parts_p: NULL, or a line that names the parts, where there are several, such as
 * sub-clusters without cables between them.
 */
void lab_distance(const struct lab_evaluator *ev, const struct lab_site *site, const char *machine,
                  const char *platform, struct lab_table *table,
                  const struct lab_out_point **points_p, const char **parts_p);

SIM_END_DECLS
#endif /* LAB_DISTANCE_H */
