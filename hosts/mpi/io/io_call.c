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

static int check_mode(const struct mpi_file *f, const struct call *c)
{
    if (c->writes && (f->amode & MPI_MODE_RDONLY) != 0)
        return mpi_fail(f->mr, MPI_ERR_READ_ONLY, "%.60s: opened with MPI_MODE_RDONLY", f->name);
    if (!c->writes && (f->amode & MPI_MODE_WRONLY) != 0)
        return mpi_fail(f->mr, MPI_ERR_ACCESS, "%.60s: opened with MPI_MODE_WRONLY", f->name);
    if ((f->amode & MPI_MODE_SEQUENTIAL) != 0 && (c->place == AT || c->place == OWN))
        return mpi_fail(f->mr, MPI_ERR_UNSUPPORTED_OPERATION,
                        "%.60s: opened with MPI_MODE_SEQUENTIAL", f->name);
    return MPI_SUCCESS;
}

static int check(struct mpi_file *f, const struct call *c, struct mpi_access *a)
{
    uint64_t etype = f->view.etype->bytes;
    int code = check_mode(f, c);

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
static int order(struct mpi_file *f, const struct call *c, struct mpi_access *a, int code)
{
    size_t n = (size_t)f->comm->size;
    int64_t *all = mpi_block_zero(f->mr, n * sizeof(*all)), sum = 0, at = 0;
    int bad;

    if (all == NULL)
        return mpi_fail(f->mr, MPI_ERR_NO_MEM, "out of memory");
    all[f->comm->rank] = code == MPI_SUCCESS ? mpi_file_etypes(f, a->bytes) : 0;
    bad = mpi_comm_exchange(f->mr, f->comm, (int *)(void *)all, sizeof(*all) / sizeof(int));
    for (size_t r = 0; r < n; r++) {
        a->at += r < (size_t)f->comm->rank ? all[r] : 0;
        sum += all[r];
    }
    mpi_block_free(all);
    if (f->comm->rank == 0) { /* nobody else uses it before all know */
        at = *f->shared;
        *f->shared += sum;
    }
    if (bad == MPI_SUCCESS)
        bad = mpi_file_broadcast(f, &at, MPI_SUCCESS);
    f->mr->outer = c->name;
    a->at += at;
    return bad;
}

/* Finds the place, and moves the pointer beyond what is asked for (13.4.3). */
static int place(struct mpi_file *f, const struct call *c, struct mpi_access *a, int code)
{
    if (c->place == ORDERED)
        return order(f, c, a, code);
    if (code != MPI_SUCCESS)
        return MPI_SUCCESS;
    if (c->place == SHARED)
        return mpi_file_shared(f, c->name, mpi_file_etypes(f, a->bytes), &a->at);
    a->at = c->place == AT ? c->offset : f->at;
    if (c->place == OWN)
        f->at += mpi_file_etypes(f, a->bytes);
    return MPI_SUCCESS;
}

/* A rank whose arguments are wrong takes its part in what ranks tell each other all the same. */
static int run(struct mpi_file *f, const struct call *c, uint64_t *done_p)
{
    struct mpi_access a = { .writes = c->writes, .buf = (char *)(uintptr_t)c->buf };
    int code, bad;

    *done_p = 0;
    if (c->all && f->half != NULL)
        return mpi_fail(f->mr, MPI_ERR_IO, "%.60s: %s has not ended", f->name, f->half);
    code = check(f, c, &a);
    bad = place(f, c, &a, code);
    if (bad != MPI_SUCCESS)
        return bad;
    if (c->all)
        return mpi_file_transfer_all(f, c->name, &a, code, done_p);
    return code == MPI_SUCCESS ? mpi_file_transfer(f, c->name, &a, done_p) : code;
}

static int blocking(const struct call *c, MPI_Status *status)
{
    struct mpi_file *f = mpi_file_begin(c->name, c->file);
    int code = MPI_ERR_FILE;
    MPI_Status s;
    uint64_t done = 0;

    if (f != NULL) {
        code = run(f, c, &done);
        s = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, done);
        mpi_status_give(status, &s);
    }
    return mpi_file_end(f, c->name, code);
}

/* Done within the call, which the standard leaves to the library; its request only tells so. */
static int non_blocking(const struct call *c, MPI_Request *request)
{
    struct mpi_file *f = mpi_file_begin(c->name, c->file);
    struct mpi_request rq = { .active = true, .receives = true, .peer = MPI_ANY_SOURCE };
    uint64_t done = 0;
    int code = f != NULL ? run(f, c, &done) : MPI_ERR_FILE;

    if (code == MPI_SUCCESS) {
        rq.status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, done);
        code = mpi_request_add(f->mr, &rq, request);
    }
    if (code == MPI_SUCCESS)
        mpi_ended(f->mr, mpi_request_of(f->mr, *request));
    return mpi_file_end(f, c->name, code);
}

