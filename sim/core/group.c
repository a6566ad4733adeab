/* Several processes: what they hand over and agree on. */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

/* A parcel at the end of a window begins with a struct group_turn, and has records behind it. */
struct group_member {
    const struct sim_group *group;
    uint32_t *owner; /* by domain */
    struct sim_channel **channels;
    struct sim_parcel *out, *in; /* by process */
    sim_time_t sent;             /* when the first record of the window that is sent is due */
    bool sent_lazy;
};

/* Each parcel has room for a turn in front. */
static void begin_parcels(struct group_member *m)
{
    for (uint32_t p = 0; p < m->group->nprocesses; p++) {
        m->out[p].used = 0;
        (void)sim_parcel_room(&m->out[p], sizeof(struct group_turn));
    }
    m->sent = SIM_TIME_NEVER;
    m->sent_lazy = false;
}

int sim_join(struct sim *sim, const struct sim_group *group, const uint32_t *owner)
{
    struct group_member *m = calloc(1, sizeof(*m));

    SIM_ASSERT(sim->member == NULL);
    if (m == NULL)
        return SIM_ERR_NOMEM;
    sim->member = m;
    m->group = group;
    m->owner = calloc(sim->ndomains + 1, sizeof(*m->owner));
    m->channels = calloc(channel_count(sim) + 1, sizeof(struct sim_channel *));
    m->out = calloc(group->nprocesses, sizeof(*m->out));
    m->in = calloc(group->nprocesses, sizeof(*m->in));
    if (m->owner == NULL || m->channels == NULL || m->out == NULL || m->in == NULL)
        return SIM_ERR_NOMEM;
    channel_number_all(sim, m->channels);
    for (uint32_t i = 0; i < sim->ndomains; i++) {
        SIM_ASSERT(owner[i] < group->nprocesses);
        m->owner[i] = owner[i];
        sim->domains[i]->away = owner[i] != group->process;
    }
    begin_parcels(m);
    return SIM_OK;
}

void group_leave(struct sim *sim)
{
    struct group_member *m = sim->member;

    if (m == NULL)
        return;
    for (uint32_t p = 0; m->out != NULL && m->in != NULL && p < m->group->nprocesses; p++) {
        free(m->out[p].bytes);
        free(m->in[p].bytes);
    }
    free(m->out);
    free(m->in);
    free(m->owner);
    free(m->channels);
    free(m);
}

uint32_t sim_processes(const struct sim *sim)
{
    return sim->member != NULL ? sim->member->group->nprocesses : 1;
}

bool sim_is_here(const struct sim_domain *dom)
{
    return !dom->away;
}

struct sim_parcel *group_parcel(const struct sim_domain *dom)
{
    struct group_member *m = dom->sim->member;

    return &m->out[m->owner[dom->id]];
}

struct sim_channel *group_channel(const struct sim *sim, uint64_t number)
{
    return sim->member->channels[number];
}

void group_sent(struct sim *sim, sim_time_t due, bool lazy)
{
    struct group_member *m = sim->member;

    m->sent = sim_min(m->sent, due);
    m->sent_lazy |= lazy;
}

static int swap(const struct group_member *m)
{
    return m->group->swap(m->group->arg, m->out, m->in);
}

static void join_turn(struct group_turn *all, const struct group_turn *one)
{
    all->next = sim_min(all->next, one->next);
    all->stop_at = sim_min(all->stop_at, one->stop_at);
    all->ended += one->ended;
    all->end = sim_max(all->end, one->end);
    all->lazy |= one->lazy;
}

int group_turn(struct sim *sim, struct group_turn *turn)
{
    struct group_member *m = sim->member;
    uint32_t self = m->group->process;
    int code;

    turn->next = sim_min(turn->next, m->sent);
    turn->lazy = m->sent_lazy;
    for (uint32_t p = 0; p < m->group->nprocesses; p++)
        memcpy(m->out[p].bytes, turn, sizeof(*turn));
    code = swap(m);
    for (uint32_t p = 0; p < m->group->nprocesses && code == SIM_OK; p++) {
        struct group_turn one;

        if (p == self)
            continue;
        memcpy(&one, m->in[p].bytes, sizeof(one));
        join_turn(turn, &one);
        for (size_t at = sizeof(one); at < m->in[p].used;)
            channel_import(sim, &m->in[p], &at);
    }
    begin_parcels(m);
    return code;
}

/* ---- between runs -------------------------------------------------------------------------- */

/* The same bytes to all others. */
static void put_all(struct group_member *m, const void *bytes, size_t n)
{
    for (uint32_t p = 0; p < m->group->nprocesses; p++) {
        m->out[p].used = 0;
        if (n > 0)
            memcpy(sim_parcel_room(&m->out[p], n), bytes, n);
    }
}

