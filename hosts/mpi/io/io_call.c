/* The calls that read and write, 13.4 of MPI 3.1. */
#include <string.h>

#include "hosts/mpi/io/io.h"

enum place {
    AT,     /* an explicit offset */
    OWN,    /* the individual pointer */
    SHARED, /* the shared one */
    ORDERED /* the same, in the order of ranks */
};

/** What a call was given. */
struct call {
    const char *name;
    MPI_File file;
    bool writes, all;
    enum place place;
    MPI_Offset offset;
    const void *buf;
    int count;
    MPI_Datatype type;
};

static int check_call(struct mpi_file *f, const struct call *c, struct mpi_access *a)
{
    uint64_t etype = f->view.etype->bytes;
    int unwanted = (c->writes ? MPI_MODE_RDONLY : MPI_MODE_WRONLY) |
                   (c->place == AT || c->place == OWN ? MPI_MODE_SEQUENTIAL : 0);
    int code = mpi_file_check_mode(f, unwanted);

    if (code == MPI_SUCCESS)
        code = mpi_check_memory(f->mr, c->buf, c->count, c->type, &a->type);
    if (code != MPI_SUCCESS)
        return code;
    if (c->place == AT && c->offset < 0)
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
static int order_ranks(struct mpi_file *f, const struct call *c, struct mpi_access *a, int code)
{
    int64_t own = code == MPI_SUCCESS ? mpi_file_etypes(f, a->bytes) : 0, *all, sum = 0, at = 0;
    int bad;

    all = mpi_file_gather(f, &own, sizeof(own));
    if (all == NULL)
        return MPI_ERR_NO_MEM;
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
    f->mr->outer = c->name;
    a->at += at;
    return bad;
}

/* Finds the place, and moves the pointer beyond what is asked for (13.4.3). */
static int find_place(struct mpi_file *f, const struct call *c, struct mpi_access *a, int code)
{
    if (c->place == ORDERED)
        return order_ranks(f, c, a, code);
    if (code != MPI_SUCCESS)
        return MPI_SUCCESS;
    if (c->place == SHARED)
        return mpi_file_shared(f, c->name, mpi_file_etypes(f, a->bytes), &a->at);
    a->at = c->place == AT ? c->offset : f->at;
    if (c->place == OWN)
        f->at += mpi_file_etypes(f, a->bytes);
    return MPI_SUCCESS;
}

/* A rank whose arguments are wrong takes its part in what ranks exchange all the same. */
static int access_file(struct mpi_file *f, const struct call *c, uint64_t *done_p)
{
    struct mpi_access a = { .writes = c->writes, .buf = (char *)(uintptr_t)c->buf };
    int code, bad;

    if (c->all && f->half != NULL)
        return mpi_fail(f->mr, MPI_ERR_IO, "%.60s: %s has not ended", f->name, f->half);
    code = check_call(f, c, &a);
    bad = find_place(f, c, &a, code);
    if (bad != MPI_SUCCESS)
        return bad;
    if (c->all)
        return mpi_file_transfer_all(f, c->name, &a, code, done_p);
    return code == MPI_SUCCESS ? mpi_file_transfer(f, c->name, &a, done_p) : code;
}

static int access_with_status(struct mpi_file *f, const struct call *c, MPI_Status *done_p)
{
    uint64_t done = 0;
    int code = access_file(f, c, &done);

    *done_p = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, done);
    return code;
}

static int access_blocking(const struct call *c, MPI_Status *status)
{
    struct mpi_file *f = mpi_file_begin(c->name, c->file);
    MPI_Status done;
    int code = MPI_ERR_FILE;

    if (f != NULL) {
        code = access_with_status(f, c, &done);
        mpi_status_give(status, &done);
    }
    return mpi_file_end(f, c->name, code);
}

/* The access is done within the call, which the standard leaves to the library. */
static int access_non_blocking(const struct call *c, MPI_Request *request)
{
    struct mpi_file *f = mpi_file_begin(c->name, c->file);
    struct mpi_request rq = { .active = true, .receives = true, .peer = MPI_ANY_SOURCE };
    int code = f != NULL ? access_with_status(f, c, &rq.status) : MPI_ERR_FILE;

    if (code == MPI_SUCCESS)
        mpi_ended(f->mr, mpi_request_add(f->mr, &rq, request));
    return mpi_file_end(f, c->name, code);
}

/* Split collectives may be done by either half (13.4.5). */
static int begin_split(const struct call *c)
{
    struct mpi_file *f = mpi_file_begin(c->name, c->file);
    MPI_Status done;
    int code = f != NULL ? access_with_status(f, c, &done) : MPI_ERR_FILE;

    if (code == MPI_SUCCESS) {
        f->half = mpi_call_name(c->name);
        f->half_status = done;
    }
    return mpi_file_end(f, c->name, code);
}

