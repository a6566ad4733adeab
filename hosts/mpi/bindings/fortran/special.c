/* Functions that do more than pass arguments in another way, and the common blocks. See
 * fortran_bindings.py. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "hosts/mpi/bindings/fortran/fortran.h"

#include <stdint.h>
#include <stdio.h>

#include "hosts/mpi/include/mpi-hub.h"

/* Aligned as gfortran aligns its side of them. */
#define COMMON _Alignas(32)
COMMON int hub_mpi_bottom_, hub_mpi_in_place_;
COMMON int hub_mpi_status_ignore_[MPI_STATUS_SIZE], hub_mpi_statuses_ignore_[MPI_STATUS_SIZE];
COMMON int hub_mpi_errcodes_ignore_[1], hub_mpi_unweighted_[1], hub_mpi_weights_empty_[1];
COMMON char hub_mpi_argv_null_[1], hub_mpi_argvs_null_[1];

void *fortran_alloc(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);

    if (p == NULL) {
        (void)fprintf(stderr, "MPI for Fortran: %zu bytes: out of memory\n", bytes);
        PMPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    }
    return p;
}

char *text_in(const char *text, size_t room)
{
    char *copy;

    while (room > 0 && text[room - 1] == ' ')
        room--;
    while (room > 0 && *text == ' ') {
        text++;
        room--;
    }
    copy = fortran_alloc(room + 1);
    memcpy(copy, text, room);
    copy[room] = '\0';
    return copy;
}

void text_out(char *text, size_t room, const char *from)
{
    size_t n = strnlen(from, room);

    memcpy(text, from, n);
    memset(text + n, ' ', room - n);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): some of the arguments are types
 * SPECIAL(pcontrol, const int *level) { ... } is mpi_pcontrol_(), which a program may have itself,
 * and pmpi_pcontrol_(); SHARED() is the same for the module mpi_f08, too. */
#define SPECIAL(name, ...)                                                                         \
    void pmpi_##name##_(__VA_ARGS__);                                                              \
    void mpi_##name##_(__VA_ARGS__) __attribute__((weak, alias("pmpi_" #name "_")));               \
    void pmpi_##name##_(__VA_ARGS__)

#define SHARED(name, ...)                                                                          \
    void mpi_##name##_f08_(__VA_ARGS__) __attribute__((weak, alias("pmpi_" #name "_")));           \
    void pmpi_##name##_f08_(__VA_ARGS__) __attribute__((alias("pmpi_" #name "_")));                \
    SPECIAL(name, __VA_ARGS__)

SHARED(init, int *ierror)
{
    done(ierror, MPI_Init(NULL, NULL));
}

