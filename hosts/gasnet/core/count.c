#include "hosts/gasnet/core/count.h"

#include <assert.h>
#include <string.h>

#include "hosts/host/profile.h"

void gasnet_count_write(struct gasnet_rank *gr, gasnet_node_t node, uint64_t bytes)
{
    gr->sent[node].messages++;
    gr->sent[node].bytes += bytes;
    if (gr->host->profile != NULL) {
        gr->host->profile->peers[node].messages++;
        gr->host->profile->peers[node].bytes += bytes;
    }
}

void gasnet_count_sent(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    gasnet_hub_counts *c = &gr->counts;

    gasnet_count_write(gr, am->dest, am->bytes);
    if (am->handler < GASNET_FIRST_CLIENT) {
        c->own++;
        c->own_bytes += am->bytes;
        return;
    }
    gr->named_bytes += am->bytes;
    c->replies += am->is_reply;
    if (am->category == GASNET_SHORT) {
        c->shorts++;
    } else if (am->category == GASNET_MEDIUM) {
        c->mediums++;
        c->medium_bytes += am->bytes;
    } else {
        c->longs++;
        c->long_bytes += am->bytes;
    }
}

void gasnet_count_put(struct gasnet_rank *gr, uint64_t bytes)
{
    gr->counts.puts++;
    gr->counts.put_bytes += bytes;
    gr->named_bytes += bytes;
}

void gasnet_count_get(struct gasnet_rank *gr, uint64_t bytes)
{
    gr->counts.gets++;
    gr->counts.get_bytes += bytes;
    gr->named_bytes += bytes;
}

void gasnet_hub_counters(gasnet_hub_counts *counts)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    *counts = v.gr->counts;
    gasnet_leave(&v);
}

void gasnet_hub_sent(uint32_t node, uint64_t *messages, uint64_t *bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    gasnet_check_node(v.gr, node);
    *messages = v.gr->sent[node].messages;
    *bytes = v.gr->sent[node].bytes;
    gasnet_leave(&v);
}

/* What a profile shows, by the names there. */
static void set_counts(const struct gasnet_rank *gr, struct host_counts *to)
{
    const struct transport *t = gr->transport;
    const gasnet_hub_counts *c = &gr->counts;

    host_counts_set(to, "Short sent", c->shorts, 0);
    host_counts_set(to, "Medium sent", c->mediums, c->medium_bytes);
    host_counts_set(to, "Long sent", c->longs, c->long_bytes);
    host_counts_set(to, "of them replies", c->replies, 0);
    host_counts_set(to, "message of GASNet itself sent", c->own, c->own_bytes);
    host_counts_set(to, "put begun", c->puts, c->put_bytes);
    host_counts_set(to, "get begun", c->gets, c->get_bytes);
    host_counts_set(to, "handler run", c->handlers, 0);
    host_counts_set(to, "wait for room", c->stalls, 0);
    host_counts_set(to, "look for news", c->polls, 0);
    if (t != NULL && t->ops->profile != NULL)
        t->ops->profile(t, to);
}

int gasnet_hub_count(const char *name, uint64_t *count, uint64_t *bytes)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);
    struct host_counts all = { .n = 0 };
    const struct host_profile_count *c;

    set_counts(v.gr, &all);
    c = host_counts_find(&all, name);
    if (c != NULL && count != NULL)
        *count = c->messages;
    if (c != NULL && bytes != NULL)
        *bytes = c->bytes;
    gasnet_leave(&v);
    return c != NULL;
}

/* ---- the profile of a run ---- */

/* What the program calls; of a handler's calls the time is the call's in which it runs. */
void gasnet_count_begin(struct gasnet_visit *v)
{
    struct host_profile *p = v->gr->host->profile;

    v->counts = p != NULL && !v->library;
    if (!v->counts)
        return;
    v->times = !p->inside;
    p->inside = true;
    v->named_bytes = v->gr->named_bytes;
    v->start_ps = v->gr->host->cpu->time_ps(v->gr->host);
}

static struct host_profile_call *find_call(struct host_profile *p, const char *name)
{
    unsigned i = HOST_PROFILE_NUMBERED;

    while (p->calls[i].name != NULL && strcmp(p->calls[i].name, name) != 0) {
        i++;
        assert(i < HOST_PROFILE_CALLS);
    }
    return &p->calls[i];
}

void gasnet_count_end(const struct gasnet_visit *v)
{
    struct host *h = v->gr->host;
    struct host_profile_call *call = v->counts ? find_call(h->profile, v->gr->call) : NULL;

    if (!v->counts)
        return;
    if (v->times)
        h->profile->inside = false;
    set_counts(v->gr, &h->profile->counts[HOST_PROFILE_GASNET]);
    if (call == NULL)
        return;
    call->name = v->gr->call;
    call->count++;
    call->bytes += v->gr->named_bytes - v->named_bytes;
    if (v->times)
        call->ps += h->cpu->time_ps(h) - v->start_ps;
}