/* `name` is that of the call that began, with "_end" instead of "_begin". */
static int end_split(const char *name, MPI_File file, MPI_Status *status)
{
    struct mpi_file *f = mpi_file_begin(name, file);
    const char *own = mpi_call_name(name);
    size_t n = strlen(own) - strlen("end");

    if (f == NULL)
        return mpi_file_end(f, name, MPI_ERR_FILE);
    if (f->half == NULL || strncmp(f->half, own, n) != 0 || strcmp(f->half + n, "begin") != 0)
        return mpi_file_end(
            f, name, mpi_fail(f->mr, MPI_ERR_IO, "%.60s: %sbegin was not called", f->name, own));
    f->half = NULL;
    mpi_status_give(status, &f->half_status);
    return mpi_file_end(f, name, MPI_SUCCESS);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names and types */
#define LIST(...)   __VA_ARGS__
#define DATA(CONST) CONST void *buf, int count, MPI_Datatype type
#define ACCESS(NAME, PARAMETERS, HOW, WRITES, ALL, PLACE, OFFSET)                                  \
    int MPI_File_##NAME(MPI_File file, LIST PARAMETERS)                                            \
    {                                                                                              \
        const struct call c = { __func__, file, WRITES, ALL, PLACE, OFFSET, buf, count, type };    \
                                                                                                   \
        return HOW;                                                                                \
    }

/** One call at each of the three places. */
#define SINGLE(NAME, CONST, WRITES, HOW, RESULT_TYPE)                                              \
    ACCESS(NAME##_at, (MPI_Offset offset, DATA(CONST), RESULT_TYPE * result), HOW(&c, result),     \
           WRITES, false, AT, offset)                                                              \
    ACCESS(NAME, (DATA(CONST), RESULT_TYPE * result), HOW(&c, result), WRITES, false, OWN, 0)      \
    ACCESS(NAME##_shared, (DATA(CONST), RESULT_TYPE * result), HOW(&c, result), WRITES, false,     \
           SHARED, 0)
SINGLE(read, , false, access_blocking, MPI_Status)
SINGLE(write, const, true, access_blocking, MPI_Status)
SINGLE(iread, , false, access_non_blocking, MPI_Request)
SINGLE(iwrite, const, true, access_non_blocking, MPI_Request)

/** A collective one, whole and in halves. */
#define END(NAME, CONST)                                                                           \
    int MPI_File_##NAME##_end(MPI_File file, CONST void *buf, MPI_Status *status)                  \
    {                                                                                              \
        (void)buf;                                                                                 \
        return end_split(__func__, file, status);                                                  \
    }
#define COLLECTIVE(NAME, CONST, WRITES, PLACE)                                                     \
    ACCESS(NAME, (DATA(CONST), MPI_Status * status), access_blocking(&c, status), WRITES, true,    \
           PLACE, 0)                                                                               \
    ACCESS(NAME##_begin, (DATA(CONST)), begin_split(&c), WRITES, true, PLACE, 0)                   \
    END(NAME, CONST)
COLLECTIVE(read_all, , false, OWN)
COLLECTIVE(write_all, const, true, OWN)
COLLECTIVE(read_ordered, , false, ORDERED)
COLLECTIVE(write_ordered, const, true, ORDERED)

/** At an offset. Non-blocking ones do not wait for others: each rank does its part. */
#define COLLECTIVE_AT(NAME, CONST, WRITES)                                                         \
    ACCESS(NAME##_at_all, (MPI_Offset offset, DATA(CONST), MPI_Status * status),                   \
           access_blocking(&c, status), WRITES, true, AT, offset)                                  \
    ACCESS(NAME##_at_all_begin, (MPI_Offset offset, DATA(CONST)), begin_split(&c), WRITES, true,   \
           AT, offset)                                                                             \
    END(NAME##_at_all, CONST)                                                                      \
    ACCESS(i##NAME##_at_all, (MPI_Offset offset, DATA(CONST), MPI_Request * request),              \
           access_non_blocking(&c, request), WRITES, false, AT, offset)                            \
    ACCESS(i##NAME##_all, (DATA(CONST), MPI_Request * request), access_non_blocking(&c, request),  \
           WRITES, false, OWN, 0)
COLLECTIVE_AT(read, , false)
COLLECTIVE_AT(write, const, true)
/* NOLINTEND(bugprone-macro-parentheses) */
