#include "traffic/traffic.h"

#include "pcie/lossy/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAGS_MAX   256u  /* of 8 bits: Extended Tag Field Enable (7.8.4) */
#define PAGE_BYTES 4096u /* a request begins with one, so that it crosses into no other */

/** A read of the far end; its header credit goes back when the last piece of the answer has gone.
 */
struct waiting_read {
    struct pcie_tlp tlp;
    uint32_t sent; /* bytes answered */
};

struct traffic {
    struct sim_domain *dom;
    const char *path;
    struct traffic_config cfg;
    struct mem_pool *pool;
    struct pcie_port *port;
    struct sim_event work;
    uint64_t address;         /* of all requests */
    uint8_t page[PAGE_BYTES]; /* what is written, and what memory holds */

    struct waiting_read waiting[TAGS_MAX]; /* in order of arrival */
    uint32_t first, end;                   /* free-running */
    uint32_t left[TAGS_MAX];               /* by tag: bytes that have not come; 0: it is free */
    uint8_t free[TAGS_MAX];                /* tags, as a stack */
    uint32_t nfree;
    bool down; /* what is sent now would be lost, */
    bool lost; /* as all is that was under way when the link went down */

    bool measuring;
    sim_time_t from_ps;  /* when the measured time began, */
    uint64_t from_bytes; /* and what had been received */
    struct traffic_count count;
};

#define ROW(...) MACHINE_PARAM(struct traffic_config, __VA_ARGS__)

/* clang-format off */
static const struct machine_param params[] = {
    ROW(write_bytes, "bytes", 0, 4096, 0,
        "Payload of each write that it sends, back to back; at most the link's Max_Payload_Size; 0 = no writes."),
    ROW(read_bytes, "bytes", 0, 4096, 0,
        "What each read that it sends asks for; 0 = no reads."),
    ROW(tags, "1", 1, TAGS_MAX, TAGS_MAX,
        "Reads that it has under way at once, each with a tag of its own."),
    { "address_bits", "choice", TRAFFIC_ADDRESS_32, TRAFFIC_ADDRESS_64, TRAFFIC_ADDRESS_64,
      offsetof(struct traffic_config, address_bits),
      "Addresses of its requests: with 32 bits headers have 3 DW, with 64 bits 4.", "32|64" },
    ROW(warmup_bytes, "bytes", 0, UINT64_C(1) << 40, 1u << 18,
        "Payload that it receives before the measured time begins."),
    ROW(measure_bytes, "bytes", 1, UINT64_C(1) << 40, 1u << 20,
        "Payload that it receives in the measured time, rounded up to whole packets."),
    MACHINE_PARAM_END
};

static const struct machine_group groups[] = {
    /* Buffers that do not limit a link of a few metres. */
    { .key = "link.", .rows = pcie_port_params, .offset = offsetof(struct traffic_config, link),
      .defaults = &(const struct pcie_port_config){
          .ph_credits = 127, .pd_credits = 2047, .nph_credits = 127, .replay_tlps = 1024,
          .tx_latency_ps = 5000, .rx_latency_ps = 5000 } },
    { .key = NULL },
};
/* clang-format on */

static void traffic_wake(struct traffic *t)
{
    sim_schedule_by(t->dom, &t->work, sim_now(t->dom), SIM_CLOCK);
}

/* ---- answering ------------------------------------------------------------------------ */

/** The next piece of the answer. It ends at a multiple of MPS, which is one of the Read Completion
 * Boundary too, be that 64 or 128 bytes (2.3.1.1). */
static struct pcie_tlp next_completion(struct traffic *t, struct waiting_read *r)
{
    struct pcie_tlp cpl;
    uint64_t addr;
    uint32_t all, n, skip;

    if (r->tlp.kind != PCIE_MRD)
        return pcie_tlp_answer(&r->tlp, PCIE_CPL_UR);
    cpl = pcie_tlp_answer(&r->tlp, PCIE_CPL_SC);
    all = pcie_tlp_range(&r->tlp, &addr);
    addr += r->sent;
    n = pcie_split_completion(addr, all - r->sent, pcie_port_mps(t->port));
    skip = addr & 3;
    cpl.kind = PCIE_CPLD;
    cpl.byte_count = (uint16_t)(cpl.byte_count - r->sent);
    cpl.lower_addr = addr & 0x7f;
    cpl.payload = pcie_payload(t->pool, skip, &t->page[addr % PAGE_BYTES], n);
    cpl.length_dw = (uint16_t)((skip + n + 3) / 4);
    r->sent += n;
    return cpl;
}

static bool is_answered(const struct waiting_read *r)
{
    uint64_t addr;

    return r->tlp.kind != PCIE_MRD || r->sent == pcie_tlp_range(&r->tlp, &addr);
}

