/* What builders are made of: steps, blocks of the caller's memory, and scratch memory like it. */
#include "hosts/mpi/coll/collective.h"

static void add_message(const struct mpi_coll *c, enum mpi_step_kind kind, struct mpi_comm *comm,
                        int peer, struct mpi_data data)
{
    struct mpi_step *st;

    if (peer == MPI_PROC_NULL)
        return;
    st = mpi_schedule_step(c->s, kind);
    if (++c->s->in_round > c->s->most)
        c->s->most = c->s->in_round;
    st->peer = peer;
    st->comm = comm;
    st->from = data;
    data.type->holders++;
}

void mpi_coll_send(const struct mpi_coll *c, int to, struct mpi_data d)
{
    add_message(c, MPI_STEP_SEND, c->comm, to, d);
}

void mpi_coll_receive(const struct mpi_coll *c, int from, struct mpi_data d)
{
    add_message(c, MPI_STEP_RECEIVE, c->comm, from, d);
}

void mpi_coll_send_far(const struct mpi_coll *c, int to, struct mpi_data d)
{
    add_message(c, MPI_STEP_SEND, c->far, to, d);
}

void mpi_coll_receive_far(const struct mpi_coll *c, int from, struct mpi_data d)
{
    add_message(c, MPI_STEP_RECEIVE, c->far, from, d);
}

static void add_local(const struct mpi_coll *c, enum mpi_step_kind kind, struct mpi_data from,
                      struct mpi_data to)
{
    struct mpi_step *st;

    if (from.count == 0)
        return;
    st = mpi_schedule_step(c->s, kind);
    st->from = from;
    st->to = to;
    from.type->holders++;
    to.type->holders++;
}

void mpi_coll_copy(const struct mpi_coll *c, struct mpi_data from, struct mpi_data to)
{
    add_local(c, MPI_STEP_COPY, from, to);
}

void mpi_coll_sum(const struct mpi_coll *c, struct mpi_data left, struct mpi_data right)
{
    add_local(c, MPI_STEP_COMBINE, left, right);
}

void mpi_coll_fence(const struct mpi_coll *c)
{
    if (c->s->nsteps > 0 && c->s->steps[c->s->nsteps - 1].kind != MPI_STEP_FENCE)
        (void)mpi_schedule_step(c->s, MPI_STEP_FENCE);
    c->s->in_round = 0;
}

struct mpi_data mpi_block_range(const struct mpi_blocks *b, int first, int n)
{
    int64_t offset = (int64_t)first * (int64_t)b->count * (int64_t)b->type->extent;

    return (struct mpi_data){ .at = offset != 0 ? b->at + offset : b->at,
                              .count = (uint64_t)n * b->count,
                              .type = b->type };
}

struct mpi_data mpi_block(const struct mpi_coll *c, const struct mpi_blocks *b, int rank)
{
    struct mpi_data d = { 0 };

    if (b->counts == NULL)
        return mpi_block_range(b, rank, 1);
    d.count = (uint64_t)b->counts[rank];
    d.type = b->types != NULL ? mpi_type_of(c->mr, b->types[rank]) : b->type;
    if (b->far != NULL)
        d.at = b->at + b->far[rank];
    else if (b->types != NULL)
        d.at = b->at + b->displs[rank];
    else
        d.at = b->at + (int64_t)b->displs[rank] * (int64_t)b->type->extent;
    return d;
}

uint64_t mpi_data_bytes(struct mpi_data d)
{
    return d.count * d.type->bytes;
}

struct mpi_data mpi_bytes(const struct mpi_coll *c, char *at, uint64_t bytes)
{
    return (struct mpi_data){ .at = at, .count = bytes, .type = mpi_type_of(c->mr, MPI_BYTE) };
}

bool mpi_coll_commutes(const struct mpi_coll *c)
{
    return c->commutes;
}

bool mpi_coll_is_cube(const struct mpi_coll *c)
{
    return mpi_cube_below(c->size) == c->size;
}

static bool is_dense(const struct mpi_type *t, int64_t *offset_p)
{
    return mpi_type_is_block(t, 2, offset_p);
}

struct mpi_data mpi_coll_scratch(const struct mpi_coll *c, uint64_t count, struct mpi_type *type)
{
    int64_t low = type->true_low, step = type->extent, bytes;
    char *at;

    if (count == 0)
        return (struct mpi_data){ .at = NULL, .count = 0, .type = type };
    bytes = type->true_extent + (int64_t)(count - 1) * (step < 0 ? -step : step);
    at = (char *)mpi_schedule_memory(c->s, (uint64_t)bytes) - low;
    if (step < 0)
        at -= (int64_t)(count - 1) * step;
    return (struct mpi_data){ .at = at, .count = count, .type = type };
}

struct mpi_data mpi_coll_packed(const struct mpi_coll *c, struct mpi_data d, bool load)
{
    uint64_t bytes = mpi_data_bytes(d);
    struct mpi_data packed;
    int64_t offset;

    if (bytes == 0)
        return mpi_bytes(c, NULL, 0);
    if (is_dense(d.type, &offset))
        return mpi_bytes(c, d.at + offset, bytes);
    packed = mpi_coll_memory(c, bytes);
    if (load)
        mpi_coll_copy(c, d, packed);
    return packed;
}

void mpi_coll_unpacked(const struct mpi_coll *c, struct mpi_data packed, struct mpi_data d)
{
    int64_t offset;

    if (!is_dense(d.type, &offset))
        mpi_coll_copy(c, packed, d);
}

