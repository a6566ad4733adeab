#include "tools/lab/bounds/bounds_errors.h"

#include "tools/lab/bounds/bounds.h"

#include <math.h>
#include <string.h>

#define DLLP_SYMBOLS 8.0

/** Bits that the wire carries for a symbol: 8b/10b, then 128b/130b, whose headers are left out. */
static double symbol_bits(uint64_t gen)
{
    return gen <= 2 ? 10 : 8;
}

/** Tables 3-7 to 3-9 (3.5.3.1), in symbol times. */
static double ack_limit(const struct lab_lossy_link *l)
{
    double factor = l->mps_bytes <= 256 ? (l->lanes <= 4   ? 1.4
                                           : l->lanes <= 8 ? 2.5
                                                           : 3.0)
                                        : (l->lanes <= 8 ? 1.0 : 2.0);
    double internal = l->gen == 1 ? 19 : l->gen == 2 ? 70 : 115;

    if (l->ack_latency_symbols != 0)
        return (double)l->ack_latency_symbols;
    return ((double)l->mps_bytes + 28) * factor / (double)l->lanes + internal;
}

double lab_lossy_share(const struct lab_lossy_link *l)
{
    double symbol = 1e12 / lab_link_rate(l->gen, l->lanes), t = (double)l->tlp_symbols * symbol;
    double round_trip = l->there_ps + l->back_ps, bits = symbol_bits(l->gen);
    double timer = 3 * ack_limit(l) * symbol * (double)l->lanes + round_trip;
    double p = 1 - pow(1 - l->bit_error_rate, (double)l->tlp_symbols * bits);
    double q = 1 - pow(1 - l->back_bit_error_rate, DLLP_SYMBOLS * bits);
    /* TLPs begun behind a bad one until the NAK has come, or until the replay timer ends */
    double m = ceil((round_trip + DLLP_SYMBOLS * symbol) / t), r = ceil(timer / t);

    return 1 / (1 + p * ((1 - q) * m + q * r + (1 + p * r) / (1 - p)));
}

/* ---- of a machine -------------------------------------------------------------------- */

static bool begins_at(const struct machine_link_desc *l, unsigned node, const char *hub,
                      const char *port)
{
    return l->node_a == node && strcmp(l->component_a, hub) == 0 && strcmp(l->port_a, port) == 0;
}

/** The link at a port: the one at its other end. False: nothing is plugged in. */
static bool find_link(const struct machine_desc *desc, unsigned node, const char *hub,
                      const char *port, struct machine_link_desc *link_p)
{
    for (unsigned i = 0; i < desc->ncables; i++) {
        const struct machine_link_desc *c = &desc->cables[i];

        *link_p = *c;
        if (begins_at(link_p, node, hub, port))
            return true;
        *link_p = (struct machine_link_desc){ .node_a = c->node_b,
                                              .component_a = c->component_b,
                                              .port_a = c->port_b,
                                              .node_b = c->node_a,
                                              .component_b = c->component_a,
                                              .port_b = c->port_a,
                                              .length_mm = c->length_mm };
        if (begins_at(link_p, node, hub, port))
            return true;
    }
    return false;
}

/** Of what a port of a hub sends; the last one given holds. */
static double rate_of(const struct machine_desc *desc, unsigned node, const char *hub,
                      const char *port)
{
    double rate = 0;

    for (unsigned i = 0; i < desc->nfaults; i++) {
        const struct machine_fault_desc *f = &desc->faults[i];

        if (f->node == node && strcmp(f->component, hub) == 0 && f->port != NULL &&
            strcmp(f->port, port) == 0 && strcmp(f->kind->name, "bit_error_rate") == 0)
            rate = (double)f->values[0] * 1e-18;
    }
    return rate;
}

/** What one end of a link adds to the time of a packet. */
static uint64_t end_ps(const struct machine_desc *desc, unsigned node, const char *hub,
                       const char *port, const char *key)
{
    return lab_port_value(desc, node, hub, port, key) +
           lab_value(desc, node, hub, "hard_block_ps", 0);
}

/** From the last symbol that one end sends to the receive buffer of the other. */
static double way_ps(const struct machine_desc *desc, const struct machine_link_desc *l, bool back)
{
    uint64_t wire_ps = l->length_mm * desc->ps_per_m / 1000; /* as machine/ rounds it */

    return (double)(wire_ps +
                    end_ps(desc, l->node_a, l->component_a, l->port_a,
                           back ? "rx_latency_ps" : "tx_latency_ps") +
                    end_ps(desc, l->node_b, l->component_b, l->port_b,
                           back ? "tx_latency_ps" : "rx_latency_ps"));
}

/** The lower one of what both ends of a link say. */
static uint64_t least_of(const struct machine_desc *desc, const struct machine_link_desc *l,
                         const char *key)
{
    return lab_least(lab_port_value(desc, l->node_a, l->component_a, l->port_a, key),
                     lab_port_value(desc, l->node_b, l->component_b, l->port_b, key));
}

double lab_error_share(const struct machine_desc *desc, unsigned node, const char *hub,
                       const char *port, uint64_t tlp_symbols)
{
    struct lab_lossy_link lossy = { .tlp_symbols = tlp_symbols };
    struct machine_link_desc l;

    if (!find_link(desc, node, hub, port, &l) || !lab_is_hub(desc, l.node_b, l.component_b))
        return 1;
    lossy.bit_error_rate = rate_of(desc, node, hub, port);
    lossy.back_bit_error_rate = rate_of(desc, l.node_b, l.component_b, l.port_b);
    if (lossy.bit_error_rate == 0)
        return 1;
    lossy.gen = least_of(desc, &l, "gen");
    lossy.lanes = least_of(desc, &l, "lanes");
    lossy.mps_bytes = lab_port_value(desc, node, hub, port, "mps_bytes");
    lossy.ack_latency_symbols =
        lab_port_value(desc, l.node_b, l.component_b, l.port_b, "ack_latency_symbols");
    lossy.there_ps = way_ps(desc, &l, false);
    lossy.back_ps = way_ps(desc, &l, true);
    return lab_lossy_share(&lossy);
}
