/* What the description of a machine says of its components, and what a link of it carries. */
#ifndef LAB_LINK_H
#define LAB_LINK_H

#include "machine/machine.h"

SIM_BEGIN_DECLS

/** A value of a component by its key, or `absent`. */
uint64_t lab_value(const struct machine_desc *desc, unsigned node, const char *component,
                   const char *key, uint64_t absent);
/** The same of a port: "mps_bytes" of "e". 0: absent */
uint64_t lab_port_value(const struct machine_desc *desc, unsigned node, const char *component,
                        const char *port, const char *key);
/** The same of a link inside the node: the lower one of what its ends say. */
uint64_t lab_link_value(const struct machine_desc *desc, unsigned node, const char *component,
                        const char *port, const char *key);
/** Is the component of this name a hub, of any kind? */
bool lab_is_hub(const struct machine_desc *desc, unsigned node, const char *component);
uint64_t lab_least(uint64_t a, uint64_t b);

/** Bytes per second of a link after line coding; 0 for a generation that does not exist. */
double lab_link_rate(uint64_t gen, uint64_t lanes);
/** Its share for payload. */
double lab_link_payload_rate(uint64_t gen, uint64_t lanes, uint64_t payload_bytes,
                             uint64_t overhead_bytes);

SIM_END_DECLS
#endif /* LAB_LINK_H */
