/* An observer: marks and holds are recorded, then causes are followed backwards. */
#include "observe/internal.h"

#include "observe/map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PHASE "send"

static const struct sim_stage untraced = {
    .name = "not traced",
    .kind = SIM_KIND_UNTRACED,
    .meaning = "what came before is not known to the observer",
};

/* ---- recording: marks in chunks, so that they stay where they are while it grows ---- */

static bool id_list_add(struct id_list *list, uint64_t id)
{
    if (!observe_grow(&list->ids, list->n, &list->room, sizeof(*list->ids)))
        return false;
    list->ids[list->n++] = id;
    return true;
}

static bool add_chunk(struct observer *obs)
{
    uint64_t at = obs->n >> CHUNK_LOG2;

    if (!observe_grow(&obs->chunks, at, &obs->chunks_room, sizeof(struct sim_mark *)))
        return false;
    obs->chunks[at] = malloc(CHUNK_MARKS * sizeof(struct sim_mark));
    return obs->chunks[at] != NULL;
}

/* When nothing more fits, what comes gets the last id: observe_explain() will refuse. */
static uint64_t record_mark(void *arg, const struct sim_mark *mark)
{
    struct observer *obs = arg;

    obs->overflow |= obs->n == obs->most;
    if (obs->overflow || obs->nomem)
        return obs->n;
    if ((obs->n & (CHUNK_MARKS - 1)) == 0 && !add_chunk(obs)) {
        obs->nomem = true;
        return obs->n;
    }
    obs->chunks[obs->n >> CHUNK_LOG2][obs->n & (CHUNK_MARKS - 1)] = *mark;
    obs->n++;
    if (mark->stage->use == SIM_STAGE_WROTE)
        obs->nomem = !id_list_add(&obs->wrote, obs->n);
    else if (mark->stage->use == SIM_STAGE_STEP)
        obs->nomem = !id_list_add(&obs->steps, obs->n);
    return obs->n;
}

static void record_hold(void *arg, const struct sim_hold *hold)
{
    struct observer *obs = arg;

    if (hold->from == hold->to)
        return;
    if (observe_grow(&obs->holds, obs->nholds, &obs->holds_room, sizeof(*obs->holds)))
        obs->holds[obs->nholds++] = *hold;
    else
        obs->nomem = true;
}

struct observer *observe_create(uint64_t most)
{
    struct observer *obs = calloc(1, sizeof(*obs));

    if (obs == NULL)
        return NULL;
    obs->most = most;
    obs->probe = (struct sim_probe){ .mark = record_mark, .hold = record_hold, .arg = obs };
    return obs;
}

void observe_destroy(struct observer *obs)
{
    if (obs == NULL)
        return;
    for (uint64_t i = 0; i << CHUNK_LOG2 < obs->n; i++)
        free(obs->chunks[i]);
    free(obs->chunks);
    free(obs->holds);
    free(obs->wrote.ids);
    free(obs->steps.ids);
    free(obs->by_queue.keys);
    free(obs->by_where.keys);
    free(obs);
}

const struct sim_probe *observe_probe(struct observer *obs)
{
    return &obs->probe;
}

/* ---- parts ---- */

bool part_add(struct observe_breakdown *b, const struct sim_stage *stage, const char *where,
              sim_time_t from, sim_time_t to)
{
    if (!observe_grow(&b->parts, b->n, &b->room, sizeof(*b->parts)))
        return false;
    b->parts[b->n++] = (struct observe_part){ stage, NULL, where, from, to };
    return true;
}

void observe_breakdown_fini(struct observe_breakdown *b)
{
    free(b->parts);
    *b = (struct observe_breakdown){ 0 };
}

/* ---- following causes ---- */

/** The last write since `from` to what `m` has read; 0: none. */
static uint64_t writer_of(const struct observer *obs, const struct sim_mark *m, sim_time_t from)
{
    for (uint64_t i = obs->wrote.n; i-- > 0;) {
        const struct sim_mark *w = mark_at(obs, obs->wrote.ids[i]);

        if (w->where != m->where || w->time > m->time)
            continue;
        if (w->time < from)
            return 0;
        if (w->addr < m->addr + m->bytes && m->addr < w->addr + w->bytes)
            return obs->wrote.ids[i];
    }
    return 0;
}

