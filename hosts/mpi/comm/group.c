/* Groups: ordered sets of ranks of the world. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/comm/comm.h"

#define FIRST_HANDLE ((MPI_Group)2) /* after MPI_GROUP_EMPTY */

struct mpi_group *mpi_group_new(struct mpi_rank *mr, int size)
{
    struct mpi_group *g = malloc(sizeof(*g) + (size_t)size * sizeof(int));

    if (g == NULL) {
        mpi_note(mr, "out of memory");
        return NULL;
    }
    *g = (struct mpi_group){ .holders = 1, .rank = MPI_UNDEFINED, .size = size };
    return g;
}

void mpi_group_put(struct mpi_group *g)
{
    if (g != NULL && --g->holders == 0)
        free(g);
}

int mpi_group_rank_of(const struct mpi_group *g, int world)
{
    for (int r = 0; r < g->size; r++)
        if (g->world[r] == world)
            return r;
    return MPI_UNDEFINED;
}

void mpi_group_find_self(const struct mpi_rank *mr, struct mpi_group *g)
{
    g->rank = mpi_group_rank_of(g, (int)mr->host->rank);
}

int mpi_group_add(struct mpi_rank *mr, struct mpi_group *g, MPI_Group *handle_p)
{
    int number;

    if (g->size == 0) {
        mpi_group_put(g);
        *handle_p = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    number = mpi_table_add(mr, &mr->groups, g);
    if (number < 0) {
        mpi_group_put(g);
        return MPI_ERR_NO_MEM;
    }
    *handle_p = FIRST_HANDLE + number;
    return MPI_SUCCESS;
}

struct mpi_group *mpi_group_of(struct mpi_rank *mr, MPI_Group group)
{
    struct mpi_group *g = NULL;

    if (group == MPI_GROUP_EMPTY)
        return mr->no_group;
    if (group >= FIRST_HANDLE)
        g = mpi_table_get(&mr->groups, (unsigned)(group - FIRST_HANDLE));
    if (g == NULL)
        mpi_note(mr, "group = %d: %s", group,
                 group == MPI_GROUP_NULL ? "MPI_GROUP_NULL" : "no group, or one that was freed");
    return g;
}

void mpi_groups_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->groups.n; i++)
        mpi_group_put(mr->groups.at[i]);
    mpi_table_release(&mr->groups);
    mpi_group_put(mr->no_group);
}

static int find_group(struct mpi_rank *mr, MPI_Group group, struct mpi_group **g_p)
{
    *g_p = mpi_group_of(mr, group);
    return *g_p != NULL ? MPI_SUCCESS : MPI_ERR_GROUP;
}

int MPI_Group_size(MPI_Group group, int *size)
{
    struct mpi_group *g;
    int code = find_group(mpi_self(), group, &g);

    if (code == MPI_SUCCESS)
        *size = g->size;
    return code;
}

int MPI_Group_rank(MPI_Group group, int *rank)
{
    struct mpi_group *g;
    int code = find_group(mpi_self(), group, &g);

    if (code == MPI_SUCCESS)
        *rank = g->rank;
    return code;
}

int MPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other,
                              int others[])
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group *from, *to;
    int code = find_group(mr, group, &from);

    if (code == MPI_SUCCESS)
        code = find_group(mr, other, &to);
    if (code == MPI_SUCCESS && n < 0)
        code = mpi_fail(mr, MPI_ERR_ARG, "n = %d: expected 0 or more", n);
    if (code == MPI_SUCCESS && n > 0 && others == NULL)
        code = mpi_fail(mr, MPI_ERR_ARG, "ranks of the other group = NULL");
    for (int i = 0; code == MPI_SUCCESS && i < n; i++) {
        if (ranks[i] == MPI_PROC_NULL)
            others[i] = MPI_PROC_NULL;
        else if (ranks[i] < 0 || ranks[i] >= from->size)
            code =
                mpi_fail(mr, MPI_ERR_RANK, "rank %d: expected 0 .. %d", ranks[i], from->size - 1);
        else
            others[i] = mpi_group_rank_of(to, from->world[ranks[i]]);
    }
    return code;
}

int mpi_group_compare(const struct mpi_group *a, const struct mpi_group *b)
{
    if (a->size != b->size)
        return MPI_UNEQUAL;
    if (memcmp(a->world, b->world, (size_t)a->size * sizeof(int)) == 0)
        return MPI_IDENT;
    for (int r = 0; r < a->size; r++)
        if (mpi_group_rank_of(b, a->world[r]) == MPI_UNDEFINED)
            return MPI_UNEQUAL;
    return MPI_SIMILAR;
}

int MPI_Group_compare(MPI_Group group, MPI_Group other, int *result)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group *a, *b;
    int code = find_group(mr, group, &a);

    if (code == MPI_SUCCESS)
        code = find_group(mr, other, &b);
    if (code == MPI_SUCCESS)
        *result = mpi_group_compare(a, b);
    return code;
}

/* A set has the members of `a` that are, or are not, in `b`; UNION all, and then all else of `b`.
 */
enum set_kind { UNION, INTERSECTION, DIFFERENCE };