SHARED(init_thread, const int *required, int *provided, int *ierror)
{
    done(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}

SHARED(pcontrol, const int *level)
{
    MPI_Pcontrol(*level);
}

SPECIAL(buffer_detach, void *buffer, int *size, int *ierror)
{
    void *was; /* Fortran has no variable for it */

    (void)buffer;
    *ierror = MPI_Buffer_detach(&was, size);
}

SPECIAL(buffer_detach_f08, void **buffer, int *size, int *ierror)
{
    done(ierror, MPI_Buffer_detach(buffer, size));
}

/* A program calls it with a buffer, so that the compiler takes that for changed. */
SPECIAL(f_sync_reg, const void *buffer)
{
    (void)buffer;
}

/* A Fortran function gets what C's gets: its arguments' addresses. */
SHARED(op_create, MPI_User_function *fn, const int *commute, MPI_Op *op, int *ierror)
{
    done(ierror, MPI_Op_create(fn, *commute, op));
}

#define ERRHANDLER(name, Name, type)                                                               \
    SHARED(name, type *fn, MPI_Errhandler *handler, int *ierror)                                   \
    {                                                                                              \
        done(ierror, MPI_##Name(fn, handler));                                                     \
    }
ERRHANDLER(errhandler_create, Comm_create_errhandler, MPI_Comm_errhandler_function)
ERRHANDLER(comm_create_errhandler, Comm_create_errhandler, MPI_Comm_errhandler_function)
ERRHANDLER(win_create_errhandler, Win_create_errhandler, MPI_Win_errhandler_function)
ERRHANDLER(file_create_errhandler, File_create_errhandler, MPI_File_errhandler_function)

/* ---- addresses in an INTEGER, as MPI-1 has them ------------------------------------------- */

/* Counted from MPI_BOTTOM, so that those of variables that are not allocated fit. Only differences
 * of them mean something to others. */
SPECIAL(address, char *location, int *address, int *ierror)
{
    *address = (int)(location - (char *)&hub_mpi_bottom_);
    *ierror = MPI_SUCCESS;
}

#define EXTENT(name, which)                                                                        \
    SPECIAL(name, const MPI_Datatype *type, int *out, int *ierror)                                 \
    {                                                                                              \
        MPI_Aint lb = 0, extent = 0;                                                               \
                                                                                                   \
        *ierror = MPI_Type_get_extent(*type, &lb, &extent);                                        \
        *out = (int)(which);                                                                       \
    }
EXTENT(type_extent, extent)
EXTENT(type_lb, lb)
EXTENT(type_ub, lb + extent)

static MPI_Aint *aints_of(int n, const int *from)
{
    MPI_Aint *to = fortran_alloc(((size_t)(n > 0 ? n : 0) + 1) * sizeof(*to));

    for (int i = 0; i < n; i++)
        to[i] = from[i];
    return to;
}

SPECIAL(type_hvector, const int *count, const int *length, const int *stride,
        const MPI_Datatype *type, MPI_Datatype *newtype, int *ierror)
{
    *ierror = MPI_Type_create_hvector(*count, *length, *stride, *type, newtype);
}

#define DISPLACED(name, Name, value)                                                               \
    SPECIAL(name, const int *count, const int *lengths, const int *displacements,                  \
            const MPI_Datatype *types, MPI_Datatype *newtype, int *ierror)                         \
    {                                                                                              \
        MPI_Aint *at = aints_of(*count, displacements);                                            \
                                                                                                   \
        *ierror = MPI_##Name(*count, lengths, at, value, newtype);                                 \
        free(at);                                                                                  \
    }
DISPLACED(type_hindexed, Type_create_hindexed, *types)
DISPLACED(type_struct, Type_create_struct, types)

/* ---- attributes: a Fortran program keeps integers ------------------------------------------- */

typedef void wide_copy_fn(int *handle, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out,
                          int *flag, int *ierror);
typedef void wide_delete_fn(int *handle, int *keyval, MPI_Aint *value, MPI_Aint *extra,
                            int *ierror);
typedef void copy_fn(int *handle, int *keyval, int *extra, int *in, int *out, int *flag,
                     int *ierror);
typedef void delete_fn(int *handle, int *keyval, int *value, int *extra, int *ierror);

/** The extra state of a keyval, as long as the rank lives. */
struct functions {
    wide_copy_fn *wide_copy;
    wide_delete_fn *wide_release;
    copy_fn *copy; /* of MPI-1's MPI_KEYVAL_CREATE: INTEGERs */
    delete_fn *release;
    MPI_Aint extra;
};

static int call_copy(int handle, int keyval, void *state, void *in, void *out, int *flag)
{
    struct functions *f = state;
    MPI_Aint value = (MPI_Aint)(intptr_t)in, copied = 0;
    int ierror = MPI_SUCCESS, set = 0;

    if (f->wide_copy != NULL) {
        f->wide_copy(&handle, &keyval, &f->extra, &value, &copied, &set, &ierror);
    } else {
        int extra = (int)f->extra, old = (int)value, new = 0;

        f->copy(&handle, &keyval, &extra, &old, &new, &set, &ierror);
        copied = new;
    }
    *flag = set != 0;
    memcpy(out, &copied, sizeof(copied));
    return ierror;
}

static int call_delete(int handle, int keyval, void *in, void *state)
{
    struct functions *f = state;
    MPI_Aint value = (MPI_Aint)(intptr_t)in;
    int ierror = MPI_SUCCESS;

    if (f->wide_release != NULL) {
        f->wide_release(&handle, &keyval, &value, &f->extra, &ierror);
    } else {
        int extra = (int)f->extra, old = (int)value;

        f->release(&handle, &keyval, &old, &extra, &ierror);
    }
    return ierror;
}

static struct functions *keep_functions(struct functions f)
{
    struct functions *kept = fortran_alloc(sizeof(*kept));

    *kept = f;
    return kept;
}

#define KEYVAL(name, Name)                                                                         \
    SHARED(name, wide_copy_fn *copy, wide_delete_fn *release, int *keyval, const MPI_Aint *extra,  \
           int *ierror)                                                                            \
    {                                                                                              \
        struct functions f = { .wide_copy = copy, .wide_release = release, .extra = *extra };      \
                                                                                                   \
        done(ierror, MPI_##Name(call_copy, call_delete, keyval, keep_functions(f)));               \
    }
KEYVAL(comm_create_keyval, Comm_create_keyval)
KEYVAL(type_create_keyval, Type_create_keyval)
KEYVAL(win_create_keyval, Win_create_keyval)

SPECIAL(keyval_create, copy_fn *copy, delete_fn *release, int *keyval, const int *extra,
        int *ierror)
{
    *ierror = MPI_Comm_create_keyval(
        call_copy, call_delete, keyval,
        keep_functions((struct functions){ .copy = copy, .release = release, .extra = *extra }));
}

/* MPI itself keeps ints and MPI_Aints in memory; the base of a window is the value. */
static MPI_Aint value_of(int keyval, void *value)
{
    if (keyval == MPI_WIN_SIZE)
        return *(MPI_Aint *)value;
    if (keyval > MPI_KEYVAL_INVALID && keyval <= MPI_WIN_MODEL && keyval != MPI_WIN_BASE)
        return *(int *)value;
    return (MPI_Aint)(intptr_t)value;
}

/* NOLINTBEGIN(performance-no-int-to-ptr): attributes are pointers in C */
#define ATTRIBUTES(set, Set, get, Get, integer)                                                    \
    SHARED(set, const int *handle, const int *keyval, const integer *value, int *ierror)           \
    {                                                                                              \
        MPIX_Hub_integers(sizeof(*value));                                                         \
        done(ierror, MPI_##Set(*handle, *keyval, (void *)(intptr_t)*value));                       \
        MPIX_Hub_integers(0);                                                                      \
    }                                                                                              \
    SHARED(get, const int *handle, const int *keyval, integer *value, int *flag, int *ierror)      \
    {                                                                                              \
        void *found = NULL;                                                                        \
        int code;                                                                                  \
                                                                                                   \
        *flag = 0;                                                                                 \
        MPIX_Hub_integers(sizeof(*value));                                                         \
        code = MPI_##Get(*handle, *keyval, &found, flag);                                          \
        MPIX_Hub_integers(0);                                                                      \
        if (code == MPI_SUCCESS && *flag)                                                          \
            *value = (integer)value_of(*keyval, found);                                            \
        done(ierror, code);                                                                        \
    }
ATTRIBUTES(comm_set_attr, Comm_set_attr, comm_get_attr, Comm_get_attr, MPI_Aint)
ATTRIBUTES(type_set_attr, Type_set_attr, type_get_attr, Type_get_attr, MPI_Aint)
ATTRIBUTES(win_set_attr, Win_set_attr, win_get_attr, Win_get_attr, MPI_Aint)
ATTRIBUTES(attr_put, Comm_set_attr, attr_get, Comm_get_attr, int)
/* NOLINTEND(performance-no-int-to-ptr) */

/* ---- generalized requests -------------------------------------------------------------------- */

/* The functions get the program's own variable, as with other libraries: one may change it. */
struct request {
    void (*query)(MPI_Aint *extra, MPI_Status *status, int *ierror);
    void (*release)(MPI_Aint *extra, int *ierror);
    void (*cancel)(MPI_Aint *extra, int *complete, int *ierror);
    MPI_Aint *extra;
};

static int call_query(void *state, MPI_Status *status)
{
    struct request *r = state;
    int ierror = MPI_SUCCESS;

    r->query(r->extra, status, &ierror);
    return ierror;
}

static int call_release(void *state)
{
    struct request *r = state;
    int ierror = MPI_SUCCESS;

    r->release(r->extra, &ierror);
    free(r);
    return ierror;
}

static int call_cancel(void *state, int complete)
{
    struct request *r = state;
    int ierror = MPI_SUCCESS;

    r->cancel(r->extra, &complete, &ierror);
    return ierror;
}

SHARED(grequest_start, void (*query)(MPI_Aint *, MPI_Status *, int *),
       void (*release)(MPI_Aint *, int *), void (*cancel)(MPI_Aint *, int *, int *),
       MPI_Aint *extra, MPI_Request *request, int *ierror)
{
    struct request *r = fortran_alloc(sizeof(*r));

    *r = (struct request){ query, release, cancel, extra };
    done(ierror, MPI_Grequest_start(call_query, call_release, call_cancel, r, request));
}

/* The functions of the standard, to be named as arguments. */
#define NAMED(name, ...)                                                                           \
    void name(__VA_ARGS__);                                                                        \
    void name(__VA_ARGS__)
#define NULL_COPY(name)                                                                            \
    NAMED(name, int *handle, int *keyval, void *extra, void *in, void *out, int *flag,             \
          int *ierror)                                                                             \
    {                                                                                              \
        (void)handle, (void)keyval, (void)extra, (void)in, (void)out;                              \
        *flag = 0;                                                                                 \
        *ierror = MPI_SUCCESS;                                                                     \
    }
#define NULL_DELETE(name)                                                                          \
    NAMED(name, int *handle, int *keyval, void *value, void *extra, int *ierror)                   \
    {                                                                                              \
        (void)handle, (void)keyval, (void)value, (void)extra;                                      \
        *ierror = MPI_SUCCESS;                                                                     \
    }
#define DUP(name, integer)                                                                         \
    NAMED(name, int *handle, int *keyval, void *extra, integer *in, integer *out, int *flag,       \
          int *ierror)                                                                             \
    {                                                                                              \
        (void)handle, (void)keyval, (void)extra;                                                   \
        *out = *in;                                                                                \
        *flag = 1;                                                                                 \
        *ierror = MPI_SUCCESS;                                                                     \
    }
NULL_COPY(mpi_null_copy_fn_)
NULL_COPY(mpi_comm_null_copy_fn_)
NULL_COPY(mpi_type_null_copy_fn_)
NULL_COPY(mpi_win_null_copy_fn_)
NULL_DELETE(mpi_null_delete_fn_)
NULL_DELETE(mpi_comm_null_delete_fn_)
NULL_DELETE(mpi_type_null_delete_fn_)
NULL_DELETE(mpi_win_null_delete_fn_)
DUP(mpi_dup_fn_, int)
DUP(mpi_comm_dup_fn_, MPI_Aint)
DUP(mpi_type_dup_fn_, MPI_Aint)
DUP(mpi_win_dup_fn_, MPI_Aint)
/* NOLINTEND(bugprone-macro-parentheses) */
