/*
 * Channels. Records lie one behind the other in chunks. The sender fills `out`;
 * at the end of a window its chunks move to `in`, from which the receiver is
 * served by one event. Inside one domain records go to `in` at once.
 */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

/* A channel begins with a small chunk and has larger ones when that is not enough. A network has
 * one channel for each pair of its nodes, most of which carry little. */
#define CHUNK_FIRST_BYTES 1024u
#define CHUNK_BYTES       8192u

struct record {
    sim_time_t arrival;
    uint64_t key;
    uint32_t bytes; /* the record proper has so many, which follow */
    uint32_t room;  /* rounded up to 8 */
};

struct chunk {
    struct chunk *next; /* the last one's is the first */
    uint32_t used, room;
    uint32_t read; /* offset of the first record that has not been delivered */
    alignas(8) unsigned char data[];
};

/*
 * By cache lines: the sender's, the receiver's, and what only deliveries need. `out` and `in` are
 * the last chunks of circular lists, or NULL. `deliver.time` is when the first record in `in` is
 * due, SIM_TIME_NEVER when there is none, whether the event is scheduled or not.
 */
struct sim_channel {
    struct sim_domain *from;
    unsigned char *at; /* where the next record will lie in the last chunk, */
    uint32_t left;     /* and the bytes that are left from there */
    struct chunk *out;
    sim_time_t latency_ps, last_arrival;
    struct sim_channel *next_dirty;
    bool is_open; /* a record is reserved and not yet sent */
    bool is_dirty, crossing;

    alignas(SIM_CACHE_LINE) struct sim_event deliver;
    struct sim_domain *to;
    struct chunk *in;
    struct record *head; /* the first one in `in`, while there is one */
    uint8_t lazy;        /* 1 or 0 */
    bool listening;

    alignas(SIM_CACHE_LINE) sim_channel_fn fn;
    void *arg;
    struct chunk *spare;
    uint32_t chunk_bytes; /* of one that is made */
    uint32_t number;      /* in a group: in order of creation, from the end */
    struct sim_channel *next_of_sim;
};

/* A record in a parcel; the record itself follows. */
struct exported {
    uint64_t channel;
    struct record record;
};

static struct record *record_at(struct chunk *c, uint32_t offset)
{
    return (struct record *)(void *)(c->data + offset);
}

static __attribute__((noinline)) struct chunk *chunk_new(uint32_t room)
{
    struct chunk *c = sim_calloc(sizeof(*c) + room);

    SIM_ASSERT(c != NULL);
    c->room = room;
    return c;
}

/* A busy channel drops its small ones, so that it works on few that are large. */
static void chunk_give(struct sim_channel *ch, struct chunk *c)
{
    if (c->room < ch->chunk_bytes) {
        free(c);
        return;
    }
    c->used = c->read = 0;
    c->next = ch->spare;
    ch->spare = c;
}

/* A chunk with room for `need` becomes the last one of `list`, where the one before was too small.
 */
static struct chunk *list_extend(struct sim_channel *ch, struct chunk **list, uint32_t need)
{
    struct chunk *c = ch->spare;

    if (*list != NULL && ch->chunk_bytes < CHUNK_BYTES)
        ch->chunk_bytes *= 2;
    if (c != NULL && c->room >= need)
        ch->spare = c->next;
    else
        c = chunk_new(need > ch->chunk_bytes ? need : ch->chunk_bytes);
    if (*list != NULL) {
        c->next = (*list)->next;
        (*list)->next = c;
    } else {
        c->next = c;
    }
    *list = c;
    return c;
}

/* The last chunk of `list`, which has room for `need` more. */
static inline struct chunk *list_room(struct sim_channel *ch, struct chunk **list, uint32_t need)
{
    struct chunk *c = *list;

    return c != NULL && c->room - c->used >= need ? c : list_extend(ch, list, need);
}

static inline bool is_read(const struct chunk *c)
{
    return c->read == c->used;
}

/* The sender's records go to `c` from its beginning on. */
static inline void write_from(struct sim_channel *ch, struct chunk *c)
{
    ch->at = c->data;
    ch->left = c->room;
}

/* Makes the first record in `in` the next one to be delivered, if there is any. A chunk that is
 * read to its end goes; the only one is used again, it is warm. */
