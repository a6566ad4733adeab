/*
 * Channels. Records lie one behind the other in chunks. The sender fills `out`;
 * at the end of a window its chunks move to `in`, from which the receiver is
 * served by one event. Inside one domain records go to `in` at once.
 */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 8192u

struct record {
    sim_time_t arrival;
    uint64_t key;
    uint32_t bytes; /* of the record proper, which follows */
    uint32_t room;  /* rounded up to 8 */
};

struct chunk {
    struct chunk *next;
    uint32_t used, room;
    _Alignas(8) unsigned char data[];
};

struct chunk_list {
    struct chunk *first, *last;
};

struct sim_channel {
    struct sim_channel_config cfg;
    struct chunk_list out, in;
    uint32_t read; /* offset in in.first */
    bool is_dirty;
    bool crossing, listening;
    struct chunk *spare;
    struct record *open; /* reserved, not yet sent */
    sim_time_t last_arrival;
    struct sim_event deliver;
    struct sim_channel *next_dirty, *next_of_sim;
};

static struct chunk *chunk_take(struct sim_channel *ch, uint32_t need)
{
    uint32_t room = need > CHUNK_BYTES ? need : CHUNK_BYTES;
    struct chunk *c = ch->spare;

    if (c != NULL && c->room >= need) {
        ch->spare = c->next;
    } else {
        c = malloc(sizeof(*c) + room);
        SIM_ASSERT(c != NULL);
        c->room = room;
    }
    c->used = 0;
    c->next = NULL;
    return c;
}

static void chunk_give(struct sim_channel *ch, struct chunk *c)
{
    c->next = ch->spare;
    ch->spare = c;
}

static void list_append(struct chunk_list *list, struct chunk *c)
{
    if (list->last != NULL)
        list->last->next = c;
    else
        list->first = c;
    list->last = c;
}

/* Room in the last chunk of `list`, or in a new one. */
static struct record *list_reserve(struct sim_channel *ch, struct chunk_list *list, uint32_t room)
{
    uint32_t need = (uint32_t)sizeof(struct record) + room;
    struct chunk *c = list->last;

    if (c == NULL || c->room - c->used < need) {
        c = chunk_take(ch, need);
        list_append(list, c);
    }
    return (struct record *)(void *)(c->data + c->used);
}

static struct record *head(const struct sim_channel *ch)
{
    struct chunk *c = ch->in.first;

    return c != NULL && ch->read < c->used ? (struct record *)(void *)(c->data + ch->read) : NULL;
}

static void arm(struct sim_channel *ch)
{
    const struct record *r = head(ch);

    if (r == NULL || ch->deliver.slot != 0 || !ch->listening)
        return;
    ch->deliver.time = r->arrival + (ch->cfg.lazy ? 1 : 0);
    ch->deliver.key = r->key;
    queue_push(&ch->cfg.to->queue, &ch->deliver);
}

/* Leaves the first chunk when it is read to its end; the only one is used again, it is warm. */
static void advance(struct sim_channel *ch)
{
    struct chunk *c = ch->in.first;

    if (c == NULL || ch->read < c->used)
        return;
    ch->read = 0;
    if (c->next == NULL) {
        c->used = 0;
        return;
    }
    ch->in.first = c->next;
    chunk_give(ch, c);
}

static void deliver_head(struct sim_channel *ch)
{
    struct record *r = head(ch);

    ch->cfg.deliver(ch->cfg.arg, r + 1, r->bytes);
    ch->read += (uint32_t)sizeof(*r) + r->room;
    advance(ch);
}

static void deliver(struct sim_event *ev)
{
    struct sim_channel *ch = SIM_CONTAINER_OF(ev, struct sim_channel, deliver);

    deliver_head(ch);
    arm(ch);
}

void sim_channel_settle(struct sim_channel *ch)
{
    const struct record *r;

    SIM_ASSERT(ch->cfg.lazy);
    while ((r = head(ch)) != NULL && r->arrival < ch->cfg.to->now) {
        sim_cancel(ch->cfg.to, &ch->deliver);
        deliver_head(ch);
    }
    arm(ch);
}

void sim_channel_listen(struct sim_channel *ch, bool on)
{
    SIM_ASSERT(ch->cfg.lazy);
    ch->listening = on;
    if (on) /* what has arrived unseen is due at once */
        sim_channel_settle(ch);
    else
        sim_cancel(ch->cfg.to, &ch->deliver);
}

