/* Info: keys and values in the order of their setting. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/base/rank.h"

#define FIRST_INFO 2 /* 1: MPI_INFO_ENV, which knows nothing */

/* NULL: none, noted. */
static struct mpi_info *info_of(struct mpi_rank *mr, MPI_Info info)
{
    struct mpi_info *i = mpi_table_get(&mr->env.infos, (unsigned)info - FIRST_INFO);

    if (i == NULL)
        mpi_note(mr, "info = %d: no info", info);
    return i;
}

static void entry_free(struct mpi_info_entry *e)
{
    free(e->key);
    free(e->value);
    free(e);
}

void mpi_info_drop(struct mpi_info *info)
{
    if (info == NULL)
        return;
    while (info->first != NULL) {
        struct mpi_info_entry *e = info->first;

        info->first = e->next;
        entry_free(e);
    }
    free(info);
}

/* Where the key is, or the end. */
static struct mpi_info_entry **find_key(struct mpi_info *info, const char *key)
{
    struct mpi_info_entry **at = &info->first;

    while (*at != NULL && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    return at;
}

static void set_key(struct mpi_rank *mr, struct mpi_info *info, const char *key, const char *value)
{
    struct mpi_info_entry **at = find_key(info, key);

    if (*at == NULL) {
        *at = mpi_need(mr, calloc(1, sizeof(**at)));
        (*at)->key = mpi_need(mr, strdup(key));
    }
    free((*at)->value);
    (*at)->value = mpi_need(mr, strdup(value));
}

/* Keys that `to` has stay as they are. */
static void add_keys(struct mpi_rank *mr, struct mpi_info *to, const struct mpi_info *from)
{
    for (const struct mpi_info_entry *e = from != NULL ? from->first : NULL; e != NULL; e = e->next)
        if (mpi_info_value(to, e->key) == NULL)
            set_key(mr, to, e->key, e->value);
}

static struct mpi_info *duplicate_info(struct mpi_rank *mr, const struct mpi_info *from)
{
    struct mpi_info *to = mpi_need(mr, calloc(1, sizeof(*to)));

    add_keys(mr, to, from);
    return to;
}

int mpi_info_copy(struct mpi_rank *mr, const struct mpi_info *from, MPI_Info *handle_p)
{
    *handle_p = FIRST_INFO + mpi_table_add(mr, &mr->env.infos, duplicate_info(mr, from));
    return MPI_SUCCESS;
}

/* Hints of the standard, which objects keep; others are ignored (6.4.4, 11.2.7, 13.2.8). */
static bool is_hint(const char *key)
{
    static const char *const hints[] = {
        "access_style",
        "accumulate_ops",
        "accumulate_ordering",
        "alloc_shared_noncontig",
        "cb_block_size",
        "cb_buffer_size",
        "cb_nodes",
        "chunked",
        "chunked_item",
        "chunked_size",
        "collective_buffering",
        "file_perm",
        "filename",
        "io_node_list",
        "nb_proc",
        "no_locks",
        "num_io_nodes",
        "same_disp_unit",
        "same_size",
        "striping_factor",
        "striping_unit",
    };

    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
        if (strcmp(key, hints[i]) == 0)
            return true;
    return strncmp(key, "mpi_assert_", strlen("mpi_assert_")) == 0;
}

static void drop_others(struct mpi_info *info)
{
    struct mpi_info_entry **at = &info->first;

    while (*at != NULL) {
        struct mpi_info_entry *e = *at;

        if (is_hint(e->key)) {
            at = &e->next;
        } else {
            *at = e->next;
            entry_free(e);
        }
    }
}

int mpi_info_keep(struct mpi_rank *mr, struct mpi_info **slot, MPI_Info info)
{
    const struct mpi_info *from;
    struct mpi_info *copy;

    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    from = info_of(mr, info);
    if (from == NULL)
        return MPI_ERR_INFO;
    copy = duplicate_info(mr, from);
    drop_others(copy);
    add_keys(mr, copy, *slot);
    mpi_info_drop(*slot);
    *slot = copy;
    return MPI_SUCCESS;
}

const char *mpi_info_value(const struct mpi_info *info, const char *key)
{
    for (const struct mpi_info_entry *e = info != NULL ? info->first : NULL; e != NULL; e = e->next)
        if (strcmp(e->key, key) == 0)
            return e->value;
    return NULL;
}

static int info_get(MPI_Info info, const struct mpi_info **info_p)
{
    static const struct mpi_info none;

    *info_p = info == MPI_INFO_ENV ? &none : info_of(mpi_self(), info);
    return *info_p != NULL ? MPI_SUCCESS : MPI_ERR_INFO;
}

static int check_key(const char *key)
{
    size_t n = key != NULL ? strlen(key) : 0;

    if (n >= 1 && n <= MPI_MAX_INFO_KEY)
        return MPI_SUCCESS;
    return mpi_error(MPI_ERR_INFO_KEY, "a key of %zu characters: expected 1 .. %d", n,
                     MPI_MAX_INFO_KEY);
}

int MPI_Info_create(MPI_Info *info)
{
    return mpi_info_copy(mpi_self(), NULL, info);
}

int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    const struct mpi_info *i;
    int code = info_get(info, &i);

