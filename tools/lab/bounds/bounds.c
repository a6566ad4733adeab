#include "tools/lab/bounds/bounds.h"

#include "tools/lab/bounds/bounds_link.h"
#include "tools/lab/bounds/bounds_route.h"
#include "tools/lab/bounds/rank_hub.h"

#include <stdio.h>
#include <string.h>

double lab_bus_rate(uint64_t bus_bytes, uint64_t clock_khz, uint64_t gap_cycles,
                    uint64_t packet_bytes)
{
    uint64_t beats;

    if (bus_bytes == 0 || clock_khz == 0)
        return 0;
    beats = 1 + (packet_bytes + bus_bytes - 1) / bus_bytes + gap_cycles;
    return (double)packet_bytes * (double)clock_khz * 1e3 / (double)beats;
}

uint64_t lab_store_bytes(const struct machine_desc *desc, unsigned node)
{
    return lab_value(desc, node, "software", "pio_mapping", 0) == 0 ? 8 : 64;
}

void lab_bound_name(struct lab_bound *bound)
{
    bound->bytes_per_s = bound->link_bytes_per_s;
    bound->name = "link";
    if (bound->bus_bytes_per_s > 0 && bound->bus_bytes_per_s < bound->bytes_per_s) {
        bound->bytes_per_s = bound->bus_bytes_per_s;
        bound->name = "bus";
    }
}

/* LRH 8, BTH 12, ICRC 4, VCRC 2, two delimiters (InfiniBand 1.2.1, chapters 5 and 7). */
#define IB_OVERHEAD_BYTES 28u

struct lab_bound lab_ib_bound(const struct machine_desc *desc, uint64_t rails)
{
    /* Bits a second of a lane after line coding: SDR, DDR, QDR, FDR10, FDR, EDR. */
    static const double rates[] = { 2e9, 4e9, 8e9, 10e9, 14.0625e9 * 64 / 66, 25e9 };
    uint64_t speed = lab_value(desc, 0, "ib", "link.speed", UINT64_MAX);
    uint64_t lanes = lab_value(desc, 0, "ib", "link.lanes", 0);
    double mtu = (double)lab_value(desc, 0, "ib", "link.mtu_bytes", 0);
    struct lab_bound bound = { .name = NULL };

    if (speed >= SIM_COUNT(rates))
        return bound;
    bound.link_bytes_per_s =
        rates[speed] / 8 * (double)(lanes * rails) * mtu / (mtu + IB_OVERHEAD_BYTES);
    bound.bus_bytes_per_s = lab_link_payload_rate(
        lab_value(desc, 0, "ib", "port.gen", 0), lab_value(desc, 0, "ib", "port.lanes", 0),
        lab_value(desc, 0, "ib", "port.mps_bytes", 0), LAB_TLP_OVERHEAD_BYTES);
    lab_bound_name(&bound);
    return bound;
}

struct lab_bound lab_run_bound(const struct machine_desc *desc, const struct lab_run *run,
                               bool stores)
{
    const char *mpi = run->mpi != NULL ? run->mpi : "";
    const char *rails = strstr(mpi, "rails=");
    size_t n = strcspn(mpi, ",");

    /* All libraries of configs/mpi go over InfiniBand. */
    if (strncmp(mpi, "library=", strlen("library=")) == 0 || (n == 2 && strncmp(mpi, "ib", 2) == 0))
        return lab_ib_bound(desc, rails != NULL && rails[strlen("rails=")] == '2' ? 2 : 1);
    if (run->program == NULL)
        return lab_flows_bound(desc);
    for (unsigned i = 1; i < run->nranks; i++)
        if (run->nodes[i] != run->nodes[0])
            return lab_ranks_bound(desc, run, stores);
    return lab_local_bound(desc, run->nodes[0], stores);
}

struct lab_bound lab_local_bound(const struct machine_desc *desc, unsigned node, bool stores)
{
    const char *own = lab_rank_hub_name(desc, node, 0), *hub = own != NULL ? own : "hub";
    uint64_t packet_bytes = lab_link_value(desc, node, hub, "n", "mps_bytes");
    struct lab_bound bound = { .name = NULL };

    if (packet_bytes == 0)
        return bound;
    if (stores)
        packet_bytes = lab_least(packet_bytes, lab_store_bytes(desc, node));
    bound.link_bytes_per_s = lab_link_payload_rate(lab_link_value(desc, node, hub, "n", "gen"),
                                                   lab_link_value(desc, node, hub, "n", "lanes"),
                                                   packet_bytes, LAB_TLP_OVERHEAD_BYTES);
    bound.bus_bytes_per_s = lab_bus_rate(
        lab_value(desc, node, hub, "bus_bytes", 0), lab_value(desc, node, hub, "clock_khz", 0),
        lab_value(desc, node, hub, "bus_gap_cycles", 0), packet_bytes);
    lab_bound_name(&bound);
    return bound;
}

void lab_bound_scale(struct lab_bound *bound, uint64_t n)
{
    bound->link_bytes_per_s *= (double)n;
    bound->bus_bytes_per_s *= (double)n;
    bound->bytes_per_s *= (double)n;
}

void lab_bound_write(const struct lab_bound *bound, FILE *out)
{
    if (bound->name != NULL)
        lab_line_write(out, LAB_LINE_BOUND, "%s link=%.17g bus=%.17g\n", bound->name,
                       bound->link_bytes_per_s, bound->bus_bytes_per_s);
}

void lab_bound_parse(const char *text, struct lab_bound *bound)
{
    const char *body = lab_line_body(text, LAB_LINE_BOUND);
    double link, bus;
    char name[8];

    if (body == NULL || sscanf(body, "%7s link=%lf bus=%lf", name, &link, &bus) != 3)
        return;
    *bound = strcmp(name, "bus") == 0 ? (struct lab_bound){ link, bus, bus, "bus" }
                                      : (struct lab_bound){ link, bus, link, "link" };
}
