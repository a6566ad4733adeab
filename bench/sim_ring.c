#include "sim_ring.h"
#include "bench.h"
#include "hub/hub.h"
#include "pcie/port/config.h"
#include "regs/hub_regs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES (UINT64_C(512) << 30)
#define PART_BYTES   (UINT64_C(32) << 30)
#define WINDOW_BASE  (UINT64_C(2) << 40) /* where each host puts the window */
#define MEMORY_BASE  UINT64_C(0x100000000)
#define SETUP_TLPS   5u
#define SETUP_GAP    (2 * SIM_US)
#define TRAFFIC_FROM (200 * SIM_US) /* by then the hubs have configured their neighbours */

struct node {
    struct sim_ring *ring;
    unsigned index;
    struct sim_domain *dom;
    void *hub;
    char path[32]; /* the hub's */
    struct mem_pool *pool;
    struct pcie_port *port;
    struct sim_event step; /* the next packet of the set-up, or a write */
    struct sim_event drain;
    unsigned setup;
    uint64_t sent, made, random, next_from, delivered; /* made and not yet sent: no room */
    uint8_t memory[65536];
};

struct sim_ring {
    struct ring_traffic traffic;
    const struct machine_kind *kind;
    struct sim *sim;
    struct node *nodes;
    uint64_t now, delivered;
};

static void must(int rc, const struct sim_error *err)
{
    if (rc == SIM_OK)
        return;
    fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}

static uint64_t area(unsigned slot, unsigned a)
{
    return WINDOW_BASE + slot * PART_BYTES + a * (PART_BYTES / HUB_AREAS);
}

static void send(struct node *n, struct pcie_tlp *tlp, const void *bytes)
{
    uint32_t size = tlp->length_dw * 4u;

    tlp->payload = mem_payload_alloc(n->pool, size);
    memcpy(tlp->payload->data, bytes, size);
    pcie_port_send(n->port, tlp);
}

static void set_up(struct node *n)
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
        send(n, &tlp, &config[n->setup].value);
    } else {
        tlp.kind = PCIE_MWR;
        pcie_tlp_set_range(&tlp, area(n->index, HUB_AREA_SELF) + HUB_AREA_BASE(HUB_AREA_HOST), 8);
        send(n, &tlp, &base);
    }
    n->setup++;
}

static void write_out(struct node *n)
{
    const struct ring_traffic *t = &n->ring->traffic;
    unsigned to = (n->index + t->distance) % t->hubs;

    while (n->sent != n->made && pcie_port_can_send(n->port, PCIE_POSTED)) {
        struct pcie_tlp tlp = { .kind = PCIE_MWR };
        uint64_t offset = n->sent * t->payload_bytes & 0xff00;

        memcpy(n->memory + offset, &n->sent, sizeof(n->sent));
        pcie_tlp_set_range(&tlp, area(to, HUB_AREA_HOST) + offset, t->payload_bytes);
        send(n, &tlp, n->memory + offset);
        n->sent++;
    }
}

static void step(struct sim_event *ev)
{
    struct node *n = SIM_CONTAINER_OF(ev, struct node, step);
    const struct ring_traffic *t = &n->ring->traffic;

    if (n->setup < SETUP_TLPS) {
        set_up(n);
        sim_schedule_at(n->dom, &n->step,
                        n->setup < SETUP_TLPS ? sim_now(n->dom) + SETUP_GAP : TRAFFIC_FROM,
                        SIM_CLOCK);
        return;
    }
    if (t->interval_ps == 0)
        return;
    n->made++;
    write_out(n);
    sim_schedule_in(n->dom, &n->step,
                    t->interval_ps / 2 + bench_random(&n->random) % t->interval_ps, SIM_CLOCK);
}

static void drain(struct sim_event *ev)
{
    write_out(SIM_CONTAINER_OF(ev, struct node, drain));
}

static void ready(void *user, enum pcie_class cls)
{
    struct node *n = user;

    (void)cls;
    if (n->sent != n->made)
        sim_schedule_by(n->dom, &n->drain, sim_now(n->dom), SIM_CLOCK);
}

