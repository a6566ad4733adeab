/* Operations: steps of this rank, in order. */
#ifndef GASNET_PLAN_H
#define GASNET_PLAN_H

#include "hosts/gasnet/coll/coll.h"
#include "hosts/gasnet/coll/letter.h"

enum coll_step_kind {
    COLL_SEND,   /* bytes at `from` to a rank */
    COLL_EXPECT, /* bytes of a rank shall go to `to` */
    COLL_WAIT,   /* until they are there */
    COLL_COPY,
    COLL_FOLD, /* to[] = from[] + right[], element by element; `to` may be one of them */
    COLL_MERGE /* what two ranks say of a barrier, struct coll_phase at `to` and `from` */
};
struct coll_step {
    enum coll_step_kind kind;
    bool own; /* `from` is the library's */
    unsigned peer;
    uint32_t tag;
    void *to;
    const void *from, *right;
    uint64_t bytes;
};

/** What is known of the ids of a barrier. */
struct coll_phase {
    uint32_t named, mismatch;
    int32_t id;
};

/** Memory of the library, which lives as long as the operation. */
struct coll_space {
    STAILQ_ENTRY(coll_space) in_list;
    uint64_t room;
    max_align_t bytes[];
};

struct coll_op {
    LIST_ENTRY(coll_op) in_bucket;
    uint64_t number; /* its handle */
    struct coll_team *team;
    struct coll_box *box;
    struct coll_step *steps;
    unsigned step_count, step_room, next;
    STAILQ_HEAD(, coll_space) spaces;
    struct coll_op *before; /* it stands for this one, too */
    bool done;
    /* sums */
    gasnet_coll_fn_entry_t function;
    int function_arg;
    uint64_t elem_bytes;
    /* barriers */
    struct coll_phase phase;
    int notified_id, notified_flags;
};

/** The next one of its team. */
struct coll_op *coll_op_create(struct gasnet_rank *gr, struct coll_team *team);
/** The program has done with it. */
void coll_op_destroy(struct coll_op *op);
/** The rank ends: this one alone. */
void coll_op_forget(struct coll_op *op);
struct coll_op *coll_op_find(struct gasnet_rank *gr, uint64_t number);
/** It has all its steps: it goes as far as it can. */
void coll_op_begin(struct gasnet_rank *gr, struct coll_op *op);
/** Of it and of those before it that it stands for. */
bool coll_op_done(const struct coll_op *op);
/** That it waits for. -1: none. */
int coll_op_peer(const struct coll_op *op);
void *coll_space(struct gasnet_rank *gr, struct coll_op *op, uint64_t bytes);
void coll_add_send(struct gasnet_rank *gr, struct coll_op *op, unsigned peer, uint32_t tag,
                   const void *from, uint64_t bytes);
void coll_add_expect(struct gasnet_rank *gr, struct coll_op *op, unsigned peer, uint32_t tag,
                     void *to, uint64_t bytes);
void coll_add_wait(struct gasnet_rank *gr, struct coll_op *op, unsigned peer, uint32_t tag);
void coll_add_copy(struct gasnet_rank *gr, struct coll_op *op, void *to, const void *from,
                   uint64_t bytes);
void coll_add_fold(struct gasnet_rank *gr, struct coll_op *op, void *to, const void *left,
                   const void *right, uint64_t bytes);
/** All members have come here. */
void coll_add_meeting(struct gasnet_rank *gr, struct coll_op *op, uint32_t tag);
/** Likewise, and op->phase is what all say together. */
void coll_add_phase(struct gasnet_rank *gr, struct coll_op *op);

#endif /* GASNET_PLAN_H */
