/* What files say of themselves, their hints and error handlers. */
#include "hosts/mpi/io/io.h"

int MPI_File_get_group(MPI_File file, MPI_Group *group)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);

    return mpi_file_end(f, __func__,
                        f != NULL ? MPI_Comm_group(f->comm_handle, group) : MPI_ERR_FILE);
}

int MPI_File_get_amode(MPI_File file, int *amode)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);

    if (f != NULL)
        *amode = f->amode;
    return mpi_file_end(f, __func__, f != NULL ? MPI_SUCCESS : MPI_ERR_FILE);
}

int MPI_File_set_info(MPI_File file, MPI_Info info)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);

    return mpi_file_end(f, __func__,
                        f != NULL ? mpi_info_keep(f->mr, &f->info, info) : MPI_ERR_FILE);
}

int MPI_File_get_info(MPI_File file, MPI_Info *info)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);

    return mpi_file_end(f, __func__,
                        f != NULL ? mpi_info_copy(f->mr, f->info, info) : MPI_ERR_FILE);
}

int MPI_File_get_type_extent(MPI_File file, MPI_Datatype type, MPI_Aint *extent)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);
    struct mpi_type *t = NULL;
    int code = f != NULL ? mpi_type_get(type, &t) : MPI_ERR_FILE;

    if (code == MPI_SUCCESS)
        *extent = t->extent; /* "native" is as in memory */
    return mpi_file_end(f, __func__, code);
}

int MPI_File_set_atomicity(MPI_File file, int flag)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);
    int own = flag != 0, code = MPI_ERR_FILE;

    if (f != NULL)
        code = mpi_file_agree(f, &own, 1, MPI_SUCCESS);
    if (code == MPI_SUCCESS)
        f->atomic = own != 0;
    return mpi_file_end(f, __func__, code);
}

int MPI_File_get_atomicity(MPI_File file, int *flag)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);

    if (f != NULL)
        *flag = f->atomic;
    return mpi_file_end(f, __func__, f != NULL ? MPI_SUCCESS : MPI_ERR_FILE);
}

/* What a rank has written the others can read at once: the system has it. */
int MPI_File_sync(MPI_File file)
{
    struct mpi_file *f = mpi_file_begin(__func__, file);

    if (f != NULL)
        host_spend_cost(f->mr->host, HOST_COST_SYSCALL);
    return mpi_file_end(f, __func__, f != NULL ? MPI_SUCCESS : MPI_ERR_FILE);
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
