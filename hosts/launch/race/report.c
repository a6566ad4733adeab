#include "hosts/launch/race/report.h"
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/memory.h"

#include <inttypes.h>
#include <stdio.h>

#define PLACE_BYTES 160u

/* The program's, in its own words: offsets in its file. */
static void name_place(const struct launch_thread *t, const void *from, char *text, size_t room)
{
    text[0] = '\0';
    program_place(t->program, (uint64_t)(uintptr_t)from - 1, text,
                  room); /* in the call, not after it */
}

static bool is_new(struct race *race, const struct launch_thread *t, const struct race_use *u,
                   const void *place)
{
    const struct race_seen one = { u->place.from, place, t->host.rank, u->access };

    for (unsigned i = 0; i < race->nseen; i++)
        if (race->seen[i].use == one.use && race->seen[i].place == one.place &&
            race->seen[i].rank == one.rank && race->seen[i].access == one.access)
            return false;
    if (race->nseen < RACE_SEEN)
        race->seen[race->nseen++] = one;
    return true;
}

static const char *verb_of(const struct race_use *u)
{
    if (u->verb != NULL)
        return u->verb;
    return u->access == HUB_STORES ? "stores" : "loads";
}

/** `other`: what the transfer does, and what was expected. */
static void report(struct launch_thread *t, const struct race_use *u, const char *other)
{
    char place[PLACE_BYTES], line[640];

    name_place(t, u->place.from, place, sizeof(place));
    (void)snprintf(line, sizeof(line),
                   "rank %u on node %u at %.6f us: %s%s%s %" PRIu64 " bytes at 0x%" PRIxPTR
                   "%s, %s",
                   t->host.rank, t->node->shared.index, (double)sim_now(t->dom) / 1e6,
                   u->place.call != NULL ? u->place.call : "", u->place.call != NULL ? ": " : "",
                   verb_of(u), u->bytes, u->at, place, other);
    t->host.process->found(&t->host, line);
}

/* What would make order between its end and the access. */
static const char *order_of(const struct race_transfer *x)
{
    if (x->only != RACE_ANY)
        return "the end of its epoch, or a flush and a message";
    if (x->writes)
        return "a wait for its notification, or for a word of it in a loop";
    return "tcaWaitDMAC(), or a wait for its own notification";
}

void race_report_transfer(struct race *race, struct launch_thread *t, const struct race_use *u,
                          const struct race_transfer *x)
{
    const struct launch_thread *starter = &race->run->ranks[x->rank];
    char place[PLACE_BYTES], other[400];

    if (!is_new(race, t, u, x->place.from))
        return;
    name_place(starter, x->place.from, place, sizeof(place));
    (void)snprintf(other, sizeof(other), "which %s of rank %u%s at %.6f us %s: expected %s before",
                   x->place.call, x->rank, place, (double)x->since / 1e6,
                   x->writes ? "writes" : "reads", order_of(x));
    report(t, u, other);
}

void race_report_lent(struct race *race, struct launch_thread *t, const struct race_use *u,
                      const struct launch_thread *lender, const struct race_lent *l)
{
    char place[PLACE_BYTES], other[400];

    if (!is_new(race, t, u, l->place.from))
        return;
    name_place(lender, l->place.from, place, sizeof(place));
    (void)snprintf(other, sizeof(other),
                   "which %s of rank %u%s at %.6f us %s: expected its completion before",
                   l->place.call, lender->host.rank, place, (double)l->since / 1e6,
                   l->writes ? "writes" : "reads");
    report(t, u, other);
}

void race_report_freed(struct race *race, struct launch_thread *t, const struct race_use *u,
                       const struct race_freed *f)
{
    char place[PLACE_BYTES], other[400];

    if (!is_new(race, t, u, f->place.from))
        return;
    name_place(&race->run->ranks[f->rank], f->place.from, place, sizeof(place));
    (void)snprintf(other, sizeof(other),
                   "which %s of rank %u%s at %.6f us has freed: expected memory that is not free",
                   f->place.call, f->rank, place, (double)f->since / 1e6);
    report(t, u, other);
}