    return code == MPI_SUCCESS ? mpi_info_copy(mpi_self(), i, newinfo) : code;
}

int MPI_Info_free(MPI_Info *info)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_info *i = info_of(mr, *info);

    if (i == NULL)
        return MPI_ERR_INFO;
    mpi_table_remove(&mr->env.infos, (unsigned)(*info - FIRST_INFO));
    mpi_info_drop(i);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_info *i;
    int code = check_key(key);

    if (code != MPI_SUCCESS)
        return code;
    i = info_of(mr, info);
    if (i == NULL)
        return MPI_ERR_INFO;
    if (value == NULL || value[0] == '\0' || strlen(value) > MPI_MAX_INFO_VAL)
        return mpi_error(MPI_ERR_INFO_VALUE, "value of %s: expected 1 .. %d characters", key,
                         MPI_MAX_INFO_VAL);
    set_key(mr, i, key, value);
    return MPI_SUCCESS;
}

int MPI_Info_delete(MPI_Info info, const char *key)
{
    struct mpi_info *i;
    struct mpi_info_entry **at, *e;
    int code = check_key(key);

    if (code != MPI_SUCCESS)
        return code;
    i = info_of(mpi_self(), info);
    if (i == NULL)
        return MPI_ERR_INFO;
    at = find_key(i, key);
    e = *at;
    if (e == NULL)
        return mpi_error(MPI_ERR_INFO_NOKEY, "key %s: not there", key);
    *at = e->next;
    entry_free(e);
    return MPI_SUCCESS;
}

static int look_up(MPI_Info info, const char *key, const char **value_p)
{
    const struct mpi_info *i;
    int code = info_get(info, &i);

    if (code == MPI_SUCCESS)
        code = check_key(key);
    if (code == MPI_SUCCESS)
        *value_p = mpi_info_value(i, key);
    return code;
}

int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag)
{
    const char *found;
    int code = look_up(info, key, &found);

    if (code != MPI_SUCCESS)
        return code;
    if (length < 0)
        return mpi_error(MPI_ERR_ARG, "valuelen = %d: expected 0 or more", length);
    *flag = found != NULL;
    if (found != NULL)
        snprintf(value, (size_t)length + 1, "%s", found);
    return MPI_SUCCESS;
}

int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag)
{
    const char *found;
    int code = look_up(info, key, &found);

    if (code != MPI_SUCCESS)
        return code;
    *flag = found != NULL;
    if (found != NULL)
        *length = (int)strlen(found);
    return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
    const struct mpi_info *i;
    int code = info_get(info, &i);

    if (code != MPI_SUCCESS)
        return code;
    *nkeys = 0;
    for (const struct mpi_info_entry *e = i->first; e != NULL; e = e->next)
        ++*nkeys;
    return MPI_SUCCESS;
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    const struct mpi_info *i;
    const struct mpi_info_entry *e;
    int code = info_get(info, &i), k = 0;

    if (code != MPI_SUCCESS)
        return code;
    for (e = i->first; e != NULL && k != n; e = e->next)
        k++;
    if (e == NULL)
        return mpi_error(MPI_ERR_ARG, "n = %d: expected 0 .. %d", n, k - 1);
    memcpy(key, e->key, strlen(e->key) + 1);
    return MPI_SUCCESS;
}
