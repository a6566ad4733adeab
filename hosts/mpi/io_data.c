/* Bytes between memory and file. */
#define _POSIX_C_SOURCE 200809L /* pread, pwrite */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hosts/mpi/call.h"
#include "hosts/mpi/io.h"

#define STAGE_BYTES (UINT64_C(4) << 20) /* of memory with gaps that are packed at once */

/** A way through blocks of the file; those that touch are one system call. */
struct blocks {
    struct mpi_file *f;
    bool writes;
    char *next;      /* in memory, of the next block */
    char *data;      /* of the pending one: */
    int64_t at;      /* in the file */
    uint64_t length; /* 0: none is */
    uint64_t calls, done;
    int error;  /* errno */
    bool ended; /* the file */
};

/* Does the pending one. */
static void flush(struct blocks *b)
{
    while (b->length > 0 && b->error == 0 && !b->ended) {
        ssize_t n = b->writes ? pwrite(b->f->fd, b->data, b->length, b->at)
                              : pread(b->f->fd, b->data, b->length, b->at);

        b->calls++;
        if (n < 0 && errno != EINTR)
            b->error = errno;
        b->ended = n == 0;
        n = n > 0 ? n : 0;
        b->data += n;
        b->at += n;
        b->length -= (uint64_t)n;
        b->done += (uint64_t)n;
    }
    b->length = 0;
}

static void add_block(struct blocks *b, int64_t at, uint64_t bytes)
{
    if (b->length == 0 || b->at + (int64_t)b->length != at) {
        flush(b);
        b->at = at;
        b->data = b->next;
    }
    b->length += bytes;
    b->next += bytes;
}

static void add_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct blocks *b = arg;

    for (uint64_t i = 0; i < n && b->error == 0 && !b->ended; i++)
        add_block(b, b->f->view.disp + offset + (int64_t)i * stride, bytes);
}

/* Data without gaps in memory. */
static void move(struct blocks *b, uint64_t from, uint64_t bytes, char *data)
{
    b->next = data;
    mpi_type_walk(b->f->view.filetype, from, bytes, add_run, b);
    flush(b);
}

/* Data with gaps, piece by piece. */
static void move_packed(struct blocks *b, const struct mpi_access *a, uint64_t from)
{
    struct mpi_rank *mr = b->f->mr;
    uint64_t room = a->bytes < STAGE_BYTES ? a->bytes : STAGE_BYTES;
    uint8_t *stage = mpi_block_new(mr, room);

    for (uint64_t at = 0; at < a->bytes && b->error == 0 && !b->ended; at += room) {
        uint64_t n = a->bytes - at < room ? a->bytes - at : room, before = b->done;

        if (a->writes)
            mpi_type_pack_range(a->type, a->buf, at, n, stage);
        move(b, from + at, n, (char *)stage);
        if (!a->writes)
            mpi_type_unpack_range(a->type, a->buf, at, b->done - before, stage);
    }
    mpi_block_free(stage);
    mpi_spend_copy(mr, b->done);
}

/* Others wait for the lock meanwhile: it is asked for by the first operation, and held when that
 * is known to be done. */
static int lock(struct mpi_file *f, const char *call)
{
    int64_t now;
    int code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, f->win);

    f->mr->outer = call;
    if (code == MPI_SUCCESS)
        code = MPI_Get(&now, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, f->win);
    f->mr->outer = call;
    if (code == MPI_SUCCESS)
        code = MPI_Win_flush(0, f->win);
    f->mr->outer = call;
    return code;
}

int mpi_file_transfer(struct mpi_file *f, const char *call, const struct mpi_access *a,
                      uint64_t *done_p)
{
    struct mpi_rank *mr = f->mr;
    struct host *h = mr->host;
    struct blocks b = { .f = f, .writes = a->writes };
    uint64_t from = (uint64_t)a->at * f->view.etype->bytes;
    int64_t offset;
    int code = f->atomic ? lock(f, call) : MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        return code;
    if (mpi_type_is_block(a->type, a->count, &offset))
        move(&b, from, a->bytes, a->buf + offset);
    else
        move_packed(&b, a, from);
    h->ops->spend(h, b.calls * h->ops->cost_ps(h, HOST_COST_SYSCALL));
    mpi_spend_copy(mr, b.done);
    *done_p = b.done;
    if (f->atomic)
        code = MPI_Win_unlock(0, f->win);
    mr->outer = call;
    return b.error != 0 ? mpi_file_errno(mr, f->name, b.error) : code;
}

/* ---- collectively --------------------------------------------------------------------------- */

/** Of the file, what lies between a rank's first and its last byte. */
struct range {
    int64_t low, high;
};

static struct range range_of(const struct mpi_file *f, const struct mpi_access *a)
{
    uint64_t from = (uint64_t)a->at * f->view.etype->bytes;

    if (a->bytes == 0 || f->view.filetype->bytes == 0)
        return (struct range){ 0, 0 };
    return (struct range){ mpi_view_byte(&f->view, from),
                           mpi_view_byte(&f->view, from + a->bytes - 1) + 1 };
}

static bool meet(const struct range *all, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (all[i].low < all[k].high && all[k].low < all[i].high)
                return true;
    return false;
}

/* All ranks know all ranges then. */
static int exchange(struct mpi_file *f, struct range own, bool *meet_p)
{
    size_t n = (size_t)f->comm->size;
    struct range *all = mpi_block_zero(f->mr, n * sizeof(*all));
    int code;

    if (all == NULL)
        return mpi_fail(f->mr, MPI_ERR_NO_MEM, "out of memory");
    all[f->comm->rank] = own;
    code = mpi_comm_exchange(f->mr, f->comm, (int *)(void *)all, sizeof(*all) / sizeof(int));
    *meet_p = meet(all, (int)n);
    mpi_block_free(all);
    return code;
}

/* An empty message under a tag of the communicator's collectives. */
static int token(struct mpi_file *f, int tag, int peer, bool receives, const char *call)
{
    struct mpi_coll c = { .mr = f->mr,
                          .comm = f->comm,
                          .s = mpi_schedule_get(f->mr, f->comm, tag) };
    struct mpi_data none = { (char *)f, 0, mpi_type_of(f->mr, MPI_BYTE) };

    if (c.s == NULL)
        return MPI_ERR_NO_MEM;
    if (receives)
        mpi_coll_receive(&c, peer, none);
    else
        mpi_coll_send(&c, peer, none);
    return mpi_coll_run(&c, call);
}

int mpi_file_transfer_all(struct mpi_file *f, const char *call, const struct mpi_access *a,
                          int code, uint64_t *done_p)
{
    struct range own = { 0, 0 };
    int bad = MPI_SUCCESS, tag, last = f->comm->size - 1, rank = f->comm->rank;
    bool in_turn = false;

    if (a->writes) {
        if (code == MPI_SUCCESS)
            own = range_of(f, a);
        bad = exchange(f, own, &in_turn);
    }
    tag = in_turn ? (int)(f->comm->collectives++ & INT32_MAX) : 0;
    if (bad == MPI_SUCCESS && in_turn && rank > 0)
        bad = token(f, tag, rank - 1, true, call);
    if (bad == MPI_SUCCESS && code == MPI_SUCCESS)
        code = mpi_file_transfer(f, call, a, done_p);
    if (bad == MPI_SUCCESS && in_turn && rank < last)
        bad = token(f, tag, rank + 1, false, call);
    return code != MPI_SUCCESS ? code : bad;
}
