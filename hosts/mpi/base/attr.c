/* Attributes, and names, of communicators, datatypes and windows. */
#define _POSIX_C_SOURCE 200809L /* copies of text */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/base/rank.h"

#define FIRST_KEYVAL 64 /* handles below belong to the standard's own attributes */

void mpi_env_init(struct mpi_rank *mr)
{
    struct mpi_env *e = &mr->env;

    e->tag_ub = INT32_MAX;
    e->host = MPI_PROC_NULL;
    e->io = MPI_ANY_SOURCE;
    e->wtime_is_global = 1; /* simulated time is one */
    e->universe_size = (int)mr->host->size;
    e->lastusedcode = MPI_ERR_LASTCODE;
}

static void keyval_put(struct mpi_keyval *k)
{
    if (--k->holders > 0)
        return;
    if (k->env != NULL)
        mpi_table_remove(&k->env->keyvals, (unsigned)(k->handle - FIRST_KEYVAL));
    free(k);
}

void mpi_env_release(struct mpi_rank *mr)
{
    struct mpi_env *e = &mr->env;

    for (unsigned i = 0; i < e->keyvals.n; i++) {
        struct mpi_keyval *k = e->keyvals.at[i];

        if (k == NULL)
            continue;
        k->env = NULL;
        if (!k->freed)
            keyval_put(k);
    }
    for (unsigned i = 0; i < e->errhandlers.n; i++)
        mpi_errhandler_put(e->errhandlers.at[i]);
    for (unsigned i = 0; i < e->infos.n; i++)
        mpi_info_drop(e->infos.at[i]);
    for (unsigned i = 0; i < e->ncodes; i++)
        free(e->codes[i].string);
    mpi_table_release(&e->keyvals);
    mpi_table_release(&e->errhandlers);
    mpi_table_release(&e->infos);
    free(e->codes);
}

/* NULL: none of this kind, noted. */
static struct mpi_keyval *keyval_of(struct mpi_rank *mr, enum mpi_attr_kind kind, int keyval)
{
    struct mpi_keyval *k = mpi_table_get(&mr->env.keyvals, (unsigned)keyval - FIRST_KEYVAL);

    if (k != NULL && k->kind == kind)
        return k;
    mpi_note(mr, "keyval = %d: no keyval of such an object", keyval);
    return NULL;
}

int mpi_keyval_create(enum mpi_attr_kind kind, MPI_Comm_copy_attr_function *copy,
                      MPI_Comm_delete_attr_function *delete_, int *keyval, void *state)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_keyval *k = mpi_need(mr, malloc(sizeof(*k)));

    *k = (struct mpi_keyval){ .holders = 1,
                              .env = &mr->env,
                              .kind = kind,
                              .handle = FIRST_KEYVAL + mpi_table_add(mr, &mr->env.keyvals, k),
                              .copy = copy,
                              .delete_ = delete_,
                              .state = state };
    *keyval = k->handle;
    return MPI_SUCCESS;
}

