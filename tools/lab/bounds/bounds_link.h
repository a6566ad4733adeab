/* Upper bounds of what bare links carry between traffic generators. */
#ifndef LAB_BOUNDS_LINK_H
#define LAB_BOUNDS_LINK_H

#include "tools/lab/bounds/bounds.h"

SIM_BEGIN_DECLS

/** Of all flows of the machine together, with nothing but TLPs on their links. */
struct lab_bound lab_flows_bound(const struct machine_desc *desc);

SIM_END_DECLS
#endif /* LAB_BOUNDS_LINK_H */
