/* What of a file a rank sees, 13.3 of MPI 3.1, and its pointers, 13.4.3 and 13.4.4. */
#include <string.h>

#include "hosts/mpi/io/io.h"

/* ---- between data and bytes of the file ----------------------------------------------------- */

static void first_byte(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    int64_t *at = arg;

    (void)stride;
    (void)n;
    (void)bytes;
    *at = offset;
}

int64_t mpi_view_byte(const struct mpi_view *v, uint64_t data)
{
    int64_t at = 0;

    mpi_type_walk(v->filetype, data, 1, first_byte, &at);
    return v->disp + at;
}

/** Bytes of data before a byte of the file. */
struct before {
    int64_t end;
    uint64_t sum;
};

static void add_before(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct before *b = arg;

    for (uint64_t i = 0; i < n; i++, offset += stride) {
        int64_t left = b->end - offset;

        if (left > 0)
            b->sum += (uint64_t)left < bytes ? (uint64_t)left : bytes;
    }
}

/* Bytes of the view's data before byte `at` of the file. A tile's data may lie a little beyond its
 * extent: the tiles beside the last one count, too. */
static uint64_t data_before(const struct mpi_view *v, int64_t at)
{
    const struct mpi_type *t = v->filetype;
    struct before b = { at - v->disp, 0 };
    uint64_t tile;

    if (b.end <= 0 || t->bytes == 0)
        return 0;
    tile = t->extent > 0 ? (uint64_t)(b.end / t->extent) : 0;
    tile -= tile > 0;
    mpi_type_walk(t, tile * t->bytes, 3 * t->bytes, add_before, &b);
    return tile * t->bytes + b.sum;
}

/* The end of the file, in etypes. */
static int end_of_file(struct mpi_file *f, int64_t *etypes_p)
{
    uint64_t one = f->view.etype->bytes;
    MPI_Offset size = 0;
    int code = mpi_do_file_get_size(f, &size);

    if (code == MPI_SUCCESS)
        *etypes_p = mpi_file_etypes(f, data_before(&f->view, size) + (one > 0 ? one - 1 : 0));
    return code;
}

/* ---- views ---------------------------------------------------------------------------------- */

static int check_type(struct mpi_rank *mr, MPI_Datatype type, const char *what,
                      struct mpi_type **type_p)
{
    int code = mpi_type_get(type, type_p);

    if (code == MPI_SUCCESS && !(*type_p)->committed)
        code = mpi_fail(mr, MPI_ERR_TYPE, "%s: not committed", what);
    return code;
}

/** Blocks of a type must not go back (13.3); where they are written, nor overlap. */
struct rising {
    int64_t least; /* where the next one may begin */
    bool writes, fails;
};

static void check_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct rising *r = arg;

    r->fails =
        r->fails || offset < r->least || (n > 1 && stride < (r->writes ? (int64_t)bytes : 0));
    r->least = offset + (int64_t)(n - 1) * stride + (r->writes ? (int64_t)bytes : 0);
}

static int check_rising(const struct mpi_file *f, const struct mpi_type *type, const char *what)
{
    struct rising r = { .writes = (f->amode & MPI_MODE_RDONLY) == 0 };

    mpi_type_walk(type, 0, type->bytes, check_run, &r);
    if (!r.fails)
        return MPI_SUCCESS;
    return mpi_fail(f->mr, MPI_ERR_IO, "%s: expected blocks at 0 or more, each behind the last one",
                    what);
}

static int check_tiles(struct mpi_rank *mr, const struct mpi_type *etype,
                       const struct mpi_type *filetype)
{
    if (etype->bytes == 0 ? filetype->bytes > 0 : filetype->bytes % etype->bytes != 0)
        return mpi_fail(mr, MPI_ERR_ARG, "filetype has %llu bytes, which are no etypes of %llu",
                        (unsigned long long)filetype->bytes, (unsigned long long)etype->bytes);
    return MPI_SUCCESS;
}

static int check_disp(const struct mpi_file *f, int64_t disp)
{
    bool sequential = (f->amode & MPI_MODE_SEQUENTIAL) != 0;

    if (disp == MPI_DISPLACEMENT_CURRENT && sequential)
        return MPI_SUCCESS;
    if (disp < 0 || sequential)
        return mpi_fail(f->mr, MPI_ERR_ARG, "disp = %lld: expected %s", (long long)disp,
                        sequential ? "MPI_DISPLACEMENT_CURRENT" : "0 or more");
    return MPI_SUCCESS;
}

static int check_datarep(struct mpi_rank *mr, const char *datarep)
{
    if (datarep == NULL)
        return mpi_fail(mr, MPI_ERR_ARG, "datarep = NULL");
    if (strcmp(datarep, "native") == 0 || strcmp(datarep, "NATIVE") == 0)
        return MPI_SUCCESS;
    return mpi_fail(mr, MPI_ERR_UNSUPPORTED_DATAREP, "datarep = \"%.40s\": expected \"native\"",
                    datarep);
}

static int check_view(struct mpi_file *f, struct mpi_view *v, MPI_Datatype etype,
                      MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    int code = check_type(f->mr, etype, "etype", &v->etype);

    if (code == MPI_SUCCESS)
        code = check_type(f->mr, filetype, "filetype", &v->filetype);
    if (code == MPI_SUCCESS)
        code = check_tiles(f->mr, v->etype, v->filetype);
    if (code == MPI_SUCCESS)
        code = check_rising(f, v->etype, "etype");
    if (code == MPI_SUCCESS)
        code = check_rising(f, v->filetype, "filetype");
    if (code == MPI_SUCCESS)
        code = check_disp(f, v->disp);
    if (code == MPI_SUCCESS)
        code = check_datarep(f->mr, datarep);
    return code == MPI_SUCCESS ? mpi_info_keep(f->mr, &f->info, info) : code;
}

