/*
 * Collective writes. Where those of several ranks meet they go in the order of ranks, one after the
 * other; where they only interleave, as the parts of an array do, they go at once. First all ranks
 * report from where to where they write; if that leaves it open, also which blocks.
 */
#include "hosts/mpi/io/io.h"

#define RUNS 128u /* that describe a rank's blocks; each is 32 bytes of a message */

/** Blocks of the file at one distance. */
struct run {
    int64_t offset, stride;
    uint64_t n, bytes; /* n 0: no run */
};

/** All blocks of a rank. */
struct runs {
    int64_t disp; /* the view's */
    uint64_t n;
    bool full; /* there are more */
    struct run at[RUNS];
};

static int64_t end_of(const struct run *r)
{
    return r->offset + (int64_t)(r->n - 1) * r->stride + (int64_t)r->bytes;
}

/* Does it go on where the last one ends? */
static bool joins_run(struct run *last, const struct run *r)
{
    int64_t step = r->offset - last->offset;
    int64_t stride = last->n > 1 ? last->stride : step;

    if (last->bytes != r->bytes || step != (int64_t)last->n * stride ||
        (r->n > 1 && r->stride != stride))
        return false;
    last->stride = stride;
    last->n += r->n;
    return true;
}

static void add_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct runs *own = arg;
    struct run r = { own->disp + offset, n > 1 ? stride : 0, n, bytes };

    if (own->full || (own->n > 0 && joins_run(&own->at[own->n - 1], &r)))
        return;
    own->full = own->n == RUNS;
    if (!own->full)
        own->at[own->n++] = r;
}

/* Tiles that lie in each other leave open where a rank writes. */
static bool is_open(const struct mpi_type *tile)
{
    return tile->extent < tile->true_extent;
}

/* From the first byte to the last. */
static struct run whole_of(const struct mpi_file *f, const struct mpi_access *a)
{
    uint64_t from = (uint64_t)a->at * f->view.etype->bytes;
    int64_t low, high;

    if (a->bytes == 0 || f->view.filetype->bytes == 0)
        return (struct run){ 0 };
    if (is_open(f->view.filetype))
        return (struct run){ 0, 0, 1, INT64_MAX };
    low = mpi_view_byte(&f->view, from);
    high = mpi_view_byte(&f->view, from + a->bytes - 1) + 1;
    return (struct run){ low, 0, 1, (uint64_t)(high - low) };
}

/* Too many runs are one that has all of them in it. */
static void find_runs(const struct mpi_file *f, const struct mpi_access *a, struct runs *own)
{
    uint64_t from = (uint64_t)a->at * f->view.etype->bytes;

    own->disp = f->view.disp;
    mpi_type_walk(f->view.filetype, from, a->bytes, add_run, own);
    if (!own->full && !is_open(f->view.filetype))
        return;
    own->at[0] = whole_of(f, a);
    own->n = 1;
}

/* One block, and blocks at a distance. */
static bool meets_one(const struct run *one, const struct run *r)
{
    int64_t before = one->offset - r->offset - (int64_t)r->bytes; /* >= 0: block 0 is before it */
    int64_t k = before >= 0 && r->stride > 0 ? before / r->stride + 1 : before >= 0;

    return k < (int64_t)r->n && r->offset + k * r->stride < end_of(one);
}

/* May be true where there is only little between them, at two distances. */
static bool runs_meet(const struct run *a, const struct run *b)
{
    int64_t shift;

    if (a->n == 0 || b->n == 0 || end_of(a) <= b->offset || end_of(b) <= a->offset)
        return false;
    if (a->n == 1)
        return meets_one(a, b);
    if (b->n == 1)
        return meets_one(b, a);
    if (a->stride != b->stride)
        return true;
    shift = (b->offset - a->offset) % a->stride;
    shift += shift < 0 ? a->stride : 0;
    return shift < (int64_t)a->bytes || shift + (int64_t)b->bytes > a->stride;
}

