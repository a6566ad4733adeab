/*
 * Memory that devices reach: the node's, and that of programs, once it is pinned. A
 * page of a program has one bus address for each pin that covers it, as behind an
 * I/O memory management unit; the addresses of a rank are its own, so that they
 * depend on nothing that other ranks do.
 */
#include "hosts/launch/node/node.h"

#include <stdlib.h>

bool launch_bus_of(const struct launch_node *node, const volatile void *p, uint64_t *bus_p)
{
    uintptr_t at = (uintptr_t)p, ram = (uintptr_t)node->ram->bytes;

    if (at < ram || at - ram >= node->ram->size)
        return false;
    *bus_p = node->ram->base + (at - ram);
    return true;
}

void launch_write_word(struct launch_node *node, const volatile void *p, uint64_t value)
{
    uint64_t bus;

    if (launch_bus_of(node, p, &bus))
        mem_ram_write(node->ram, bus, &value, sizeof(value), NULL);
}

static bool add_pin(struct launch_pins *pins, struct launch_pin pin)
{
    if (pins->n == pins->room) {
        unsigned room = pins->room * 2 + 8;
        struct launch_pin *more = realloc(pins->pins, room * sizeof(*more));

        if (more == NULL)
            return false;
        pins->pins = more;
        pins->room = room;
    }
    pins->pins[pins->n++] = pin;
    return true;
}

static void clear_pin(struct launch_thread *t, const struct launch_pin *pin)
{
    for (uint64_t done = 0; done < pin->bytes; done += MEM_PAGE)
        (void)mem_ram_pin(t->node->ram, pin->bus + done, NULL);
    (void)range_give(&t->pins.pages, pin->bus);
}

static bool set_pin(struct launch_thread *t, const struct launch_pin *pin)
{
    uint64_t done = 0;

    while (done < pin->bytes && mem_ram_pin(t->node->ram, pin->bus + done, pin->at + done))
        done += MEM_PAGE;
    return done == pin->bytes;
}

static uint64_t address_of(const struct launch_thread *t, const volatile void *p)
{
    const void *at = (const void *)(uintptr_t)p;

    return t->guard != NULL && guard_holds(t->guard, at) ? guard_address(t->guard, at)
                                                         : (uintptr_t)p;
}

static uint64_t op_address(struct host *h, const void *p)
{
    return address_of(launch_thread_of(h), p);
}

static uint64_t first_page(const struct launch_pin *pin)
{
    return pin->address & ~(MEM_PAGE - 1);
}

static uint64_t op_pin(struct host *h, const void *p, uint64_t bytes)
{
    struct launch_thread *t = launch_thread_of(h);
    uint64_t address = address_of(t, p), lead = address % MEM_PAGE, bus;
    struct launch_pins *pins = &t->pins;
    struct launch_pin pin = { .bytes = host_round_up(lead + bytes, MEM_PAGE),
                              .at = (uint8_t *)(uintptr_t)p - lead,
                              .address = address,
                              .length = bytes };

    if (launch_bus_of(t->node, p, &bus))
        return bus;
    if (pins->pages.blocks == NULL &&
        !range_init(&pins->pages, MEM_PINS_BASE + pins->segment * MEM_PINS_SEGMENT,
                    MEM_PINS_SEGMENT))
        return HOST_NO_BUS;
    pin.bus = range_take(&pins->pages, pin.bytes, MEM_PAGE);
    if (pin.bus == RANGE_NONE)
        return HOST_NO_BUS;
    if (!set_pin(t, &pin) || !add_pin(pins, pin)) {
        clear_pin(t, &pin);
        return HOST_NO_BUS;
    }
    return pin.bus + lead;
}

static void op_unpin(struct host *h, uint64_t bus)
{
    struct launch_thread *t = launch_thread_of(h);
    struct launch_pins *pins = &t->pins;

    for (unsigned i = 0; i < pins->n; i++) {
        if (pins->pins[i].bus != (bus & ~(MEM_PAGE - 1)))
            continue;
        clear_pin(t, &pins->pins[i]);
        pins->pins[i] = pins->pins[--pins->n];
        return;
    }
}

static void *op_alloc(struct host *h, uint64_t bytes, uint64_t align)
{
    struct launch_thread *t = launch_thread_of(h);
    uint64_t bus = range_take(&t->arena, bytes, align);

    if (bus == RANGE_NONE)
        return NULL;
    if (h->race != NULL)
        h->race->given(h, bus, bytes);
    return t->node->ram->bytes + (bus - t->node->ram->base);
}

static uint64_t op_free(struct host *h, void *p)
{
    struct launch_thread *t = launch_thread_of(h);
    uint64_t bus;

    return launch_bus_of(t->node, p, &bus) ? range_give(&t->arena, bus) : 0;
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

static uint64_t op_left(struct host *h, const void *p)
{
    struct launch_thread *t = launch_thread_of(h);
    struct host_pointer at = op_pointer(h, p);

    if (at.kind == HOST_PAGEABLE)
        return 0;
    return range_left(at.kind == HOST_GPU ? &t->node->gpus[at.gpu].memory : &t->arena, at.offset);
}

static uint64_t op_base(struct host *h)
{
    return launch_running(h)->node->ram->base + LAUNCH_RESERVED;
}

const struct host_memory_ops launch_memory_ops = {
    .alloc = op_alloc,
    .free = op_free,
    .pointer = op_pointer,
    .left = op_left,
    .pin = op_pin,
    .unpin = op_unpin,
    .address = op_address,
    .base = op_base,
};

unsigned launch_pinned(const struct launch_thread *t, const volatile void *p, uint32_t size,
                       uint64_t *bus, unsigned room)
{
    uint64_t address = address_of(t, p);
    unsigned n = 0;

    for (unsigned i = 0; i < t->pins.n && n < room; i++) {
        const struct launch_pin *pin = &t->pins.pins[i];
        uint64_t offset = address - first_page(pin);

        if (offset < pin->bytes && size <= pin->bytes - offset)
            bus[n++] = pin->bus + offset;
    }
    return n;
}

void launch_pins_move(struct launch_thread *t, uint64_t address, uint64_t bytes, void *p)
{
    for (unsigned i = 0; i < t->pins.n; i++) {
        struct launch_pin *pin = &t->pins.pins[i];

        if (pin->address >= address + bytes || address >= pin->address + pin->length)
            continue;
        pin->at = (uint8_t *)p + (int64_t)(first_page(pin) - address);
        (void)set_pin(t, pin); /* its pages have their places already */
    }
}

void launch_pins_fini(struct launch_thread *t)
{
    while (t->pins.n > 0)
        clear_pin(t, &t->pins.pins[--t->pins.n]);
    free(t->pins.pins);
    range_fini(&t->pins.pages);
}
