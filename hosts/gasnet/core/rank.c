/* The rank, its errors, and what is around each call of a program. */
#include "hosts/gasnet/core/rank.h"
#include "hosts/gasnet/core/count.h"

#include <stdarg.h>
#include <stdio.h>

void gasnet_rank_release(void *rank)
{
    struct gasnet_rank *gr = rank;

    gr->release(gr);
}

struct gasnet_rank *gasnet_self(void)
{
    struct host *h = host_self();

    return h != NULL ? host_state_of(h->states, gasnet_rank_release) : NULL;
}

static _Noreturn void fail(struct host *h, const char *call, const void *from, const char *why)
{
    char place[128] = "", line[GASNET_WHY_BYTES + 256];

    if (from != NULL)
        h->process->place(h, from, place, sizeof(place));
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s: %s", h->rank,
                   h->node->index, (double)h->cpu->time_ps(h) * 1e-6, call, place, why);
    for (;;)
        h->process->fail(h, 1, line); /* does not return */
}

/* Such a thread has no core of the machine, and no time. */
_Noreturn void gasnet_end_outside(const char *call, const void *from)
{
    host_end_outside(
        call, from,
        "called by a thread that the program started, or while it was loaded: expected calls "
        "of GASNet in main() and what that calls");
}

_Noreturn void gasnet_fail(struct gasnet_rank *gr, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(gr->why, sizeof(gr->why), format, args);
    va_end(args);
    fail(gr->host, gr->call != NULL ? gr->call : "GASNet", gr->from, gr->why);
}

void *gasnet_need(struct gasnet_rank *gr, void *memory)
{
    if (memory == NULL)
        gasnet_fail(gr, "out of memory");
    return memory;
}

void gasnet_check_node(struct gasnet_rank *gr, gasnet_node_t node)
{
    if (node >= gr->host->size)
        gasnet_fail(gr, "node %u: expected 0 .. %u", node, gr->host->size - 1);
}

uint64_t gasnet_check_segment(struct gasnet_rank *gr, gasnet_node_t node, const void *to,
                              uint64_t bytes)
{
    const struct gasnet_peer *peer;
    uint64_t at = (uint64_t)(uintptr_t)to, end;

    gasnet_check_node(gr, node);
    peer = &gr->peers[node];
    end = peer->segment + peer->bytes;
    if (bytes > peer->bytes || at < peer->segment || at - peer->segment > peer->bytes - bytes)
        gasnet_fail(gr,
                    "%llu bytes at 0x%llx of node %u: expected them in its segment, 0x%llx .. "
                    "0x%llx",
                    (unsigned long long)bytes, (unsigned long long)at, node,
                    (unsigned long long)peer->segment, (unsigned long long)end);
    return at - peer->segment;
}

/* What is legal where: specification 1.8, "Active Message Interface" and "Handler-safe locks". */
static void check_place(struct gasnet_rank *gr, enum gasnet_need need)
{
    if (need >= GASNET_NEEDS_ATTACH && gr->phase == GASNET_IS_INIT)
        gasnet_fail(gr, "before gasnet_attach()");
    if (need < GASNET_NEEDS_OUTSIDE)
        return;
    if (gr->level != GASNET_IN_PROGRAM)
        gasnet_fail(gr, "in a handler of a %s: expected %s",
                    gr->level == GASNET_IN_REQUEST ? "request" : "reply",
                    gr->level == GASNET_IN_REQUEST ? "one reply to its sender at most"
                                                   : "no communication there");
    if (gr->held)
        gasnet_fail(gr, "in a no-interrupt section: expected gasnet_resume_interrupts() before");
    if (gr->hsls != NULL)
        gasnet_fail(gr, "while HSL %u is locked: expected gasnet_hsl_unlock() before",
                    gr->hsls->number);
}

/* A program may wait for others by calls that need no network, such as gets from its own segment:
 * one in so many looks, so that time passes and messages are handled. */
#define UNLOOKED_MAX 1000u

struct gasnet_visit gasnet_enter(const char *call, const void *from, enum gasnet_need need)
{
    struct host *h = host_self();
    struct gasnet_visit v = { .gr = gasnet_self() };

    if (v.gr == NULL) {
        if (h == NULL)
            gasnet_end_outside(call, from);
        fail(h, call, from, "before gasnet_init()");
    }
    v.call = v.gr->call;
    v.from = v.gr->from;
    v.entry = h->entry;
    v.gr->call = call;
    v.gr->from = from;
    h->entry = (struct host_entry){ call, from };
    v.library = h->process->library(h, true);
    v.gr->inside++;
    gasnet_count_begin(&v);
    check_place(v.gr, need);
    if (need == GASNET_NEEDS_OUTSIDE && ++v.gr->unlooked >= UNLOOKED_MAX)
        v.gr->look(v.gr);
    return v;
}

void gasnet_leave(const struct gasnet_visit *v)
{
    gasnet_count_end(v);
    v->gr->call = v->call;
    v->gr->from = v->from;
    v->gr->inside--;
    v->gr->host->entry = v->entry;
    v->gr->host->process->library(v->gr->host, v->library);
}

bool gasnet_program_begin(struct gasnet_rank *gr)
{
    return gr->host->process->library(gr->host, false);
}

void gasnet_program_end(struct gasnet_rank *gr, bool library)
{
    gr->host->process->library(gr->host, library);
}
