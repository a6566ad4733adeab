/* The bar interface on simulated hosts. */
#include "hosts/launch/internal.h"

#include <stdlib.h>
#include <string.h>

/** Begins an operation that takes time or tells it: what the rank computed so far comes before. */
static struct launch_thread *after_computing(struct host *h)
{
    launch_begin(launch_running(h));
    return launch_running(h);
}

/** A handler may run after the operation, and no later: the program takes what its handlers write
 * for known from here on. */
static uint64_t operation_wait(struct launch_thread *t, const char *what)
{
    uint64_t value = launch_wait(t, what);

    launch_signals_take(t);
    return value;
}

/* ---- firmware ------------------------------------------------------------------ */

static uint32_t op_config_read(struct host *h, uint16_t bdf, uint32_t reg)
{
    struct launch_thread *t = launch_running(h);

    node_core_config(t->core, false, bdf, reg, 0, launch_done, t);
    return (uint32_t)launch_wait(t, "configuration read");
}

static void op_config_write(struct host *h, uint16_t bdf, uint32_t reg, uint32_t value)
{
    struct launch_thread *t = launch_running(h);

    node_core_config(t->core, true, bdf, reg, value, launch_done, t);
    launch_wait(t, "configuration write");
}

static unsigned op_root_ports(struct host *h)
{
    return node_host_ports(launch_running(h)->node->host);
}

static bool op_claim(struct host *h, unsigned port, uint64_t base, uint64_t bytes)
{
    return node_host_claim(launch_running(h)->node->host, port, base, bytes, NULL) == SIM_OK;
}

static uint64_t op_bus_start(struct host *h)
{
    const struct mem_ram *ram = launch_running(h)->node->ram;
    const uint64_t gib = UINT64_C(1) << 30;
    uint64_t end = (ram->base + ram->size + gib - 1) & ~(gib - 1);

    return end < 8 * gib ? 8 * gib : end; /* clear of what a PC has below 4 GiB */
}

/* ---- loads and stores ------------------------------------------------------------ */

static enum node_mapping mapping_of(const struct host_bar *bar)
{
    return bar->mapping == HOST_WRITE_COMBINING ? NODE_WRITE_COMBINING : NODE_UNCACHED;
}

static void op_store(struct host *h, const struct host_bar *bar, uint64_t offset, const void *bytes,
                     uint32_t size)
{
    struct launch_thread *t = after_computing(h);

    SIM_ASSERT(offset <= bar->bytes && size <= bar->bytes - offset);
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
    struct launch_thread *t = after_computing(h);

    SIM_ASSERT(offset <= bar->bytes && size <= bar->bytes - offset);
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
    struct launch_thread *t = after_computing(h);

    SIM_ASSERT(offset <= bar->bytes && size <= bar->bytes - offset);
    node_core_load(t->core, bar->bus + offset, size, launch_done, t);
    return operation_wait(t, "load");
}

static void op_load_block(struct host *h, const struct host_bar *bar, uint64_t offset, void *to,
                          uint64_t size)
{
    struct launch_thread *t = after_computing(h);
    uint8_t *out = to;

    SIM_ASSERT(offset <= bar->bytes && size <= bar->bytes - offset);
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
    struct launch_thread *t = after_computing(h);

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
    sim_time_t waited_ps = sim_now(launch_domain(t)) - since;

    if (computed_ps > waited_ps)
        launch_compute_pass(t, computed_ps - waited_ps);
    launch_signals_take(t);
}

static void op_wait_write(struct host *h, const volatile void *p, uint32_t size)
{
    struct launch_thread *t = launch_running(h);
    sim_time_t since = sim_now(launch_domain(t)), computed_ps = launch_compute_take(t);

    if (launch_signals_none(t)) /* else the word may have been written meanwhile */
        poll_word(t, p, size);
    computing_ends(t, since, computed_ps);
}

/* ---- time -------------------------------------------------------------------------- */

static void op_spend(struct host *h, uint64_t ps)
{
    struct launch_thread *t = after_computing(h);

    if (ps == 0)
        return;
    if (t->is_rank && node_core_pass(t->core, ps)) {
        launch_passed(t, false);
        return;
    }
    node_core_spend(t->core, ps, launch_done, t);
    operation_wait(t, "computing");
}

static uint64_t op_cost_ps(struct host *h, enum host_cost cost)
{
    return launch_running(h)->node->run->software->cost_ps[cost];
}

static uint64_t op_tsc(struct host *h)
{
    struct launch_thread *t = after_computing(h);
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
    return sim_now(launch_domain(after_computing(h)));
}

