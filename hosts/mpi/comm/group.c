/* Groups: ordered sets of ranks of the world. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/comm/comm.h"

#define FIRST_HANDLE 2 /* after MPI_GROUP_EMPTY */

struct mpi_group *mpi_group_new(struct mpi_rank *mr, int size)
{
    struct mpi_group *g = mpi_need(mr, malloc(sizeof(*g) + (size_t)size * sizeof(int)));

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

MPI_Group mpi_group_share(struct mpi_rank *mr, struct mpi_group *g)
{
    if (g->size == 0)
        return MPI_GROUP_EMPTY;
    g->holders++;
    return FIRST_HANDLE + mpi_table_add(mr, &mr->groups, g);
}

/* A handle for a new group, which finds its own rank. */
static MPI_Group add_group(struct mpi_rank *mr, struct mpi_group *g)
{
    MPI_Group handle;

    mpi_group_find_self(mr, g);
    handle = mpi_group_share(mr, g);
    mpi_group_put(g);
    return handle;
}

struct mpi_group *mpi_group_of(MPI_Group group)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group *g = mpi_table_get(&mr->groups, (unsigned)group - FIRST_HANDLE);

    if (group == MPI_GROUP_EMPTY)
        return mr->no_group;
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

/* @return whether both are there. */
static bool find_groups(MPI_Group group, MPI_Group other, struct mpi_group **a_p,
                        struct mpi_group **b_p)
{
    *a_p = mpi_group_of(group);
    return *a_p != NULL && (*b_p = mpi_group_of(other)) != NULL;
}

int MPI_Group_size(MPI_Group group, int *size)
{
    const struct mpi_group *g = mpi_group_of(group);

    if (g == NULL)
        return MPI_ERR_GROUP;
    *size = g->size;
    return MPI_SUCCESS;
}

int MPI_Group_rank(MPI_Group group, int *rank)
{
    const struct mpi_group *g = mpi_group_of(group);

    if (g == NULL)
        return MPI_ERR_GROUP;
    *rank = g->rank;
    return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other,
                              int others[])
{
    struct mpi_group *from, *to;

    if (!find_groups(group, other, &from, &to))
        return MPI_ERR_GROUP;
    if (n < 0)
        return mpi_error(MPI_ERR_ARG, "n = %d: expected 0 or more", n);
    if (n > 0 && others == NULL)
        return mpi_error(MPI_ERR_ARG, "ranks of the other group = NULL");
    for (int i = 0; i < n; i++) {
        if (ranks[i] == MPI_PROC_NULL)
            others[i] = MPI_PROC_NULL;
        else if (ranks[i] < 0 || ranks[i] >= from->size)
            return mpi_error(MPI_ERR_RANK, "rank %d: expected 0 .. %d", ranks[i], from->size - 1);
        else
            others[i] = mpi_group_rank_of(to, from->world[ranks[i]]);
    }
    return MPI_SUCCESS;
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
    struct mpi_group *a, *b;

    if (!find_groups(group, other, &a, &b))
        return MPI_ERR_GROUP;
    *result = mpi_group_compare(a, b);
    return MPI_SUCCESS;
}

/* A set has the members of `a` that are, or are not, in `b`; UNION all, and then all else of `b`.
 */
enum set_kind { UNION, INTERSECTION, DIFFERENCE };

static int combine_groups(enum set_kind kind, MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group *a, *b, *g;
    int n = 0;

    if (!find_groups(group, other, &a, &b))
        return MPI_ERR_GROUP;
    g = mpi_group_new(mr, a->size + b->size);
    for (int r = 0; r < a->size; r++) {
        bool both = mpi_group_rank_of(b, a->world[r]) != MPI_UNDEFINED;

        if (kind == UNION || both == (kind == INTERSECTION))
            g->world[n++] = a->world[r];
    }
    for (int r = 0; kind == UNION && r < b->size; r++)
        if (mpi_group_rank_of(a, b->world[r]) == MPI_UNDEFINED)
            g->world[n++] = b->world[r];
    g->size = n;
    *newgroup = add_group(mr, g);
    return MPI_SUCCESS;
}

int MPI_Group_union(MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    return combine_groups(UNION, group, other, newgroup);
}

int MPI_Group_intersection(MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    return combine_groups(INTERSECTION, group, other, newgroup);
}

int MPI_Group_difference(MPI_Group group, MPI_Group other, MPI_Group *newgroup)
{
    return combine_groups(DIFFERENCE, group, other, newgroup);
}

/* Ranks are listed one by one; `ranks` has to name each at most once. */
static int select_listed(struct mpi_rank *mr, const struct mpi_group *g, bool include, int n,
                         const int ranks[], MPI_Group *newgroup)
{
    struct mpi_group *chosen = mpi_group_new(mr, g->size);
    bool *listed = mpi_need(mr, calloc((size_t)g->size + 1, sizeof(bool)));
    int code = MPI_SUCCESS;

    chosen->size = 0;
    for (int i = 0; code == MPI_SUCCESS && i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= g->size || listed[ranks[i]]) {
            code = mpi_error(MPI_ERR_RANK, "rank %d: expected 0 .. %d, each once", ranks[i],
                             g->size - 1);
            break;
        }
        listed[ranks[i]] = true;
        if (include)
            chosen->world[chosen->size++] = g->world[ranks[i]];
    }
    for (int r = 0; !include && r < g->size; r++)
        if (!listed[r])
            chosen->world[chosen->size++] = g->world[r];
    free(listed);
    if (code == MPI_SUCCESS)
        *newgroup = add_group(mr, chosen);
    else
        mpi_group_put(chosen);
    return code;
}

