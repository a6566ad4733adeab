/* Files: opening and closing, sizes, hints, error handlers. */
#define _POSIX_C_SOURCE 200809L /* posix_fallocate, fstat */
#include "hosts/mpi/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ACCESS_MODES (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR)
#define AGREED_INTS  3 /* at most, see mpi_file_agree() */

struct mpi_file *mpi_file_begin(const char *call, MPI_File file)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_file *f = file > 0 ? mpi_table_get(&mr->files, (unsigned)file - 1) : NULL;

    if (f == NULL) {
        mpi_note(mr, "file = %d: no file", file);
        return NULL;
    }
    mr->outer = call;
    host_spend_cost(mr->host, HOST_COST_CALL);
    return f;
}

int mpi_file_end(struct mpi_file *f, const char *call, int code)
{
    struct mpi_rank *mr = mpi_self();

    mr->outer = NULL;
    if (code == MPI_SUCCESS)
        return code;
    return mpi_end_object(mr, f != NULL ? f->errhandler : mr->file_errhandler,
                          f != NULL ? f->handle : MPI_FILE_NULL, call, code);
}

int mpi_file_errno(struct mpi_rank *mr, const char *name, int error)
{
    static const struct {
        int error, code;
    } classes[] = {
        { ENOENT, MPI_ERR_NO_SUCH_FILE }, { EEXIST, MPI_ERR_FILE_EXISTS },
        { EACCES, MPI_ERR_ACCESS },       { EPERM, MPI_ERR_ACCESS },
        { ENOTDIR, MPI_ERR_BAD_FILE },    { EISDIR, MPI_ERR_BAD_FILE },
        { ELOOP, MPI_ERR_BAD_FILE },      { ENAMETOOLONG, MPI_ERR_BAD_FILE },
        { ENOSPC, MPI_ERR_NO_SPACE },     { EDQUOT, MPI_ERR_QUOTA },
        { EROFS, MPI_ERR_READ_ONLY },     { ETXTBSY, MPI_ERR_FILE_IN_USE },
        { EBUSY, MPI_ERR_FILE_IN_USE },   { ENOMEM, MPI_ERR_NO_MEM },
    };
    int code = MPI_ERR_IO;
    char why[80];

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i].error == error)
            code = classes[i].code;
    if (strerror_r(error, why, sizeof(why)) != 0)
        why[0] = '\0';
    return mpi_fail(mr, code, "%.60s: %s", name, why);
}

int mpi_file_check_mode(const struct mpi_file *f, int unwanted)
{
    static const struct {
        int mode, code;
        const char *name;
    } modes[] = {
        { MPI_MODE_RDONLY, MPI_ERR_READ_ONLY, "MPI_MODE_RDONLY" },
        { MPI_MODE_WRONLY, MPI_ERR_ACCESS, "MPI_MODE_WRONLY" },
        { MPI_MODE_SEQUENTIAL, MPI_ERR_UNSUPPORTED_OPERATION, "MPI_MODE_SEQUENTIAL" },
    };

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if ((f->amode & unwanted & modes[i].mode) != 0)
            return mpi_fail(f->mr, modes[i].code, "%.60s: opened with %s", f->name, modes[i].name);
    return MPI_SUCCESS;
}

/* ---- what ranks exchange -------------------------------------------------------------------- */

/* Of an error on another rank. */
static void note_of(struct mpi_file *f, int rank, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    (void)MPI_Error_string(code, text, &length);
    mpi_note(f->mr, "%.60s: rank %d: %s", f->name, rank, text);
}

int mpi_file_gather(struct mpi_file *f, const void *own, size_t bytes, void *all_p)
{
    char *all = mpi_block_new(f->mr, (size_t)f->comm->size * bytes);
    int code;

    memcpy(all + (size_t)f->comm->rank * bytes, own, bytes);
    code = mpi_comm_exchange(f->comm, (int *)(void *)all, (int)(bytes / sizeof(int)));
    if (code == MPI_SUCCESS)
        memcpy(all_p, &all, sizeof(all));
    else
        mpi_block_free(all);
    return code;
}

int mpi_file_agree(struct mpi_file *f, const int *own, int n, int code)
{
    int mine[AGREED_INTS + 1], *all, bad;
    size_t each = (size_t)n + 1;

    for (int i = 0; i < n; i++)
        mine[i] = own[i];
    mine[n] = code;
    bad = mpi_file_gather(f, mine, each * sizeof(*mine), &all);
    if (bad != MPI_SUCCESS)
        return bad;
    for (int r = 0; bad == MPI_SUCCESS && r < f->comm->size; r++) {
        bad = all[each * (size_t)r + (size_t)n];
        if (bad != MPI_SUCCESS && code == MPI_SUCCESS)
            note_of(f, r, bad);
    }
    for (int r = 1; bad == MPI_SUCCESS && r < f->comm->size; r++)
        if (memcmp(&all[each * (size_t)r], all, (size_t)n * sizeof(*all)) != 0)
            bad = mpi_fail(f->mr, MPI_ERR_NOT_SAME, "other arguments on rank %d than on rank 0", r);
    mpi_block_free(all);
    return bad;
}

