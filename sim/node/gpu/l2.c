/*
 * Level-2 cache: slices by address, each set-associative with replacement of the
 * least recently used line. Only tags and times live here. A slice serves one
 * request at a time; slices work beside each other.
 */
#include "node/gpu/internal.h"

#include <stdlib.h>

int gpu_l2_init(struct gpu_l2 *l2, const struct gpu_l2_config *cfg)
{
    uint64_t lines;

    *l2 = (struct gpu_l2){ .cfg = cfg };
    l2->sets = cfg->bytes / (cfg->slices * cfg->ways * cfg->line_bytes);
    lines = cfg->slices * l2->sets * cfg->ways;
    l2->busy = calloc(cfg->slices, sizeof(*l2->busy));
    l2->lines =
        calloc(lines + 1, sizeof(*l2->lines)); /* pages that are never touched cost nothing */
    return l2->busy != NULL && l2->lines != NULL ? SIM_OK : SIM_ERR_NOMEM;
}

/**
 * The slice of an address: the sum of the digits of its unit's number to the base of the slices.
 * Neighbouring units lie in different slices, and units at any pitch are spread over all of them.
 */
static uint64_t slice_of(const struct gpu_l2 *l2, uint64_t offset)
{
    uint64_t slices = l2->cfg->slices, sum = 0;

    if (slices == 1)
        return 0;
    for (uint64_t unit = offset / l2->cfg->interleave_bytes; unit != 0; unit /= slices)
        sum += unit % slices;
    return sum % slices;
}

/**
 * The set of a line: its number folded by exclusive or, as caches of GPUs do, so that lines at a
 * power-of-two pitch do not all meet in a few sets.
 */
static uint64_t set_of(const struct gpu_l2 *l2, uint64_t number)
{
    return (number ^ number / l2->sets ^ number / (l2->sets * l2->sets)) % l2->sets;
}

/** Uses the line that holds `offset`, in place of the set's oldest when it is absent. */
static bool touch_line(struct gpu_l2 *l2, uint64_t offset)
{
    const struct gpu_l2_config *cfg = l2->cfg;
    uint64_t line = offset / cfg->line_bytes;
    uint64_t round = offset / (cfg->interleave_bytes * cfg->slices);
    /* Lines of one slice, numbered without gaps, so that all of its sets are used. */
    uint64_t number = round * (cfg->interleave_bytes / cfg->line_bytes) +
                      offset % cfg->interleave_bytes / cfg->line_bytes;
    struct gpu_l2_line *set, *oldest;

    if (l2->sets == 0)
        return false;
    set = &l2->lines[(slice_of(l2, offset) * l2->sets + set_of(l2, number)) * cfg->ways];
    oldest = set;
    l2->uses++;
    for (struct gpu_l2_line *l = set; l < set + cfg->ways; l++) {
        if (l->tag == line + 1) {
            l->age = l2->uses;
            return true;
        }
        if (l->age < oldest->age)
            oldest = l;
    }
    *oldest = (struct gpu_l2_line){ line + 1, l2->uses };
    return false;
}

/** Touches all lines of [offset, offset + bytes). @return whether all were present. */
static bool touch_all(struct gpu_l2 *l2, uint64_t offset, uint64_t bytes)
{
    uint64_t line_bytes = l2->cfg->line_bytes;
    bool present = true;

    for (uint64_t at = offset - offset % line_bytes; at < offset + bytes; at += line_bytes)
        present &= touch_line(l2, at);
    return present;
}

sim_time_t gpu_l2_read(struct gpu_l2 *l2, uint64_t offset, uint64_t bytes, sim_time_t now)
{
    const struct gpu_l2_config *cfg = l2->cfg;
    sim_time_t *busy = &l2->busy[slice_of(l2, offset)];
    sim_time_t begin = sim_max(*busy, now);

    if (touch_all(l2, offset, bytes)) {
        l2->hits++;
        *busy = begin + cfg->service_ps;
        return begin;
    }
    l2->misses++;
    *busy = begin + cfg->service_ps + cfg->dram_service_ps;
    return begin + cfg->dram_ps;
}

void gpu_l2_write(struct gpu_l2 *l2, uint64_t offset, uint64_t bytes)
{
    (void)touch_all(l2, offset, bytes);
}
