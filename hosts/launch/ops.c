/* The host interface on simulated hosts. */
#include "hosts/launch/helper.h"
#include "hosts/launch/message.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/poll.h"
#include "hosts/launch/signal.h"

#include <stdlib.h>
#include <string.h>

/** A handler may run after the operation, and no later: the program takes what its handlers write
 * for known from here on. */
static uint64_t operation_wait(struct launch_thread *t, const char *what)
{
    uint64_t value = launch_wait(t, what);

    launch_signals_take(t);
    return value;
}

/* ---- firmware ------------------------------------------------------------------ */

static uint64_t config_access(struct host *h, bool write, uint16_t bdf, uint32_t reg,
                              uint32_t value)
{
    struct launch_thread *t = launch_running(h);

    node_core_config(t->core, write, bdf, reg, value, launch_done, t);
    return launch_wait(t, write ? "configuration write" : "configuration read");
}

static uint32_t op_config_read(struct host *h, uint16_t bdf, uint32_t reg)
{
    return (uint32_t)config_access(h, false, bdf, reg, 0);
}

static void op_config_write(struct host *h, uint16_t bdf, uint32_t reg, uint32_t value)
{
    (void)config_access(h, true, bdf, reg, value);
}

static unsigned op_root_ports(struct host *h)
{
    return node_host_ports(launch_running(h)->node->host);
}

static unsigned op_socket(struct host *h, unsigned port)
{
    return node_host_port_socket(launch_running(h)->node->host, port);
}

static bool op_claim(struct host *h, unsigned port, uint64_t base, uint64_t bytes)
{
    return node_host_claim(launch_running(h)->node->host, port, base, bytes, NULL) == SIM_OK;
}

static uint64_t op_bus_start(struct host *h)
{
    const struct mem_ram *ram = launch_running(h)->node->ram;
    const uint64_t gib = UINT64_C(1) << 30;
    uint64_t end = host_round_up(ram->base + ram->size, gib);

    return end < 8 * gib ? 8 * gib : end; /* clear of what a PC has below 4 GiB */
}

/* ---- loads and stores ------------------------------------------------------------ */

static struct launch_thread *begin_access(struct host *h, const struct host_bar *bar,
                                          uint64_t offset, uint64_t size)
{
    SIM_ASSERT(offset <= bar->bytes && size <= bar->bytes - offset);
    return launch_begin(h);
}

static enum node_mapping mapping_of(const struct host_bar *bar)
{
    return bar->mapping == HOST_WRITE_COMBINING ? NODE_WRITE_COMBINING : NODE_UNCACHED;
}

static void op_store(struct host *h, const struct host_bar *bar, uint64_t offset, const void *bytes,
                     uint32_t size)
{
    struct launch_thread *t = begin_access(h, bar, offset, size);

    node_core_store(t->core, bar->bus + offset, bytes, size, mapping_of(bar), launch_done, t);
    operation_wait(t, "store");
}

/* The next store of a block: 8 bytes, or as many as natural alignment leaves. The task sleeps
 * until the last one. */
static void block_next(void *arg, uint64_t value)
{
    struct launch_thread *t = arg;
    uint64_t at = t->block.bar->bus + t->block.offset;
    uint32_t n = 8;

    if (t->block.left == 0) {
        launch_done(t, value);
        return;
    }
    while (at % n != 0 || n > t->block.left)
        n /= 2;
    node_core_store(t->core, at, t->block.bytes, n, mapping_of(t->block.bar), block_next, t);
    t->block.bytes += n;
    t->block.offset += n;
    t->block.left -= n;
}

static void op_store_block(struct host *h, const struct host_bar *bar, uint64_t offset,
                           const void *bytes, uint64_t size)
{
    struct launch_thread *t = begin_access(h, bar, offset, size);

    if (size == 0)
        return;
    t->block.bar = bar;
    t->block.bytes = bytes;
    t->block.offset = offset;
    t->block.left = size;
    block_next(t, 0);
    operation_wait(t, "store");
}

static uint64_t op_load(struct host *h, const struct host_bar *bar, uint64_t offset, uint32_t size)
{
    struct launch_thread *t = begin_access(h, bar, offset, size);

    node_core_load(t->core, bar->bus + offset, size, launch_done, t);
    return operation_wait(t, "load");
}