static int choose_ranks(MPI_Group group, bool include, int n, const int ranks[],
                        MPI_Group *newgroup)
{
    const struct mpi_group *g = mpi_group_of(group);

    if (g == NULL)
        return MPI_ERR_GROUP;
    if (n < 0)
        return mpi_error(MPI_ERR_ARG, "n = %d: expected 0 or more", n);
    return select_listed(mpi_self(), g, include, n, ranks, newgroup);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choose_ranks(group, true, n, ranks, newgroup);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choose_ranks(group, false, n, ranks, newgroup);
}

/* Triplets (first, last, stride), written out. */
static int write_out(const struct mpi_group *g, int n, int ranges[][3], int *ranks, int *count_p)
{
    *count_p = 0;
    for (int i = 0; i < n; i++) {
        int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];

        if (stride == 0)
            return mpi_error(MPI_ERR_ARG, "range %d: stride 0", i);
        for (int64_t r = first; stride > 0 ? r <= last : r >= last; r += stride) {
            if (r < 0 || r >= g->size || *count_p == g->size)
                return mpi_error(MPI_ERR_RANK, "range %d: expected ranks 0 .. %d, each once", i,
                                 g->size - 1);
            ranks[(*count_p)++] = (int)r;
        }
    }
    return MPI_SUCCESS;
}

static int choose_ranges(MPI_Group group, bool include, int n, int ranges[][3], MPI_Group *newgroup)
{
    const struct mpi_group *g = mpi_group_of(group);
    int code, count, *ranks;

    if (g == NULL)
        return MPI_ERR_GROUP;
    ranks = mpi_need(mpi_self(), malloc(((size_t)g->size + 1) * sizeof(int)));
    code = write_out(g, n, ranges, ranks, &count);
    if (code == MPI_SUCCESS)
        code = choose_ranks(group, include, n < 0 ? n : count, ranks, newgroup);
    free(ranks);
    return code;
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choose_ranges(group, true, n, ranges, newgroup);
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choose_ranges(group, false, n, ranges, newgroup);
}

int MPI_Group_free(MPI_Group *group)
{
    struct mpi_group *g = mpi_group_of(*group);

    if (g == NULL)
        return MPI_ERR_GROUP;
    if (*group != MPI_GROUP_EMPTY) {
        mpi_table_remove(&mpi_self()->groups, (unsigned)(*group - FIRST_HANDLE));
        mpi_group_put(g);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