static inline void arm_delivery(struct sim_channel *ch)
{
    struct chunk *c = ch->in->next;
    struct record *r;

    while (is_read(c)) { /* one that was too small for a record is empty from the start */
        if (c == ch->in) {
            c->used = c->read = 0;
            if (!ch->crossing)
                write_from(ch, c);
            ch->deliver.time = SIM_TIME_NEVER;
            return;
        }
        ch->in->next = c->next;
        chunk_give(ch, c);
        c = ch->in->next;
    }
    ch->head = r = record_at(c, c->read);
    ch->deliver.time = r->arrival + ch->lazy;
    ch->deliver.key = r->key;
    if (ch->listening)
        queue_push(&ch->to->queue, &ch->deliver);
}

static inline void deliver_head(struct sim_channel *ch)
{
    struct record *r = ch->head;

    ch->fn(ch->arg, r + 1, r->bytes);
    ch->in->next->read += (uint32_t)sizeof(*r) + r->room;
    arm_delivery(ch);
}

static void on_delivery(struct sim_event *ev)
{
    deliver_head(SIM_CONTAINER_OF(ev, struct sim_channel, deliver));
}

void sim_channel_settle(struct sim_channel *ch)
{
    SIM_ASSERT(ch->lazy);
    while (ch->deliver.time <= ch->to->now) {
        sim_cancel(ch->to, &ch->deliver);
        deliver_head(ch);
    }
}

void sim_channel_listen(struct sim_channel *ch, bool on)
{
    SIM_ASSERT(ch->lazy);
    if (ch->listening == on)
        return;
    ch->listening = on;
    if (!on) {
        sim_cancel(ch->to, &ch->deliver);
        return;
    }
    sim_channel_settle(ch); /* what has arrived unseen is due at once */
    if (ch->listening && ch->deliver.time != SIM_TIME_NEVER && ch->deliver.slot == 0)
        queue_push(&ch->to->queue, &ch->deliver);
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
    ch = sim_calloc(sizeof(*ch));
    if (ch == NULL) {
        (void)sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
        return NULL;
    }
    ch->from = cfg->from;
    ch->to = cfg->to;
    ch->latency_ps = cfg->latency_ps;
    ch->fn = cfg->deliver;
    ch->arg = cfg->arg;
    ch->chunk_bytes = CHUNK_FIRST_BYTES;
    ch->lazy = cfg->lazy ? 1 : 0;
    ch->crossing = cfg->from != cfg->to;
    ch->listening = !cfg->lazy;
    sim_event_init(&ch->deliver, on_delivery);
    ch->deliver.time = SIM_TIME_NEVER;
    if (ch->crossing && cfg->latency_ps < sim->lookahead)
        sim->lookahead = cfg->latency_ps;
    ch->next_of_sim = sim->channels;
    sim->channels = ch;
    return ch;
}

/* What the sender has written up to now belongs to the last chunk of `list`. */
static inline void mark_used(struct sim_channel *ch, struct chunk *last)
{
    last->used = (uint32_t)(ch->at - last->data);
}

static __attribute__((noinline)) void next_chunk(struct sim_channel *ch, uint32_t need)
{
    struct chunk **list = ch->crossing ? &ch->out : &ch->in;

    if (*list != NULL)
        mark_used(ch, *list);
    write_from(ch, list_extend(ch, list, need));
}

void *sim_channel_reserve(struct sim_channel *ch, uint32_t bytes)
{
    uint32_t room = (bytes + 7u) & ~7u;
    uint32_t need = (uint32_t)sizeof(struct record) + room;
    struct record *r;

    SIM_ASSERT(!ch->is_open);
    ch->is_open = true;
    if (ch->left < need)
        next_chunk(ch, need);
    r = (struct record *)(void *)ch->at;
    r->bytes = bytes;
    r->room = room;
    return r + 1;
}