void mpi_coll_combine(const struct mpi_coll *c, bool got_is_left, struct mpi_data *sum_p,
                      struct mpi_data *got_p)
{
    struct mpi_data got = *got_p;

    if (got_is_left) {
        mpi_coll_sum(c, got, *sum_p);
        return;
    }
    mpi_coll_sum(c, *sum_p, got);
    *got_p = *sum_p;
    *sum_p = got;
}

void mpi_coll_move(const struct mpi_coll *c, struct mpi_data from, struct mpi_data to)
{
    if (from.at != to.at)
        mpi_coll_copy(c, from, to);
}

struct mpi_data mpi_part(struct mpi_data d, uint64_t first, uint64_t end)
{
    d.at += (int64_t)first * (int64_t)d.type->extent;
    d.count = end - first;
    return d;
}

struct mpi_data mpi_coll_given(const struct mpi_coll *c)
{
    struct mpi_data d = mpi_coll_out(c);

    if (c->kind != MPI_COLL_REDUCE_SCATTER)
        return d;
    d.count = 0;
    for (int r = 0; r < c->size; r++)
        d.count += mpi_block_out(c, r).count;
    return d;
}

bool mpi_coll_by_host(const struct mpi_coll *c)
{
    const char *key = NULL;

    if (c->kind == MPI_COLL_BCAST)
        key = "mpi.gpu_bcast_host_bytes";
    else if (c->kind == MPI_COLL_ALLGATHER)
        key = "mpi.gpu_allgather_host_bytes";
    return key != NULL && mpi_on_device(c->mr, c->in.at) &&
           c->bytes <= transport_setting(c->mr->host, key, 0);
}

void mpi_coll_came(struct mpi_coll *c, int rank)
{
    if (c->behind == NULL)
        return;
    add_local(c, MPI_STEP_BESIDE, mpi_block_in(c, rank), mpi_block_range(c->behind, rank, 1));
    c->came++;
}

/* The own block of an allgather has memory of its own on the host, as it has on the GPU; in place,
 * and where blocks go on one by one, it is brought to where the others come. */
static void stage_own(struct mpi_coll *c, const struct mpi_coll *near, bool pinned)
{
    struct mpi_data to = mpi_block_in(near, c->rank), stage;

    if (c->out.at == NULL || near->behind != NULL) {
        mpi_coll_copy(c, c->out.at == NULL ? mpi_block_in(c, c->rank) : mpi_coll_out(c), to);
        return;
    }
    c->s->pinned = pinned;
    stage = mpi_coll_like(c, mpi_coll_out(c));
    mpi_coll_copy(c, mpi_coll_out(c), stage);
    mpi_coll_copy(c, stage, to);
}

/* Blocks that come one by one can go on to the GPU one by one, beside the next ones, if an engine
 * takes them: from pinned memory. */
void mpi_build_by_host(struct mpi_coll *c, void (*build)(struct mpi_coll *c))
{
    const struct host *h = c->mr->host;
    const uint64_t least = transport_setting(h, "mpi.gpu_pinned_bytes", UINT64_MAX);
    bool one = c->kind == MPI_COLL_BCAST, root = one && mpi_coll_is_root(c), pinned;
    int blocks = one ? 1 : c->size;
    struct mpi_coll near = *c;

    near.in.at = mpi_coll_scratch(c, c->in.count * (uint64_t)blocks, c->in.type).at;
    pinned = c->bytes * (uint64_t)blocks >= least;
    c->s->pinned = pinned;
    if (pinned && transport_is_set(h, "mpi.gpu_beside", "on") && mpi_coll_one_by_one(build))
        near.behind = &c->in;
    if (root)
        mpi_coll_copy(c, mpi_block_range(&c->in, 0, 1), mpi_block_range(&near.in, 0, 1));
    else if (!one)
        stage_own(c, &near, c->bytes >= least);
    c->s->pinned = pinned;
    build(&near);
    if (root)
        return;
    mpi_coll_fence(c);
    if (near.came != blocks) /* else they are on their way */
        mpi_coll_copy(c, mpi_block_range(&near.in, 0, blocks), mpi_block_range(&c->in, 0, blocks));
}

void mpi_build_sums(struct mpi_coll *c, void (*build)(struct mpi_coll *c))
{
    struct mpi_coll near = *c;
    struct mpi_data out = mpi_coll_given(c), in = mpi_coll_in(c), d;
    bool out_far = mpi_on_device(c->mr, out.at), in_far = mpi_on_device(c->mr, in.at);

    if (out_far) {
        d = mpi_coll_like(c, out);
        mpi_coll_copy(c, out, d);
        near.out.at = d.at;
    }
    if (in_far && out_far && in.at == out.at)
        near.in.at = near.out.at;
    else if (in_far)
        near.in.at = mpi_coll_like(c, in).at;
    if (in_far && c->kind == MPI_COLL_ALLREDUCE && in.at != out.at &&
        transport_is_set(c->mr->host, "mpi.gpu_allreduce_both", "on"))
        mpi_coll_copy(c, in, mpi_block_range(&near.in, 0, 1));
    build(&near);
    if (!in_far || (c->kind == MPI_COLL_EXSCAN && c->rank == 0))
        return;
    mpi_coll_fence(c);
    mpi_coll_copy(c, mpi_block_range(&near.in, 0, 1), in);
}
