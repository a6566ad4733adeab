#include "tools/lab/bounds/bounds_link.h"

#include "tools/lab/run/bare_link.h"

/* Sequence number 2, LCRC 4, framing 2 (PCIe Base 3.5.2, 4.2.2), and the headers (2.2.1). */
#define FRAMING_BYTES 8u
#define HEADER_BYTES  12u
#define DW_BYTES      4u

static uint64_t least_of(const struct lab_flow *flow, const char *key)
{
    return lab_least(lab_flow_value(flow->from, key), lab_flow_value(flow->to, key));
}

/** Symbols of a request without its payload. */
static uint64_t request_bytes(const struct machine_component_desc *end)
{
    return FRAMING_BYTES + HEADER_BYTES + lab_flow_value(end, "address_bits") * DW_BYTES;
}

static uint64_t whole_words(uint64_t bytes)
{
    return (bytes + DW_BYTES - 1) / DW_BYTES * DW_BYTES;
}

static double write_share(const struct lab_flow *flow)
{
    uint64_t bytes = lab_flow_value(flow->from, "write_bytes");

    return (double)bytes / (double)(whole_words(bytes) + request_bytes(flow->from));
}

/** Where both ends read alike and nothing else, the requests of one go between the completions for
 * the other, one to each read. */
static bool reads_both_ways(const struct lab_flow *flow)
{
    uint64_t bytes = lab_flow_value(flow->to, "read_bytes");

    return lab_flow_value(flow->from, "read_bytes") == bytes &&
           lab_flow_value(flow->from, "write_bytes") == 0 &&
           lab_flow_value(flow->to, "write_bytes") == 0;
}

static double read_share(const struct lab_flow *flow)
{
    uint64_t bytes = lab_flow_value(flow->to, "read_bytes"), mps = least_of(flow, "link.mps_bytes");
    uint64_t pieces = (bytes + mps - 1) / mps;
    uint64_t symbols = whole_words(bytes) + pieces * (FRAMING_BYTES + HEADER_BYTES) +
                       (reads_both_ways(flow) ? request_bytes(flow->from) : 0);

    return bytes != 0 ? (double)bytes / (double)symbols : 0;
}

struct lab_bound lab_flows_bound(const struct machine_desc *desc)
{
    struct lab_bound bound = { .name = NULL };
    struct load_arena arena = { 0 };
    struct lab_flows flows = lab_flows_of(desc, &arena);

    for (unsigned i = 0; i < flows.n; i++) {
        const struct lab_flow *flow = &flows.flows[i];
        double writes = write_share(flow), reads = read_share(flow);

        bound.link_bytes_per_s +=
            lab_link_rate(least_of(flow, "link.gen"), least_of(flow, "link.lanes")) *
            (writes > reads ? writes : reads);
    }
    if (flows.n > 0)
        lab_bound_name(&bound);
    load_arena_fini(&arena);
    return bound;
}
