#include "stamp.h"

#include "pcie/port/config.h"
#include "pcie/port/port.h"

#include <stdlib.h>
#include <string.h>

#define READS 8u /* requests that may wait; what nph_credits advertises at most */

struct stamp_config {
    uint64_t answer_ps;
    struct pcie_port_config link;
};

struct stamp {
    struct sim_domain *dom;
    struct stamp_config cfg;
    struct mem_pool *pool;
    struct pcie_port *port;
    struct pcie_function function; /* what the host configures */
    struct {
        struct pcie_tlp tlp;
        sim_time_t due;
    } waiting[READS];        /* requests in order of arrival */
    uint32_t first, end;     /* free-running */
    struct sim_event answer; /* scheduled while the first one waits for its time */
    uint64_t scratch, writes;
};

/* clang-format off */
static const struct machine_param params[] = {
    { "answer_ps", "ps", 0, SIM_MS, 100000, offsetof(struct stamp_config, answer_ps),
      "From a request to its completion.", NULL },
    MACHINE_PARAM_END
};

static const struct machine_group groups[] = {
    { .key = "link.",
      .rows = pcie_port_params,
      .offset = offsetof(struct stamp_config, link),
      .defaults = &(const struct pcie_port_config){
          .gen = 2, .lanes = 4, .tx_latency_ps = 100000, .rx_latency_ps = 100000 } },
    { .key = NULL },
};
/* clang-format on */

static uint64_t register_value(const struct stamp *s, uint64_t offset)
{
    switch (offset) {
    case STAMP_NOW:
        return sim_now(s->dom);
    case STAMP_SCRATCH:
        return s->scratch;
    case STAMP_WRITES:
        return s->writes;
    default:
        return 0;
    }
}

/* The bytes of a completion; false: an Unsupported Request, which is behaviour and no error. */
static bool read_bytes(const struct stamp *s, const struct pcie_tlp *req, uint8_t *bytes)
{
    if (req->kind == PCIE_CFGRD0) {
        uint32_t word = pcie_function_read(&s->function, (uint32_t)req->addr);

        memcpy(bytes, &word, sizeof(word));
        return true;
    }
    if (req->kind != PCIE_MRD || pcie_function_claims(&s->function, req->addr) != 0 ||
        req->length_dw > 2)
        return false;
    for (uint32_t i = 0; i < req->length_dw * 4u; i++) { /* byte by byte: any alignment */
        uint64_t at = (req->addr + i) % STAMP_BAR_BYTES;

        bytes[i] = (uint8_t)(register_value(s, at & ~UINT64_C(7)) >> (8 * (at & 7)));
    }
    return true;
}

static void complete(struct stamp *s, const struct pcie_tlp *req)
{
    uint8_t bytes[8] = { 0 };
    uint64_t from = req->addr;
    bool is_memory = req->kind == PCIE_MRD;
    bool is_write = req->kind == PCIE_CFGWR0;
    bool claimed = is_write || read_bytes(s, req, bytes);
    struct pcie_tlp cpl = {
        .kind = PCIE_CPL,
        .tc = req->tc,
        .tag = req->tag,
        .status = claimed ? PCIE_CPL_SC : PCIE_CPL_UR,
        .requester_id = req->requester_id,
        .completer_id = s->function.id,
        .byte_count = 4,
    };

    if (claimed && !is_write) {
        cpl.kind = PCIE_CPLD;
        cpl.length_dw = req->length_dw;
        if (is_memory)
            cpl.byte_count = (uint16_t)pcie_tlp_range(req, &from);
        cpl.lower_addr = is_memory ? from & 0x7f : 0;
        cpl.payload = mem_payload_alloc(s->pool, cpl.length_dw * 4u);
        memcpy(cpl.payload->data, bytes, cpl.length_dw * 4u);
    }
    pcie_port_send(s->port, &cpl);
}

static void wake(struct stamp *s)
{
    if (s->first != s->end)
        sim_schedule_by(s->dom, &s->answer,
                        s->waiting[s->first % READS].due > sim_now(s->dom)
                            ? s->waiting[s->first % READS].due
                            : sim_now(s->dom),
                        SIM_CLOCK);
}