int mpi_file_broadcast(struct mpi_file *f, int64_t *number, int code)
{
    int ints[3] = { code };
    int bad;

    memcpy(ints + 1, number, sizeof(*number));
    bad = mpi_comm_broadcast(f->comm, 0, ints, 3);
    if (bad != MPI_SUCCESS)
        return bad;
    memcpy(number, ints + 1, sizeof(*number));
    if (ints[0] != MPI_SUCCESS && code == MPI_SUCCESS)
        note_of(f, 0, ints[0]);
    return ints[0];
}

/* What rank 0 alone does; the others get its code. */
static int by_rank_0(struct mpi_file *f, int (*act)(struct mpi_file *f, int64_t number),
                     int64_t number)
{
    int code = f->comm->rank == 0 ? act(f, number) : MPI_SUCCESS;

    return mpi_file_broadcast(f, &number, code);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int check_amode(struct mpi_rank *mr, int amode)
{
    int access = amode & ACCESS_MODES;

    if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR)
        return mpi_fail(
            mr, MPI_ERR_AMODE,
            "amode = %d: expected one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR",
            amode);
    if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
        return mpi_fail(mr, MPI_ERR_AMODE,
                        "amode = %d: no MPI_MODE_CREATE or MPI_MODE_EXCL with MPI_MODE_RDONLY",
                        amode);
    if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL) != 0)
        return mpi_fail(mr, MPI_ERR_AMODE, "amode = %d: no MPI_MODE_SEQUENTIAL with MPI_MODE_RDWR",
                        amode);
    return MPI_SUCCESS;
}

static int flags_of(int amode)
{
    int flags = (amode & MPI_MODE_RDONLY) != 0   ? O_RDONLY
                : (amode & MPI_MODE_WRONLY) != 0 ? O_WRONLY
                                                 : O_RDWR;

    if ((amode & MPI_MODE_CREATE) != 0)
        flags |= O_CREAT | ((amode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0);
    return flags | O_CLOEXEC;
}

static int open_fd(struct mpi_file *f, int64_t flags)
{
    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    f->fd = open(f->name, (int)flags, 0666);
    return f->fd >= 0 ? MPI_SUCCESS : mpi_file_errno(f->mr, f->name, errno);
}

int mpi_do_file_get_size(struct mpi_file *f, MPI_Offset *size_p)
{
    struct stat s;

    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    if (fstat(f->fd, &s) != 0)
        return mpi_file_errno(f->mr, f->name, errno);
    *size_p = s.st_size;
    return MPI_SUCCESS;
}

/* Rank 0 makes the file, if it is to be made, before the others open it. */
static int open_all(struct mpi_file *f)
{
    int flags = flags_of(f->amode);
    int code = mpi_file_agree(f, &f->amode, 1, check_amode(f->mr, f->amode));
    MPI_Offset size = 0;

    if (code == MPI_SUCCESS)
        code = by_rank_0(f, open_fd, flags);
    if (code != MPI_SUCCESS)
        return code;
    if (f->comm->rank != 0)
        code = open_fd(f, flags & ~(O_CREAT | O_EXCL));
    if (code == MPI_SUCCESS && (f->amode & MPI_MODE_APPEND) != 0)
        code = mpi_do_file_get_size(f, &size);
    f->at = size;
    if (f->comm->rank == 0)
        *f->shared = size;
    return mpi_file_agree(f, NULL, 0, code);
}

static void file_free(struct mpi_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->view.etype != NULL) {
        mpi_type_put(f->view.etype);
        mpi_type_put(f->view.filetype);
    }
    mpi_errhandler_put(f->errhandler);
    mpi_info_drop(f->info);
    free(f->name);
    free(f);
}

static void file_drop(struct mpi_file *f)
{
    mpi_table_remove(&f->mr->files, (unsigned)(f->handle - 1));
    file_free(f);
}

/* Of this rank, before the first message about it. It has its handle then: a run may end in any
 * message. */
static struct mpi_file *file_new(struct mpi_rank *mr, const char *name, int amode)
{
    struct mpi_file *f = mpi_need(mr, calloc(1, sizeof(*f)));
    size_t n = strlen(name) + 1;

    f->mr = mr;
    f->fd = -1;
    f->amode = amode;
    f->name = mpi_need(mr, malloc(n));
    memcpy(f->name, name, n);
    f->view.etype = f->view.filetype = mpi_type_of(mr, MPI_BYTE);
    f->view.etype->holders += 2;
    f->errhandler = mr->file_errhandler; /* as it is now (13.7) */
    if (f->errhandler != NULL)
        f->errhandler->holders++;
    f->handle = mpi_table_add(mr, &mr->files, f) + 1;
    return f;
}