/* All have agreed. The pointers are set to the view's begin. */
static int set_view(struct mpi_file *f, struct mpi_view v)
{
    int64_t current = f->comm->rank == 0 ? *f->shared : 0;
    int code;

    if (f->comm->rank == 0)
        *f->shared = 0;
    code = mpi_file_broadcast(f, &current, MPI_SUCCESS);
    if (code != MPI_SUCCESS)
        return code;
    if (v.disp == MPI_DISPLACEMENT_CURRENT)
        v.disp = mpi_view_byte(&f->view, (uint64_t)current * f->view.etype->bytes);
    v.etype->holders++;
    v.filetype->holders++;
    mpi_type_put(f->view.etype);
    mpi_type_put(f->view.filetype);
    f->view = v;
    f->at = 0;
    return MPI_SUCCESS;
}

int mpi_do_file_set_view(struct mpi_file *f, MPI_Offset disp, MPI_Datatype etype,
                         MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    struct mpi_view v = { .disp = disp };
    int code = check_view(f, &v, etype, filetype, datarep, info), extent[2] = { 0 };

    if (code == MPI_SUCCESS)
        memcpy(extent, &v.etype->extent, sizeof(extent));
    code = mpi_file_agree(f, extent, 2, code);
    return code == MPI_SUCCESS ? set_view(f, v) : code;
}

int mpi_do_file_get_view(struct mpi_file *f, MPI_Offset *disp, MPI_Datatype *etype,
                         MPI_Datatype *filetype, char *datarep)
{
    int code = mpi_type_again(f->view.etype, etype);

    if (code == MPI_SUCCESS)
        code = mpi_type_again(f->view.filetype, filetype);
    if (code == MPI_SUCCESS) {
        *disp = f->view.disp;
        memcpy(datarep, "native", sizeof("native"));
    }
    return code;
}

int mpi_do_file_get_byte_offset(struct mpi_file *f, MPI_Offset offset, MPI_Offset *disp)
{
    if (offset < 0)
        return mpi_fail(f->mr, MPI_ERR_ARG, "offset = %lld: expected 0 or more", offset);
    *disp = mpi_view_byte(&f->view, (uint64_t)offset * f->view.etype->bytes);
    return MPI_SUCCESS;
}

/* ---- pointers ------------------------------------------------------------------------------- */

/* A word, which conflicts with no access to the file: no lock is waited for. */
int mpi_file_shared(struct mpi_file *f, int64_t etypes, int64_t *was_p)
{
    int code = MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, f->win);

    if (code == MPI_SUCCESS)
        code = MPI_Fetch_and_op(&etypes, was_p, MPI_INT64_T, 0, 0, MPI_SUM, f->win);
    return code == MPI_SUCCESS ? MPI_Win_unlock(0, f->win) : code;
}

/* Where a call goes to from `now`. */
static int seek_target(struct mpi_file *f, int64_t offset, int whence, int64_t now, int64_t *at_p)
{
    int64_t base = whence == MPI_SEEK_CUR ? now : 0;
    int code = MPI_SUCCESS;

    if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR && whence != MPI_SEEK_END)
        return mpi_fail(f->mr, MPI_ERR_ARG, "whence = %d: no such place", whence);
    if (whence == MPI_SEEK_END)
        code = end_of_file(f, &base);
    if (code != MPI_SUCCESS)
        return code;
    if (base + offset < 0)
        return mpi_fail(f->mr, MPI_ERR_ARG, "offset = %lld: before the begin of the view",
                        (long long)offset);
    *at_p = base + offset;
    return MPI_SUCCESS;
}

int mpi_do_file_seek(struct mpi_file *f, MPI_Offset offset, int whence)
{
    int code = mpi_file_check_mode(f, MPI_MODE_SEQUENTIAL);

    return code == MPI_SUCCESS ? seek_target(f, offset, whence, f->at, &f->at) : code;
}

int mpi_do_file_get_position(struct mpi_file *f, MPI_Offset *offset)
{
    int code = mpi_file_check_mode(f, MPI_MODE_SEQUENTIAL);

    if (code == MPI_SUCCESS)
        *offset = f->at;
    return code;
}

int mpi_do_file_seek_shared(struct mpi_file *f, MPI_Offset offset, int whence)
{
    int code, ints[3] = { whence };
    int64_t at = 0;

    memcpy(ints + 1, &offset, sizeof(offset));
    code = mpi_file_agree(f, ints, 3, mpi_file_check_mode(f, MPI_MODE_SEQUENTIAL));
    if (code != MPI_SUCCESS)
        return code;
    if (f->comm->rank == 0)
        code = seek_target(f, offset, whence, *f->shared, f->shared);
    return mpi_file_broadcast(f, &at, code);
}

int mpi_do_file_get_position_shared(struct mpi_file *f, MPI_Offset *offset)
{
    int code = mpi_file_check_mode(f, MPI_MODE_SEQUENTIAL);
    int64_t at;

    if (code == MPI_SUCCESS)
        code = mpi_file_shared(f, 0, &at);
    if (code == MPI_SUCCESS)
        *offset = at;
    return code;
}
