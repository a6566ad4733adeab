/*
 * What ranks know. A transfer has a place in a stream, whose transfers end in order: what one
 * channel of one node writes to one node, and what it reads. A rank knows each stream up to some
 * place. It learns by waiting, by a notification, by a word that it polls, and from ranks that it
 * hears of: those hand on what they know (vector clocks, with streams in the place of processes).
 */
#define _GNU_SOURCE /* tdestroy */
#include "hosts/launch/race/clock.h"
#include "hosts/launch/race/need.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

void race_clock_put(struct race_clock *c)
{
    if (--c->refs == 0)
        free(c);
}

struct race_clock *race_clock_of(struct race_rank *r)
{
    struct race_clock *c = r->clock;

    if (c == NULL || r->clock_version != r->version) {
        if (c != NULL)
            race_clock_put(c);
        r->clock = NULL;
        c = r->clock = race_need(malloc(sizeof(*c) + r->n * sizeof(c->seq[0])));
        c->refs = 1;
        c->n = r->n;
        if (r->n > 0)
            memcpy(c->seq, r->known, r->n * sizeof(c->seq[0]));
        r->clock_version = r->version;
    }
    c->refs++;
    return c;
}

void race_knows_more(struct race_rank *r, unsigned stream, uint64_t seq)
{
    if (stream >= r->n) {
        unsigned room = stream + 16;

        r->known = race_need(realloc(r->known, room * sizeof(r->known[0])));
        memset(&r->known[r->n], 0, (room - r->n) * sizeof(r->known[0]));
        r->n = room;
    }
    if (r->known[stream] >= seq)
        return;
    r->known[stream] = seq;
    r->version++;
}

void race_knows_all(struct race_rank *r, const uint64_t *seq, unsigned n)
{
    for (unsigned s = 0; s < n; s++)
        if (seq[s] > 0)
            race_knows_more(r, s, seq[s]);
}

static int compare_streams(const void *a, const void *b)
{
    const struct race_stream *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static struct race_stream *add_stream(struct race *race, const struct race_stream *like)
{
    struct race_stream *s = race_need(malloc(sizeof(*s)));

    *s = *like;
    s->number = race->nstreams++;
    TAILQ_INIT(&s->transfers);
    TAILQ_INIT(&s->pending);
    race_tree_add(&race->streams, s, compare_streams);
    return s;
}

struct race_stream *race_stream_of(struct race *race, unsigned node, unsigned lane, unsigned to)
{
    const struct race_stream key = { .node = node, .lane = lane, .to = to };
    struct race_stream *const *found = tfind(&key, &race->streams, compare_streams);

    return found != NULL ? *found : add_stream(race, &key);
}

void race_streams_free(struct race *race)
{
    tdestroy(race->streams, free);
}

bool race_is_of_channel(const struct race_stream *s, unsigned node, unsigned channel)
{
    return s->node == node && s->lane == channel;
}