void sim_channel_send(struct sim_channel *ch, sim_time_t depart)
{
    struct sim_domain *from = ch->from;
    struct record *r = (struct record *)(void *)ch->at;
    uint32_t bytes = (uint32_t)sizeof(*r) + r->room;

    SIM_ASSERT(ch->is_open && depart >= from->now);
    ch->is_open = false;
    r->arrival = depart + ch->latency_ps;
    SIM_ASSERT(r->arrival >= ch->last_arrival);
    ch->last_arrival = r->arrival;
    r->key = domain_key(from, SIM_ARRIVE);
    ch->at += bytes;
    ch->left -= bytes;
    if (!ch->crossing) {
        mark_used(ch, ch->in);
        if (ch->deliver.time == SIM_TIME_NEVER)
            arm_delivery(ch);
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
    struct chunk *c = ch->out->next, *last = ch->out;
    bool more = true;

    while (more) {
        struct chunk *next = c->next;

        for (uint32_t at = 0; at < c->used;) {
            const struct record *r = record_at(c, at);
            uint32_t bytes = (uint32_t)sizeof(*r) + r->room;
            struct chunk *to = list_room(ch, &ch->in, bytes);

            memcpy(to->data + to->used, r, bytes);
            to->used += bytes;
            at += bytes;
        }
        memset(c->data, 0xa5, c->used);
        chunk_give(ch, c);
        more = c != last;
        c = next;
    }
    ch->out = NULL;
}

/* Mostly both lists are one chunk each, that of the receiver read to its end: they change places.
 */
static void move_chunks(struct sim_channel *ch)
{
    struct chunk *last = ch->in, *first;

    if (last == NULL || (last->next == last && is_read(last))) {
        ch->in = ch->out;
        ch->out = last;
        return;
    }
    first = last->next;
    last->next = ch->out->next;
    ch->out->next = first;
    ch->in = ch->out;
    ch->out = NULL;
}

/* The first record in `in` is the next one to be delivered. */
static void wake_receiver(struct sim_channel *ch)
{
    struct sim_domain *to = ch->to;

    arm_delivery(ch);
    if (ch->listening && ch->deliver.time < to->sim->next[to->id])
        to->sim->next[to->id] = ch->deliver.time;
}

void channel_flush(struct sim_channel *ch)
{
    ch->is_dirty = false;
    mark_used(ch, ch->out);
    if (ch->to->sim->cfg.order.shuffle_turns)
        copy_and_poison(ch);
    else
        move_chunks(ch);
    ch->left = 0;
    if (ch->out != NULL)
        write_from(ch, ch->out);
    if (ch->deliver.time == SIM_TIME_NEVER) /* else an earlier one is next */
        wake_receiver(ch);
}

void channel_export(struct sim_channel *ch)
{
    struct sim_parcel *parcel = group_parcel(ch->to);
    struct chunk *c = ch->out->next, *last = ch->out;
    bool more = true;

    ch->is_dirty = false;
    mark_used(ch, last);
    while (more) {
        struct chunk *next = c->next;

        for (uint32_t at = 0; at < c->used;) {
            const struct record *r = record_at(c, at);
            uint32_t bytes = (uint32_t)sizeof(*r) + r->room;
            unsigned char *to = sim_parcel_room(parcel, sizeof(uint64_t) + bytes);

            memcpy(to, &(uint64_t){ ch->number }, sizeof(uint64_t));
            memcpy(to + sizeof(uint64_t), r, bytes);
            group_sent(ch->from->sim, r->arrival + ch->lazy, ch->lazy != 0);
            at += bytes;
        }
        more = c != last;
        if (more)
            chunk_give(ch, c);
        c = next;
    }
    last->used = last->read = 0;
    last->next = last;
    write_from(ch, last);
}

void channel_import(struct sim *sim, const struct sim_parcel *parcel, size_t *at)
{
    struct exported head;
    struct sim_channel *ch;
    struct chunk *c;
    uint32_t bytes;

    memcpy(&head, parcel->bytes + *at, sizeof(head));
    ch = group_channel(sim, head.channel);
    bytes = (uint32_t)sizeof(head.record) + head.record.room;
    c = list_room(ch, &ch->in, bytes);
    memcpy(c->data + c->used, parcel->bytes + *at + sizeof(head.channel), bytes);
    c->used += bytes;
    *at += sizeof(head.channel) + bytes;
    if (ch->deliver.time == SIM_TIME_NEVER)
        wake_receiver(ch);
}

/* A circular list by its last chunk. */
static void list_free(struct chunk *last)
{
    struct chunk *c = last != NULL ? last->next : NULL;

    while (c != NULL) {
        struct chunk *next = c != last ? c->next : NULL;

        free(c);
        c = next;
    }
}

uint32_t channel_count(const struct sim *sim)
{
    uint32_t n = 0;

    for (const struct sim_channel *ch = sim->channels; ch != NULL; ch = ch->next_of_sim)
        n++;
    return n;
}

void channel_number_all(const struct sim *sim, struct sim_channel **by_number)
{
    uint32_t n = 0;

    for (struct sim_channel *ch = sim->channels; ch != NULL; ch = ch->next_of_sim) {
        by_number[n] = ch;
        ch->number = n++;
    }
}

bool channel_leaves(const struct sim_channel *ch)
{
    return ch->to->away;
}

void channel_destroy_all(struct sim *sim)
{
    while (sim->channels != NULL) {
        struct sim_channel *ch = sim->channels;

        sim->channels = ch->next_of_sim;
        list_free(ch->out);
        list_free(ch->in);
        while (ch->spare != NULL) {
            struct chunk *c = ch->spare;

            ch->spare = c->next;
            free(c);
        }
        free(ch);
    }
}
