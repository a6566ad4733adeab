#include "hosts/launch/report.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/poll.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What is still free of a text. */
struct text {
    char *at;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void add_text(struct text *t, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(t->at, t->room, format, ap);
    va_end(ap);
    t->room -= strlen(t->at);
    t->at += strlen(t->at);
}

/** "; from there slot 1, tag 0x7 has come" */
static void other_text(const struct host_call *call, struct text *t)
{
    struct host_notice other;

    if (call->other == NULL || !call->other(call->other_arg, &call->notice, &other))
        return;
    if (other.part == call->notice.part)
        add_text(t, "; from there");
    else
        add_text(t, "; from part %u", other.part);
    add_text(t, " slot %u, tag 0x%x has come", other.slot, other.tag);
}

/** "in tcaWaitDMAC (channel 0), ", "in tcaWaitDMARecvDesc (part 3, slot 2, tag 0x7), " */
static void call_text(const struct host_call *call, struct text *t)
{
    if (call->channel >= 0) {
        add_text(t, "in %s (channel %d), ", call->name, call->channel);
    } else {
        add_text(t, "in %s (part %u%s, slot %u, tag 0x%x", call->name, call->notice.part,
                 call->own ? ", that of its own node" : "", call->notice.slot, call->notice.tag);
        other_text(call, t);
        add_text(t, "), ");
    }
}

/** "a message from rank 1 with tag 5 on MPI_COMM_WORLD" */
static void wait_text(const struct host_wait *w, struct text *t)
{
    char peer[32] = "any rank";

    if (w->peer >= 0)
        (void)snprintf(peer, sizeof(peer), "rank %d", w->peer);
    else if (w->peer == -2)
        (void)snprintf(peer, sizeof(peer), "several ranks");
    if (w->what != NULL) {
        add_text(t, "%s %s%s%s", w->what, peer, w->group[0] != '\0' ? ", " : "", w->group);
        return;
    }
    if (w->sends)
        add_text(t, "%s to receive %" PRIu64 " bytes", peer, w->bytes);
    else
        add_text(t, "a message from %s", peer);
    if (w->tag >= 0)
        add_text(t, " with tag %d", w->tag);
    else if (w->tag == -1)
        add_text(t, " with any tag");
    add_text(t, " on %s", w->group);
    if (w->other)
        add_text(t, " (one from rank %d with tag %d has come)", w->other_peer, w->other_tag);
}

/** The call that the rank waits in, or looks with and has found nothing. */
static const struct host_call *call_of(const struct launch_thread *t)
{
    const struct host_call *looks = &t->host.looks.call;

    return looks->name != NULL ? looks : &t->host.call;
}

/** "in MPI_Recv, waiting for a message ..., and 2 others"; "polling with MPI_Test for a message".
 */
static void waits_text(const struct launch_thread *thread, const struct host_call *call, bool looks,
                       struct text *t)
{
    struct host_wait w;
    char place[128] = "";
    unsigned more = 0;

    if (call->from != NULL)
        program_place(thread->program, (uint64_t)(uintptr_t)call->from - 1, place, sizeof(place));
    add_text(t, looks ? "polling with %s%s for " : "in %s%s, waiting for ", call->name, place);
    if (!call->waits(call->waits_arg, 0, &w)) {
        add_text(t, "messages");
        return;
    }
    while (call->waits(call->waits_arg, more + 1, &(struct host_wait){ 0 }))
        more++;
    if (more > 0 && call->waits_any)
        add_text(t, "one of %u: ", more + 1);
    wait_text(&w, t);
    if (more > 0 && !call->waits_any)
        add_text(t, ", and %u more", more);
}

/* ---- ranks that only look ---- */

/* A look lets little time pass, and the rank that is in it has one event at a time. Any event more
 * is something that may yet come: a packet, a timer, a rank that computes or sleeps. */
bool launch_only_looks(struct launch *run)
{
    uint64_t looking = 0;
    bool only = true;

    for (unsigned r = 0; r < run->nranks; r++) {
        struct launch_thread *t = &run->ranks[r];
        const struct host_looks *looks = &t->host.looks;

        only &= t->busy == t->before.busy && looks->found == t->before.found;
        looking += !t->ended && looks->vain != t->before.vain;
        t->before.busy = t->busy;
        t->before.found = looks->found;
        t->before.vain = looks->vain;
    }
    return only && looking > 0 && sim_events_pending(machine_sim(run->m)) <= looking;
}

/* ---- ranks that wait for each other ---- */

/** The i-th rank that `t` cannot go on without, -1: no more. Where one of several would be enough,
 * it needs none of them. */
static int needed_rank(const struct launch *run, const struct launch_thread *t, unsigned i)
{
    const struct host_call *call = call_of(t);
    struct host_wait w;

    for (unsigned k = 0; !t->ended && call->name != NULL && call->waits != NULL; k++) {
        if (!call->waits(call->waits_arg, k, &w) ||
            (call->waits_any && call->waits(call->waits_arg, 1, &(struct host_wait){ 0 })))
            return -1;
        if (w.peer >= 0 && (unsigned)w.peer < run->nranks && i-- == 0)
            return w.peer;
    }
    return -1;
}

/* What all processes know of a rank, in a parcel: the ranks that it needs follow. */
struct packed_needs {
    uint32_t rank, ended, n;
};

struct launch_needs {
    unsigned nranks;
    struct rank_needs {
        bool ended;
        uint32_t n;
        uint32_t *of;
    } ranks[];
};

static void take_needs(void *arg, const unsigned char *bytes, size_t n)
{
    struct launch_needs *needs = arg;

    for (size_t at = 0; at < n;) {
        struct packed_needs packed;
        struct rank_needs *rank;

        memcpy(&packed, bytes + at, sizeof(packed));
        at += sizeof(packed);
        rank = &needs->ranks[packed.rank];
        *rank = (struct rank_needs){ packed.ended != 0, packed.n,
                                     malloc((packed.n + 1) * sizeof(*rank->of)) };
        SIM_ASSERT(rank->of != NULL);
        memcpy(rank->of, bytes + at, packed.n * sizeof(*rank->of));
        at += packed.n * sizeof(*rank->of);
    }
}

static void give_needs(const struct launch *run, unsigned rank, struct sim_parcel *own)
{
    const struct launch_thread *t = &run->ranks[rank];
    struct packed_needs packed = { rank, t->ended, 0 };
    size_t at = own->used;
    int to;

    (void)sim_parcel_room(own, sizeof(packed));
    for (; (to = needed_rank(run, t, packed.n)) >= 0; packed.n++)
        memcpy(sim_parcel_room(own, sizeof(uint32_t)), &(uint32_t){ (uint32_t)to },
               sizeof(uint32_t));
    memcpy(own->bytes + at, &packed, sizeof(packed));
}

struct launch_needs *launch_needs_create(const struct launch *run)
{
    struct launch_needs *needs = calloc(1, sizeof(*needs) + run->nranks * sizeof(needs->ranks[0]));
    struct sim_parcel own = { 0 };