/** The cause that decided when a mark could happen; 0: none is known. */
static uint64_t cause_of(const struct observer *obs, const struct sim_mark *m, sim_time_t from)
{
    uint64_t last = 0;

    /* Who polls waits for the bytes; the polls before that saw others are not to blame. */
    if (m->stage->use == SIM_STAGE_READ && (last = writer_of(obs, m, from)) != 0)
        return last;
    for (unsigned i = 0; i < SIM_CAUSES; i++) {
        uint64_t id = m->cause[i];

        if (id == 0 || mark_at(obs, id)->time > m->time)
            continue;
        if (last == 0 || mark_at(obs, id)->time > mark_at(obs, last)->time)
            last = id;
    }
    return last;
}

/** The last thing that the core did up to `to`. */
static uint64_t last_of(const struct observer *obs, const char *path, sim_time_t to)
{
    for (uint64_t i = obs->steps.n; i-- > 0;) {
        const struct sim_mark *m = mark_at(obs, obs->steps.ids[i]);

        if (m->time <= to && strcmp(m->where, path) == 0)
            return obs->steps.ids[i];
    }
    return 0;
}

/** What begins at the very beginning has no time before it, and says the first phase. */
static bool add_first_phase(const struct observer *obs, uint64_t id, struct observe_breakdown *b)
{
    for (; id != 0 && mark_at(obs, id)->time == b->from; id = cause_of(obs, mark_at(obs, id), 0)) {
        const struct sim_mark *m = mark_at(obs, id);

        if (m->stage->phase != NULL && m->stage->use == SIM_STAGE_STEP)
            return part_add(b, m->stage, m->where, b->from, b->from);
    }
    return true;
}

/** All parts from `to` back to `from`, latest first. */
static bool follow_causes(struct observer *obs, uint64_t id, struct observe_breakdown *b)
{
    sim_time_t at = b->to;

    while (at > b->from && id != 0) {
        const struct sim_mark *m = mark_at(obs, id);
        uint64_t cause = cause_of(obs, m, b->from);
        sim_time_t since = cause != 0 ? mark_at(obs, cause)->time : b->from;

        since = sim_max(since, b->from);
        if (m->time < at && !part_add(b, &untraced, m->where, m->time, at))
            return false;
        at = sim_min(at, m->time);
        if (at <= b->from)
            break;
        if (cause == 0) /* nothing is known of what came before */
            break;
        if (since < at && (m->stage->use == SIM_STAGE_QUEUE || m->stage->use == SIM_STAGE_LINK)) {
            if (!observe_wait(obs, id, since, b))
                return false;
        } else if (!part_add(b, m->stage, m->where, since, at)) {
            return false;
        }
        at = since;
        id = cause;
    }
    if (at <= b->from)
        return add_first_phase(obs, id, b);
    return part_add(b, &untraced, "", b->from, at);
}

/** In order of time, with phases, without empty parts; neighbours of one stage become one. */
static void tidy_parts(struct observe_breakdown *b)
{
    const char *phase = FIRST_PHASE;
    unsigned n = 0;

    for (unsigned i = 0; i < b->n / 2; i++) {
        struct observe_part p = b->parts[i];

        b->parts[i] = b->parts[b->n - 1 - i];
        b->parts[b->n - 1 - i] = p;
    }
    for (unsigned i = 0; i < b->n; i++) {
        struct observe_part p = b->parts[i], *before = n > 0 ? &b->parts[n - 1] : NULL;

        if (p.stage->phase != NULL)
            phase = p.stage->phase;
        if (p.from == p.to)
            continue;
        p.phase = phase;
        if (before != NULL && before->stage == p.stage && before->where == p.where &&
            before->phase == p.phase)
            before->to = p.to;
        else
            b->parts[n++] = p;
    }
    b->n = n;
}

int observe_explain(struct observer *obs, const char *path, sim_time_t from, sim_time_t to,
                    struct observe_breakdown *b_p, struct sim_error *err)
{
    struct observe_breakdown b = { .from = from, .to = to };
    uint64_t id;

    if (obs->overflow)
        return sim_error_set(err, SIM_ERR_LIMIT, "more than %llu marks: expected a shorter message",
                             (unsigned long long)obs->most);
    id = last_of(obs, path, to);
    if (id == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: nothing has been observed of it", path);
    if (obs->nomem || !observe_index(obs) || !follow_causes(obs, id, &b)) {
        observe_breakdown_fini(&b);
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", path);
    }
    tidy_parts(&b);
    *b_p = b;
    return SIM_OK;
}
