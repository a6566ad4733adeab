#include "memory/ram.h"

#include <stdlib.h>
#include <string.h>

void mem_ram_init(struct mem_ram *ram, uint64_t base, uint64_t size, uint8_t *bytes)
{
    *ram = (struct mem_ram){ .base = base, .size = size, .bytes = bytes };
}

void mem_ram_fini(struct mem_ram *ram)
{
    for (unsigned i = 0; ram->pins != NULL && i < MEM_PINS_SEGMENTS; i++)
        free(ram->pins->segments[i].pages);
    free(ram->pins);
    ram->pins = NULL;
}

static bool segment_grow(struct mem_segment *seg, uint64_t at)
{
    uint64_t n = seg->n * 2 > at + 1 ? seg->n * 2 : at + 1;
    uint8_t **pages = realloc(seg->pages, n * sizeof(*pages));

    if (pages == NULL)
        return false;
    memset(pages + seg->n, 0, (n - seg->n) * sizeof(*pages));
    seg->pages = pages;
    seg->n = n;
    return true;
}

bool mem_ram_pin(struct mem_ram *ram, uint64_t addr, uint8_t *page)
{
    uint64_t offset = addr - MEM_PINS_BASE;
    uint64_t at = offset % MEM_PINS_SEGMENT / MEM_PAGE;
    struct mem_segment *seg;

    if (addr < MEM_PINS_BASE || offset / MEM_PINS_SEGMENT >= MEM_PINS_SEGMENTS ||
        addr % MEM_PAGE != 0)
        return false;
    if (ram->pins == NULL)
        ram->pins = calloc(1, sizeof(*ram->pins));
    if (ram->pins == NULL)
        return false;
    seg = &ram->pins->segments[offset / MEM_PINS_SEGMENT];
    if (at >= seg->n && !segment_grow(seg, at))
        return false;
    seg->pages[at] = page;
    return true;
}

static uint8_t *pinned_at(const struct mem_pins *pins, uint64_t addr, uint64_t size)
{
    uint64_t offset = addr - MEM_PINS_BASE, in_page = addr % MEM_PAGE;
    uint64_t at = offset % MEM_PINS_SEGMENT / MEM_PAGE;
    const struct mem_segment *seg;

    if (addr < MEM_PINS_BASE || offset / MEM_PINS_SEGMENT >= MEM_PINS_SEGMENTS ||
        size > MEM_PAGE - in_page)
        return NULL;
    seg = &pins->segments[offset / MEM_PINS_SEGMENT];
    return at < seg->n && seg->pages[at] != NULL ? seg->pages[at] + in_page : NULL;
}

uint8_t *mem_ram_at(const struct mem_ram *ram, uint64_t addr, uint64_t size)
{
    if (mem_ram_holds(ram, addr, size))
        return ram->bytes + (addr - ram->base);
    return ram->pins != NULL ? pinned_at(ram->pins, addr, size) : NULL;
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
    uint8_t *to = mem_ram_at(ram, addr, size);

    SIM_ASSERT(to != NULL);
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