static int join_words(struct sim *sim, uint64_t *words, size_t n,
                      uint64_t (*join)(uint64_t a, uint64_t b))
{
    struct group_member *m = sim->member;
    int code;

    if (m == NULL)
        return SIM_OK;
    put_all(m, words, n * sizeof(*words));
    code = swap(m);
    for (uint32_t p = 0; p < m->group->nprocesses && code == SIM_OK; p++) {
        if (p == m->group->process)
            continue;
        SIM_ASSERT(m->in[p].used == n * sizeof(*words));
        for (size_t i = 0; i < n; i++) {
            uint64_t word;

            memcpy(&word, m->in[p].bytes + i * sizeof(word), sizeof(word));
            words[i] = join(words[i], word);
        }
    }
    begin_parcels(m);
    return code;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b;
}

int sim_sum(struct sim *sim, uint64_t *words, size_t n)
{
    return join_words(sim, words, n, add);
}

int sim_least(struct sim *sim, uint64_t *words, size_t n)
{
    return join_words(sim, words, n, sim_min);
}

int sim_compare(struct sim *sim, uint64_t word, bool *same_p)
{
    uint64_t ends[] = { word, ~word }; /* the least, and the complement of the largest */
    int code = sim_least(sim, ends, 2);

    *same_p = ends[0] == ~ends[1];
    return code;
}

int sim_allgather(struct sim *sim, const void *bytes, size_t n, sim_allgather_fn take, void *arg)
{
    struct group_member *m = sim->member;
    int code;

    if (m == NULL) {
        take(arg, bytes, n);
        return SIM_OK;
    }
    put_all(m, bytes, n);
    code = swap(m);
    for (uint32_t p = 0; p < m->group->nprocesses && code == SIM_OK; p++)
        if (p == m->group->process)
            take(arg, bytes, n);
        else
            take(arg, m->in[p].bytes, m->in[p].used);
    begin_parcels(m);
    return code;
}

static void take_failure(void *arg, const unsigned char *bytes, size_t n)
{
    struct sim_error *first = arg;

    SIM_ASSERT(n == sizeof(*first));
    if (first->code == SIM_OK)
        memcpy(first, bytes, n);
}

int sim_agree(struct sim *sim, int code, struct sim_error *err)
{
    struct sim_error own = { 0 }, first = { 0 };
    int swapped;

    if (sim->member == NULL)
        return code;
    if (code != SIM_OK && err != NULL)
        own = *err;
    own.code = code;
    swapped = sim_allgather(sim, &own, sizeof(own), take_failure, &first);
    if (swapped != SIM_OK)
        return sim_error_set(err, swapped, "another process is gone");
    if (first.code != SIM_OK && err != NULL)
        *err = first;
    return first.code;
}

/* What sim_gather() hands over of a domain; the values of its statistics follow. */
struct gathered {
    struct sim_fingerprint print;
    uint64_t events_run;
};

static void put_domain(struct sim_parcel *parcel, const struct sim_domain *dom)
{
    const struct gathered g = { dom->print, dom->events_run };

    memcpy(sim_parcel_room(parcel, sizeof(g)), &g, sizeof(g));
    for (uint32_t i = 0; i < dom->nstats; i++)
        memcpy(sim_parcel_room(parcel, sizeof(uint64_t)), dom->stats[i].value, sizeof(uint64_t));
}

static size_t take_domain(const struct sim_parcel *parcel, size_t at, struct sim_domain *dom)
{
    struct gathered g;

    memcpy(&g, parcel->bytes + at, sizeof(g));
    at += sizeof(g);
    dom->print = g.print;
    dom->events_run = g.events_run;
    for (uint32_t i = 0; i < dom->nstats; i++, at += sizeof(uint64_t))
        memcpy(&dom->stats[i].gathered, parcel->bytes + at, sizeof(uint64_t));
    return at;
}

int sim_gather(struct sim *sim)
{
    struct group_member *m = sim->member;
    size_t *at;
    int code;

    if (m == NULL)
        return SIM_OK;
    at = calloc(m->group->nprocesses, sizeof(*at));
    if (at == NULL)
        return SIM_ERR_NOMEM;
    put_all(m, NULL, 0);
    for (uint32_t i = 0; i < sim->ndomains; i++)
        for (uint32_t p = 0; !sim->domains[i]->away && p < m->group->nprocesses; p++)
            put_domain(&m->out[p], sim->domains[i]);
    code = swap(m);
    for (uint32_t i = 0; i < sim->ndomains && code == SIM_OK; i++) {
        uint32_t p = m->owner[i];

        if (sim->domains[i]->away)
            at[p] = take_domain(&m->in[p], at[p], sim->domains[i]);
    }
    free(at);
    begin_parcels(m);
    return code;
}