int mpi_keyval_free(enum mpi_attr_kind kind, int *keyval)
{
    struct mpi_keyval *k = keyval_of(mpi_self(), kind, *keyval);

    if (k == NULL)
        return MPI_ERR_KEYVAL;
    if (!k->freed) { /* once: a delete function may free the keyval of each of its attributes */
        k->freed = true;
        keyval_put(k);
    }
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static void attr_put(struct mpi_attr *a)
{
    if (--a->holders > 0)
        return;
    keyval_put(a->keyval);
    free(a);
}

static int add_attr(struct mpi_rank *mr, struct mpi_attrs *attrs, struct mpi_keyval *k, void *value,
                    size_t integer)
{
    struct mpi_attr *a;

    if (attrs->closed)
        return mpi_error(MPI_ERR_ARG, "a delete function has freed the object");
    a = mpi_need(mr, malloc(sizeof(*a)));
    k->holders++;
    *a = (struct mpi_attr){ .next = attrs->first,
                            .holders = 1,
                            .keyval = k,
                            .value = value,
                            .integer = integer,
                            .narrow = (int)(intptr_t)value,
                            .address = (intptr_t)value };
    attrs->first = a;
    return MPI_SUCCESS;
}

static int copy_one(struct mpi_rank *mr, int handle, const struct mpi_attr *from,
                    struct mpi_attrs *to)
{
    struct mpi_keyval *k = from->keyval;
    struct mpi_aside aside;
    void *out = NULL;
    int flag = 0, code;

    if (from->gone || k->copy == NULL)
        return MPI_SUCCESS;
    aside = mpi_program_begin(mr);
    code = k->copy(handle, k->handle, k->state, from->value, &out, &flag);
    mpi_program_end(mr, aside);
    if (code != MPI_SUCCESS)
        return mpi_error(code, "keyval = %d: its copy function failed", k->handle);
    return flag ? add_attr(mr, to, k, out, from->integer) : MPI_SUCCESS;
}

/* Recursion keeps the order, and holds what a copy function may delete: few objects have more than
 * a handful. */
static int copy_from(struct mpi_rank *mr, int handle, struct mpi_attr *from, struct mpi_attrs *to)
{
    int code;

    if (from == NULL)
        return MPI_SUCCESS;
    from->holders++;
    code = copy_from(mr, handle, from->next, to);
    if (code == MPI_SUCCESS)
        code = copy_one(mr, handle, from, to);
    attr_put(from);
    return code;
}

int mpi_attrs_copy(struct mpi_rank *mr, int handle, const struct mpi_attrs *from,
                   struct mpi_attrs *to)
{
    return copy_from(mr, handle, from->first, to);
}

/* Passes over those that are leaving. `k` NULL: any keyval. */
static struct mpi_attr *find_attr(const struct mpi_attrs *attrs, const struct mpi_keyval *k)
{
    struct mpi_attr *a = attrs->first;

    while (a != NULL && (a->leaving || (k != NULL && a->keyval != k)))
        a = a->next;
    return a;
}

static void take_out(struct mpi_attrs *attrs, struct mpi_attr *a)
{
    struct mpi_attr **at = &attrs->first;

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    a->gone = true;
    attr_put(a);
}

/* Takes the attribute out when its delete function agrees, which may change the list. */
static int remove_one(struct mpi_rank *mr, int handle, struct mpi_attrs *attrs, struct mpi_attr *a)
{
    const struct mpi_keyval *k = a->keyval;
    int code = MPI_SUCCESS;

    a->leaving = true;
    if (k->delete_ != NULL) {
        struct mpi_aside aside = mpi_program_begin(mr);

        code = k->delete_(handle, k->handle, a->value, k->state);
        mpi_program_end(mr, aside);
    }
    a->leaving = false;
    if (code != MPI_SUCCESS)
        return mpi_error(code, "keyval = %d: its delete function failed", k->handle);
    take_out(attrs, a);
    return MPI_SUCCESS;
}

int mpi_attrs_delete(struct mpi_rank *mr, int handle, struct mpi_attrs *attrs)
{
    int code = MPI_SUCCESS;
    struct mpi_attr *a;

    while (code == MPI_SUCCESS && (a = find_attr(attrs, NULL)) != NULL)
        code = remove_one(mr, handle, attrs, a);
    return code;
}

void mpi_attrs_drop(struct mpi_attrs *attrs)
{
    while (attrs->first != NULL)
        take_out(attrs, attrs->first);
}

void MPIX_Hub_integers(size_t bytes)
{
    struct mpi_rank *mr = mpi_self();

    if (mr != NULL)
        mr->env.integers = bytes;
}

/* What was asked for is for this call alone: functions of the program may ask for something else.
 */
static size_t take_integers(struct mpi_rank *mr)
{
    size_t bytes = mr->env.integers;

    mr->env.integers = 0;
    return bytes;
}

int mpi_attr_change(struct mpi_object *o, int keyval, bool sets, void *value)
{
    struct mpi_keyval *k = keyval_of(o->mr, o->kind, keyval);
    size_t integer = take_integers(o->mr);
    int code = MPI_SUCCESS;
    struct mpi_attr *a;

    if (k == NULL)
        return MPI_ERR_KEYVAL;
    k->holders++; /* a delete function may free it */
    a = find_attr(o->attrs, k);
    if (a != NULL)
        code = remove_one(o->mr, o->handle, o->attrs, a);
    else if (!sets)
        code = mpi_error(MPI_ERR_KEYVAL, "keyval = %d: no such attribute", keyval);
    if (code == MPI_SUCCESS && sets && find_attr(o->attrs, k) != NULL)
        code = mpi_error(MPI_ERR_KEYVAL, "keyval = %d: its delete function has set it", keyval);
    else if (code == MPI_SUCCESS && sets)
        code = add_attr(o->mr, o->attrs, k, value, integer);
    keyval_put(k);
    return code;
}

static int get_program_attr(struct mpi_object *o, int keyval, void **value_p, int *flag)
{
    const struct mpi_keyval *k = keyval_of(o->mr, o->kind, keyval);
    bool as_it_is = take_integers(o->mr) != 0;
    struct mpi_attr *a;

    if (k == NULL)
        return MPI_ERR_KEYVAL;
    a = find_attr(o->attrs, k);
    *flag = a != NULL;
    if (a == NULL)
        return MPI_SUCCESS;
    *value_p = a->value;
    if (a->integer != 0 && !as_it_is)
        *value_p = a->integer == sizeof(int) ? (void *)&a->narrow : &a->address;
    return MPI_SUCCESS;
}

int mpi_attr_get(struct mpi_object *o, int keyval, void *value_p, int *flag)
{
    void *value = NULL;
    int code = MPI_SUCCESS;

    if (o->own_attr != NULL && o->own_attr(o->self, keyval, &value))
        *flag = 1;
    else
        code = get_program_attr(o, keyval, &value, flag);
    if (code == MPI_SUCCESS && *flag)
        memcpy(value_p, &value, sizeof(value));
    return code;
}

void mpi_name_set(struct mpi_rank *mr, char **slot, const char *name)
{
    free(*slot);
    *slot = mpi_need(mr, strndup(name, MPI_MAX_OBJECT_NAME - 1));
}

void mpi_name_get(const char *name, char *out, int *length)
{
    size_t n = name != NULL ? strlen(name) : 0;

    memcpy(out, name != NULL ? name : "", n + 1);
    *length = (int)n;
}

int MPI_Dup_fn_(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)state;
    memcpy(out, &in, sizeof(in));
    *flag = 1;
    return MPI_SUCCESS;
}