static int combine_groups(struct mpi_rank *mr, enum set_kind kind, MPI_Group group, MPI_Group other,
                          MPI_Group *newgroup)
{
    struct mpi_group *a, *b, *g;
    int code = find_group(mr, group, &a), n = 0;

    if (code == MPI_SUCCESS)
        code = find_group(mr, other, &b);
    if (code != MPI_SUCCESS)
        return code;
    g = mpi_group_new(mr, a->size + b->size);
    if (g == NULL)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < a->size; r++) {
        bool both = mpi_group_rank_of(b, a->world[r]) != MPI_UNDEFINED;

        if (kind == UNION || both == (kind == INTERSECTION))
            g->world[n++] = a->world[r];
    }
    for (int r = 0; kind == UNION && r < b->size; r++)
        if (mpi_group_rank_of(a, b->world[r]) == MPI_UNDEFINED)
            g->world[n++] = b->world[r];
    g->size = n;
    mpi_group_find_self(mr, g);
    return mpi_group_add(mr, g, newgroup);
}

int MPI_Group_union(MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    return combine_groups(mpi_self(), UNION, group, other, newgroup);
}

int MPI_Group_intersection(MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    return combine_groups(mpi_self(), INTERSECTION, group, other, newgroup);
}

int MPI_Group_difference(MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    return combine_groups(mpi_self(), DIFFERENCE, group, other, newgroup);
}

/* Ranks are listed one by one; `ranks` has to name each at most once. */
static int select_listed(struct mpi_rank *mr, const struct mpi_group *g, bool include, int n,
                         const int ranks[], MPI_Group *newgroup)
{
    struct mpi_group *chosen = mpi_group_new(mr, g->size);
    bool *listed = calloc((size_t)g->size + 1, sizeof(bool));
    int code = MPI_SUCCESS, size = 0;

    if (chosen == NULL || listed == NULL)
        code = mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    for (int i = 0; code == MPI_SUCCESS && i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= g->size || listed[ranks[i]]) {
            code = mpi_fail(mr, MPI_ERR_RANK, "rank %d: expected 0 .. %d, each once", ranks[i],
                            g->size - 1);
            break;
        }
        listed[ranks[i]] = true;
        if (include)
            chosen->world[size++] = g->world[ranks[i]];
    }
    for (int r = 0; code == MPI_SUCCESS && !include && r < g->size; r++)
        if (!listed[r])
            chosen->world[size++] = g->world[r];
    free(listed);
    if (code != MPI_SUCCESS) {
        mpi_group_put(chosen);
        return code;
    }
    chosen->size = size;
    mpi_group_find_self(mr, chosen);
    return mpi_group_add(mr, chosen, newgroup);
}

static int choose_ranks(struct mpi_rank *mr, MPI_Group group, bool include, int n,
                        const int ranks[], MPI_Group *newgroup)
{
    struct mpi_group *g;
    int code = find_group(mr, group, &g);

    if (code == MPI_SUCCESS && n < 0)
        code = mpi_fail(mr, MPI_ERR_ARG, "n = %d: expected 0 or more", n);
    return code == MPI_SUCCESS ? select_listed(mr, g, include, n, ranks, newgroup) : code;
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choose_ranks(mpi_self(), group, true, n, ranks, newgroup);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choose_ranks(mpi_self(), group, false, n, ranks, newgroup);
}

/* Triplets (first, last, stride), written out. @return how many ranks, or -1 with *code_p. */
static int write_out(struct mpi_rank *mr, const struct mpi_group *g, int n, int ranges[][3],
                     int *ranks, int *code_p)
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];

        if (stride == 0) {
            *code_p = mpi_fail(mr, MPI_ERR_ARG, "range %d: stride 0", i);
            return -1;
        }
        for (int64_t r = first; stride > 0 ? r <= last : r >= last; r += stride) {
            if (r < 0 || r >= g->size || count == g->size) {
                *code_p = mpi_fail(mr, MPI_ERR_RANK, "range %d: expected ranks 0 .. %d, each once",
                                   i, g->size - 1);
                return -1;
            }
            ranks[count++] = (int)r;
        }
    }
    return count;
}

static int choose_ranges(struct mpi_rank *mr, MPI_Group group, bool include, int n, int ranges[][3],
                         MPI_Group *newgroup)
{
    struct mpi_group *g;
    int code = find_group(mr, group, &g), count;
    int *ranks;

    if (code == MPI_SUCCESS && n < 0)
        code = mpi_fail(mr, MPI_ERR_ARG, "n = %d: expected 0 or more", n);
    if (code != MPI_SUCCESS)
        return code;
    ranks = malloc(((size_t)g->size + 1) * sizeof(int));
    if (ranks == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    count = write_out(mr, g, n, ranges, ranks, &code);
    if (count >= 0)
        code = select_listed(mr, g, include, count, ranks, newgroup);
    free(ranks);
    return code;
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choose_ranges(mpi_self(), group, true, n, ranges, newgroup);
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choose_ranges(mpi_self(), group, false, n, ranges, newgroup);
}

int MPI_Group_free(MPI_Group *group)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group *g;
    int code = find_group(mr, *group, &g);

    if (code == MPI_SUCCESS && *group != MPI_GROUP_EMPTY) {
        mpi_table_remove(&mr->groups, (unsigned)(*group - FIRST_HANDLE));
        mpi_group_put(g);
    }
    if (code == MPI_SUCCESS)
        *group = MPI_GROUP_NULL;
    return code;
}
