/* Messages between members: data at once, or long ones when their place is known. */
#include "hosts/gasnet/coll/letter.h"

#include <stdlib.h>
#include <string.h>

enum coll_message { DATA = GASNET_SYS_COLL, PLACE, WRITTEN };

/* ---- boxes ---- */

static unsigned bucket_of(uint32_t team, uint32_t sequence)
{
    return (team * 31 + sequence) % COLL_BUCKETS;
}

struct coll_box *coll_box_of(struct gasnet_rank *gr, uint32_t team, uint32_t sequence)
{
    struct gasnet_coll *c = gr->coll;
    unsigned bucket = bucket_of(team, sequence);
    struct coll_box *box;

    LIST_FOREACH(box, &c->boxes[bucket], in_bucket)
    if (box->team == team && box->sequence == sequence)
        return box;
    box = gasnet_need(gr, calloc(1, sizeof(*box)));
    box->team = team;
    box->sequence = sequence;
    STAILQ_INIT(&box->letters);
    LIST_INSERT_HEAD(&c->boxes[bucket], box, in_bucket);
    return box;
}

static void drop(struct coll_box *box, struct coll_letter *letter)
{
    STAILQ_REMOVE(&box->letters, letter, coll_letter, in_list);
    free(letter->kept);
    free(letter);
}

void coll_box_destroy(struct coll_box *box)
{
    struct coll_letter *letter;

    while ((letter = STAILQ_FIRST(&box->letters)) != NULL)
        drop(box, letter);
    LIST_REMOVE(box, in_bucket);
    free(box);
}

static struct coll_letter *find(struct coll_box *box, unsigned node, uint32_t tag, bool is_place)
{
    struct coll_letter *letter;

    STAILQ_FOREACH(letter, &box->letters, in_list)
    if (letter->node == node && letter->tag == tag && letter->is_place == is_place)
        break;
    return letter;
}

static struct coll_letter *find_or_make(struct gasnet_rank *gr, struct coll_box *box, unsigned node,
                                        uint32_t tag, bool is_place)
{
    struct coll_letter *letter = find(box, node, tag, is_place);

    if (letter != NULL)
        return letter;
    letter = gasnet_need(gr, calloc(1, sizeof(*letter)));
    letter->node = node;
    letter->tag = tag;
    letter->is_place = is_place;
    STAILQ_INSERT_TAIL(&box->letters, letter, in_list);
    return letter;
}

/* ---- in ---- */

/* The first arguments of each message. */
#define ARGS_KEY 3u

static struct coll_letter *letter_of(struct gasnet_rank *gr, unsigned node, const int32_t *args,
                                     bool is_place)
{
    struct coll_box *box = coll_box_of(gr, (uint32_t)args[0], (uint32_t)args[1]);
    struct gasnet_coll *c = gr->coll;

    if (box->op != NULL && !box->has_news) {
        box->has_news = true;
        STAILQ_INSERT_TAIL(&c->news, box, in_news);
    }
    return find_or_make(gr, box, node, (uint32_t)args[2], is_place);
}

/* Members that call different collectives, or of different sizes. */
static void check_bytes(struct gasnet_rank *gr, unsigned node, uint64_t there, uint64_t here)
{
    if (there != here)
        gasnet_fail(gr,
                    "node %u is at %llu bytes of a collective, and node %u at %llu: expected the "
                    "same calls in the same order on all members of a team",
                    node, (unsigned long long)there, gr->host->rank, (unsigned long long)here);
}

/* A piece: its offset and the bytes of the whole follow the key. */
static void take_data(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                      uint32_t bytes, const int32_t *args, unsigned nargs)
{
    struct coll_letter *letter = letter_of(gr, token->source, args, false);
    uint64_t at = gasnet_unpack(args + ARGS_KEY), all = gasnet_unpack(args + ARGS_KEY + 2);

    (void)nargs;
    if (letter->posted || letter->begun)
        check_bytes(gr, token->source, all, letter->bytes);
    letter->begun = true;
    letter->bytes = all;
    letter->got += bytes;
    if (letter->posted) {
        gasnet_copy(gr, letter->to + at, data, bytes);
        return;
    }
    if (letter->kept == NULL && all > 0)
        letter->kept = gasnet_need(gr, malloc(all));
    if (bytes > 0)
        gasnet_copy(gr, letter->kept + at, data, bytes);
}

static void take_place(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                       uint32_t bytes, const int32_t *args, unsigned nargs)
{
    struct coll_letter *letter = letter_of(gr, token->source, args, true);

    (void)data;
    (void)bytes;
    (void)nargs;
    letter->begun = true;
    letter->in_segment = args[ARGS_KEY] != 0;
    letter->at = gasnet_unpack(args + ARGS_KEY + 1);
    letter->bytes = gasnet_unpack(args + ARGS_KEY + 3);
}

