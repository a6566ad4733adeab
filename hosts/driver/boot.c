/*
 * Firmware: finds what is plugged into the root ports, sizes BARs, assigns bus
 * addresses and enables the functions (PCI 3.0, 6.2.5; PCI Express 3.0, 7.8).
 * One device at most on the bus behind each root port: bus k + 1 behind port k.
 */
#include "hosts/driver/boot.h"

#define CFG_ID           0x00u
#define CFG_COMMAND      0x04u
#define CFG_BAR(n)       (0x10u + 4u * (n))
#define CFG_CAPABILITIES 0x34u
#define CAP_MSI          0x05u
#define CAP_EXPRESS      0x10u
#define COMMAND_ENABLE   0x6u /* memory space, bus master */
#define BAR_IS_IO        0x1u
#define BAR_IS_64        0x4u
#define EXPRESS_DEVCAP   4u
#define EXPRESS_DEVCTL   8u
#define MPS_CODE_MAX     5u
#define MRRS_4096        (5u << 12)
#define CAPABILITIES_MAX 48u /* in 192 bytes of 4; a list longer than that is a circle */

static uint32_t rd(struct host *h, uint16_t bdf, uint32_t reg)
{
    return h->bus->config_read(h, bdf, reg);
}

static void wr(struct host *h, uint16_t bdf, uint32_t reg, uint32_t value)
{
    h->bus->config_write(h, bdf, reg, value);
}

static uint32_t find_capability(struct host *h, uint16_t bdf, uint32_t id)
{
    uint32_t at = rd(h, bdf, CFG_CAPABILITIES) & 0xfc;

    for (unsigned i = 0; at != 0 && i < CAPABILITIES_MAX; i++) {
        uint32_t word = rd(h, bdf, at);

        if ((word & 0xff) == id)
            return at;
        at = word >> 8 & 0xfc;
    }
    return 0;
}

/* Writes all ones and reads back which bits stick. */
static uint64_t bar_bytes(struct host *h, uint16_t bdf, unsigned n, bool *wide_p)
{
    uint32_t lo, hi = UINT32_MAX;

    wr(h, bdf, CFG_BAR(n), UINT32_MAX);
    lo = rd(h, bdf, CFG_BAR(n));
    *wide_p = (lo & BAR_IS_64) != 0;
    if (lo == 0 || (lo & BAR_IS_IO) != 0)
        return 0;
    if (*wide_p) {
        wr(h, bdf, CFG_BAR(n + 1), UINT32_MAX);
        hi = rd(h, bdf, CFG_BAR(n + 1));
    }
    return ~((uint64_t)hi << 32 | (lo & ~0xfu)) + 1;
}

static int assign_bars(struct host *h, struct driver_function *fn, uint64_t *next_p)
{
    for (unsigned n = 0; n < DRIVER_BARS; n++) {
        bool wide;
        uint64_t bytes = bar_bytes(h, fn->bdf, n, &wide);
        uint64_t base = host_round_up(*next_p, bytes);

        if (bytes != 0) {
            if (!h->bus->claim(h, fn->port, base, bytes))
                return DRIVER_ERR_CLAIM;
            wr(h, fn->bdf, CFG_BAR(n), (uint32_t)base);
            if (wide)
                wr(h, fn->bdf, CFG_BAR(n + 1), (uint32_t)(base >> 32));
            fn->bar[n].bus = base;
            fn->bar[n].bytes = bytes;
            *next_p = base + bytes;
        }
        n += wide;
    }
    return DRIVER_OK;
}

/* The largest payload that both ends of this link take; the hubs were set by theirs. */
static void set_payload(struct host *h, const struct driver_function *fn)
{
    uint16_t root = (uint16_t)(fn->port << 3);
    uint32_t own = find_capability(h, fn->bdf, CAP_EXPRESS), up = 0;
    uint32_t code;

    if (own == 0)
        return;
    if (rd(h, root, CFG_ID) != UINT32_MAX)
        up = find_capability(h, root, CAP_EXPRESS);
    code = rd(h, fn->bdf, own + EXPRESS_DEVCAP) & 7;
    if (up != 0 && (rd(h, root, up + EXPRESS_DEVCAP) & 7) < code)
        code = rd(h, root, up + EXPRESS_DEVCAP) & 7;
    if (code > MPS_CODE_MAX)
        code = MPS_CODE_MAX;
    wr(h, fn->bdf, own + EXPRESS_DEVCTL, code << 5 | MRRS_4096);
}

static void set_msi(struct host *h, const struct driver_function *fn)
{
    uint32_t at = find_capability(h, fn->bdf, CAP_MSI);
    uint64_t addr = h->bus->msi_address(h);

    if (at == 0)
        return;
    wr(h, fn->bdf, at + 4, (uint32_t)addr);
    wr(h, fn->bdf, at + 8, (uint32_t)(addr >> 32));
    wr(h, fn->bdf, at + 12, fn->port); /* the vector says who calls */
    wr(h, fn->bdf, at, rd(h, fn->bdf, at) | 1u << 16);
}

int boot_enumerate(struct host *h, struct driver_node *node)
{
    uint64_t next = h->bus->start(h);
    unsigned ports = h->bus->root_ports(h);

    for (unsigned p = 0; p < ports && node->nfunctions < DRIVER_FUNCTIONS; p++) {
        struct driver_function *fn = &node->functions[node->nfunctions];
        uint16_t bdf = (uint16_t)((p + 1) << 8);
        uint32_t id = rd(h, bdf, CFG_ID);
        int code;

        if (id == UINT32_MAX)
            continue;
        *fn = (struct driver_function){ .bdf = bdf,
                                        .vendor = (uint16_t)id,
                                        .device = (uint16_t)(id >> 16),
                                        .port = p,
                                        .socket = h->bus->socket(h, p) };
        code = assign_bars(h, fn, &next);
        if (code != DRIVER_OK)
            return code;
        set_payload(h, fn);
        set_msi(h, fn);
        wr(h, bdf, CFG_COMMAND, COMMAND_ENABLE);
        node->nfunctions++;
    }
    return DRIVER_OK;
}
