/* Bytes between memory and file. */
#define _POSIX_C_SOURCE 200809L /* pread, pwrite */
#include <errno.h>
#include <unistd.h>

#include "hosts/mpi/io/io.h"

#define STAGE_BYTES (UINT64_C(4) << 20) /* of memory with gaps that are packed at once */

/** A way through blocks of the file; those that touch are one system call. */
struct blocks {
    struct mpi_file *f;
    bool writes;
    char *next;                   /* in memory, of the next block */
    char *data;                   /* the pending one: */
    int64_t at;                   /* in the file */
    uint64_t length;              /* 0: none is */
    uint64_t calls, done, copied; /* bytes, each time that they are */
    int error;                    /* errno */
    bool ended;                   /* the file */
};

/* Does the pending one. */
static void flush_block(struct blocks *b)
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
        b->copied += (uint64_t)n;
    }
    b->length = 0;
}

static void add_block(struct blocks *b, int64_t at, uint64_t bytes)
{
    if (b->length == 0 || b->at + (int64_t)b->length != at) {
        flush_block(b);
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
static void move_flat(struct blocks *b, uint64_t from, uint64_t bytes, char *data)
{
    b->next = data;
    mpi_type_walk(b->f->view.filetype, from, bytes, add_run, b);
    flush_block(b);
}

/* Data with gaps, piece by piece. */
static void move_packed(struct blocks *b, const struct mpi_access *a, uint64_t from)
{
    uint64_t room = a->bytes < STAGE_BYTES ? a->bytes : STAGE_BYTES;
    uint8_t *stage = mpi_block_new(b->f->mr, room);

    for (uint64_t at = 0; at < a->bytes && b->error == 0 && !b->ended; at += room) {
        uint64_t n = a->bytes - at < room ? a->bytes - at : room, before = b->done;

        if (a->writes)
            mpi_type_pack_range(a->type, a->buf, at, n, stage);
        move_flat(b, from + at, n, (char *)stage);
        if (!a->writes)
            mpi_type_unpack_range(a->type, a->buf, at, b->done - before, stage);
    }
    mpi_block_free(stage);
    b->copied += b->done;
}

/* Others wait for the lock meanwhile: it is asked for by the first operation, and held when that
 * is known to be done. */
static int lock_file(struct mpi_file *f)
{
    int64_t now;
    int code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, f->win);

    if (code == MPI_SUCCESS)
        code = MPI_Get(&now, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, f->win);
    return code == MPI_SUCCESS ? MPI_Win_flush(0, f->win) : code;
}

int mpi_file_transfer(struct mpi_file *f, const struct mpi_access *a, uint64_t *done_p)
{
    struct host *h = f->mr->host;
    struct blocks b = { .f = f, .writes = a->writes };
    uint64_t from = (uint64_t)a->at * f->view.etype->bytes;
    int64_t offset;
    int code = f->atomic ? lock_file(f) : MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        return code;
    if (mpi_type_is_block(a->type, a->count, &offset))
        move_flat(&b, from, a->bytes, a->buf + offset);
    else
        move_packed(&b, a, from);
    h->cpu->spend(h, b.calls * h->cpu->cost_ps(h, HOST_COST_SYSCALL) +
                         b.copied * h->cpu->cost_ps(h, HOST_COST_COPY_KB) / 1024);
    *done_p = b.done;
    if (f->atomic)
        code = MPI_Win_unlock(0, f->win);
    return b.error != 0 ? mpi_file_errno(f->mr, f->name, b.error) : code;
}
