/*
 * Links between traffic generators (traffic/traffic.h). They need neither host nor program: what is
 * run is the machine itself, until each of its flows has been measured.
 */
#ifndef LAB_BARE_LINK_H
#define LAB_BARE_LINK_H

#include "machine/machine.h"
#include "tools/lab/run/simulate.h"

SIM_BEGIN_DECLS

/** One direction of a link in which payload goes: what `from` writes, and what `to` reads. */
struct lab_flow {
    unsigned from_node, to_node;
    const struct machine_component_desc *from, *to;
};

struct lab_flows {
    unsigned n;
    struct lab_flow *flows;
};

/** Nothing but traffic generators. */
bool lab_is_bare(const struct machine_desc *desc);
struct lab_flows lab_flows_of(const struct machine_desc *desc, struct load_arena *arena);
/** "write_bytes" of an end. */
uint64_t lab_flow_value(const struct machine_component_desc *end, const char *key);

/** Writes one line `result`: the bytes of all flows in the time of the slowest one. */
void lab_measure_flows(const struct lab_site *site, struct machine *machine, FILE *out);

SIM_END_DECLS
#endif /* LAB_BARE_LINK_H */
