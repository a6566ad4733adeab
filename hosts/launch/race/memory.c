/* Memory that transfers use. */
#include "hosts/launch/race/memory.h"
#include "hosts/launch/race/need.h"

#include <stdlib.h>
#include <string.h>

void race_range_add(struct hub_program_range *range, uintptr_t low, uintptr_t end)
{
    uintptr_t high = range->low + range->bytes;

    if (range->bytes == 0) {
        *range = (struct hub_program_range){ low, end - low };
        return;
    }
    range->low = low < range->low ? low : range->low;
    range->bytes = (end > high ? end : high) - range->low;
}

void race_range_grow(struct race *race, unsigned index, unsigned only, uintptr_t low, uintptr_t end)
{
    for (unsigned i = 0; i < race->run->nranks; i++)
        if (race->run->ranks[i].node == &race->run->nodes[index] && (only == RACE_ANY || only == i))
            race_range_add(&race->ranks[i].range, low, end);
}

/* Memory of the node is that of all its ranks, or of none: only one of them has the address. */
bool race_concerns(const struct race *race, const struct race_rank *r,
                   const struct race_transfer *x)
{
    return x->only == RACE_ANY || x->only == (unsigned)(r - race->ranks);
}

bool race_knows(const struct race_rank *r, const struct race_transfer *x)
{
    return race_known(r, x->stream) >= x->seq;
}

const struct program_calls *race_calls(struct race *race, const struct launch_thread *t,
                                       struct host_place place)
{
    struct race_here *here = &race_rank_of(race, t)->here;

    if (place.number == 0 || place.number != here->number)
        program_calls(t->program, (uintptr_t)place.from - 1, &here->calls);
    here->number = place.number;
    return &here->calls;
}

struct race_transfer race_transfer_of(struct race *race, const struct launch_thread *t,
                                      struct host_place place, struct race_clock *clock)
{
    return (struct race_transfer){ .only = RACE_ANY,
                                   .rank = t->host.rank,
                                   .place = place,
                                   .calls = *race_calls(race, t, place),
                                   .since = sim_now(t->dom),
                                   .clock = clock };
}

static bool is_pending(const struct race_transfer *x)
{
    return x->writes && !x->arrived;
}

static void add_to_queues(struct race_node *node, struct race_transfer *x)
{
    TAILQ_INSERT_TAIL(&node->transfers, x, in_node);
    race_spans_add(&node->used[x->elsewhere], &x->span, x->rows.at, race_rows_end(&x->rows));
    if (TAILQ_EMPTY(&x->stream->transfers))
        TAILQ_INSERT_TAIL(&node->streams, x->stream, in_node);
    TAILQ_INSERT_TAIL(&x->stream->transfers, x, in_stream);
    x->stream->kept++;
    if (is_pending(x))
        TAILQ_INSERT_TAIL(&x->stream->pending, x, in_pending);
}

void race_transfer_free(struct race_node *node, struct race_transfer *x)
{
    TAILQ_REMOVE(&node->transfers, x, in_node);
    race_spans_remove(&node->used[x->elsewhere], &x->span);
    TAILQ_REMOVE(&x->stream->transfers, x, in_stream);
    x->stream->kept--;
    if (TAILQ_EMPTY(&x->stream->transfers))
        TAILQ_REMOVE(&node->streams, x->stream, in_node);
    if (is_pending(x))
        TAILQ_REMOVE(&x->stream->pending, x, in_pending);
    if (x->ram != NULL)
        mem_ram_unwatch(x->ram, &x->watch);
    race_clock_put(x->clock);
    if (x->older.clock != NULL)
        race_clock_put(x->older.clock);
    free(x->before);
    free(x);
}

static void copy_rows(const struct host_rows *rows, uint8_t *copy)
{
    for (uint64_t i = 0; i < rows->count; i++)
        memcpy(copy + i * rows->width,
               (const uint8_t *)(uintptr_t)(rows->at + i * rows->pitch), /* NOLINT */
               rows->width);
}