    if (needs == NULL)
        return NULL;
    needs->nranks = run->nranks;
    for (unsigned r = 0; r < run->nranks; r++)
        if (sim_is_here(run->ranks[r].dom))
            give_needs(run, r, &own);
    (void)sim_allgather(machine_sim(run->m), own.bytes, own.used, take_needs, needs);
    free(own.bytes);
    return needs;
}

void launch_needs_destroy(struct launch_needs *needs)
{
    for (unsigned r = 0; needs != NULL && r < needs->nranks; r++)
        free(needs->ranks[r].of);
    free(needs);
}

struct visit {
    int path;       /* the n-th rank from the start to here */
    unsigned next;  /* how many of the rank's needs are done */
    unsigned place; /* the rank's on the path, from 1 on */
};

/* "rank 0 waits for rank 1, rank 1 for rank 0" */
static void circle_text(const struct visit *v, unsigned from, unsigned n, struct text *t)
{
    for (unsigned k = from; k < n; k++)
        add_text(t, "%srank %d %sfor rank %d", k > from ? ", " : "", v[k].path,
                 k > from ? "" : "waits ", v[k + 1 < n ? k + 1 : from].path);
}

/* Depth first. */
static bool find_circle(const struct launch_needs *needs, int start, struct visit *v,
                        struct text *t)
{
    unsigned n = 0;

    v[n++].path = start;
    v[start].place = n;
    while (n > 0) {
        int at = v[n - 1].path;
        const struct rank_needs *rank = &needs->ranks[at];
        int to = v[at].next < rank->n ? (int)rank->of[v[at].next++] : -1;

        if (to < 0) {
            v[at].place = UINT32_MAX; /* leads to no circle */
            n--;
        } else if (v[to].place == 0) {
            v[n++].path = to;
            v[to].place = n;
        } else if (v[to].place != UINT32_MAX) {
            circle_text(v, v[to].place - 1, n, t);
            return true;
        }
    }
    return false;
}

bool launch_circle(const struct launch_needs *needs, char *text, size_t room)
{
    struct visit *v = calloc(needs->nranks, sizeof(*v));
    bool found = false;

    for (unsigned r = 0; v != NULL && !found && r < needs->nranks; r++)
        if (v[r].place == 0)
            found = find_circle(needs, (int)r, v, &(struct text){ text, room });
    free(v);
    return found;
}

bool launch_bereft(const struct launch_needs *needs, char *text, size_t room)
{
    for (unsigned r = 0; r < needs->nranks; r++)
        for (uint32_t i = 0; i < needs->ranks[r].n; i++) {
            uint32_t to = needs->ranks[r].of[i];

            if (!needs->ranks[to].ended)
                continue;
            (void)snprintf(text, room, "rank %u waits for rank %u, which has ended", r, to);
            return true;
        }
    return false;
}

static bool in_message_call(const struct launch_thread *t)
{
    const struct host_call *call = call_of(t);

    return call->name != NULL && call->waits != NULL;
}

bool launch_in_collective(const struct launch_thread *t)
{
    const struct host_call *call = call_of(t);
    struct host_wait w;
    bool found = false;

    for (unsigned i = 0; in_message_call(t) && !found && call->waits(call->waits_arg, i, &w); i++)
        found = w.tag < -1;
    return found;
}

void launch_where(const struct launch_thread *t, char *text, size_t room)
{
    const struct host_call *call = call_of(t);
    struct text to = { text, room };

    if (in_message_call(t)) {
        waits_text(t, call, call != &t->host.call, &to);
        return;
    }
    if (t->host.call.name != NULL)
        call_text(&t->host.call, &to);
    else if (t->host.entry.name != NULL)
        add_text(&to, "in %s, ", t->host.entry.name);
    if (!launch_polled(t, to.at, to.room))
        add_text(&to, "%s", t->waits != NULL ? t->waits : "not started");
}