static void release_read(struct traffic *t)
{
    struct pcie_tlp *tlp = &t->waiting[t->first++ % TAGS_MAX].tlp;

    pcie_port_consume(t->port, PCIE_NONPOSTED, pcie_tlp_data_credits(tlp));
    pcie_tlp_drop(tlp);
}

static void answer_reads(struct traffic *t)
{
    while (t->first != t->end && pcie_port_can_send(t->port, PCIE_COMPLETION)) {
        struct waiting_read *r = &t->waiting[t->first % TAGS_MAX];
        struct pcie_tlp cpl = next_completion(t, r);

        pcie_port_send(t->port, &cpl);
        if (is_answered(r))
            release_read(t);
    }
}

/* ---- requesting ----------------------------------------------------------------------- */

static void free_all_tags(struct traffic *t)
{
    memset(t->left, 0, sizeof(t->left));
    for (t->nfree = 0; t->nfree < t->cfg.tags; t->nfree++)
        t->free[t->nfree] = (uint8_t)t->nfree;
}

static void send_reads(struct traffic *t)
{
    while (t->cfg.read_bytes != 0 && t->nfree != 0 && pcie_port_can_send(t->port, PCIE_NONPOSTED)) {
        struct pcie_tlp read = { .kind = PCIE_MRD, .tag = t->free[--t->nfree] };

        pcie_tlp_set_range(&read, t->address, (uint32_t)t->cfg.read_bytes);
        t->left[read.tag] = (uint32_t)t->cfg.read_bytes;
        pcie_port_send(t->port, &read);
    }
}

static void send_writes(struct traffic *t)
{
    while (t->cfg.write_bytes != 0 && pcie_port_can_send(t->port, PCIE_POSTED)) {
        struct pcie_tlp write =
            pcie_tlp_write(t->pool, 0, t->address, t->page, (uint32_t)t->cfg.write_bytes);

        pcie_port_send(t->port, &write);
    }
}

static void begin_anew(struct traffic *t)
{
    t->lost = false;
    while (t->first != t->end)
        release_read(t);
    free_all_tags(t);
}

static void traffic_work(struct sim_event *ev)
{
    struct traffic *t = SIM_CONTAINER_OF(ev, struct traffic, work);

    if (t->lost)
        begin_anew(t);
    if (t->down)
        return;
    answer_reads(t);
    send_reads(t);
    send_writes(t);
}

/* ---- receiving ------------------------------------------------------------------------ */

static void count_payload(struct traffic *t, uint32_t bytes)
{
    struct traffic_count *c = &t->count;

    c->received_bytes += bytes;
    if (c->ps != 0)
        return;
    if (!t->measuring && c->received_bytes >= t->cfg.warmup_bytes) {
        t->measuring = true;
        t->from_ps = sim_now(t->dom);
        t->from_bytes = c->received_bytes;
    } else if (t->measuring && c->received_bytes - t->from_bytes >= t->cfg.measure_bytes) {
        c->bytes = c->received_bytes - t->from_bytes;
        c->ps = sim_now(t->dom) - t->from_ps;
    }
}

static void take_write(struct traffic *t, const struct pcie_tlp *tlp)
{
    uint64_t addr;
    uint32_t n = pcie_tlp_range(tlp, &addr);

    t->count.wrong += memcmp(tlp->payload->data + (addr & 3), &t->page[addr % PAGE_BYTES], n) != 0;
    count_payload(t, n);
}

static void release_tag(struct traffic *t, uint8_t tag)
{
    t->left[tag] = 0;
    t->free[t->nfree++] = tag;
    traffic_wake(t);
}

static void take_completion(struct traffic *t, const struct pcie_tlp *tlp)
{
    uint32_t left = t->left[tlp->tag], n, at = (uint32_t)t->cfg.read_bytes - left;

    if (left != 0 && tlp->status != PCIE_CPL_SC) { /* it ends the request (2.3.2) */
        t->count.refused++;
        release_tag(t, tlp->tag);
        return;
    }
    if (tlp->kind != PCIE_CPLD || left == 0 || tlp->byte_count != left) {
        t->count.wrong++;
        return;
    }
    n = (uint32_t)sim_min(left, tlp->length_dw * 4u - (tlp->lower_addr & 3u));
    t->count.wrong += memcmp(tlp->payload->data, &t->page[at], n) != 0;
    t->left[tlp->tag] -= n;
    if (t->left[tlp->tag] == 0)
        release_tag(t, tlp->tag);
    count_payload(t, n);
}