static void received(void *user, struct pcie_tlp *tlp)
{
    struct node *n = user;
    uint64_t number;

    if (tlp->kind == PCIE_MWR) {
        SIM_ASSERT(tlp->addr - MEMORY_BASE <= sizeof(n->memory) - (size_t)tlp->length_dw * 4);
        memcpy(n->memory + (tlp->addr - MEMORY_BASE), tlp->payload->data,
               (size_t)tlp->length_dw * 4);
        memcpy(&number, tlp->payload->data, sizeof(number));
        SIM_ASSERT(number == n->next_from); /* all come from one host, in order */
        n->next_from++;
        n->delivered++;
    }
    pcie_port_consume(n->port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
    pcie_tlp_drop(tlp);
}

static void defaults(struct hub_config *cfg)
{
    struct machine_param *rows = machine_table_create(hub_kind.params, hub_kind.groups);

    SIM_ASSERT(rows != NULL);
    memset(cfg, 0, sizeof(*cfg));
    for (const struct machine_param *p = rows; p->key != NULL; p++)
        memcpy((char *)cfg + p->offset, &p->def, sizeof(p->def));
    free(rows);
}

static void create_node(struct sim_ring *r, unsigned i, const struct hub_config *cfg)
{
    struct node *n = &r->nodes[i];
    struct sim_error err = { 0 };
    struct machine_place place = { .path = n->path, .node = i };
    struct pcie_port_user user = { .received = received, .ready = ready, .user = n };
    struct machine_routes routes = {
        .slot = i,
        .window_bytes = WINDOW_BYTES,
        .part_bytes = PART_BYTES,
        .nranges = 3,
        .ranges = { { "n", i, i }, { "e", i + 1, 15 }, { "e", 0, i - 1 } },
    };

    if (i == 0)
        routes.nranges = 2;
    (void)snprintf(n->path, sizeof(n->path), "node%u", i);
    n->ring = r;
    n->index = i;
    n->random = i + 1;
    n->dom = place.dom = sim_domain_create(r->sim, n->path);
    n->pool = mem_pool_create();
    sim_event_init(&n->step, step);
    sim_event_init(&n->drain, drain);
    (void)snprintf(n->path, sizeof(n->path), "node%u.hub", i);
    must(r->kind->create(&place, cfg, &n->hub, &err), &err);
    must(pcie_port_create(n->dom, n->pool, "host", &cfg->port[0], &user, &n->port, &err), &err);
    must(pcie_link_connect(n->port, r->kind->port(n->hub, HUB_PORT_n).end, SIM_NS, &err), &err);
    must(r->kind->set_routes(n->hub, &routes, &err), &err);
}

struct sim_ring *sim_ring_create(const struct ring_traffic *traffic,
                                 const struct machine_kind *kind)
{
    struct sim_ring *r = calloc(1, sizeof(*r));
    struct sim_error err = { 0 };
    struct hub_config cfg;

    if (r == NULL)
        abort();
    r->traffic = *traffic;
    r->kind = kind;
    r->sim = sim_create(&(struct sim_config){ .seed = 1 });
    r->nodes = calloc(traffic->hubs, sizeof(*r->nodes));
    if (r->sim == NULL || r->nodes == NULL)
        abort();
    defaults(&cfg);
    for (unsigned i = 0; i < traffic->hubs; i++)
        create_node(r, i, &cfg);
    for (unsigned i = 0; i < traffic->hubs; i++) {
        struct node *n = &r->nodes[i], *east = &r->nodes[(i + 1) % traffic->hubs];

        must(pcie_link_connect(r->kind->port(n->hub, HUB_PORT_e).end,
                               r->kind->port(east->hub, HUB_PORT_w).end, 5 * SIM_NS, &err),
             &err);
    }
    for (unsigned i = 0; i < traffic->hubs; i++) {
        must(r->kind->start(r->nodes[i].hub, &err), &err);
        sim_schedule_at(r->nodes[i].dom, &r->nodes[i].step, SETUP_GAP, SIM_CLOCK);
    }
    (void)sim_ring_run(r, TRAFFIC_FROM);
    return r;
}

void sim_ring_set_interval(struct sim_ring *r, uint64_t interval_ps)
{
    r->traffic.interval_ps = interval_ps;
    for (unsigned i = 0; i < r->traffic.hubs && interval_ps != 0; i++)
        sim_schedule_by(r->nodes[i].dom, &r->nodes[i].step, r->now + SIM_NS, SIM_CLOCK);
}

void sim_ring_destroy(struct sim_ring *r)
{
    for (unsigned i = 0; i < r->traffic.hubs; i++) {
        r->kind->destroy(r->nodes[i].hub);
        pcie_port_destroy(r->nodes[i].port);
        mem_pool_destroy(r->nodes[i].pool);
    }
    sim_destroy(r->sim);
    free(r->nodes);
    free(r);
}

uint64_t sim_ring_delivered(const struct sim_ring *r)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < r->traffic.hubs; i++)
        all += r->nodes[i].delivered;
    return all;
}

uint64_t sim_ring_run(struct sim_ring *r, uint64_t span_ps)
{
    uint64_t before = sim_ring_delivered(r);

    r->now += span_ps;
    (void)sim_run(r->sim, r->now);
    return (sim_ring_delivered(r) - before) * (r->traffic.distance + 1);
}

uint64_t sim_ring_events(const struct sim_ring *r)
{
    return sim_events_run(r->sim);
}
