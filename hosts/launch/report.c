#include "hosts/launch/report.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/poll.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** "in tcaWaitDMAC (channel 0), ". @return its length */
static size_t call_text(const struct host_call *call, char *text, size_t room)
{
    int n = 0;

    if (call->name != NULL && call->channel >= 0)
        n = snprintf(text, room, "in %s (channel %d), ", call->name, call->channel);
    else if (call->name != NULL)
        n = snprintf(text, room, "in %s (part %u, slot %u, tag 0x%x), ", call->name, call->part,
                     call->slot, call->tag);
    return n < 0 || (size_t)n >= room ? 0 : (size_t)n;
}

/** "a message from rank 1 with tag 5 on MPI_COMM_WORLD". @return its length */
static size_t wait_text(const struct host_wait *w, char *text, size_t room)
{
    char peer[32] = "any rank", tag[32] = "";
    int n;

    if (w->peer >= 0)
        (void)snprintf(peer, sizeof(peer), "rank %d", w->peer);
    if (w->tag >= 0)
        (void)snprintf(tag, sizeof(tag), " with tag %d", w->tag);
    else if (w->tag == -1)
        (void)snprintf(tag, sizeof(tag), " with any tag");
    if (w->sends)
        n = snprintf(text, room, "%s to receive %" PRIu64 " bytes%s on %s", peer, w->bytes, tag,
                     w->group);
    else
        n = snprintf(text, room, "a message from %s%s on %s", peer, tag, w->group);
    if (w->other && n >= 0 && (size_t)n < room)
        n += snprintf(text + n, room - (size_t)n, " (one from rank %d with tag %d has come)",
                      w->other_peer, w->other_tag);
    return n < 0 || (size_t)n >= room ? 0 : (size_t)n;
}

/** The call that the rank waits in, or looks with and has found nothing. */
static const struct host_call *call_of(const struct launch_thread *t)
{
    const struct host_call *looks = &t->host.looks.call;

    return looks->name != NULL ? looks : &t->host.call;
}

/** "in MPI_Recv, waiting for a message ..., and 2 others"; "polling with MPI_Test for a message".
 */
static void waits_text(const struct host_call *call, bool looks, char *text, size_t room)
{
    struct host_wait w;
    unsigned more = 0;
    int n =
        snprintf(text, room, looks ? "polling with %s for " : "in %s, waiting for ", call->name);

    if (n < 0 || (size_t)n >= room)
        return;
    text += n;
    room -= (size_t)n;
    if (!call->waits(call->waits_arg, 0, &w)) {
        (void)snprintf(text, room, "messages");
        return;
    }
    while (call->waits(call->waits_arg, more + 1, &(struct host_wait){ 0 }))
        more++;
    if (more > 0 && call->waits_any)
        n = snprintf(text, room, "one of %u: ", more + 1);
    else
        n = 0;
    text += n;
    room -= (size_t)n;
    n = (int)wait_text(&w, text, room);
    if (more > 0 && !call->waits_any)
        (void)snprintf(text + n, room - (size_t)n, ", and %u more", more);
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

/** The i-th rank that `t` cannot go on without, -1: no more. Of several one would be enough: none
 * of them. */
static int needs(const struct launch *run, const struct launch_thread *t, unsigned i)
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

/* "rank 0 waits for rank 1, rank 1 for rank 0" */
static void circle_text(const int *path, unsigned from, unsigned n, char *text, size_t room)
{
    size_t at = 0;

    for (unsigned k = from; k < n && at < room; k++) {
        int got = snprintf(text + at, room - at, "%srank %d %sfor rank %d", k > from ? ", " : "",
                           path[k], k > from ? "" : "waits ", k + 1 < n ? path[k + 1] : path[from]);

        at += got > 0 ? (size_t)got : 0;
    }
}

/* Depth first; `path` has the ranks on the way, `next` how many of each one's needs are done,
 * `place` a rank's place on the way, from 1 on. */
static bool find_circle(const struct launch *run, int start, int *path, unsigned *next,
                        unsigned *place, char *text, size_t room)
{
    unsigned n = 0;

    path[n++] = start;
    place[start] = n;
    while (n > 0) {
        int at = path[n - 1], to = needs(run, &run->ranks[at], next[at]++);

        if (to < 0) {
            place[at] = UINT32_MAX; /* leads to no circle */
            n--;
        } else if (place[to] == 0) {
            path[n++] = to;
            place[to] = n;
        } else if (place[to] != UINT32_MAX) {
            circle_text(path, place[to] - 1, n, text, room);
            return true;
        }
    }
    return false;
}

bool launch_circle(const struct launch *run, char *text, size_t room)
{
    int *path = calloc(run->nranks, sizeof(*path));
    unsigned *next = calloc(run->nranks, sizeof(*next));
    unsigned *place = calloc(run->nranks, sizeof(*place));
    bool found = false;

    for (unsigned r = 0; path != NULL && next != NULL && place != NULL && r < run->nranks; r++)
        if (!found && place[r] == 0)
            found = find_circle(run, (int)r, path, next, place, text, room);
    free(path);
    free(next);
    free(place);
    return found;
}

bool launch_bereft(const struct launch *run, char *text, size_t room)
{
    for (unsigned r = 0; r < run->nranks; r++) {
        int to = -1;

        for (unsigned i = 0; (to = needs(run, &run->ranks[r], i)) >= 0; i++) {
            if (!run->ranks[to].ended)
                continue;
            (void)snprintf(text, room, "rank %u waits for rank %d, which has ended", r, to);
            return true;
        }
    }
    return false;
}

void launch_where(const struct launch_thread *t, char *text, size_t room)
{
    const struct host_call *call = call_of(t);
    size_t n;

    if (call->name != NULL && call->waits != NULL) {
        waits_text(call, call != &t->host.call, text, room);
        return;
    }
    n = call_text(&t->host.call, text, room);
    text += n;
    room -= n;
    if (!launch_polled(t, text, room))
        (void)snprintf(text, room, "%s", t->waits != NULL ? t->waits : "not started");
}
