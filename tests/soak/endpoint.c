#include "endpoint.h"

#include "pcie/lossy/fault.h"
#include "pcie/port/config.h"
#include "regs/hub_regs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_BYTES   (UINT64_C(32) << 30)
#define WINDOW_BASE  (UINT64_C(2) << 40) /* where each host puts the window */
#define MEMORY_BASE  UINT64_C(0x100000000)
#define INTERNAL     0x01000000u
#define SETUP_TLPS   5u
#define SETUP_GAP    (10 * SIM_US) /* a link with errors answers within it */
#define TRAFFIC_FROM (500 * SIM_US)
#define SPAN_BYTES   256u
#define HEADER_BYTES 8u

/* ---- what a write must be, from its source, destination and number ---------------------- */

struct message {
    uint64_t addr; /* behind the destination's area */
    uint32_t bytes;
    uint8_t data[SPAN_BYTES];
};

static uint64_t mix(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void make(unsigned src, unsigned dst, uint64_t number, struct message *m)
{
    uint64_t header = (uint64_t)src << 56 | (uint64_t)dst << 48 | number, key = mix(header);
    uint32_t shift = (uint32_t)(key & 3), room = SPAN_BYTES - 3;

    m->bytes = HEADER_BYTES + (uint32_t)(key >> 8) % (room - HEADER_BYTES + 1);
    m->addr = ((key >> 32 & 0xffff) << 8 | src << 28) + shift;
    memcpy(m->data, &header, HEADER_BYTES);
    for (uint32_t at = HEADER_BYTES; at < m->bytes; at += 8) {
        uint64_t word = key = mix(key);

        memcpy(m->data + at, &word, m->bytes - at < 8 ? m->bytes - at : 8);
    }
}

/* ---- sending -------------------------------------------------------------------------- */

static uint64_t area(unsigned slot, unsigned a)
{
    return WINDOW_BASE + slot * PART_BYTES + a * (PART_BYTES / HUB_AREAS);
}

static void send(struct soak_node *n, struct pcie_tlp *tlp, const void *bytes, uint32_t size)
{
    uint32_t shift =
        tlp->kind == PCIE_MWR && tlp->first_be != 0 ? (uint32_t)__builtin_ctz(tlp->first_be) : 0;

    tlp->payload = mem_payload_alloc(n->pool, tlp->length_dw * 4u);
    memset(tlp->payload->data, 0, tlp->length_dw * 4u);
    memcpy(tlp->payload->data + shift, bytes, size);
    pcie_port_send(n->port, tlp);
}

static void set_up(struct soak_node *n)
{
    const struct {
        uint32_t reg, value;
    } config[SETUP_TLPS - 1] = {
        { PCIE_CFG_BAR(0), (uint32_t)WINDOW_BASE },
        { PCIE_CFG_BAR(1), (uint32_t)(WINDOW_BASE >> 32) },
        { PCIE_CFG_DEVICE_CONTROL, 1u << 5 | 5u << 12 }, /* MPS 256, MRRS 4096 */
        { PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER },
    };
    const uint64_t base = MEMORY_BASE;
    struct pcie_tlp tlp = { .kind = PCIE_CFGWR0, .first_be = 0xf, .length_dw = 1 };

    if (n->setup < SETUP_TLPS - 1) {
        tlp.completer_id = 0x0100;
        tlp.addr = config[n->setup].reg;
        send(n, &tlp, &config[n->setup].value, 4);
    } else {
        tlp.kind = PCIE_MWR;
        pcie_tlp_set_range(&tlp, area(n->index, HUB_AREA_SELF) + HUB_AREA_BASE(HUB_AREA_HOST), 8);
        send(n, &tlp, &base, 8);
    }
    n->setup++;
}

static void write_to(struct soak_node *n, unsigned to)
{
    struct pcie_tlp tlp = { .kind = PCIE_MWR };
    struct message m;

    make(n->index, to, n->sent[to]++, &m);
    pcie_tlp_set_range(&tlp, area(to, HUB_AREA_HOST) + m.addr, m.bytes);
    send(n, &tlp, m.data, m.bytes);
}

/** A read may not overtake the write before it, and a write after it may be seen. */
static void write_and_read_back(struct soak_node *n)
{
    uint64_t addr = area(n->index, HUB_AREA_SELF) + INTERNAL;
    struct pcie_tlp write = { .kind = PCIE_MWR }, read = { .kind = PCIE_MRD };

    n->word++;
    pcie_tlp_set_range(&write, addr, 8);
    send(n, &write, &n->word, 8);
    if (n->reading || !pcie_port_can_send(n->port, PCIE_NONPOSTED))
        return;
    read.tag = ++n->tag & 31;
    pcie_tlp_set_range(&read, addr, 8);
    n->word_asked = n->word;
    n->reading = true;
    pcie_port_send(n->port, &read);
}

static void fill(struct soak_node *n)
{
    while (!n->stopped && pcie_port_can_send(n->port, PCIE_POSTED)) {
        unsigned to = (unsigned)sim_stream_below(&n->stream, SOAK_NODES);

        if (to == n->index)
            write_and_read_back(n);
        else
            write_to(n, to);
    }
}

static void step(struct sim_event *ev)
{
    struct soak_node *n = SIM_CONTAINER_OF(ev, struct soak_node, step);

    if (n->setup == SETUP_TLPS) {
        fill(n);
        return;
    }
    set_up(n);
    sim_schedule_at(n->dom, &n->step,
                    n->setup < SETUP_TLPS ? sim_now(n->dom) + SETUP_GAP : TRAFFIC_FROM, SIM_CLOCK);
}

static void ready(void *user, enum pcie_class cls)
{
    struct soak_node *n = user;

    if (cls == PCIE_POSTED && sim_now(n->dom) > TRAFFIC_FROM && !n->stopped)
        sim_schedule_by(n->dom, &n->step, sim_now(n->dom), SIM_CLOCK);
}

/* ---- receiving -------------------------------------------------------------------------- */

static void wrong(struct soak_node *n, const struct pcie_tlp *tlp, const char *what,
                  uint64_t number)
{
    (void)sim_error_set(&n->err, SIM_ERR_IO,
                        "node%u at %llu ps: %s: kind %u, address 0x%llx, number %llu", n->index,
                        (unsigned long long)sim_now(n->dom), what, tlp->kind,
                        (unsigned long long)tlp->addr, (unsigned long long)number);
}

static void take_write(struct soak_node *n, const struct pcie_tlp *tlp)
{
    uint64_t first, header, number;
    uint32_t bytes = pcie_tlp_range(tlp, &first);
    const uint8_t *data = tlp->payload->data + (first - tlp->addr);
    struct message m;
    unsigned src;

    if (bytes < HEADER_BYTES) {
        wrong(n, tlp, "a write that is too short", bytes);
        return;
    }
    memcpy(&header, data, sizeof(header));
    src = (unsigned)(header >> 56);
    number = header & 0xffffffffffff;
    if (src >= SOAK_NODES || (header >> 48 & 0xff) != n->index) {
        wrong(n, tlp, "a write of nobody, or for another node", header);
        return;
    }
    if (number != n->taken[src]) {
        wrong(n, tlp, number < n->taken[src] ? "a write again" : "a write before its elders",
              number);
        return;
    }
    make(src, n->index, number, &m);
    if (first != MEMORY_BASE + m.addr || bytes != m.bytes || memcmp(data, m.data, bytes) != 0)
        wrong(n, tlp, "a write that was changed", number);
    n->taken[src]++;
    n->bytes += bytes;
    sim_visible(n->dom, n->where, header ^ sim_now(n->dom));
}

static void take_completion(struct soak_node *n, const struct pcie_tlp *tlp)
{
    uint64_t word = 0;

    if (sim_now(n->dom) < TRAFFIC_FROM && tlp->kind == PCIE_CPL && tlp->status == PCIE_CPL_SC)
        return; /* it belongs to the set-up */
    if (tlp->kind == PCIE_CPLD && tlp->length_dw == 2)
        memcpy(&word, tlp->payload->data, 8);
    if (!n->reading || tlp->tag != (n->tag & 31) || tlp->status != PCIE_CPL_SC ||
        word < n->word_asked || word > n->word)
        wrong(n, tlp, "a completion that is not the read's", word);
    n->reading = false;
    n->reads++;
    sim_visible(n->dom, n->where, word ^ sim_now(n->dom));
}

static void received(void *user, struct pcie_tlp *tlp)
{
    struct soak_node *n = user;

    if (tlp->poisoned)
        wrong(n, tlp, "a poisoned packet", 0);
    else if (tlp->kind == PCIE_MWR)
        take_write(n, tlp);
    else if (pcie_tlp_class(tlp) == PCIE_COMPLETION)
        take_completion(n, tlp);
    else
        wrong(n, tlp, "a request", 0);
    pcie_port_consume(n->port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
    pcie_tlp_drop(tlp);
}

/* ---- the kind --------------------------------------------------------------------------- */

static void destroy(void *component)
{
    struct soak_node *n = component;

    pcie_port_destroy(n->port);
    mem_pool_destroy(n->pool);
    free(n);
}

static int create(const struct machine_place *place, const void *config, void **component_p,
                  struct sim_error *err)
{
    struct soak_node *n = calloc(1, sizeof(*n));
    const struct pcie_port_user user = { .received = received, .ready = ready, .user = n };
    char path[64];
    int rc;

    SIM_ASSERT(n != NULL && place->node < SOAK_NODES);
    n->dom = place->dom;
    n->index = place->node;
    n->where = sim_path_hash(place->path);
    n->pool = mem_pool_create();
    sim_stream_init(&n->stream, sim_seed(n->dom), place->path);
    sim_event_init(&n->step, step);
    (void)snprintf(path, sizeof(path), "%s.p0", place->path);
    rc = pcie_port_create(n->dom, n->pool, path, config, &user, &n->port, err);
    if (rc == SIM_OK) {
        pcie_port_set_facing(n->port, PCIE_ROOT_END);
        *component_p = n;
    }
    return rc;
}

static struct machine_port port_of(void *component, unsigned index)
{
    struct soak_node *n = component;

    (void)index; /* it has one */
    return (struct machine_port){ "pcie", n->port, pcie_link_join };
}

static int start(void *component, struct sim_error *err)
{
    struct soak_node *n = component;

    (void)err;
    sim_schedule_at(n->dom, &n->step, SETUP_GAP, SIM_CLOCK);
    return SIM_OK;
}

static int fault(void *component, void *end, const struct machine_fault_kind *what,
                 const void *config, struct sim_error *err)
{
    (void)component;
    if (end == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: expected a fault of a port", what->name);
    return pcie_port_add_fault(end, what, config, err);
}

static const struct machine_group groups[] = {
    { .key = "",
      .rows = pcie_port_params,
      .defaults =
          &(const struct pcie_port_config){
              .gen = 2, .lanes = 8, .tx_latency_ps = 20000, .rx_latency_ps = 20000 } },
    { .key = NULL },
};

static const char *const ports[] = { "p0", NULL };

const struct machine_kind soak_kind = {
    .name = "soak",
    .summary = "source and sink of writes that checks each of them",
    .groups = groups,
    .config_bytes = sizeof(struct pcie_port_config),
    .ports = ports,
    .create = create,
    .port = port_of,
    .start = start,
    .destroy = destroy,
    .faults = pcie_faults,
    .fault = fault,
};
