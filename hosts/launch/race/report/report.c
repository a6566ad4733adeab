#include "hosts/launch/race/report/report.h"
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/report/pair.h"

#include <inttypes.h>
#include <stdio.h>

#define PLACE_BYTES 160u
#define LINE_BYTES  1000u
#define SITE_LINES  3u /* places that use what one call has begun */

static const char *verb_of(const struct race_use *u)
{
    if (u->verb != NULL)
        return u->verb;
    return u->access == HUB_STORES ? "stores" : "loads";
}

/** "rank 1 on node 1 at 211.767293 us: MPI_Send: loads" */
static void name_use(const struct race_pair *pair, char *text, size_t room)
{
    const char *call = pair->use.place.call;

    (void)snprintf(text, room, "rank %u on node %u at %.6f us: %s%s%s", pair->thread->host.rank,
                   pair->thread->node->shared.index, (double)pair->since / 1e6,
                   call != NULL ? call : "", call != NULL ? ": " : "", verb_of(&pair->use));
}

/* The program's, in its own words: offsets in its file. */
static void name_place(const struct launch_thread *t, const struct program_calls *calls, char *text,
                       size_t room)
{
    program_calls_place(t->program, calls, text, room);
}

static void report_first(struct launch_thread *t, const struct race_pair *pair)
{
    const struct race_other *o = &pair->other;
    char head[PLACE_BYTES], place[PLACE_BYTES], other[PLACE_BYTES], line[LINE_BYTES];

    name_use(pair, head, sizeof(head));
    name_place(t, &pair->use.calls, place, sizeof(place));
    name_place(o->thread, &o->calls, other, sizeof(other));
    (void)snprintf(line, sizeof(line),
                   "%s %" PRIu64 " bytes at 0x%" PRIxPTR
                   "%s, which %s of rank %u%s at %.6f us %s: expected %s",
                   head, pair->use.bytes, pair->use.at, place, o->call, o->thread->host.rank, other,
                   (double)o->since / 1e6, o->does, o->expected);
    t->host.process->found(&t->host, line);
}

static void report(struct race *race, struct launch_thread *t, const struct race_use *u,
                   const struct race_other *o)
{
    struct race_pair *pair = race_pair_met(race, t, u, o);

    if (pair == NULL)
        return;
    if (u->calls.at[0] == 0)
        pair->use.calls = *race_calls(race, t, u->place);
    if (pair->nranks == 1)
        pair->shown = pair->site->npairs <= SITE_LINES ||
                      (race->run->cfg->checks & HOST_CHECK_ALL_RACES) != 0;
    if (pair->shown && pair->nranks == 1)
        report_first(t, pair);
    else
        t->host.process->found(&t->host, NULL);
}

/** "rank 3 on node 3 at 5.000000 us: loads at prog+0x123, which tcaStartDMADesc at prog+0x234
 * writes: the last of 7 more ranks" */
static void report_last(const struct race_pair *pair, uint64_t n, const char *what,
                        const char *after)
{
    char head[PLACE_BYTES], place[PLACE_BYTES], other[PLACE_BYTES], line[LINE_BYTES], number[48];

    name_use(pair, head, sizeof(head));
    name_place(pair->thread, &pair->use.calls, place, sizeof(place));
    name_place(pair->other.thread, &pair->other.calls, other, sizeof(other));
    (void)snprintf(number, sizeof(number), n > 1 ? "the last of %" PRIu64 " more" : "one more", n);
    (void)snprintf(line, sizeof(line), "%s%s, which %s%s %s: %s %s%s%s", head, place,
                   pair->other.call, other, pair->other.does, number, what, n > 1 ? "s" : "",
                   after);
    pair->thread->host.process->found_more(&pair->thread->host, line);
}

void race_report_rest(const struct race *race)
{
    const struct race_pair *pair;
    const struct race_site *site;

    for (pair = TAILQ_FIRST(&race->pairs); pair != NULL; pair = TAILQ_NEXT(pair, in_race))
        if (pair->shown && pair->nranks > 1)
            report_last(pair, pair->nranks - 1, "rank", "");
    for (site = TAILQ_FIRST(&race->sites); site != NULL; site = TAILQ_NEXT(site, in_race))
        if (!site->last->shown)
            report_last(site->last, site->npairs - SITE_LINES, "place",
                        "; --check all-races shows each");
}

/* What would make order between its end and the access. A rank that knows of an earlier one may
 * mean that, and has done nothing wrong itself. */
static const char *order_of(const struct race_rank *r, const struct race_transfer *x)
{
    if (x->only != RACE_ANY)
        return "the end of its epoch, or a flush and a message before";
    if (x->writes && race_known(r, x->stream) > 0)
        return "a wait for its notification, or for a word of it in a loop before; where the one "
               "before it is meant, a sender that waits until that has been used";
    if (x->writes)
        return "a wait for its notification, or for a word of it in a loop before";
    return "tcaWaitDMAC(), or a wait for its own notification before";
}

void race_report_transfer(struct race *race, struct launch_thread *t, const struct race_use *u,
                          const struct race_transfer *x)
{
    report(race, t, u,
           &(struct race_other){ .thread = &race->run->ranks[x->rank],
                                 .call = x->place.call,
                                 .calls = x->calls,
                                 .since = x->since,
                                 .does = x->writes ? "writes" : "reads",
                                 .expected = order_of(&race->ranks[t->host.rank], x) });
}

void race_report_lent(struct race *race, struct launch_thread *t, const struct race_use *u,
                      const struct launch_thread *lender, const struct race_lent *l)
{
    report(race, t, u,
           &(struct race_other){ .thread = lender,
                                 .call = l->place.call,
                                 .calls = l->calls,
                                 .since = l->since,
                                 .does = l->writes ? "writes" : "reads",
                                 .expected = "its completion before" });
}

void race_report_freed(struct race *race, struct launch_thread *t, const struct race_use *u,
                       const struct race_freed *f)
{
    report(race, t, u,
           &(struct race_other){ .thread = &race->run->ranks[f->rank],
                                 .call = f->place.call,
                                 .calls = f->calls,
                                 .since = f->since,
                                 .does = "has freed",
                                 .expected = "memory that is not free" });
}
