/* What an observer keeps: marks in chunks, so that ids stay valid while it grows, and holds. */
#include "observe/internal.h"

#include <stdlib.h>

bool id_list_add(struct id_list *list, uint64_t id)
{
    if (list->n == list->room) {
        uint64_t room = list->room != 0 ? list->room * 2 : 256;
        uint64_t *ids = realloc(list->ids, room * sizeof(*ids));

        if (ids == NULL)
            return false;
        list->ids = ids;
        list->room = room;
    }
    list->ids[list->n++] = id;
    return true;
}

static bool add_chunk(struct observer *obs)
{
    uint64_t at = obs->n >> CHUNK_LOG2;

    if (at == obs->chunks_room) {
        uint64_t room = obs->chunks_room != 0 ? obs->chunks_room * 2 : 16;
        struct sim_mark **chunks = realloc(obs->chunks, room * sizeof(struct sim_mark *));

        if (chunks == NULL)
            return false;
        obs->chunks = chunks;
        obs->chunks_room = room;
    }
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
    if (obs->nholds == obs->holds_room) {
        uint64_t room = obs->holds_room != 0 ? obs->holds_room * 2 : 256;
        struct sim_hold *holds = realloc(obs->holds, room * sizeof(*holds));

        if (holds == NULL) {
            obs->nomem = true;
            return;
        }
        obs->holds = holds;
        obs->holds_room = room;
    }
    obs->holds[obs->nholds++] = *hold;
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
    free(obs->by_queue.ids);
    free(obs->by_where.ids);
    free(obs);
}

const struct sim_probe *observe_probe(struct observer *obs)
{
    return &obs->probe;
}
