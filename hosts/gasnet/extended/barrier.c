/*
 * The split-phase barrier, by dissemination: in round r a rank says to the one 2^r behind it what
 * it knows of all names, when it has heard that of the rank 2^r before it in all rounds before.
 * After log2 of the ranks, rounded up, each knows of all. A rank can be one barrier ahead of
 * another, not two, so what comes is kept by the barrier's parity. The sender of a message says
 * which round it is of, and each sender has one in each barrier; a name travels where there is one.
 */
#include <stdio.h>

#include "hosts/gasnet/extended/internal.h"

#define ANONYMOUS (GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_UNNAMED)

enum { NAMED = 1, MISMATCH = 2 }; /* as a message says it */

static struct gasnet_barrier *barrier_of(struct gasnet_rank *gr)
{
    return &gr->extended->barrier;
}

static struct gasnet_consensus said_by(int id, int flags)
{
    return (struct gasnet_consensus){ .named = (flags & ANONYMOUS) == 0,
                                      .mismatch = (flags & GASNET_BARRIERFLAG_MISMATCH) != 0,
                                      .id = id };
}

static void join(struct gasnet_consensus *own, const struct gasnet_consensus *other)
{
    if (other->mismatch || (own->named && other->named && own->id != other->id))
        own->mismatch = true;
    if (!own->named && other->named) {
        own->named = true;
        own->id = other->id;
    }
}

/* ---- reports ---- */

static unsigned rounds_of(unsigned ranks)
{
    unsigned rounds = 0;

    while (1u << rounds < ranks)
        rounds++;
    return rounds;
}

/* What the round's message is needed for: the same for all ranks that have come here. */
static bool describe_round(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct gasnet_rank *gr = arg;
    const struct gasnet_barrier *b = &gr->extended->barrier;
    const unsigned n = gr->host->size;
    char id[24] = "anonymous";

    if (i > 0)
        return false;
    if ((b->flags & ANONYMOUS) == 0)
        (void)snprintf(id, sizeof(id), "id %d", b->id);
    *wait_p = (struct host_wait){ .what = "a message from",
                                  .peer = (int)((gr->host->rank + n - (1u << b->round)) % n),
                                  .tag = -1 };
    (void)snprintf(wait_p->group, sizeof(wait_p->group), "round %u of %u of barrier %u (%s)",
                   b->round + 1, rounds_of(n), b->count, id);
    return true;
}

/* ---- rounds ---- */

static void send_round(struct gasnet_rank *gr)
{
    const struct gasnet_barrier *b = barrier_of(gr);
    const int32_t args[2] = { (b->own.named ? NAMED : 0) | (b->own.mismatch ? MISMATCH : 0),
                              b->own.id };
    const struct gasnet_am am = { .category = GASNET_SHORT,
                                  .dest = (gr->host->rank + (1u << b->round)) % gr->host->size,
                                  .handler = GASNET_SYS_BARRIER,
                                  .nargs = args[0] != 0 ? 2 : 0,
                                  .args = args };

    gasnet_send(gr, &am);
}

static void round_came(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                       uint32_t bytes, const int32_t *args, unsigned nargs)
{
    struct gasnet_barrier *b = barrier_of(gr);
    unsigned n = gr->host->size, before = (gr->host->rank + n - token->source) % n, round = 0;
    struct gasnet_consensus said = { .id = 0 };

    (void)data;
    (void)bytes;
    while (1u << round < before)
        round++;
    if (nargs > 0)
        said = (struct gasnet_consensus){ .named = (args[0] & NAMED) != 0,
                                          .mismatch = (args[0] & MISMATCH) != 0,
                                          .id = args[1] };
    b->came[b->heard[round]][round].here = true;
    b->came[b->heard[round]][round].said = said;
    b->heard[round] = !b->heard[round];
}

/* A message may have to wait for room, and what comes then leads here again. */
void gasnet_extended_advance(struct gasnet_rank *gr)
{
    struct gasnet_barrier *b = barrier_of(gr);

    if (!b->notified || b->done || b->sending)
        return;
    while (1u << b->round < gr->host->size && b->came[b->parity][b->round].here) {
        b->came[b->parity][b->round].here = false;
        join(&b->own, &b->came[b->parity][b->round].said);
        b->round++;
        b->sending = true;
        if (1u << b->round < gr->host->size)
            send_round(gr);
        b->sending = false;
    }
    b->done = 1u << b->round >= gr->host->size;
}

static void notify(struct gasnet_rank *gr, int id, int flags)
{
    struct gasnet_barrier *b = barrier_of(gr);

    if (b->notified)
        gasnet_fail(gr, "a second gasnet_barrier_notify(): expected gasnet_barrier_wait() between");
    b->notified = true;
    b->done = false;
    b->count++;
    b->id = id;
    b->flags = flags;
    b->round = 0;
    b->own = said_by(id, flags);
    b->sending = true;
    if (gr->host->size > 1)
        send_round(gr);
    b->sending = false;
    gasnet_extended_advance(gr);
}

static void check_notified(struct gasnet_rank *gr)
{
    if (!barrier_of(gr)->notified)
        gasnet_fail(gr, "expected gasnet_barrier_notify() before");
}

/* It is over: the next one has the other parity. */
static int finish(struct gasnet_rank *gr, int id, int flags)
{
    struct gasnet_barrier *b = barrier_of(gr);
    bool differs = flags != b->flags || ((flags & ANONYMOUS) == 0 && id != b->id);

    b->notified = false;
    b->parity = !b->parity;
    b->last = b->own;
    return b->own.mismatch || differs ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

static int wait_all(struct gasnet_rank *gr, int id, int flags)
{
    struct gasnet_barrier *b = barrier_of(gr);

    check_notified(gr);
    gasnet_extended_advance(gr);
    gasnet_waits_begin_by(gr, describe_round, gr);
    while (!b->done)
        gasnet_progress(gr);
    gasnet_waits_end(gr);
    return finish(gr, id, flags);
}

void gasnet_barrier_notify(int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);

    notify(v.gr, id, flags);
    gasnet_leave(&v);
}

int gasnet_barrier_wait(int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code = wait_all(v.gr, id, flags);

    gasnet_leave(&v);
    return code;
}

int gasnet_barrier_try(int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct gasnet_barrier *b = barrier_of(v.gr);
    int code = GASNET_ERR_NOT_READY;

    check_notified(v.gr);
    v.gr->host->looks.inside = true;
    gasnet_extended_advance(v.gr);
    if (!b->done)
        gasnet_poll(v.gr);
    gasnet_looked_by(v.gr, b->done, describe_round, v.gr);
    if (b->done)
        code = finish(v.gr, id, flags);
    gasnet_leave(&v);
    return code;
}

int gasnet_barrier(int id, int flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    int code;

    notify(v.gr, id, flags);
    code = wait_all(v.gr, id, flags);
    gasnet_leave(&v);
    return code;
}

int gasnet_barrier_result(int *id)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_ATTACH);
    const struct gasnet_consensus *last = &barrier_of(v.gr)->last;

    if (last->named)
        *id = last->id;
    gasnet_leave(&v);
    return !last->named;
}

void gasnet_barrier_init(struct gasnet_rank *gr)
{
    gasnet_system_set(gr, GASNET_SYS_BARRIER, round_came);
}

bool gasnet_barrier_is_open(const struct gasnet_rank *gr)
{
    return gr->extended->barrier.notified;
}
