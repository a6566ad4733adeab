/*
 * Data between members of a team, for one operation of it. Operations of a team are numbered in the
 * order of their calls, so a message can come before its operation has begun here: a box keeps it.
 *
 * Short data go at once. Long ones wait until the receiver says where it wants them: in its segment
 * they are written as a Long, elsewhere they come in pieces.
 */
#ifndef GASNET_LETTER_H
#define GASNET_LETTER_H

#include "hosts/gasnet/coll/teams.h"

#define COLL_LONG_LEAST 16384u /* bytes */

/** One message, or where its receiver wants it; between two members a tag is used once. */
struct coll_letter {
    STAILQ_ENTRY(coll_letter) in_list;
    unsigned node;
    uint32_t tag;
    bool is_place;      /* an answer: where */
    bool posted, begun; /* expected; something has come */
    uint8_t *to;
    uint64_t bytes, got;
    uint8_t *kept; /* what has come before it was expected */
    bool in_segment;
    uint64_t at; /* a place is so far behind the segment's beginning */
};

struct coll_box {
    LIST_ENTRY(coll_box) in_bucket;
    STAILQ_ENTRY(coll_box) in_news;
    bool has_news;
    uint32_t team, sequence;
    struct coll_op *op; /* NULL: not begun */
    STAILQ_HEAD(, coll_letter) letters;
};

/** Made if there is none yet. */
struct coll_box *coll_box_of(struct gasnet_rank *gr, uint32_t team, uint32_t sequence);
void coll_box_destroy(struct coll_box *box);

/** Data go to `to` from now on. */
void coll_expect(struct gasnet_rank *gr, struct coll_box *box, unsigned node, uint32_t tag,
                 void *to, uint64_t bytes);
/** Has all come that was expected? It is forgotten then. */
bool coll_has_come(struct coll_box *box, unsigned node, uint32_t tag);
/** @return false: the receiver has not said yet where it wants them. `own`: memory of the library,
 * which no device reads. */
bool coll_send(struct gasnet_rank *gr, struct coll_box *box, unsigned node, uint32_t tag,
               const void *from, uint64_t bytes, bool own);

void coll_letters_start(struct gasnet_rank *gr);

#endif /* GASNET_LETTER_H */
