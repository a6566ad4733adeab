#include "software.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "machine.h"
#include "memory/ram.h"

namespace hubsim
{

namespace
{

/* DRAM begins with what is kept free, then the driver's memory, then the rank's; hosts/launch
 * divides it likewise. */
constexpr uint64_t kReserved = UINT64_C(1) << 20, kKernel = UINT64_C(8) << 20, kAlign = 65536;
constexpr uint64_t kGiB = UINT64_C(1) << 30;
constexpr uint32_t kVectors = 32;

Thread *thread_of(host *h)
{
    return reinterpret_cast<Thread *>(h);
}

/** The thread, at the present time, about to ask something of its core. */
Thread *ask(host *h)
{
    Thread *t = thread_of(h);

    t->node.board.enter();
    return t;
}

void print(host *h, const char *line)
{
    fprintf(stderr, "node%u: %s\n", h->node->index, line);
}

/* No exception may pass the libraries, which are C: SystemC stops, and this thread with it. */
[[noreturn]] void end(host *h, int)
{
    sc_core::sc_stop();
    for (;;)
        sc_core::wait(thread_of(h)->never);
}

/* ---- firmware ---- */

uint64_t config_access(host *h, bool write, uint16_t bdf, uint32_t reg, uint32_t value)
{
    Thread *t = ask(h);

    node_core_config(t->core, write, bdf, reg, value, Thread::done, t);
    return t->wait_done();
}

uint32_t config_read(host *h, uint16_t bdf, uint32_t reg)
{
    return static_cast<uint32_t>(config_access(h, false, bdf, reg, 0));
}

void config_write(host *h, uint16_t bdf, uint32_t reg, uint32_t value)
{
    (void)config_access(h, true, bdf, reg, value);
}

unsigned root_ports(host *h)
{
    return node_host_ports(thread_of(h)->node.board.host);
}

unsigned socket(host *, unsigned)
{
    return 0;
}

bool claim(host *h, unsigned port, uint64_t base, uint64_t bytes)
{
    return node_host_claim(thread_of(h)->node.board.host, port, base, bytes, nullptr) == SIM_OK;
}

const mem_ram *ram_of(host *h)
{
    return node_host_ram(thread_of(h)->node.board.host);
}

/* Clear of what a PC has below 4 GiB. */
uint64_t bus_start(host *h)
{
    const mem_ram *ram = ram_of(h);

    return std::max(8 * kGiB, host_round_up(ram->base + ram->size, kGiB));
}

uint64_t msi_address(host *h)
{
    return node_host_msi_address(thread_of(h)->node.board.host);
}

/* ---- loads and stores ---- */

node_mapping mapping_of(const host_bar *bar)
{
    return bar->mapping == HOST_WRITE_COMBINING ? NODE_WRITE_COMBINING : NODE_UNCACHED;
}

/** The widest access that natural alignment allows. */
uint32_t width(uint64_t addr, uint64_t left, uint32_t widest)
{
    while (addr % widest != 0 || widest > left)
        widest /= 2;
    return widest;
}

void store(host *h, const host_bar *bar, uint64_t offset, const void *bytes, uint32_t size)
{
    Thread *t = ask(h);

    node_core_store(t->core, bar->bus + offset, bytes, size, mapping_of(bar), Thread::done, t);
    (void)t->wait_done();
}

void store_block(host *h, const host_bar *bar, uint64_t offset, const void *bytes, uint64_t size)
{
    const auto *from = static_cast<const uint8_t *>(bytes);

    while (size > 0) {
        uint32_t n = width(bar->bus + offset, size, 8);

        store(h, bar, offset, from, n);
        from += n;
        offset += n;
        size -= n;
    }
}

uint64_t load(host *h, const host_bar *bar, uint64_t offset, uint32_t size)
{
    Thread *t = ask(h);

    node_core_load(t->core, bar->bus + offset, size, Thread::done, t);
    return t->wait_done();
}

void load_block(host *h, const host_bar *bar, uint64_t offset, void *to, uint64_t size)
{
    const uint32_t widest = bar->mapping == HOST_WRITE_COMBINING ? 16 : 8;
    auto *out = static_cast<uint8_t *>(to);

    while (size > 0) {
        uint32_t n = width(bar->bus + offset, size, widest);
        uint64_t words[2];

        words[0] = load(h, bar, offset, n);
        words[1] = node_core_high(thread_of(h)->core);
        memcpy(out, words, n);
        out += n;
        offset += n;
        size -= n;
    }
}

void fence(host *h)
{
    Thread *t = ask(h);

    node_core_fence(t->core, Thread::done, t);
    (void)t->wait_done();
}

bool bus_of(host *h, const volatile void *p, uint64_t *bus_p)
{
    const mem_ram *ram = ram_of(h);
    auto at = reinterpret_cast<uintptr_t>(p), first = reinterpret_cast<uintptr_t>(ram->bytes);

    if (at < first || at - first >= ram->size)
        return false;
    *bus_p = ram->base + (at - first);
    return true;
}

void wait_write(host *h, const volatile void *p, uint32_t size)
{
    Thread *t = ask(h);
    uint64_t bus;

    if (!bus_of(h, p, &bus)) {
        print(h, "polls memory of the program: expected memory that devices reach");
        end(h, 1);
    }
    node_core_poll(t->core, bus, size, Thread::done, t);
    (void)t->wait_done();
}

/* ---- time ---- */

void spend(host *h, uint64_t ps)
{
    Thread *t = ask(h);

    if (ps == 0)
        return;
    node_core_spend(t->core, ps, Thread::done, t);
    (void)t->wait_done();
}

uint64_t cost_ps(host *h, host_cost cost)
{
    return thread_of(h)->node.software.cost_ps[cost];
}

uint64_t tsc(host *h)
{
    Thread *t = ask(h);

    node_core_tsc(t->core, Thread::done, t);
    return t->wait_done();
}

uint64_t tsc_khz(host *h)
{
    return node_host_tsc_khz(thread_of(h)->node.board.host);
}

uint64_t time_ps(host *)
{
    return sc_core::sc_time_stamp().value();
}

bool sleep_until(host *h, uint64_t deadline_ps)
{
    Thread *t = thread_of(h);
    uint64_t now = time_ps(h);
    bool woken = true;

    if (deadline_ps == HOST_NEVER) {
        sc_core::wait(t->woken);
    } else if (deadline_ps > now) {
        sc_core::wait(sc_core::sc_time::from_value(deadline_ps - now), t->woken);
        woken = time_ps(h) < deadline_ps;
    }
    host_set_self(h);
    return woken;
}

void wake(host *, host *sleeper)
{
    thread_of(sleeper)->woken.notify(sc_core::SC_ZERO_TIME);
}

void set_interrupt(host *h, host_interrupt_fn fn, void *arg)
{
    Node &node = thread_of(h)->node;

    node.irq_fn = fn;
    node.irq_arg = arg;
    node.irq.notify(sc_core::SC_ZERO_TIME);
}

bool set_helper(host *, const host_helper *)
{
    return false;
}

void ring(host *, host *) {}

/* ---- memory ---- */

range_alloc *arena_of(host *h)
{
    Thread *t = thread_of(h);

    return t->is_rank ? &t->node.rank_memory : &t->node.kernel_memory;
}

void *alloc(host *h, uint64_t bytes, uint64_t align)
{
    uint64_t bus = range_take(arena_of(h), bytes, align);

    return bus == RANGE_NONE ? nullptr : ram_of(h)->bytes + (bus - ram_of(h)->base);
}

uint64_t free_memory(host *h, void *p)
{
    uint64_t bus;

    return bus_of(h, p, &bus) ? range_give(arena_of(h), bus) : 0;
}

host_pointer pointer(host *h, const void *p)
{
    uint64_t bus;

    if (bus_of(h, p, &bus) && bus - ram_of(h)->base >= kReserved)
        return { HOST_PINNED, 0, bus };
    return { HOST_PAGEABLE, 0, 0 };
}

uint64_t address_of(host *, const void *p)
{
    return reinterpret_cast<uintptr_t>(p);
}

/* Memory of the program itself is the whole process's. */
uint64_t pin(host *h, const void *p, uint64_t)
{
    uint64_t bus;

    return bus_of(h, p, &bus) ? bus : HOST_NO_BUS;
}

void unpin(host *, uint64_t) {}

uint64_t memory_base(host *h)
{
    return ram_of(h)->base + kReserved;
}

/* ---- what there is none of, and the process ---- */

unsigned no_gpus(host *)
{
    return 0;
}

bool library(host *, bool)
{
    return false;
}

host_bus_ops make_bus()
{
    host_bus_ops ops = {};

    ops.config_read = config_read;
    ops.config_write = config_write;
    ops.root_ports = root_ports;
    ops.socket = socket;
    ops.claim = claim;
    ops.start = bus_start;
    ops.msi_address = msi_address;
    ops.store = store;
    ops.store_block = store_block;
    ops.load = load;
    ops.load_block = load_block;
    ops.fence = fence;
    ops.wait_write = wait_write;
    return ops;
}

host_cpu_ops make_cpu()
{
    host_cpu_ops ops = {};

    ops.spend = spend;
    ops.cost_ps = cost_ps;
    ops.tsc = tsc;
    ops.tsc_khz = tsc_khz;
    ops.time_ps = time_ps;
    ops.sleep = sleep_until;
    ops.wake = wake;
    ops.set_interrupt = set_interrupt;
    ops.set_helper = set_helper;
    ops.ring = ring;
    return ops;
}

host_memory_ops make_memory()
{
    host_memory_ops ops = {};

    ops.alloc = alloc;
    ops.free = free_memory;
    ops.pointer = pointer;
    ops.pin = pin;
    ops.unpin = unpin;
    ops.address = address_of;
    ops.base = memory_base;
    return ops;
}

host_gpu_ops make_gpus()
{
    host_gpu_ops ops = {};

    ops.number = no_gpus;
    return ops;
}

host_process_ops make_process()
{
    host_process_ops ops = {};

    ops.library = library;
    ops.exit = end;
    ops.abort = end;
    ops.print = print;
    ops.remark = print;
    ops.refused = print;
    return ops;
}

const host_bus_ops bus_ops = make_bus();
const host_cpu_ops cpu_ops = make_cpu();
const host_memory_ops memory_ops = make_memory();
const host_gpu_ops gpu_ops = make_gpus();
const host_process_ops process_ops = make_process();

/* Phase SIM_TASK. */
void irq_arrived(void *arg, uint32_t vector)
{
    auto *node = static_cast<Node *>(arg);

    node->irq_pending |= 1u << vector % kVectors;
    node->irq.notify(sc_core::SC_ZERO_TIME);
}

} // namespace

/* ---- nodes ---- */

Node::Node(const Board &with, const launch_software &costs) : board(with), software(costs)
{
    const mem_ram *ram = node_host_ram(board.host);
    uint64_t first = ram->base + kReserved + kKernel;

    shared.index = board.node;
    if (ram->size < kReserved + kKernel + kAlign)
        throw Error("node" + std::to_string(board.node) + ".host: ram_bytes = " +
                    std::to_string(ram->size) + ": expected at least 16 MiB to run programs");
    if (!range_init(&kernel_memory, ram->base + kReserved, kKernel) ||
        !range_init(&rank_memory, first, (ram->base + ram->size - first) & ~(kAlign - 1)))
        throw Error("out of memory");
    node_host_set_irq(board.host, irq_arrived, this);
}

Node::~Node()
{
    node_host_set_irq(board.host, nullptr, nullptr);
    host_states_release(&shared.states);
    range_fini(&kernel_memory);
    range_fini(&rank_memory);
}

uint64_t Node::late_ps(uint64_t seed) const
{
    sim_stream stream;

    if (software.start_spread_ps == 0)
        return 0;
    sim_stream_init(&stream, seed, ("rank" + std::to_string(board.node) + ".start").c_str());
    return sim_stream_below(&stream, software.start_spread_ps);
}

node_core *Node::rank_core() const
{
    unsigned c = 0;

    while (c + 1 < node_host_cores(board.host) &&
           node_host_core(board.host, c) == node_host_interrupt_core(board.host))
        c++;
    return node_host_core(board.host, c);
}

/* ---- threads ---- */

Thread::Thread(Node &of, bool runs_program) : node(of), is_rank(runs_program)
{
    host.rank = of.board.node;
    host.size = of.board.nodes;
    host.node = &of.shared;
    host.bus = &bus_ops;
    host.cpu = &cpu_ops;
    host.memory = &memory_ops;
    host.gpus = &gpu_ops;
    host.process = &process_ops;
    host.pio_mapping = static_cast<host_mapping>(of.software.pio_mapping);
    host.settings = of.software.settings;
}

void Thread::begin(node_core *on)
{
    core = on;
    host_set_self(&host);
}

void Thread::done(void *thread, uint64_t value)
{
    auto *t = static_cast<Thread *>(thread);

    t->value = value;
    t->ended.notify(sc_core::SC_ZERO_TIME);
}

uint64_t Thread::wait_done()
{
    node.board.leave();
    sc_core::wait(ended);
    host_set_self(&host); /* others have run meanwhile */
    return value;
}

void Thread::serve()
{
    begin(node_host_interrupt_core(node.board.host));
    for (;;) {
        uint32_t pending = node.irq_pending;

        if (pending == 0 || node.irq_fn == nullptr) {
            sc_core::wait(node.irq);
            continue;
        }
        node.irq_pending = 0;
        for (uint32_t v = 0; v < kVectors; v++)
            if ((pending >> v & 1) != 0) {
                host_set_self(&host);
                node.irq_fn(&host, node.irq_arg, v);
            }
    }
}

} // namespace hubsim