static void traffic_received(void *user, struct pcie_tlp *tlp)
{
    struct traffic *t = user;
    enum pcie_class cls = pcie_tlp_class(tlp);

    if (cls == PCIE_NONPOSTED) {
        SIM_ASSERT(t->end - t->first < TAGS_MAX); /* by the credits, see traffic_create() */
        t->waiting[t->end++ % TAGS_MAX] = (struct waiting_read){ *tlp, 0 };
        traffic_wake(t);
        return;
    }
    if (tlp->kind == PCIE_MWR)
        take_write(t, tlp);
    else if (cls == PCIE_COMPLETION)
        take_completion(t, tlp);
    pcie_port_consume(t->port, cls, pcie_tlp_data_credits(tlp));
    pcie_tlp_drop(tlp);
}

static void traffic_ready(void *user, enum pcie_class cls)
{
    (void)cls;
    traffic_wake(user);
}

static void traffic_link(void *user, bool up)
{
    struct traffic *t = user;

    t->down = !up;
    t->lost |= !up;
    traffic_wake(t);
}

/* ---- the kind ------------------------------------------------------------------------- */

struct traffic_count traffic_counted(const void *component)
{
    return ((const struct traffic *)component)->count;
}

static void traffic_destroy(void *component)
{
    struct traffic *t = component;

    if (t == NULL)
        return;
    if (t->port != NULL)
        pcie_port_destroy(t->port);
    mem_pool_destroy(t->pool);
    free(t);
}

static int refuse_value(const struct traffic *t, const char *key, uint64_t value,
                        const char *expected, struct sim_error *err)
{
    char head[64];

    (void)snprintf(head, sizeof(head), "%s: ", t->path);
    return sim_error_value(err, SIM_ERR_CONFIG, head, key, value, "expected %s", expected);
}

static int open_port(struct traffic *t, struct sim_error *err)
{
    const struct pcie_port_user user = {
        .received = traffic_received, .ready = traffic_ready, .link = traffic_link, .user = t
    };

    if (t->cfg.link.nph_credits == 0) /* the place for requests that wait is not infinite */
        return refuse_value(t, "link.nph_credits", 0, "1 .. 127", err);
    t->pool = mem_pool_create();
    if (t->pool == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", t->path);
    return pcie_port_create(t->dom, t->pool, t->path, &t->cfg.link, &user, &t->port, err);
}

static int traffic_create(const struct machine_place *place, const void *config, void **component_p,
                          struct sim_error *err)
{
    struct traffic *t = sim_calloc(sizeof(*t));
    int rc;

    if (t == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    t->dom = place->dom;
    t->path = place->path;
    t->cfg = *(const struct traffic_config *)config;
    t->address = t->cfg.address_bits == TRAFFIC_ADDRESS_64 ? UINT64_C(1) << 32 : 0;
    for (uint32_t i = 0; i < PAGE_BYTES; i++) /* neither equal bytes nor equal words beside */
        t->page[i] = (uint8_t)(i * 37 + i / 256);
    free_all_tags(t);
    sim_event_init(&t->work, traffic_work);
    rc = open_port(t, err);
    if (rc != SIM_OK) {
        traffic_destroy(t);
        return rc;
    }
    sim_stat_register(t->dom, &t->count.received_bytes, t->path, "bytes", "payload received");
    *component_p = t;
    return SIM_OK;
}

static struct machine_port traffic_port(void *component, unsigned index)
{
    struct traffic *t = component;

    (void)index; /* it has one */
    return (struct machine_port){ "pcie", t->port, pcie_link_join };
}

/** Both ends settle the largest payload when they are joined. */
static int traffic_start(void *component, struct sim_error *err)
{
    struct traffic *t = component;
    uint32_t mps = pcie_port_mps(t->port);
    char expected[64];

    (void)snprintf(expected, sizeof(expected), "at most %u, the link's Max_Payload_Size", mps);
    if (t->cfg.write_bytes > mps)
        return refuse_value(t, "write_bytes", t->cfg.write_bytes, expected, err);
    traffic_wake(t);
    return SIM_OK;
}

static int traffic_fault(void *component, void *end, const struct machine_fault_kind *what,
                         const void *config, struct sim_error *err)
{
    const struct traffic *t = component;

    if (end == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s: expected a fault of its port or link",
                             t->path, what->name);
    return pcie_port_add_fault(end, what, config, err);
}

static const char *const ports[] = { "link", NULL };

const struct machine_kind traffic_kind = {
    .name = "traffic",
    .summary = "A traffic generator: one end of a bare PCI Express link.",
    .params = params,
    .groups = groups,
    .config_bytes = sizeof(struct traffic_config),
    .ports = ports,
    .create = traffic_create,
    .port = traffic_port,
    .start = traffic_start,
    .destroy = traffic_destroy,
    .faults = pcie_faults,
    .fault = traffic_fault,
};