static bool op_sleep(struct host *h, uint64_t deadline_ps)
{
    struct launch_thread *t = launch_running(h);
    sim_time_t since = sim_now(launch_domain(t)), computed_ps = launch_compute_take(t);
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

/* ---- memory -------------------------------------------------------------------------- */

static void *op_alloc(struct host *h, uint64_t bytes, uint64_t align)
{
    struct launch_thread *t = launch_thread_of(h);
    uint64_t bus = range_take(&t->arena, bytes, align);

    return bus == RANGE_NONE ? NULL : t->node->ram->bytes + (bus - t->node->ram->base);
}

static bool op_free(struct host *h, void *p)
{
    struct launch_thread *t = launch_thread_of(h);
    uint64_t bus;

    return launch_bus_of(t->node, p, &bus) && range_give(&t->arena, bus) != 0;
}

static struct host_pointer op_pointer(struct host *h, const void *p)
{
    const struct launch_node *node = launch_running(h)->node;
    uintptr_t at = (uintptr_t)p;
    uint64_t bus;

    if (launch_bus_of(node, p, &bus) && bus - node->ram->base >= LAUNCH_RESERVED)
        return (struct host_pointer){ HOST_PINNED, 0, bus };
    for (unsigned g = 0; g < node->ngpus; g++) {
        uintptr_t memory = (uintptr_t)node->gpus[g].bytes;

        if (at >= memory && at - memory < node_gpu_memory_bytes(node->gpus[g].gpu))
            return (struct host_pointer){ HOST_GPU, g, at - memory };
    }
    return (struct host_pointer){ HOST_PAGEABLE, 0, 0 };
}

static uint64_t op_pin(struct host *h, const void *p, uint64_t bytes)
{
    return launch_pin(launch_thread_of(h), p, bytes);
}

static void op_unpin(struct host *h, uint64_t bus)
{
    launch_unpin(launch_thread_of(h), bus);
}

static void op_pinned_range(struct host *h, uint64_t *base_p, uint64_t *bytes_p)
{
    const struct mem_ram *ram = launch_running(h)->node->ram;

    *base_p = ram->base + LAUNCH_RESERVED;
    *bytes_p = ram->size - LAUNCH_RESERVED;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void op_net_send(struct host *h, unsigned to, const void *bytes, uint32_t size)
{
    SIM_ASSERT(to < h->size);
    (void)after_computing(h);
    launch_send(launch_thread_of(h), to, bytes, size);
}

static void op_net_receive(struct host *h, struct host_message *msg_p)
{
    struct launch_thread *t = launch_thread_of(h);
    struct launch_message *msg;

    (void)after_computing(h);
    while (t->first == NULL) {
        launch_sleep(launch_running(h), SIM_TIME_NEVER, "waiting for a message");
        launch_signals_take(launch_running(h));
    }
    msg = t->first;
    t->first = msg->next;
    if (t->first == NULL)
        t->end = &t->first;
    free(t->taken);
    t->taken = msg;
    *msg_p = (struct host_message){ msg->from, msg->bytes, msg->data };
}

static void op_net_count(struct host *h, volatile uint64_t *count)
{
    launch_thread_of(h)->counted = count;
    launch_count(launch_thread_of(h));
}

/* ---- end ------------------------------------------------------------------------------------ */

static bool op_library(struct host *h, bool inside)
{
    struct launch_thread *t = launch_running(h);
    bool before = t->in_library;

    if (inside)
        launch_charge(t);
    t->in_library = inside;
    if (!inside)
        launch_charged(t);
    return before;
}

static void op_exit(struct host *h, int code)
{
    struct launch_thread *t = launch_thread_of(h);

    launch_end(t, code, sim_now(launch_domain(t)));
    task_exit(launch_running(h)->task);
}

/* The earliest one counts, in whatever order the nodes have run. */
static void op_abort(struct host *h, int code)
{
    struct launch_thread *t = launch_running(h);
    struct launch_abort *abort = &t->node->run->abort;
    sim_time_t now = sim_now(launch_domain(t));

    if (!abort->done || now < abort->time || (now == abort->time && h->rank < abort->rank))
        *abort = (struct launch_abort){ true, h->rank, code, now };
    sim_stop(launch_domain(t));
    op_exit(h, code);
}

static void op_print(struct host *h, const char *line)
{
    fprintf(launch_thread_of(h)->err, "%s\n", line);
}

static void op_remark(struct host *h, const char *line)
{
    const struct launch_config *cfg = launch_running(h)->node->run->cfg;

    if (cfg->remark != NULL)
        cfg->remark(cfg->output_arg, line);
}

/* What is measured on the hubs by a program that drives them must not meet MPI's packets there: as
 * on the real machine, they have another way. Functions of tests may be such programs. */
static enum host_network op_network(struct host *h)
{
    const struct launch_thread *t = launch_running(h);
    enum host_network network = launch_network(t->node->run->m);

    if (network == HOST_NETWORK_HUBS && (t->program == NULL || program_drives_hubs(t->program)))
        return HOST_NETWORK_CONTROL;
    return network;
}

static const struct host_bus_ops bus_ops = {
    .config_read = op_config_read,
    .config_write = op_config_write,
    .root_ports = op_root_ports,
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
    .tsc = op_tsc,
    .tsc_khz = op_tsc_khz,
    .time_ps = op_time_ps,
    .sleep = op_sleep,
    .wake = op_wake,
    .set_interrupt = op_set_interrupt,
    .set_helper = launch_set_helper,
    .ring = op_ring,
};

static const struct host_memory_ops memory_ops = {
    .alloc = op_alloc,
    .free = op_free,
    .pointer = op_pointer,
    .pin = op_pin,
    .unpin = op_unpin,
    .pinned_range = op_pinned_range,
};

static const struct host_net_ops net_ops = {
    .fastest = op_network,
    .send = op_net_send,
    .receive = op_net_receive,
    .count = op_net_count,
};

static const struct host_process_ops process_ops = {
    .library = op_library,
    .exit = op_exit,
    .abort = op_abort,
    .print = op_print,
    .remark = op_remark,
};

const struct host launch_host = {
    .bus = &bus_ops,
    .cpu = &cpu_ops,
    .ether = &launch_ether_ops,
    .gpus = &launch_gpu_ops,
    .memory = &memory_ops,
    .net = &net_ops,
    .process = &process_ops,
};
