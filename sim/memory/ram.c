#include "memory/ram.h"

#include <string.h>

void mem_ram_init(struct mem_ram *ram, uint64_t base, uint64_t size, uint8_t *bytes)
{
    *ram = (struct mem_ram){ .base = base, .size = size, .bytes = bytes };
}

void mem_ram_read(const struct mem_ram *ram, uint64_t addr, void *buf, uint64_t size)
{
    SIM_ASSERT(mem_ram_holds(ram, addr, size));
    memcpy(buf, ram->bytes + (addr - ram->base), size);
}

/** Does the write put a byte into what `w` watches? Disabled bytes touch nothing. */
static bool watch_touched(const struct mem_watch *w, uint64_t addr, uint64_t size,
                          const uint8_t *enables)
{
    uint64_t first = w->addr > addr ? w->addr : addr;
    uint64_t w_end = w->addr + w->size, end = addr + size;

    if (w_end < end)
        end = w_end;
    if (enables == NULL)
        return first < end;
    for (uint64_t a = first; a < end; a++) {
        if (enables[a - addr] != 0)
            return true;
    }
    return false;
}

static void fire_watches(struct mem_ram *ram, uint64_t addr, uint64_t size, const uint8_t *enables)
{
    struct mem_watch **link = &ram->watches, *fired = NULL;

    /* All are taken off first: a callback may put its watch on again. */
    while (*link != NULL) {
        struct mem_watch *w = *link;

        if (!watch_touched(w, addr, size, enables)) {
            link = &w->next;
            continue;
        }
        *link = w->next;
        w->armed = false;
        w->next = fired;
        fired = w;
    }
    while (fired != NULL) {
        struct mem_watch *w = fired;

        fired = w->next;
        w->next = NULL;
        w->fn(w);
    }
}

void mem_ram_write(struct mem_ram *ram, uint64_t addr, const void *buf, uint64_t size,
                   const uint8_t *enables)
{
    uint8_t *to;

    SIM_ASSERT(mem_ram_holds(ram, addr, size));
    to = ram->bytes + (addr - ram->base);
    if (enables == NULL) {
        memcpy(to, buf, size);
    } else {
        for (uint64_t i = 0; i < size; i++) {
            if (enables[i] != 0)
                to[i] = ((const uint8_t *)buf)[i];
        }
    }
    if (ram->watches != NULL)
        fire_watches(ram, addr, size, enables);
}

void mem_ram_watch(struct mem_ram *ram, struct mem_watch *w)
{
    SIM_ASSERT(!w->armed);
    w->armed = true;
    w->next = ram->watches;
    ram->watches = w;
}

void mem_ram_unwatch(struct mem_ram *ram, struct mem_watch *w)
{
    struct mem_watch **link = &ram->watches;

    if (!w->armed)
        return;
    while (*link != w)
        link = &(*link)->next;
    *link = w->next;
    w->armed = false;
    w->next = NULL;
}