/* Split collectives may be done by either half (13.4.5). */
static int begin(const struct call *c)
{
    struct mpi_file *f = mpi_file_begin(c->name, c->file);
    uint64_t done = 0;
    int code = f != NULL ? run(f, c, &done) : MPI_ERR_FILE;

    if (code == MPI_SUCCESS) {
        f->half = mpi_call_name(c->name);
        f->half_status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, done);
    }
    return mpi_file_end(f, c->name, code);
}

/* `name` is that of the call that began, with "_end" instead of "_begin". */
static int end(const char *name, MPI_File file, MPI_Status *status)
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
#define CALL(WRITES, ALL, PLACE, OFFSET)                                                           \
    {                                                                                              \
        __func__, file, WRITES, ALL, PLACE, OFFSET, buf, count, type                               \
    }
#define DATA(CONST) CONST void *buf, int count, MPI_Datatype type

/** One call at each of the three places. */
#define SINGLE(NAME, CONST, WRITES, HOW, RESULT_TYPE, RESULT)                                      \
    int MPI_File_##NAME##_at(MPI_File file, MPI_Offset offset, DATA(CONST), RESULT_TYPE *RESULT)   \
    {                                                                                              \
        const struct call c = CALL(WRITES, false, AT, offset);                                     \
                                                                                                   \
        return HOW(&c, RESULT);                                                                    \
    }                                                                                              \
    int MPI_File_##NAME(MPI_File file, DATA(CONST), RESULT_TYPE *RESULT)                           \
    {                                                                                              \
        const struct call c = CALL(WRITES, false, OWN, 0);                                         \
                                                                                                   \
        return HOW(&c, RESULT);                                                                    \
    }                                                                                              \
    int MPI_File_##NAME##_shared(MPI_File file, DATA(CONST), RESULT_TYPE *RESULT)                  \
    {                                                                                              \
        const struct call c = CALL(WRITES, false, SHARED, 0);                                      \
                                                                                                   \
        return HOW(&c, RESULT);                                                                    \
    }

SINGLE(read, , false, blocking, MPI_Status, status)
SINGLE(write, const, true, blocking, MPI_Status, status)
SINGLE(iread, , false, non_blocking, MPI_Request, request)
SINGLE(iwrite, const, true, non_blocking, MPI_Request, request)

/** A collective one, whole and in halves. */
#define COLLECTIVE(NAME, CONST, WRITES, PLACE)                                                     \
    int MPI_File_##NAME(MPI_File file, DATA(CONST), MPI_Status *status)                            \
    {                                                                                              \
        const struct call c = CALL(WRITES, true, PLACE, 0);                                        \
                                                                                                   \
        return blocking(&c, status);                                                               \
    }                                                                                              \
    int MPI_File_##NAME##_begin(MPI_File file, DATA(CONST))                                        \
    {                                                                                              \
        const struct call c = CALL(WRITES, true, PLACE, 0);                                        \
                                                                                                   \
        return begin(&c);                                                                          \
    }                                                                                              \
    int MPI_File_##NAME##_end(MPI_File file, CONST void *buf, MPI_Status *status)                  \
    {                                                                                              \
        (void)buf;                                                                                 \
        return end(__func__, file, status);                                                        \
    }

COLLECTIVE(read_all, , false, OWN)
COLLECTIVE(write_all, const, true, OWN)
COLLECTIVE(read_ordered, , false, ORDERED)
COLLECTIVE(write_ordered, const, true, ORDERED)

/** The same at an offset. Non-blocking ones do not wait for others: each rank does its part. */
#define COLLECTIVE_AT(NAME, CONST, WRITES)                                                         \
    int MPI_File_##NAME##_at_all(MPI_File file, MPI_Offset offset, DATA(CONST),                    \
                                 MPI_Status *status)                                               \
    {                                                                                              \
        const struct call c = CALL(WRITES, true, AT, offset);                                      \
                                                                                                   \
        return blocking(&c, status);                                                               \
    }                                                                                              \
    int MPI_File_##NAME##_at_all_begin(MPI_File file, MPI_Offset offset, DATA(CONST))              \
    {                                                                                              \
        const struct call c = CALL(WRITES, true, AT, offset);                                      \
                                                                                                   \
        return begin(&c);                                                                          \
    }                                                                                              \
    int MPI_File_##NAME##_at_all_end(MPI_File file, CONST void *buf, MPI_Status *status)           \
    {                                                                                              \
        (void)buf;                                                                                 \
        return end(__func__, file, status);                                                        \
    }                                                                                              \
    int MPI_File_i##NAME##_at_all(MPI_File file, MPI_Offset offset, DATA(CONST),                   \
                                  MPI_Request *request)                                            \
    {                                                                                              \
        const struct call c = CALL(WRITES, false, AT, offset);                                     \
                                                                                                   \
        return non_blocking(&c, request);                                                          \
    }                                                                                              \
    int MPI_File_i##NAME##_all(MPI_File file, DATA(CONST), MPI_Request *request)                   \
    {                                                                                              \
        const struct call c = CALL(WRITES, false, OWN, 0);                                         \
                                                                                                   \
        return non_blocking(&c, request);                                                          \
    }

COLLECTIVE_AT(read, , false)
COLLECTIVE_AT(write, const, true)
/* NOLINTEND(bugprone-macro-parentheses) */
