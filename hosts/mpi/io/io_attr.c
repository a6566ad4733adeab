/* What files say of themselves, their hints and error handlers. */
#include "hosts/mpi/io/io.h"

int mpi_do_file_get_group(struct mpi_file *f, MPI_Group *group)
{
    return MPI_Comm_group(f->comm_handle, group);
}

int mpi_do_file_get_amode(struct mpi_file *f, int *amode)
{
    *amode = f->amode;
    return MPI_SUCCESS;
}

int mpi_do_file_set_info(struct mpi_file *f, MPI_Info info)
{
    return mpi_info_keep(f->mr, &f->info, info);
}

int mpi_do_file_get_info(struct mpi_file *f, MPI_Info *info)
{
    return mpi_info_copy(f->mr, f->info, info);
}

int mpi_do_file_get_type_extent(struct mpi_file *f, MPI_Datatype type, MPI_Aint *extent)
{
    struct mpi_type *t;
    int code = mpi_type_get(type, &t);

    (void)f;
    if (code == MPI_SUCCESS)
        *extent = t->extent; /* "native" is as in memory */
    return code;
}

int mpi_do_file_set_atomicity(struct mpi_file *f, int flag)
{
    int own = flag != 0, code = mpi_file_agree(f, &own, 1, MPI_SUCCESS);

    if (code == MPI_SUCCESS)
        f->atomic = own != 0;
    return code;
}

int mpi_do_file_get_atomicity(struct mpi_file *f, int *flag)
{
    *flag = f->atomic;
    return MPI_SUCCESS;
}

/* What a rank has written the others can read at once: the system has it. */
int mpi_do_file_sync(struct mpi_file *f)
{
    host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    return MPI_SUCCESS;
}

/* ---- error handlers ------------------------------------------------------------------------- */

/* Where the handler of a file is, or that which files will have that are opened later. NULL: no
 * file. */
static struct mpi_errhandler **slot_of(MPI_File file, struct mpi_file **f_p)
{
    struct mpi_rank *mr = mpi_self();

    *f_p = file != MPI_FILE_NULL ? mpi_file_begin(NULL, file) : NULL;
    if (*f_p != NULL)
        return &(*f_p)->errhandler;
    return mr != NULL && file == MPI_FILE_NULL ? &mr->file_errhandler : NULL;
}

int MPI_File_create_errhandler(MPI_File_errhandler_function *fn, MPI_Errhandler *handler)
{
    return mpi_file_end(NULL, __func__, mpi_errhandler_create(fn, handler));
}

int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler)
{
    struct mpi_file *f;
    struct mpi_errhandler **slot = slot_of(file, &f);

    return mpi_file_end(
        f, __func__, slot != NULL ? mpi_errhandler_set(mpi_self(), slot, handler) : MPI_ERR_FILE);
}

int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler)
{
    struct mpi_file *f;
    struct mpi_errhandler **slot = slot_of(file, &f);

    return mpi_file_end(
        f, __func__, slot != NULL ? mpi_errhandler_get(mpi_self(), *slot, handler) : MPI_ERR_FILE);
}

int MPI_File_call_errhandler(MPI_File file, int code)
{
    struct mpi_file *f;

    if (slot_of(file, &f) == NULL)
        return mpi_file_end(f, __func__, MPI_ERR_FILE);
    mpi_note(mpi_self(), "error code %d", code);
    (void)mpi_file_end(f, __func__, code);
    return MPI_SUCCESS;
}
