/*
 * What programs attach to objects and ask of the library: attributes, error handlers, Info, names,
 * error codes of their own.
 */
#ifndef MPI_ENV_H
#define MPI_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/mpi/base/table.h"
#include "hosts/mpi/include/mpi.h"

struct mpi_rank;
struct mpi_comm;
struct mpi_env;

enum mpi_attr_kind { MPI_ATTR_COMM, MPI_ATTR_TYPE, MPI_ATTR_WIN };

/** Stays, with its handle, while attributes of it are left (6.7.2). Functions of all kinds have the
 * same arguments. */
struct mpi_keyval {
    unsigned holders;
    bool freed;          /* by the program: attributes alone hold it */
    struct mpi_env *env; /* where its handle is; NULL: gone */
    enum mpi_attr_kind kind;
    int handle;
    MPI_Comm_copy_attr_function *copy;      /* NULL: not copied */
    MPI_Comm_delete_attr_function *delete_; /* or NULL */
    void *state;
};

/** Set as a pointer in C, or in Fortran as an integer, which C gets a pointer to (17.2.7). Held by
 * its object, and while a function of the program is called for it, which may take it away. */
struct mpi_attr {
    struct mpi_attr *next; /* set before */
    unsigned holders;
    bool leaving; /* its delete function runs: others see no such attribute */
    bool gone;    /* the object has it no longer */
    struct mpi_keyval *keyval;
    void *value;      /* or the integer itself */
    size_t integer;   /* its bytes; 0: a pointer */
    int narrow;       /* the integer, to point to: */
    MPI_Aint address; /* one or the other */
};

/** The attributes of one object. */
struct mpi_attrs {
    struct mpi_attr *first; /* set last */
    bool closed;            /* the object's handle is gone: no more are set */
};

/** An object of a kind, for calls that several kinds have. */
struct mpi_object {
    struct mpi_rank *mr;
    int handle;
    enum mpi_attr_kind kind;
    void *self;
    unsigned *holders;       /* one more while functions of the program may free the object */
    void (*put)(void *self); /* gives up a holder */
    struct mpi_attrs *attrs;
    /** Finds an attribute of the standard's own; NULL: the kind has none. */
    bool (*own_attr)(void *self, int keyval, void **value_p);
    struct mpi_errhandler **errhandler; /* NULL: errors are for that of MPI_COMM_WORLD */
    struct mpi_info **info;
    char **name;
};
/** Fills in the object with o->handle. @return the code for none, noted. */
typedef int mpi_find_fn(struct mpi_object *o);

/** Held by the program's handle and by the objects that have it. */
struct mpi_errhandler {
    unsigned holders;
    unsigned handles;                 /* times that the program has got its handle: it frees each */
    MPI_Comm_errhandler_function *fn; /* NULL: the error ends all ranks, or is returned */
    bool returns;
};

/** Whose error handler the present call ends with: where that is, and what it gets. */
struct mpi_blamed {
    struct mpi_errhandler *const *handler; /* NULL: that of MPI_COMM_WORLD */
    int handle;
};

/** The same of the calls that the present one is in: a function of the program called it. They are
 * kept here rather than on the stack, since a jump may leave those calls without their end. */
struct mpi_blames {
    struct mpi_blamed *at; /* the outermost first */
    unsigned n, room;
};

struct mpi_info_entry {
    struct mpi_info_entry *next; /* in the order of setting */
    char *key, *value;
};

struct mpi_info {
    struct mpi_info_entry *first;
};

/** An error class or code of the program's own, from MPI_ERR_LASTCODE + 1 on. */
struct mpi_error_code {
    int error_class;
    char *string;
};

/** The environment: each rank has one. */
struct mpi_env {
    struct mpi_table keyvals, errhandlers, infos; /* by handle */
    struct mpi_error_code *codes;
    unsigned ncodes;
    int tag_ub, host, io, wtime_is_global, universe_size, appnum, lastusedcode;
    int thread_level;
    size_t integers; /* what the present call for an attribute keeps: see MPIX_Hub_integers() */
};

/* attr.c */
void mpi_env_init(struct mpi_rank *mr);
void mpi_env_release(struct mpi_rank *mr);
/*
 * Functions of the program that these call may set and delete attributes of the same object, and
 * free it or keyvals. So callers hold the object, and then look whether its handle is still there.
 */
/** Calls the copy functions for `from`. @return the code of one that failed; *to then holds what
 * was copied before. */
int mpi_attrs_copy(struct mpi_rank *mr, int handle, const struct mpi_attrs *from,
                   struct mpi_attrs *to);
/** Calls the delete functions, the last attribute first; also of what they set. @return the code of
 * one that failed; what is left stays. */