static void take_written(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                         uint32_t bytes, const int32_t *args, unsigned nargs)
{
    struct coll_letter *letter = letter_of(gr, token->source, args, false);

    (void)data;
    (void)nargs;
    letter->begun = true;
    letter->got += bytes;
}

void coll_letters_start(struct gasnet_rank *gr)
{
    gasnet_system_set(gr, DATA, take_data);
    gasnet_system_set(gr, PLACE, take_place);
    gasnet_system_set(gr, WRITTEN, take_written);
}

/* ---- out ---- */

static void set_key(int32_t *args, const struct coll_box *box, uint32_t tag)
{
    args[0] = (int32_t)box->team;
    args[1] = (int32_t)box->sequence;
    args[2] = (int32_t)tag;
}

static void send_place(struct gasnet_rank *gr, const struct coll_box *box,
                       const struct coll_letter *letter)
{
    uint64_t to = (uint64_t)(uintptr_t)letter->to, base = (uint64_t)(uintptr_t)gr->segment;
    bool in_segment = letter->bytes <= gr->segment_bytes && to >= base &&
                      to - base <= gr->segment_bytes - letter->bytes;
    int32_t args[ARGS_KEY + 5];
    const struct gasnet_am am = { .category = GASNET_SHORT,
                                  .dest = letter->node,
                                  .handler = PLACE,
                                  .nargs = ARGS_KEY + 5,
                                  .args = args };

    set_key(args, box, letter->tag);
    args[ARGS_KEY] = in_segment;
    gasnet_pack(args + ARGS_KEY + 1, in_segment ? to - base : 0);
    gasnet_pack(args + ARGS_KEY + 3, letter->bytes);
    gasnet_send(gr, &am);
}

void coll_expect(struct gasnet_rank *gr, struct coll_box *box, unsigned node, uint32_t tag,
                 void *to, uint64_t bytes)
{
    struct coll_letter *letter = find_or_make(gr, box, node, tag, false);

    if (letter->begun)
        check_bytes(gr, node, letter->bytes, bytes);
    letter->to = to;
    letter->bytes = bytes;
    letter->posted = true;
    if (letter->got > 0)
        gasnet_copy(gr, to, letter->kept, letter->got); /* pieces come in order */
    free(letter->kept);
    letter->kept = NULL;
    if (bytes >= COLL_LONG_LEAST)
        send_place(gr, box, letter);
}

bool coll_has_come(struct coll_box *box, unsigned node, uint32_t tag)
{
    struct coll_letter *letter = find(box, node, tag, false);

    if (!letter->begun || letter->got < letter->bytes)
        return false;
    drop(box, letter);
    return true;
}

static void send_pieces(struct gasnet_rank *gr, const struct coll_box *box, unsigned node,
                        uint32_t tag, const uint8_t *from, uint64_t bytes)
{
    int32_t args[ARGS_KEY + 4];
    struct gasnet_am am = { .category = GASNET_MEDIUM,
                            .dest = node,
                            .handler = DATA,
                            .nargs = ARGS_KEY + 4,
                            .args = args };
    uint64_t at = 0;

    set_key(args, box, tag);
    gasnet_pack(args + ARGS_KEY + 2, bytes);
    do {
        am.from = from + at;
        am.bytes = bytes - at < gr->medium_max ? bytes - at : gr->medium_max;
        gasnet_pack(args + ARGS_KEY, at);
        gasnet_send(gr, &am);
        at += am.bytes;
    } while (at < bytes);
}

static void write_long(struct gasnet_rank *gr, const struct coll_box *box, unsigned node,
                       uint32_t tag, const uint8_t *from, uint64_t bytes, uint64_t to)
{
    int32_t args[ARGS_KEY];
    struct gasnet_am am = {
        .category = GASNET_LONG, .dest = node, .handler = WRITTEN, .nargs = ARGS_KEY, .args = args
    };

    set_key(args, box, tag);
    for (uint64_t at = 0; at < bytes; at += am.bytes) {
        am.from = from + at;
        am.bytes = bytes - at < TRANSPORT_BYTES_MAX ? bytes - at : TRANSPORT_BYTES_MAX;
        am.to = to + at;
        gasnet_send(gr, &am);
    }
}

bool coll_send(struct gasnet_rank *gr, struct coll_box *box, unsigned node, uint32_t tag,
               const void *from, uint64_t bytes, bool own)
{
    struct coll_letter *place;
    struct coll_letter where;

    if (bytes < COLL_LONG_LEAST) {
        send_pieces(gr, box, node, tag, from, bytes);
        return true;
    }
    place = find(box, node, tag, true);
    if (place == NULL)
        return false;
    where = *place;
    drop(box, place);
    check_bytes(gr, node, where.bytes, bytes);
    if (where.in_segment && !own)
        write_long(gr, box, node, tag, from, bytes, where.at);
    else
        send_pieces(gr, box, node, tag, from, bytes);
    return true;
}