/* Those that were begun before and end with the same byte come first. */
static void watch_fired(struct mem_watch *w)
{
    struct race_transfer *x = SIM_CONTAINER_OF(w, struct race_transfer, watch);

    if (x->ahead == 0) {
        TAILQ_REMOVE(&x->stream->pending, x, in_pending);
        x->arrived = true;
        free(x->before);
        x->before = NULL;
        return;
    }
    x->ahead--;
    copy_rows(&x->rows, x->before);
    mem_ram_watch(x->ram, w);
}

/* A later transfer of its stream with the same rows takes its place: who knows that one knows it.
 * A loop may still see the older one only. What has not come stays, and is not much. */
static void replace_older(struct race_node *node, struct race_transfer *x)
{
    struct race_span *s =
        race_spans_find(&node->used[x->elsewhere], x->rows.at, x->rows.at + x->rows.width);

    for (; s != NULL; s = s->next) {
        struct race_transfer *o = SIM_CONTAINER_OF(s, struct race_transfer, span);

        if (o->stream != x->stream || o->only != x->only ||
            memcmp(&o->rows, &x->rows, sizeof(x->rows)) != 0 || o->place.from != x->place.from ||
            (o->writes && !o->arrived))
            continue;
        if (o->writes) {
            x->older.seq = o->seq;
            x->older.clock = o->clock;
            o->clock->refs++;
        }
        race_transfer_free(node, o);
        return;
    }
}

struct race_transfer *race_transfer_keep(struct race *race, unsigned index, struct race_transfer x)
{
    struct race_node *node = &race->nodes[index];
    struct race_transfer *kept = race_need(malloc(sizeof(*kept)));

    replace_older(node, &x);
    *kept = x;
    kept->clock->refs++;
    add_to_queues(node, kept);
    if (!x.elsewhere)
        race_range_grow(race, index, x.only, x.rows.at, race_rows_end(&x.rows));
    node->changed = true;
    return kept;
}

static unsigned count_ahead(const struct race_node *node, const struct race_transfer *x)
{
    struct race_span *s =
        race_spans_find(&node->used[x->elsewhere], x->span.high - 1, x->span.high);
    unsigned n = 0;

    for (; s != &x->span; s = s->next) {
        const struct race_transfer *o = SIM_CONTAINER_OF(s, struct race_transfer, span);

        n += o->ram != NULL && !o->arrived && o->watch.addr == x->watch.addr;
    }
    return n;
}

/* No program polls what does not lie in the node's memory, so it counts as there at once. */
const struct race_transfer *race_transfer_add(struct race *race, unsigned index,
                                              struct race_transfer x)
{
    struct mem_ram *ram = race->run->nodes[index].ram;
    uint64_t at = x.rows.at;
    struct race_transfer *kept;

    x.elsewhere = x.arrived = !mem_ram_holds(ram, at, race_rows_end(&x.rows) - at);
    if (!x.elsewhere)
        x.rows.at = (uintptr_t)ram->bytes + (at - ram->base);
    kept = race_transfer_keep(race, index, x);
    if (!x.writes || x.elsewhere)
        return kept;
    kept->before = race_need(malloc(x.rows.width * x.rows.count));
    copy_rows(&x.rows, kept->before);
    kept->ram = ram;
    kept->watch = (struct mem_watch){ .addr = at + (race_rows_end(&x.rows) - x.rows.at) - 1,
                                      .size = 1,
                                      .fn = watch_fired };
    kept->ahead = count_ahead(&race->nodes[index], kept);
    mem_ram_watch(ram, &kept->watch);
    return kept;
}

uint64_t race_rows_overlap(const struct host_rows *rows, uintptr_t at, uint64_t bytes)
{
    uintptr_t end = race_rows_end(rows);
    uint64_t row, first;

    if (at >= end || at + bytes <= rows->at)
        return UINT64_MAX;
    if (at <= rows->at)
        return 0;
    if (rows->count == 1)
        return at - rows->at;
    row = (at - rows->at) / rows->pitch;
    first = at - rows->at - row * rows->pitch;
    if (first < rows->width)
        return row * rows->width + first;
    return first + bytes > rows->pitch ? (row + 1) * rows->width : UINT64_MAX;
}