int mpi_attrs_delete(struct mpi_rank *mr, int handle, struct mpi_attrs *attrs);
/** Frees without a call: the run is over. */
void mpi_attrs_drop(struct mpi_attrs *attrs);
/** Takes out the attribute that is there, and then sets it, if `sets`. */
int mpi_attr_change(struct mpi_object *o, int keyval, bool sets, void *value);
int mpi_attr_get(struct mpi_object *o, int keyval, void *value_p, int *flag);
int mpi_keyval_create(enum mpi_attr_kind kind, MPI_Comm_copy_attr_function *copy,
                      MPI_Comm_delete_attr_function *delete_, int *keyval, void *state);
int mpi_keyval_free(enum mpi_attr_kind kind, int *keyval);
/** A new value of an object's name. */
void mpi_name_set(struct mpi_rank *mr, char **slot, const char *name);
void mpi_name_get(const char *name, char *out, int *length); /* NULL: "" */

/* object.c: calls of the program, whole */
int mpi_object_change_attr(mpi_find_fn *find, int handle, int keyval, bool sets, void *value,
                           const char *call);
int mpi_object_get_attr(mpi_find_fn *find, int handle, int keyval, void *value, int *flag);
int mpi_object_set_errhandler(mpi_find_fn *find, int handle, MPI_Errhandler handler);
int mpi_object_get_errhandler(mpi_find_fn *find, int handle, MPI_Errhandler *handler);
int mpi_object_call_errhandler(mpi_find_fn *find, int handle, int code, const char *call);
int mpi_object_set_info(mpi_find_fn *find, int handle, MPI_Info info);
int mpi_object_set_name(mpi_find_fn *find, int handle, const char *name);

/* The calls of a kind of objects, by their names without MPI_. Handles of all kinds are ints, so
 * that functions of the program have the same type for all. */
#define MPI_ATTRIBUTE_CALLS(kind, find, create, free, set, get, remove)                            \
    int MPI_##create(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *release,    \
                     int *keyval, void *state)                                                     \
    {                                                                                              \
        return mpi_keyval_create(kind, copy, release, keyval, state);                              \
    }                                                                                              \
    int MPI_##free(int *keyval)                                                                    \
    {                                                                                              \
        return mpi_keyval_free(kind, keyval);                                                      \
    }                                                                                              \
    int MPI_##set(int handle, int keyval, void *value)                                             \
    {                                                                                              \
        return mpi_object_change_attr(find, handle, keyval, true, value, __func__);                \
    }                                                                                              \
    int MPI_##get(int handle, int keyval, void *value, int *flag)                                  \
    {                                                                                              \
        return mpi_object_get_attr(find, handle, keyval, value, flag);                             \
    }                                                                                              \
    int MPI_##remove(int handle, int keyval)                                                       \
    {                                                                                              \
        return mpi_object_change_attr(find, handle, keyval, false, NULL, __func__);                \
    }
#define MPI_ERRHANDLER_CALLS(find, create, set, get)                                               \
    int MPI_##create(MPI_Comm_errhandler_function *fn, MPI_Errhandler *handler)                    \
    {                                                                                              \
        return mpi_errhandler_create(fn, handler);                                                 \
    }                                                                                              \
    int MPI_##set(int handle, MPI_Errhandler handler)                                              \
    {                                                                                              \
        return mpi_object_set_errhandler(find, handle, handler);                                   \
    }                                                                                              \
    int MPI_##get(int handle, MPI_Errhandler *handler)                                             \
    {                                                                                              \
        return mpi_object_get_errhandler(find, handle, handler);                                   \
    }

/* errhandler.c */
void mpi_errhandler_put(struct mpi_errhandler *handler); /* may be NULL */
/** Puts a handler in the place of *slot. */
int mpi_errhandler_set(struct mpi_rank *mr, struct mpi_errhandler **slot, MPI_Errhandler handler);
int mpi_errhandler_get(struct mpi_rank *mr, struct mpi_errhandler *held, MPI_Errhandler *handle_p);
int mpi_errhandler_create(MPI_Comm_errhandler_function *fn, MPI_Errhandler *handle_p);

/* info.c */
const char *mpi_info_value(const struct mpi_info *info, const char *key); /* NULL: none */
/** A copy with a handle of its own; of NULL, one without keys. */
int mpi_info_copy(struct mpi_rank *mr, const struct mpi_info *from, MPI_Info *handle_p);
void mpi_info_drop(struct mpi_info *info); /* may be NULL */
/** Keeps hints of an object: those of `info`, which may be MPI_INFO_NULL, get new values in
 * *slot, others stay; keys that are no hints are ignored. */
int mpi_info_keep(struct mpi_rank *mr, struct mpi_info **slot, MPI_Info info);

#endif /* MPI_ENV_H */
