/* The calls that read and write, 13.4 of MPI 3.1. */
#include <string.h>

#include "hosts/mpi/io/io.h"

static bool writes_file(const struct mpi_file_call *c)
{
    return (c->kind & MPI_FILE_WRITE) != 0;
}

static int check_call(struct mpi_file *f, const struct mpi_file_call *c, struct mpi_access *a)
{
    uint64_t etype = f->view.etype->bytes;
    bool shares = (c->kind & (MPI_FILE_SHARED | MPI_FILE_ORDERED)) != 0;
    int unwanted =
        (writes_file(c) ? MPI_MODE_RDONLY : MPI_MODE_WRONLY) | (shares ? 0 : MPI_MODE_SEQUENTIAL);
    int code = mpi_file_check_mode(f, unwanted);

    if (code == MPI_SUCCESS)
        code = mpi_check_memory(f->mr, c->buf, c->count, c->type, &a->type);
    if (code != MPI_SUCCESS)
        return code;
    if (c->offset < 0)
        return mpi_fail(f->mr, MPI_ERR_ARG, "offset = %lld: expected 0 or more", c->offset);
    a->count = (uint64_t)c->count;
    a->bytes = a->count * a->type->bytes;
    if (etype == 0 ? a->bytes > 0 : a->bytes % etype != 0) {
        a->bytes = 0;
        return mpi_fail(f->mr, MPI_ERR_IO, "count = %d: not a whole number of etypes of %llu bytes",
                        c->count, (unsigned long long)etype);
    }
    return code;
}

/* Where each rank begins, and the shared pointer after all of them; the view of all is the same. */
static int order_ranks(struct mpi_file *f, struct mpi_access *a, int code)
{
    int64_t own = code == MPI_SUCCESS ? mpi_file_etypes(f, a->bytes) : 0, *all, sum = 0, at = 0;
    int bad = mpi_file_gather(f, &own, sizeof(own), &all);

    if (bad != MPI_SUCCESS)
        return bad;
    for (int r = 0; r < f->comm->size; r++) {
        a->at += r < f->comm->rank ? all[r] : 0;
        sum += all[r];
    }
    mpi_block_free(all);
    if (f->comm->rank == 0) { /* no other rank uses it before all know */
        at = *f->shared;
        *f->shared += sum;
    }
    bad = mpi_file_broadcast(f, &at, MPI_SUCCESS);
    a->at += at;
    return bad;
}

/* Finds the place, and moves the pointer beyond what is asked for (13.4.3). */
static int find_place(struct mpi_file *f, const struct mpi_file_call *c, struct mpi_access *a,
                      int code)
{
    if ((c->kind & MPI_FILE_ORDERED) != 0)
        return order_ranks(f, a, code);
    if (code != MPI_SUCCESS)
        return MPI_SUCCESS;
    if ((c->kind & MPI_FILE_SHARED) != 0)
        return mpi_file_shared(f, mpi_file_etypes(f, a->bytes), &a->at);
    a->at = (c->kind & MPI_FILE_AT) != 0 ? c->offset : f->at;
    if ((c->kind & MPI_FILE_AT) == 0)
        f->at += mpi_file_etypes(f, a->bytes);
    return MPI_SUCCESS;
}

/* A rank whose arguments are wrong takes its part in what ranks exchange all the same.
 * Non-blocking calls do not wait for others: each rank does its part. */
static int access_file(struct mpi_file *f, const struct mpi_file_call *c, uint64_t *done_p)
{
    struct mpi_access a = { .writes = writes_file(c), .buf = (char *)(uintptr_t)c->buf };
    bool all = (c->kind & (MPI_FILE_ALL | MPI_FILE_ORDERED)) != 0 && c->request == NULL;
    int code, bad;

    if (all && f->half != NULL)
        return mpi_fail(f->mr, MPI_ERR_IO, "%.60s: %s has not ended", f->name, f->half);
    code = check_call(f, c, &a);
    bad = find_place(f, c, &a, code);
    if (bad != MPI_SUCCESS)
        return bad;
    if (all)
        return mpi_file_transfer_all(f, &a, code, done_p);
    return code == MPI_SUCCESS ? mpi_file_transfer(f, &a, done_p) : code;
}

/* The name of the call that began, with "_end" instead of "_begin". */
static int end_split(struct mpi_file *f, MPI_Status *status)
{
    const char *own = mpi_call_name(f->mr->outer);
    size_t n = strlen(own) - strlen("end");

    if (f->half == NULL || strncmp(f->half, own, n) != 0 || strcmp(f->half + n, "begin") != 0)
        return mpi_fail(f->mr, MPI_ERR_IO, "%.60s: %sbegin was not called", f->name, own);
    f->half = NULL;
    mpi_status_give(status, &f->half_status);
    return MPI_SUCCESS;
}

/* Split collectives may be done by either half (13.4.5). */
int mpi_do_file(struct mpi_file *f, const struct mpi_file_call *c)
{
    uint64_t bytes = 0;
    MPI_Status done;
    int code;

    if ((c->kind & MPI_FILE_END) != 0)
        return end_split(f, c->status);
    code = access_file(f, c, &bytes);
    done = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, bytes);
    if (c->request == NULL && (c->kind & MPI_FILE_BEGIN) == 0) {
        mpi_status_give(c->status, &done);
    } else if (code == MPI_SUCCESS && c->request == NULL) {
        f->half = mpi_call_name(f->mr->outer);
        f->half_status = done;
    } else if (code == MPI_SUCCESS) {
        /* The access is done within the call, which the standard leaves to the library. */
        const struct mpi_request rq = {
            .active = true, .receives = true, .peer = MPI_ANY_SOURCE, .status = done
        };

        mpi_ended(f->mr, mpi_request_add(f->mr, &rq, c->request));
    }
    return code;
}
