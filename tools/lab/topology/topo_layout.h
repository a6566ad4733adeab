/* Where the hubs of a topology stand in a drawing. */
#ifndef LAB_TOPO_LAYOUT_H
#define LAB_TOPO_LAYOUT_H

#include "tools/lab/topology/topology.h"

SIM_BEGIN_DECLS

struct lab_place {
    double x, y; /* pixels, y downwards */
};

struct lab_layout {
    double width, height;
    struct lab_place *hubs;
    bool
        *wraps; /* by cable: it joins the ends of a row or column, and is drawn as a stub at each */
};

/**
 * One sub-cluster beside the other. Rings become circles, two rings joined by further cables one
 * circle within the other, more lines of one length a grid; any other graph is spread so that
 * distance on paper follows hops. The same for the same machine.
 */
void lab_layout_make(struct lab_topology *topo, struct lab_layout *layout);

/** Writes the picture: links coloured by their load. */
void lab_topology_svg(struct lab_topology *topo, FILE *out);

SIM_END_DECLS
#endif /* LAB_TOPO_LAYOUT_H */