static bool any_meet(const struct run *a, const struct run *b, uint64_t n)
{
    for (uint64_t i = 0; i < n && a[i].n > 0; i++)
        for (uint64_t k = 0; k < n && b[k].n > 0; k++)
            if (runs_meet(&a[i], &b[k]))
                return true;
    return false;
}

/** What all ranks report at first. */
struct outline {
    struct run whole; /* from the first byte to the last */
    uint64_t runs;    /* within */
};

/* The same on all ranks. *runs_p: at most, of one rank. */
static int outlines_meet(struct mpi_file *f, const struct outline *own, int *meet_p,
                         uint64_t *runs_p)
{
    struct outline *all;
    int code = mpi_file_gather(f, own, sizeof(*own), &all);

    if (code != MPI_SUCCESS)
        return code;
    *runs_p = 0;
    for (int i = 0; i < f->comm->size; i++) {
        *runs_p = all[i].runs > *runs_p ? all[i].runs : *runs_p;
        for (int k = 0; k < i && !*meet_p; k++)
            *meet_p = runs_meet(&all[i].whole, &all[k].whole);
    }
    mpi_block_free(all);
    return MPI_SUCCESS;
}

/* Each rank compares itself with those below. */
static int blocks_meet(struct mpi_file *f, const struct run *own, uint64_t n, int *meet_p)
{
    struct run *all;
    int *all_meet, code = mpi_file_gather(f, own, n * sizeof(*own), &all);

    if (code != MPI_SUCCESS)
        return code;
    *meet_p = 0;
    for (int r = 0; r < f->comm->rank && !*meet_p; r++)
        *meet_p = any_meet(own, &all[(uint64_t)r * n], n);
    mpi_block_free(all);
    code = mpi_file_gather(f, meet_p, sizeof(*meet_p), &all_meet);
    if (code != MPI_SUCCESS)
        return code;
    for (int r = 0; r < f->comm->size; r++)
        *meet_p |= all_meet[r];
    mpi_block_free(all_meet);
    return MPI_SUCCESS;
}

static int find_out(struct mpi_file *f, const struct mpi_access *a, bool good, int *meet_p)
{
    struct runs own = { 0 };
    struct outline outline = { 0 };
    uint64_t n;
    int code;

    if (good) {
        find_runs(f, a, &own);
        outline = (struct outline){ whole_of(f, a), own.n };
    }
    code = outlines_meet(f, &outline, meet_p, &n);
    return code == MPI_SUCCESS && *meet_p ? blocks_meet(f, own.at, n, meet_p) : code;
}

/* An empty message under a tag of the communicator's collectives. */
static int pass_token(struct mpi_file *f, int tag, int peer, bool receives)
{
    struct mpi_coll c = { .mr = f->mr,
                          .comm = f->comm,
                          .s = mpi_schedule_get(f->mr, f->comm, tag) };
    struct mpi_data none = mpi_bytes(&c, (char *)f, 0);

    if (receives)
        mpi_coll_receive(&c, peer, none);
    else
        mpi_coll_send(&c, peer, none);
    return mpi_coll_run(&c, f->mr->outer);
}

int mpi_file_transfer_all(struct mpi_file *f, const struct mpi_access *a, int code,
                          uint64_t *done_p)
{
    int bad = MPI_SUCCESS, in_turn = 0, tag = 0, rank = f->comm->rank;

    if (a->writes)
        bad = find_out(f, a, code == MPI_SUCCESS, &in_turn);
    if (in_turn)
        tag = (int)(f->comm->collectives++ & INT32_MAX);
    if (bad == MPI_SUCCESS && in_turn && rank > 0)
        bad = pass_token(f, tag, rank - 1, true);
    if (bad == MPI_SUCCESS && code == MPI_SUCCESS)
        code = mpi_file_transfer(f, a, done_p);
    if (bad == MPI_SUCCESS && in_turn && rank < f->comm->size - 1)
        bad = pass_token(f, tag, rank + 1, false);
    return code != MPI_SUCCESS ? code : bad;
}
