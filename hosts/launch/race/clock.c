/*
 * What ranks know. A transfer has a place in a stream, whose transfers end in order: what one
 * channel of one node writes to one node, and what it reads. A rank knows each stream up to some
 * place. It learns by waiting, by a notification, by a word that it polls, and from ranks that it
 * hears of: those hand on what they know (vector clocks, with streams in the place of processes).
 */
#include "hosts/launch/race/clock.h"

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
        c = r->clock = malloc(sizeof(*c) + r->n * sizeof(c->seq[0]));
        SIM_ASSERT(c != NULL);
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

        r->known = realloc(r->known, room * sizeof(r->known[0]));
        SIM_ASSERT(r->known != NULL);
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

unsigned race_stream_of(struct race *race, unsigned node, unsigned lane, unsigned to)
{
    struct race_stream *s;

    for (unsigned i = 0; i < race->nstreams; i++) {
        s = &race->streams[i];
        if (s->node == node && s->lane == lane && s->to == to)
            return i;
    }
    race->streams = realloc(race->streams, (race->nstreams + 1) * sizeof(*s));
    SIM_ASSERT(race->streams != NULL);
    race->streams[race->nstreams] = (struct race_stream){ node, lane, to };
    return race->nstreams++;
}

bool race_is_of_channel(const struct race *race, unsigned stream, unsigned node, unsigned channel)
{
    return race->streams[stream].node == node && race->streams[stream].lane == channel;
}
