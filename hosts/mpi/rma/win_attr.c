/* What windows say of themselves, and what programs attach to them. */
#include <string.h>

#include "hosts/mpi/rma/win.h"

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    struct mpi_win *w = mpi_win_of(win);

    return mpi_win_end(w, __func__,
                       w != NULL ? MPI_Comm_group(w->comm_handle, group) : MPI_ERR_WIN);
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    struct mpi_win *w = mpi_win_of(win);

    return mpi_win_end(w, __func__, w != NULL ? mpi_info_keep(w->mr, &w->info, info) : MPI_ERR_WIN);
}

/* Hints that have not been set have their defaults (11.2.1, 11.2.7). */
static int add_defaults(const struct mpi_win *w, MPI_Info info)
{
    static const char *const defaults[][2] = {
        { "no_locks", "false" },
        { "accumulate_ordering", "rar,raw,war,waw" },
        { "accumulate_ops", "same_op_no_op" },
        { "same_size", "false" },
        { "same_disp_unit", "false" },
    };
    int code = MPI_SUCCESS;

    for (size_t i = 0; code == MPI_SUCCESS && i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (mpi_info_value(w->info, defaults[i][0]) == NULL)
            code = MPI_Info_set(info, defaults[i][0], defaults[i][1]);
    return code;
}

int MPI_Win_get_info(MPI_Win win, MPI_Info *info)
{
    struct mpi_win *w = mpi_win_of(win);
    int code = w != NULL ? mpi_info_copy(w->mr, w->info, info) : MPI_ERR_WIN;

    if (code == MPI_SUCCESS)
        code = add_defaults(w, *info);
    return mpi_win_end(w, __func__, code);
}

int MPI_Win_set_name(MPI_Win win, const char *name)
{
    struct mpi_win *w = mpi_win_of(win);

    return mpi_win_end(w, __func__, w != NULL ? mpi_name_set(w->mr, &w->name, name) : MPI_ERR_WIN);
}

int MPI_Win_get_name(MPI_Win win, char *name, int *length)
{
    struct mpi_win *w = mpi_win_of(win);

    if (w != NULL)
        mpi_name_get(w->name, name, length);
    return mpi_win_end(w, __func__, w != NULL ? MPI_SUCCESS : MPI_ERR_WIN);
}

int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *release,
                          int *keyval, void *state)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, mpi_keyval_create(mr, MPI_ATTR_WIN, copy, release, keyval, state));
}

int MPI_Win_free_keyval(int *keyval)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, mpi_keyval_free(mr, MPI_ATTR_WIN, keyval));
}

int MPI_Win_set_attr(MPI_Win win, int keyval, void *value)
{
    struct mpi_win *w = mpi_win_of(win);
    int code = MPI_ERR_WIN;

    if (w != NULL) {
        w->deleting++;
        code = mpi_attr_set(w->mr, MPI_ATTR_WIN, win, &w->attrs, keyval, value);
        w->deleting--;
    }
    return mpi_win_end(w, __func__, code);
}

/* The standard's own; NULL: none. The base is the value, the others are pointed to. */
static void *predefined(struct mpi_win *win, int keyval)
{
    struct mpi_win_peer *own = &win->peers[win->comm->rank];

    switch (keyval) {
    case MPI_WIN_BASE:
        return own->base;
    case MPI_WIN_SIZE:
        return &own->size;
    case MPI_WIN_DISP_UNIT:
        return &own->disp_unit;
    case MPI_WIN_CREATE_FLAVOR:
        return &win->flavor;
    default:
        return &win->model;
    }
}

int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    struct mpi_win *w = mpi_win_of(win);
    int code = MPI_ERR_WIN;

    if (w != NULL && keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL) {
        void *own = predefined(w, keyval);

        memcpy(value, &own, sizeof(own));
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (w != NULL)
        code = mpi_attr_get(w->mr, MPI_ATTR_WIN, &w->attrs, keyval, value, flag);
    return mpi_win_end(w, __func__, code);
}

int MPI_Win_delete_attr(MPI_Win win, int keyval)
{
    struct mpi_win *w = mpi_win_of(win);
    int code = MPI_ERR_WIN;

    if (w != NULL) {
        w->deleting++;
        code = mpi_attr_remove(w->mr, MPI_ATTR_WIN, win, &w->attrs, keyval);
        w->deleting--;
    }
    return mpi_win_end(w, __func__, code);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function *fn, MPI_Errhandler *handler)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, mpi_errhandler_create(mr, fn, handler));
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler)
{
    struct mpi_win *w = mpi_win_of(win);

    return mpi_win_end(
        w, __func__, w != NULL ? mpi_errhandler_set(w->mr, &w->errhandler, handler) : MPI_ERR_WIN);
}

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler)
{
    struct mpi_win *w = mpi_win_of(win);

    return mpi_win_end(w, __func__,
                       w != NULL ? mpi_errhandler_get(w->mr, w->errhandler, handler) : MPI_ERR_WIN);
}

int MPI_Win_call_errhandler(MPI_Win win, int code)
{
    struct mpi_win *w = mpi_win_of(win);

    if (w == NULL)
        return mpi_win_end(w, __func__, MPI_ERR_WIN);
    mpi_note_code(w->mr, code);
    mpi_win_end(w, __func__, code);
    return MPI_SUCCESS;
}
