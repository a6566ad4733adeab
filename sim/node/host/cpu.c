/*
 * Cores: one operation at a time each. An operation that is ordered behind the
 * core's stores (fence, uncached load, configuration access) waits for the
 * store unit and is tried again when that moves on.
 */
#include "node/host/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void node_core_begin(struct node_core *core, enum core_op op, node_done_fn done, void *arg)
{
    SIM_ASSERT(core->op == CORE_IDLE);
    core->op = op;
    core->done = done;
    core->arg = arg;
    core->waiting = false;
    core->sent = false;
    core->cause = 0;
    core_mark(core, HOST_STAGE_IDLE, 0); /* what lies between two operations */
}

void node_core_end(struct node_core *core, sim_time_t ps, uint64_t value)
{
    core->waiting = false;
    core->value = value;
    if (core->held > 0) {
        core->due = true;
        core->left = ps;
        return;
    }
    sim_schedule_in(core->host->dom, &core->end, ps, SIM_TASK);
}

/** Does its operation use the core up to its end? Answers and deadlines come by themselves. */
static bool core_computes(const struct node_core *core)
{
    return sim_event_scheduled(&core->end) && !core->sent &&
           !(core->op == CORE_POLL && core->value == 1);
}

void node_core_hold(struct node_core *core)
{
    if (core->held++ > 0)
        return;
    core->due = core_computes(core);
    if (!core->due)
        return;
    core->left = core->end.time - sim_now(core->host->dom);
    sim_cancel(core->host->dom, &core->end);
}

void node_core_release(struct node_core *core)
{
    SIM_ASSERT(core->held > 0);
    if (--core->held > 0)
        return;
    if (core->due)
        sim_schedule_in(core->host->dom, &core->end, core->left, SIM_TASK);
    core->due = false;
}

bool node_core_held(const struct node_core *core)
{
    return core->held > 0;
}

/** Ticks of the counter at the present time, rounded down. */
static uint64_t ticks_now(const struct node_host *host)
{
    sim_time_t now = sim_now(host->dom);
    const uint64_t ps_per_ms = SIM_MS;

    /* Split, since now * tsc_khz may leave 64 bits. */
    return now / ps_per_ms * host->cfg.tsc_khz + now % ps_per_ms * host->cfg.tsc_khz / ps_per_ms;
}