/* The window for what the ranks share; its communicator serves the file, too. */
static int share_window(struct mpi_file *f, MPI_Comm comm, bool root)
{
    struct mpi_win *win = NULL;
    int code = MPI_Win_allocate(root ? (MPI_Aint)sizeof(*f->shared) : 0, 1, MPI_INFO_NULL, comm,
                                &f->shared, &f->win);

    if (code != MPI_SUCCESS)
        return code;
    win = mpi_table_get(&f->mr->wins, (unsigned)f->win - 1);
    f->comm = win->comm;
    f->comm_handle = win->comm_handle;
    memcpy(f->comm->name, "a file", sizeof("a file")); /* for reports */
    if (root)
        *f->shared = 0;
    return MPI_SUCCESS;
}

static int open_shared(struct mpi_rank *mr, struct mpi_file *f, MPI_Comm comm, bool root,
                       MPI_Info info)
{
    int code = share_window(f, comm, root);

    if (code != MPI_SUCCESS)
        return code;
    code = mpi_info_keep(mr, &f->info, info);
    if (code == MPI_SUCCESS)
        code = open_all(f);
    else
        (void)mpi_file_agree(f, &f->amode, 1, code);
    if (code != MPI_SUCCESS)
        (void)MPI_Win_free(&f->win);
    return code;
}

int MPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    struct mpi_file *f;
    int code = mpi_comm_get_intra(comm, &c);

    if (code == MPI_SUCCESS && name == NULL)
        code = mpi_fail(mr, MPI_ERR_BAD_FILE, "filename = NULL");
    if (code != MPI_SUCCESS)
        return mpi_file_end(NULL, __func__, code);
    *file = MPI_FILE_NULL;
    host_spend_cost(mr->host, HOST_COST_CALL);
    f = file_new(mr, name, amode);
    mr->outer = __func__;
    code = open_shared(mr, f, comm, c->rank == 0, info);
    if (code == MPI_SUCCESS)
        *file = f->handle;
    else
        file_drop(f);
    return mpi_file_end(NULL, __func__, code);
}

static int remove_name(struct mpi_file *f, int64_t unused)
{
    (void)unused;
    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    return unlink(f->name) == 0 ? MPI_SUCCESS : mpi_file_errno(f->mr, f->name, errno);
}

int MPI_File_close(MPI_File *file)
{
    struct mpi_file *f = mpi_file_begin(__func__, *file);
    int code = MPI_SUCCESS;

    if (f == NULL)
        return mpi_file_end(f, __func__, MPI_ERR_FILE);
    if ((f->amode & MPI_MODE_DELETE_ON_CLOSE) != 0) {
        code = mpi_file_agree(f, NULL, 0, MPI_SUCCESS);
        if (code == MPI_SUCCESS)
            code = by_rank_0(f, remove_name, 0);
    }
    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    (void)MPI_Win_free(&f->win); /* when all are here */
    file_drop(f);
    *file = MPI_FILE_NULL;
    return mpi_file_end(NULL, __func__, code);
}

int MPI_File_delete(const char *name, MPI_Info info)
{
    struct mpi_rank *mr = mpi_self();
    int code;

    (void)info; /* hints only */
    host_spend_cost(mr->host, HOST_COST_SYSCALL);
    code = unlink(name) == 0 ? MPI_SUCCESS : mpi_file_errno(mr, name, errno);
    return mpi_file_end(NULL, __func__, code);
}

void mpi_files_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->files.n; i++)
        if (mr->files.at[i] != NULL)
            file_free(mr->files.at[i]);
    mpi_table_release(&mr->files);
    mpi_errhandler_put(mr->file_errhandler);
}

int mpi_files_init(struct mpi_rank *mr)
{
    return mpi_errhandler_set(mr, &mr->file_errhandler, MPI_ERRORS_RETURN); /* 13.7 */
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static int truncate_to(struct mpi_file *f, int64_t size)
{
    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    return ftruncate(f->fd, size) == 0 ? MPI_SUCCESS : mpi_file_errno(f->mr, f->name, errno);
}

static int allocate_to(struct mpi_file *f, int64_t size)
{
    int error;

    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    error = size > 0 ? posix_fallocate(f->fd, 0, size) : 0;
    return error == 0 ? MPI_SUCCESS : mpi_file_errno(f->mr, f->name, error);
}

static int check_size(const struct mpi_file *f, int64_t size)
{
    if (size < 0)
        return mpi_fail(f->mr, MPI_ERR_ARG, "size = %lld: expected 0 or more", (long long)size);
    return mpi_file_check_mode(f, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
}

static int change_size(struct mpi_file *f, int64_t size,
                       int (*act)(struct mpi_file *f, int64_t size))
{
    int code, ints[2];

    memcpy(ints, &size, sizeof(size));
    code = mpi_file_agree(f, ints, 2, check_size(f, size));
    return code == MPI_SUCCESS ? by_rank_0(f, act, size) : code;
}

int mpi_do_file_set_size(struct mpi_file *f, MPI_Offset size)
{
    return change_size(f, size, truncate_to);
}

int mpi_do_file_preallocate(struct mpi_file *f, MPI_Offset size)
{
    return change_size(f, size, allocate_to);
}
