/* What windows say of themselves, and what programs attach to them. */
#include <stdio.h>

#include "hosts/mpi/rma/win.h"

int mpi_do_win_get_group(struct mpi_win *win, MPI_Group *group)
{
    return MPI_Comm_group(win->comm_handle, group);
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

int mpi_do_win_get_info(struct mpi_win *win, MPI_Info *info)
{
    int code = mpi_info_copy(win->mr, win->info, info);

    return code == MPI_SUCCESS ? add_defaults(win, *info) : code;
}

int mpi_do_win_get_name(struct mpi_win *win, char *name, int *length)
{
    mpi_name_get(win->name, name, length);
    return MPI_SUCCESS;
}

/* The standard's own attributes. The base is the value, the others are pointed to. */
static bool get_own_attr(void *window, int keyval, void **value_p)
{
    struct mpi_win *win = window;
    struct mpi_win_peer *own = &win->peers[win->comm->rank];
    void *const values[] = { own->base, &own->size, &own->disp_unit, &win->flavor, &win->model };

    if (keyval < MPI_WIN_BASE || keyval > MPI_WIN_MODEL)
        return false;
    *value_p = values[keyval - MPI_WIN_BASE];
    return true;
}

static void put_win(void *win)
{
    ((struct mpi_win *)win)->deleting--;
}

static int find_win(struct mpi_object *o)
{
    struct mpi_win *w = mpi_win_of(o->handle);

    if (w == NULL)
        return MPI_ERR_WIN;
    o->kind = MPI_ATTR_WIN;
    o->self = w;
    o->holders = &w->deleting;
    o->put = put_win;
    o->attrs = &w->attrs;
    o->own_attr = get_own_attr;
    o->errhandler = &w->errhandler;
    o->info = &w->info;
    o->name = &w->name;
    return MPI_SUCCESS;
}

MPI_ATTRIBUTE_CALLS(MPI_ATTR_WIN, find_win, Win_create_keyval, Win_free_keyval, Win_set_attr,
                    Win_get_attr, Win_delete_attr)
MPI_ERRHANDLER_CALLS(find_win, Win_create_errhandler, Win_set_errhandler, Win_get_errhandler)

int MPI_Win_call_errhandler(MPI_Win win, int code)
{
    return mpi_object_call_errhandler(find_win, win, code, __func__);
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    return mpi_object_set_info(find_win, win, info);
}

int MPI_Win_set_name(MPI_Win win, const char *name)
{
    int code = mpi_object_set_name(find_win, win, name);
    struct mpi_comm *comm;

    if (code == MPI_SUCCESS) { /* reports name its communicator */
        comm = mpi_win_of(win)->comm;
        (void)snprintf(comm->name, sizeof(comm->name), "%s", name);
    }
    return code;
}