static uint64_t little_endian(const uint8_t *bytes, uint64_t size)
{
    uint64_t value = 0;

    for (uint64_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/** What the operation does at its very end, when the software sees its result. */
static void finish_operation(struct node_core *core)
{
    struct node_host *host = core->host;

    switch (core->op) {
    case CORE_LOAD_MEMORY:
        core->value = little_endian(host->ram.bytes + (core->addr - host->ram.base), core->size);
        break;
    case CORE_TSC:
        core->value = ticks_now(host);
        break;
    case CORE_POLL:
        node_core_poll_end(core);
        break;
    case CORE_LOAD:
    case CORE_CONFIG:
        break;
    default:
        return; /* software learns nothing */
    }
    sim_visible(host->dom, core->where, core->value);
}

static const uint8_t stage_of[] = {
    [CORE_IDLE] = HOST_STAGE_IDLE,           [CORE_PLAIN] = HOST_STAGE_SPEND,
    [CORE_STORE] = HOST_STAGE_STORE,         [CORE_FENCE] = HOST_STAGE_FENCE,
    [CORE_LOAD] = HOST_STAGE_UNANSWERED,     [CORE_LOAD_MEMORY] = HOST_STAGE_MEMORY,
    [CORE_STORE_MEMORY] = HOST_STAGE_MEMORY, [CORE_CONFIG] = HOST_STAGE_UNANSWERED,
    [CORE_POLL] = HOST_STAGE_POLL,           [CORE_TSC] = HOST_STAGE_TSC,
};

/** A request was not answered in time (2.8): software sees all ones. When a late
 * answer comes, its tag is no longer in use. */
static void timed_out(struct node_core *core)
{
    core->sent = false;
    core->turn++;
    core->host->failed_loads += core->op == CORE_LOAD;
    pcie_port_error(core->host->rc.port[core->target].port, PCIE_ERR_TIMEOUT, NULL);
}

/* Before software of the same time: what another core finds there must not depend on which of the
 * two comes first. */
static void memory_event(struct sim_event *ev)
{
    struct node_core *core = SIM_CONTAINER_OF(ev, struct node_core, memory);

    mem_ram_write(&core->host->ram, core->addr, core->data, core->size, NULL);
}

static void end_event(struct sim_event *ev)
{
    struct node_core *core = SIM_CONTAINER_OF(ev, struct node_core, end);

    if (core->sent)
        timed_out(core);
    if (core->held > 0) { /* a deadline came; the program learns of it later */
        core->due = true;
        core->left = 0;
        return;
    }
    core_mark(core, (enum host_stage)stage_of[core->op], core->cause);
    finish_operation(core);
    core->op = CORE_IDLE; /* first: done() begins the next operation */
    core->done(core->arg, core->value);
}

/** The operation goes on when all stores have left the core. */
static void wait_for_stores(struct node_core *core)
{
    node_stores_flush(core);
    core->waiting = true;
    node_core_advance(core);
}

/** The root complex answers itself, or nothing does: that takes as long as there and back. */
static void end_at_root_complex(struct node_core *core, uint64_t value)
{
    node_core_end(core, host_cpu_of(core)->load_to_rc_ps + host_cpu_of(core)->load_from_rc_ps,
                  value);
}

/* ---- stores ------------------------------------------------------------------- */

void node_core_store(struct node_core *core, uint64_t addr, const void *bytes, uint32_t size,
                     enum node_mapping mapping, node_done_fn done, void *arg)
{
    struct node_host *host = core->host;

    SIM_ASSERT(size >= 1 && addr % HOST_LINE + size <= HOST_LINE);
    SIM_ASSERT(mapping == NODE_WRITE_COMBINING || size <= 8);
    node_core_begin(core, CORE_STORE, done, arg);
    core->addr = addr;
    core->size = size;
    core->mapping = mapping;
    memcpy(core->data, bytes, size);
    if (mem_ram_holds(&host->ram, addr, size)) {
        sim_time_t ps = host_cpu_of(core)->store_memory_ps;

        core->op = CORE_STORE_MEMORY;
        ps += ps == 0;
        sim_schedule_in(host->dom, &core->memory, ps, SIM_CLOCK);
        node_core_end(core, ps, 0);
        return;
    }
    core->waiting = true;
    node_core_advance(core);
}

void node_core_fence(struct node_core *core, node_done_fn done, void *arg)
{
    node_core_begin(core, CORE_FENCE, done, arg);
    wait_for_stores(core);
}

/* ---- loads ---------------------------------------------------------------------- */

void node_core_load(struct node_core *core, uint64_t addr, uint32_t size, node_done_fn done,
                    void *arg)
{
    SIM_ASSERT((size == 1 || size == 2 || size == 4 || size == 8 || size == 16) &&
               addr % size == 0);
    node_core_begin(core, CORE_LOAD, done, arg);
    core->high = UINT64_MAX;
    core->addr = addr;
    core->size = size;
    if (mem_ram_holds(&core->host->ram, addr, size)) {
        core->op = CORE_LOAD_MEMORY;
        node_core_end(core, host_cpu_of(core)->load_memory_ps, 0);
        return;
    }
    wait_for_stores(core);
}

#define TURNS (256 / HOST_CORES_MAX)

/** Sends the request of a load or configuration access to a root port. */
static void send_request(struct node_core *core, unsigned target, sim_time_t extra)
{
    struct node_host *host = core->host;
    struct pcie_tlp *tlp = &core->request;

    core->waiting = false;
    core->sent = true;
    core->value = UINT64_MAX;
    core->target = target;
    core->tag = (uint8_t)(core->turn % TURNS * HOST_CORES_MAX + core->index);
    tlp->tag = core->tag;
    if (host->cfg.rc.completion_timeout_ps != 0)
        sim_schedule_in(host->dom, &core->end, host->cfg.rc.completion_timeout_ps, SIM_TASK);
    core_mark(core, HOST_STAGE_ORDERED, 0);
    tlp->trace_id = core->mark;
    node_rc_request(core, target, tlp, HOST_STAGE_LOAD_OUT,
                    sim_now(host->dom) + extra + host_cpu_of(core)->load_to_rc_ps);
}

/** A load of the address that was loaded last is one turn of a polling loop. */
static sim_time_t loop_jitter(struct node_core *core)
{
    bool again = core->addr == core->last_load;

    core->last_load = core->addr;
    if (!again || host_cpu_of(core)->poll_jitter_ps == 0)
        return 0;
    return sim_stream_below(&core->jitter, host_cpu_of(core)->poll_jitter_ps + 1);
}

static void issue_load(struct node_core *core)
{
    struct node_host *host = core->host;
    unsigned target = node_rc_target(&host->rc, core->addr, core->size);

    if (target >= HOST_PORTS) {
        host->failed_loads++;
        end_at_root_complex(core, UINT64_MAX);
        return;
    }
    core->request = (struct pcie_tlp){ .kind = PCIE_MRD, .requester_id = HOST_REQUESTER_ID };
    pcie_tlp_set_range(&core->request, core->addr, core->size);
    send_request(core, target, loop_jitter(core));
}

bool node_core_completed(struct node_core *core, const struct pcie_tlp *cpl)
{
    struct node_host *host = core->host;
    bool reads = core->request.kind != PCIE_CFGWR0;
    uint32_t skip = (uint32_t)(core->addr & 3);
    bool good = cpl->status == PCIE_CPL_SC && !cpl->poisoned;
    uint64_t value = UINT64_MAX;

    if (!core->sent || cpl->tag != core->tag)
        return false;
    core->sent = false;
    sim_cancel(host->dom, &core->end);
    pcie_port_answered(host->rc.port[core->target].port, cpl);
    core->cause = cpl->trace_id;
    if (reads && (cpl->payload == NULL || cpl->payload->bytes < skip + core->size))
        good = false;
    if (good && core->size == 16)
        core->high = little_endian(cpl->payload->data + skip + 8, 8);
    if (good)
        value = reads ? little_endian(cpl->payload->data + skip, sim_min(core->size, 8)) : 0;
    host->failed_loads += !good && core->op == CORE_LOAD;
    node_core_end(core, 0, value);
    return true;
}

/* ---- configuration ----------------------------------------------------------------- */

#define CAPABILITIES 0x00100000u

/** Root ports have their own way to say that the link is up: their list of capabilities. */
static uint32_t root_port_read(const struct rc_port *rp, uint32_t reg)
{
    uint32_t value = pcie_function_read(&rp->function, reg);

    if (reg == PCIE_CFG_COMMAND && !pcie_port_is_up(rp->port))
        value &= ~CAPABILITIES;
    return value;
}

static uint32_t root_port_access(struct rc_port *rp, const struct node_core *core)
{
    uint32_t reg = (uint32_t)core->addr;

    if (core->request.kind == PCIE_CFGRD0)
        return root_port_read(rp, reg);
    pcie_function_write(&rp->function, reg, sim_load32(core->data), 0xf);
    return 0;
}

void node_core_config(struct node_core *core, bool write, uint16_t bdf, uint32_t reg,
                      uint32_t value, node_done_fn done, void *arg)
{
    node_core_begin(core, CORE_CONFIG, done, arg);
    core->addr = reg & 0xffcu;
    core->size = 4;
    core->request = (struct pcie_tlp){ .kind = write ? PCIE_CFGWR0 : PCIE_CFGRD0,
                                       .requester_id = HOST_REQUESTER_ID,
                                       .completer_id = bdf,
                                       .length_dw = 1,
                                       .first_be = 0xf,
                                       .addr = core->addr };
    sim_store(core->data, value, 4);
    wait_for_stores(core);
}

static void issue_config(struct node_core *core)
{
    struct node_host *host = core->host;
    struct pcie_tlp *tlp = &core->request;
    unsigned bus = tlp->completer_id >> 8, device = tlp->completer_id >> 3 & 31;
    bool function_0 = (tlp->completer_id & 7) == 0;

    if (bus == 0 && device < HOST_PORTS && function_0) {
        end_at_root_complex(core, root_port_access(&host->rc.port[device], core));
        return;
    }
    /* Function 0 of device 0 is all that a link leads to. */
    if (bus == 0 || bus > HOST_PORTS || device != 0 || !function_0 ||
        !pcie_port_connected(host->rc.port[bus - 1].port)) {
        end_at_root_complex(core, UINT64_MAX);
        return;
    }
    if (tlp->kind == PCIE_CFGWR0)
        tlp->payload = pcie_payload(host->payloads, 0, core->data, 4);
    send_request(core, bus - 1, 0);
}

/* ---- waiting for the store unit ------------------------------------------------------ */

void node_core_advance(struct node_core *core)
{
    if (!core->waiting)
        return;
    if (core->op == CORE_STORE) {
        core_mark(core, HOST_STAGE_ROOM, 0); /* the last one, when there is room, counts */
        if (node_stores_add(core, core->addr, core->data, core->size, core->mapping))
            node_core_end(core, host_cpu_of(core)->store_ps, 0);
        return;
    }
    if (!node_stores_empty(core))
        return;
    if (core->op == CORE_FENCE) {
        node_stores_fence(core);
        node_core_end(core, host_cpu_of(core)->fence_ps, 0);
    } else if (core->op == CORE_LOAD) {
        issue_load(core);
    } else {
        SIM_ASSERT(core->op == CORE_CONFIG);
        issue_config(core);
    }
}

/* ---- time ---------------------------------------------------------------- */

uint64_t node_core_high(const struct node_core *core)
{
    return core->high;
}

void node_core_spend(struct node_core *core, sim_time_t ps, node_done_fn done, void *arg)
{
    node_core_begin(core, CORE_PLAIN, done, arg);
    node_core_end(core, ps, 0);
}

void node_core_phase(struct node_core *core, enum node_phase phase)
{
    core_mark(core, HOST_STAGE_IDLE, 0); /* what lies before it */
    core_mark(core, (enum host_stage)(HOST_STAGE_PHASE + phase), 0);
}

bool node_core_pass(struct node_core *core, sim_time_t ps)
{
    return core->op == CORE_IDLE && core->held == 0 && core->host->probe == NULL &&
           sim_pass(core->host->dom, ps, SIM_TASK);
}

void node_core_tsc(struct node_core *core, node_done_fn done, void *arg)
{
    node_core_begin(core, CORE_TSC, done, arg);
    node_core_end(core, host_cpu_of(core)->tsc_read_ps, 0);
}

bool node_core_pass_tsc(struct node_core *core, uint64_t *ticks_p)
{
    if (!node_core_pass(core, host_cpu_of(core)->tsc_read_ps))
        return false;
    *ticks_p = ticks_now(core->host);
    sim_visible(core->host->dom, core->where, *ticks_p);
    return true;
}

/* ---- creation ---- */

int node_core_init(struct node_core *core, struct node_host *host, unsigned index,
                   struct node_core *below, struct sim_error *err)
{
    char path[160];

    (void)snprintf(path, sizeof(path), "%s.core%u%s", host->path,
                   below != NULL ? below->index : index, below != NULL ? ".above" : "");
    core->host = host;
    core->index = index;
    sim_event_init(&core->memory, memory_event);
    core->where = sim_path_hash(path);
    core->last_load = UINT64_MAX;
    sim_event_init(&core->end, end_event);
    sim_stream_init(&core->jitter, sim_seed(host->dom), path);
    core->path = malloc(strlen(path) + 1);
    if (below != NULL) {
        core->stores = below->stores;
        core->socket = below->socket;
        below->above = core;
    }
    if (core->path == NULL || (below == NULL && node_stores_init(core) != SIM_OK))
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", path);
    memcpy(core->path, path, strlen(path) + 1);
    return SIM_OK;
}

void node_core_fini(struct node_core *core)
{
    node_stores_fini(core);
    free(core->path);
}