struct sim_channel *sim_channel_create(const struct sim_channel_config *cfg, struct sim_error *err)
{
    struct sim *sim = cfg->from->sim;
    struct sim_channel *ch;

    SIM_ASSERT(cfg->to->sim == sim);
    if (cfg->latency_ps < SIM_NS) {
        (void)sim_error_set(err, SIM_ERR_CONFIG,
                            "channel %s to %s: latency_ps = %llu: expected at least 1000",
                            cfg->from->name, cfg->to->name, (unsigned long long)cfg->latency_ps);
        return NULL;
    }
    ch = calloc(1, sizeof(*ch));
    if (ch == NULL) {
        (void)sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
        return NULL;
    }
    ch->cfg = *cfg;
    ch->crossing = cfg->from != cfg->to;
    ch->listening = !cfg->lazy;
    sim_event_init(&ch->deliver, deliver);
    if (ch->crossing && cfg->latency_ps < sim->lookahead)
        sim->lookahead = cfg->latency_ps;
    ch->next_of_sim = sim->channels;
    sim->channels = ch;
    return ch;
}

void *sim_channel_reserve(struct sim_channel *ch, uint32_t bytes)
{
    uint32_t room = (bytes + 7u) & ~7u;

    SIM_ASSERT(ch->open == NULL);
    ch->open = list_reserve(ch, ch->crossing ? &ch->out : &ch->in, room);
    ch->open->bytes = bytes;
    ch->open->room = room;
    return ch->open + 1;
}

void sim_channel_send(struct sim_channel *ch, sim_time_t depart)
{
    struct sim_domain *from = ch->cfg.from;
    struct record *r = ch->open;
    struct chunk *c = ch->crossing ? ch->out.last : ch->in.last;

    SIM_ASSERT(r != NULL && depart >= from->now);
    r->arrival = depart + ch->cfg.latency_ps;
    SIM_ASSERT(r->arrival >= ch->last_arrival);
    ch->last_arrival = r->arrival;
    r->key = domain_key(from, SIM_ARRIVE);
    c->used += (uint32_t)sizeof(*r) + r->room;
    ch->open = NULL;
    if (!ch->crossing) {
        advance(ch);
        arm(ch);
    } else if (!ch->is_dirty) {
        ch->is_dirty = true;
        ch->next_dirty = from->dirty;
        from->dirty = ch;
    }
}

struct sim_channel *channel_take_dirty(struct sim_domain *dom)
{
    struct sim_channel *ch = dom->dirty;

    if (ch != NULL)
        dom->dirty = ch->next_dirty;
    return ch;
}

/* The test order: each record is copied and what the sender wrote is spoilt, so that a reader who
 * kept a pointer into it, or a sender who wrote late, is found out. */
static void copy_and_poison(struct sim_channel *ch)
{
    struct chunk *c = ch->out.first;

    while (c != NULL) {
        struct chunk *next = c->next;

        for (uint32_t at = 0; at < c->used;) {
            const struct record *r = (const struct record *)(const void *)(c->data + at);
            uint32_t bytes = (uint32_t)sizeof(*r) + r->room;

            memcpy(list_reserve(ch, &ch->in, r->room), r, bytes);
            ch->in.last->used += bytes;
            at += bytes;
        }
        memset(c->data, 0xa5, c->used);
        chunk_give(ch, c);
        c = next;
    }
}

void channel_flush(struct sim_channel *ch)
{
    struct sim_domain *to = ch->cfg.to;
    struct chunk *idle = ch->in.first;

    ch->is_dirty = false;
    if (ch->cfg.from->sim->cfg.order.shuffle_turns) {
        copy_and_poison(ch);
    } else {
        if (idle != NULL && idle->used == 0) { /* read to its end and alone */
            ch->in = ch->out;
            chunk_give(ch, idle);
        } else {
            list_append(&ch->in, ch->out.first);
            ch->in.last = ch->out.last;
        }
    }
    ch->out = (struct chunk_list){ NULL, NULL };
    advance(ch);
    arm(ch);
    to->sim->next[to->id] = queue_next(&to->queue);
}

static void list_free(struct chunk *c)
{
    while (c != NULL) {
        struct chunk *next = c->next;

        free(c);
        c = next;
    }
}

void channel_destroy_all(struct sim *sim)
{
    while (sim->channels != NULL) {
        struct sim_channel *ch = sim->channels;

        sim->channels = ch->next_of_sim;
        list_free(ch->out.first);
        list_free(ch->in.first);
        list_free(ch->spare);
        free(ch);
    }
}