static void op_load_block(struct host *h, const struct host_bar *bar, uint64_t offset, void *to,
                          uint64_t size)
{
    struct launch_thread *t = begin_access(h, bar, offset, size);
    uint8_t *out = to;

    while (size > 0) {
        uint32_t n = bar->mapping == HOST_WRITE_COMBINING ? 16 : 8;
        uint64_t words[2];

        while ((bar->bus + offset) % n != 0 || n > size)
            n /= 2;
        node_core_load(t->core, bar->bus + offset, n, launch_done, t);
        words[0] = launch_wait(t, "load");
        words[1] = node_core_high(t->core);
        launch_signals_take(t); /* whose handlers may load, too */
        memcpy(out, words, n);
        out += n;
        offset += n;
        size -= n;
    }
}

static void op_fence(struct host *h)
{
    struct launch_thread *t = launch_begin(h);

    node_core_fence(t->core, launch_done, t);
    operation_wait(t, "fence");
}

/** Memory of the program, which may be pinned several times. */
static void wait_pinned(struct launch_thread *t, const volatile void *p, uint32_t size)
{
    uint64_t bus[LAUNCH_POLL_WORDS];
    struct node_poll_word words[LAUNCH_POLL_WORDS];
    unsigned n = launch_pinned(t->above != NULL ? t->above : t, p, size, bus, LAUNCH_POLL_WORDS);

    if (n == 0) { /* no device can ever write there */
        launch_sleep(t, SIM_TIME_NEVER, "polling memory that no device reaches");
        return;
    }
    for (unsigned i = 0; i < n; i++)
        words[i] = (struct node_poll_word){ .watch = { .addr = bus[i], .size = size } };
    node_core_poll_any(t->core, words, n, SIM_TIME_NEVER, launch_done, t);
    launch_wait(t, "polling memory");
}

static void poll_word(struct launch_thread *t, const volatile void *p, uint32_t size)
{
    uint64_t bus;

    if (launch_bus_of(t->node, p, &bus)) {
        node_core_poll(t->core, bus, size, launch_done, t);
        launch_wait(t, "polling memory");
    } else {
        wait_pinned(t, p, size);
    }
}

/* What was computed from `since` on has taken its time while the thread waited, or some of it.
 * Before the wait it would have hidden what came between the last look and the wait. */
static void computing_ends(struct launch_thread *t, sim_time_t since, sim_time_t computed_ps)
{
    sim_time_t waited_ps = sim_now(t->dom) - since;

    if (computed_ps > waited_ps)
        launch_compute_pass(t, computed_ps - waited_ps);
    launch_signals_take(t);
}

static void op_wait_write(struct host *h, const volatile void *p, uint32_t size)
{
    struct launch_thread *t = launch_running(h);
    sim_time_t since = sim_now(t->dom), computed_ps = launch_compute_take(t);

    if (launch_signals_none(t)) /* else the word may have been written meanwhile */
        poll_word(t, p, size);
    computing_ends(t, since, computed_ps);
}

/* ---- time -------------------------------------------------------------------------- */

static void op_spend(struct host *h, uint64_t ps)
{
    struct launch_thread *t = launch_begin(h);

    if (ps == 0)
        return;
    if (t->is_rank && node_core_pass(t->core, ps)) {
        launch_passed(t, false);
        return;
    }
    node_core_spend(t->core, ps, launch_done, t);
    operation_wait(t, "computing");
}

_Static_assert((int)HOST_PHASES == (int)NODE_PHASES, "both have the same phases");
static void op_phase(struct host *h, enum host_phase phase)
{
    node_core_phase(launch_running(h)->core, (enum node_phase)phase);
}

static uint64_t op_cost_ps(struct host *h, enum host_cost cost)
{
    return launch_running(h)->node->run->software->cost_ps[cost];
}

static uint64_t op_tsc(struct host *h)
{
    struct launch_thread *t = launch_begin(h);
    uint64_t ticks;

    if (t->is_rank && node_core_pass_tsc(t->core, &ticks)) {
        launch_passed(t, true);
        return ticks;
    }
    node_core_tsc(t->core, launch_done, t);
    ticks = launch_wait_timer(t, "reading the time-stamp counter");
    launch_signals_take(t);
    return ticks;
}

static uint64_t op_tsc_khz(struct host *h)
{
    return node_host_tsc_khz(launch_running(h)->node->host);
}

static uint64_t op_time_ps(struct host *h)
{
    return sim_now(launch_begin(h)->dom);
}

static bool op_sleep(struct host *h, uint64_t deadline_ps)
{
    struct launch_thread *t = launch_running(h);
    sim_time_t since = sim_now(t->dom), computed_ps = launch_compute_take(t);
    bool woken = !launch_signals_none(t) || launch_sleep(t, deadline_ps, "sleeping");

    computing_ends(t, since, computed_ps);
    return woken;
}

static void op_wake(struct host *h, struct host *sleeper)
{
    (void)h;
    launch_wake(launch_thread_of(sleeper));
}