static void on_answer(struct sim_event *ev)
{
    struct stamp *s = SIM_CONTAINER_OF(ev, struct stamp, answer);

    while (s->first != s->end && s->waiting[s->first % READS].due <= sim_now(s->dom)) {
        struct pcie_tlp *req = &s->waiting[s->first % READS].tlp;

        if (!pcie_port_can_send(s->port, PCIE_COMPLETION))
            return; /* ready() comes back to it */
        complete(s, req);
        pcie_port_consume(s->port, PCIE_NONPOSTED, pcie_tlp_data_credits(req));
        pcie_tlp_drop(req);
        s->first++;
    }
    wake(s);
}

static void take_write(struct stamp *s, const struct pcie_tlp *tlp)
{
    uint64_t first;
    uint32_t n = pcie_tlp_range(tlp, &first);
    uint64_t offset = first % STAMP_BAR_BYTES;

    if (pcie_function_claims(&s->function, tlp->addr) != 0 || offset < STAMP_SCRATCH ||
        offset + n > STAMP_SCRATCH + 8)
        return;
    memcpy((uint8_t *)&s->scratch + (offset - STAMP_SCRATCH),
           tlp->payload->data + (first - tlp->addr), n);
    s->writes++;
}

static void received(void *user, struct pcie_tlp *tlp)
{
    struct stamp *s = user;

    if (pcie_tlp_class(tlp) == PCIE_NONPOSTED) {
        if (tlp->kind == PCIE_CFGWR0) { /* a function learns its ID from these (2.2.6.2) */
            uint32_t word;

            s->function.id = tlp->completer_id;
            memcpy(&word, tlp->payload->data, sizeof(word));
            pcie_function_write(&s->function, (uint32_t)tlp->addr, word, tlp->first_be);
        }
        SIM_ASSERT(s->end - s->first < READS); /* by the credits */
        s->waiting[s->end % READS].tlp = *tlp;
        s->waiting[s->end++ % READS].due = sim_now(s->dom) + s->cfg.answer_ps;
        wake(s);
        return;
    }
    if (tlp->kind == PCIE_MWR)
        take_write(s, tlp);
    pcie_port_consume(s->port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
    pcie_tlp_drop(tlp);
}

static void ready(void *user, enum pcie_class cls)
{
    (void)cls;
    wake(user);
}

static void stamp_destroy(void *component)
{
    struct stamp *s = component;

    if (s == NULL)
        return;
    if (s->port != NULL)
        pcie_port_destroy(s->port);
    mem_pool_destroy(s->pool);
    free(s);
}

static int stamp_create(const struct machine_place *place, const void *config, void **component_p,
                        struct sim_error *err)
{
    struct stamp *s = calloc(1, sizeof(*s));
    struct pcie_port_user user = { .received = received, .ready = ready, .user = s };
    int rc;

    if (s == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    s->dom = place->dom;
    s->cfg = *(const struct stamp_config *)config;
    if (s->cfg.link.nph_credits == 0 || s->cfg.link.nph_credits > READS)
        s->cfg.link.nph_credits = READS;
    sim_event_init(&s->answer, on_answer);
    pcie_function_init(&s->function, 0x1234, 0x0001, 0xff0000);
    pcie_function_add_bar(&s->function, 0, STAMP_BAR_BYTES);
    s->pool = mem_pool_create();
    rc = s->pool == NULL
             ? sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path)
             : pcie_port_create(s->dom, s->pool, place->path, &s->cfg.link, &user, &s->port, err);
    if (rc != SIM_OK) {
        stamp_destroy(s);
        return rc;
    }
    sim_stat_register(s->dom, &s->writes, place->path, "1", "writes to the scratch register");
    *component_p = s;
    return SIM_OK;
}

static struct machine_port stamp_port(void *component, unsigned index)
{
    struct stamp *s = component;

    (void)index; /* it has one */
    return (struct machine_port){ "pcie", s->port, pcie_link_join };
}

static const char *const ports[] = { "pcie", NULL };

const struct machine_kind stamp_kind = {
    .name = "example.stamp",
    .summary = "A board that shows the time.",
    .params = params,
    .groups = groups,
    .config_bytes = sizeof(struct stamp_config),
    .ports = ports,
    .create = stamp_create,
    .port = stamp_port,
    .destroy = stamp_destroy,
};
