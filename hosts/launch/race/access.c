#include "hosts/launch/race/access.h"
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/meet.h"
#include "hosts/launch/race/report/report.h"

#include <string.h>

/* ---- words that ranks poll ----------------------------------------------------------- */

/* Has the word that a rank polls been written? Bytes come in order, so all before it have, too. */
static bool is_written(const struct race_transfer *x, const struct race_use *u, uint64_t offset)
{
    uintptr_t at = x->rows.at + offset / x->rows.width * x->rows.pitch + offset % x->rows.width;
    uint64_t left = x->rows.width - offset % x->rows.width, n = u->at + u->bytes - at;

    if (x->arrived)
        return true;
    return x->ahead == 0 && memcmp((const void *)at, x->before + offset, n < left ? n : left) != 0;
}

/* Up to the end of the word in the transfer; UINT64_MAX: nothing new has come. */
static uint64_t bytes_come(const struct race_rank *r, const struct race_transfer *x,
                           const struct race_use *u)
{
    uint64_t offset = race_rows_overlap(&x->rows, u->at, u->bytes);
    uint64_t all = x->rows.width * x->rows.count;

    if (!x->writes || offset == UINT64_MAX || race_knows(r, x) || !is_written(x, u, offset))
        return UINT64_MAX;
    if (x->arrived || offset + u->bytes >= all)
        return all;
    return offset + u->bytes > x->come ? offset + u->bytes : UINT64_MAX;
}

/* @return has the rank learnt anything? Then transfers may be gone. */
static bool learn_one(struct race *race, struct launch_thread *t, struct race_transfer *x,
                      const struct race_use *u)
{
    const struct race_rank *r = race_rank_of(race, t);
    uint64_t come = bytes_come(r, x, u), seq = x->seq;
    bool whole = come == x->rows.width * x->rows.count;
    struct race_clock *clock = come != UINT64_MAX ? x->clock : x->older.clock;
    const struct race_stream *stream = x->stream, *reads = x->reads;

    if (come != UINT64_MAX) {
        x->come = come;
        seq -= !whole;
    } else if (clock != NULL && race_rows_overlap(&x->rows, u->at, u->bytes) != UINT64_MAX &&
               race_known(r, stream) < x->older.seq) {
        seq = x->older.seq;
    } else {
        return false;
    }
    clock->refs++;
    race_lent_heard(&t->host);
    race_learn(race, t, reads, seq, NULL);
    race_learn(race, t, stream, seq, clock);
    race_clock_put(clock);
    return true;
}

/* A loop that waits for a word makes order: what the transfer wrote there has come. */
static void learn_polled(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct race_spans *used = &race_node_of(race, t)->used[0];
    struct race_span *s = race_spans_find(used, u->at, u->at + u->bytes);

    while (s != NULL) {
        struct race_transfer *x = SIM_CONTAINER_OF(s, struct race_transfer, span);

        s = race_concerns(race, race_rank_of(race, t), x) && learn_one(race, t, x, u)
                ? race_spans_find(used, u->at, u->at + u->bytes)
                : s->next;
    }
}

/* ---- accesses ----------------------------------------------------------------------- */

/** `at`: where the use is for these transfers. */
static void look_at_transfers(struct race *race, struct launch_thread *t, const struct race_use *u,
                              bool elsewhere, uintptr_t at)
{
    const struct race_rank *r = race_rank_of(race, t);
    struct race_span *s =
        race_spans_find(&race_node_of(race, t)->used[elsewhere], at, at + u->bytes);

    for (; s != NULL; s = s->next) {
        const struct race_transfer *x = SIM_CONTAINER_OF(s, struct race_transfer, span);
        uint64_t offset = race_rows_overlap(&x->rows, at, u->bytes);

        if ((x->writes || u->access == HUB_STORES) && race_concerns(race, r, x) &&
            !race_knows(r, x) && !race_lock_orders(race, r, x) && offset != UINT64_MAX &&
            offset + u->bytes > x->come)
            race_report_transfer(race, t, u, x);
    }
}

static void look_at_lent(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    struct race_span *s =
        race_spans_find(&race_rank_of(race, t)->lent_rows, u->at, u->at + u->bytes);

    for (; s != NULL; s = s->next) {
        const struct race_lent_row *row = SIM_CONTAINER_OF(s, struct race_lent_row, span);

        if ((row->lent->writes || u->access == HUB_STORES) &&
            race_rows_overlap(&row->rows, u->at, u->bytes) != UINT64_MAX)
            race_report_lent(race, t, u, t, row->lent);
    }
}

static void look_at_use(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct hub_program_range *range = &race_rank_of(race, t)->range;

    if (u->bytes == 0 ||
        (u->bus == 0 && (u->at >= range->low + range->bytes || u->at + u->bytes <= range->low)))
        return;
    if (u->access == HUB_POLLS)
        learn_polled(race, t, u);
    else
        look_at_transfers(race, t, u, false, u->at);
    if (u->bus != 0)
        look_at_transfers(race, t, u, true, u->bus);
    look_at_lent(race, t, u);
    race_freed_look_at(race, t, u);
}

void race_access(struct race *race, struct launch_thread *t, const volatile void *p, uint64_t bytes,
                 enum hub_program_access access, const void *from)
{
    const struct race_use use = {
        .at = (uintptr_t)p, .bytes = bytes, .access = access, .place = { .from = from }
    };

    if (!race_rank_of(race, t)->paused)
        look_at_use(race, t, &use);
}

/* For transfers that may not have ended it is as if the rank stored to all of it. */
void race_op_freed(struct host *h, const struct host_freed *freed, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    const struct race_use use = { .at = (uintptr_t)freed->p,
                                  .bytes = freed->bytes,
                                  .access = HUB_STORES,
                                  .verb = "frees",
                                  .place = place,
                                  .bus = freed->bus };

    look_at_use(race_of(h), t, &use);
    race_freed_add(race_of(h), t, &use);
}

void race_op_used(struct host *h, struct host_rows rows, uint64_t bus, enum host_use use,
                  struct host_place place)
{
    struct race_use one = { .bytes = rows.width,
                            .access = use == HOST_LOADS ? HUB_LOADS : HUB_STORES,
                            .verb = use == HOST_FREES ? "frees" : NULL,
                            .place = place };

    for (uint64_t i = 0; i < rows.count; i++) {
        one.at = rows.at + i * rows.pitch;
        one.bus = bus != 0 ? bus + i * rows.pitch : 0;
        look_at_use(race_of(h), launch_thread_of(h), &one);
    }
}