static void op_set_interrupt(struct host *h, host_interrupt_fn fn, void *arg)
{
    struct launch_node *node = launch_running(h)->node;

    node->irq_fn = fn;
    node->irq_arg = arg;
    if (node->irq_pending != 0)
        launch_wake(&node->irq);
}

static void op_ring(struct host *h, struct host *rank)
{
    (void)h;
    launch_ring(launch_thread_of(rank));
}

static uint64_t op_msi_address(struct host *h)
{
    return node_host_msi_address(launch_running(h)->node->host);
}

/* ---- end ------------------------------------------------------------------------------------ */

static bool op_library(struct host *h, bool inside)
{
    struct launch_thread *t = launch_running(h);
    bool before = t->in_library;

    if (inside) {
        launch_charge(t);
        if (t->polls != NULL)
            launch_polls_end(t, false); /* what the library does may end a loop, without any time */
    }
    t->in_library = inside;
    if (!inside)
        launch_charged(t);
    return before;
}

static void op_exit(struct host *h, int code)
{
    struct launch_thread *t = launch_thread_of(h);

    launch_end(t, code, sim_now(t->dom));
    task_exit(launch_running(h)->task);
}

/* The rank itself, or the first one of a node whose boot or interrupt handler it is. */
static struct launch_thread *rank_of(struct host *h)
{
    struct launch_thread *t = launch_thread_of(h);
    const struct launch *run = t->node->run;

    for (unsigned r = 0; !t->is_rank && r < run->nranks; r++)
        if (run->ranks[r].node == t->node)
            return &run->ranks[r];
    return t;
}

static void op_fail(struct host *h, int code, const char *line)
{
    launch_abort_all(launch_running(h), rank_of(h)->host.rank, code, line);
    op_exit(h, code);
}

static void op_abort(struct host *h, int code)
{
    op_fail(h, code, "");
}

static void op_print(struct host *h, const char *line)
{
    launch_say(rank_of(h), line);
}

static void op_remark(struct host *h, const char *line)
{
    const struct launch_config *cfg = launch_running(h)->node->run->cfg;

    if (cfg->remark != NULL)
        cfg->remark(cfg->output_arg, line);
}

static void op_refused(struct host *h, const char *line)
{
    const struct launch_config *cfg = launch_running(h)->node->run->cfg;

    if (cfg->refused != NULL)
        cfg->refused(cfg->output_arg, h->rank, line);
}

static void op_found_more(struct host *h, const char *line)
{
    struct launch *run = launch_thread_of(h)->node->run;

    if (run->found_lines++ < launch_found_max(run->cfg->checks) && run->cfg->found != NULL)
        run->cfg->found(run->cfg->output_arg, line);
}

static void op_found(struct host *h, const char *line)
{
    launch_thread_of(h)->node->run->found++;
    if (line != NULL)
        op_found_more(h, line);
}

/* The call is before what it returns to, which may be of the next line already. */
static void op_place(struct host *h, const void *from, char *text, size_t room)
{
    program_place(launch_thread_of(h)->program, (uint64_t)(uintptr_t)from - 1, text, room);
}

static const struct host_bus_ops bus_ops = {
    .config_read = op_config_read,
    .config_write = op_config_write,
    .root_ports = op_root_ports,
    .socket = op_socket,
    .claim = op_claim,
    .start = op_bus_start,
    .msi_address = op_msi_address,
    .store = op_store,
    .store_block = op_store_block,
    .load = op_load,
    .load_block = op_load_block,
    .fence = op_fence,
    .wait_write = op_wait_write,
};

static const struct host_cpu_ops cpu_ops = {
    .spend = op_spend,
    .cost_ps = op_cost_ps,
    .phase = op_phase,
    .tsc = op_tsc,
    .tsc_khz = op_tsc_khz,
    .time_ps = op_time_ps,
    .sleep = op_sleep,
    .wake = op_wake,
    .set_interrupt = op_set_interrupt,
    .set_helper = launch_set_helper,
    .ring = op_ring,
};

static const struct host_process_ops process_ops = {
    .library = op_library,
    .exit = op_exit,
    .abort = op_abort,
    .fail = op_fail,
    .print = op_print,
    .remark = op_remark,
    .refused = op_refused,
    .found = op_found,
    .found_more = op_found_more,
    .place = op_place,
};

const struct host launch_host = {
    .bus = &bus_ops,
    .cpu = &cpu_ops,
    .ether = &launch_ether_ops,
    .gpus = &launch_gpu_ops,
    .memory = &launch_memory_ops,
    .net = &launch_net_ops,
    .process = &process_ops,
};
