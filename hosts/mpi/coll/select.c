/* Which algorithm a collective takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/coll/collective.h"

#define ALGORITHMS_MAX 64u
#define TABLES_MAX     12u
#define FORCED_MAX     128u
#define KB             1024u

/** Of one rank. */
struct mpi_select {
    const struct mpi_algorithm *algorithms[ALGORITHMS_MAX];
    const struct mpi_choice *choices[TABLES_MAX];
    unsigned nalgorithms, nchoices, nforced;
    struct mpi_choice forced[FORCED_MAX + 1]; /* the latest comes first; one without a name ends */
};

static const char *const names[MPI_COLLECTIVES] = {
    "barrier",  "bcast",     "gather",         "gatherv",  "scatter",
    "scatterv", "allgather", "allgatherv",     "alltoall", "alltoallv",
    "reduce",   "allreduce", "reduce_scatter", "scan",     "exscan",
};

int mpi_select_init(struct mpi_rank *mr)
{
    if (mr->select == NULL)
        mr->select = calloc(1, sizeof(*mr->select));
    return mr->select != NULL ? MPI_SUCCESS : mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
}

void mpi_select_release(struct mpi_rank *mr)
{
    free(mr->select);
    mr->select = NULL;
}

int mpi_algorithms_add(struct mpi_rank *mr, const struct mpi_algorithm *algorithms)
{
    struct mpi_select *sel = mr->select;

    for (; algorithms->name != NULL; algorithms++) {
        if (sel->nalgorithms == ALGORITHMS_MAX)
            return mpi_fail(mr, MPI_ERR_INTERN, "more than %u algorithms", ALGORITHMS_MAX);
        sel->algorithms[sel->nalgorithms++] = algorithms;
    }
    return MPI_SUCCESS;
}

int mpi_choices_add(struct mpi_rank *mr, const struct mpi_choice *choices)
{
    struct mpi_select *sel = mr->select;

    if (sel->nchoices == TABLES_MAX)
        return mpi_fail(mr, MPI_ERR_INTERN, "more than %u tables of choices", TABLES_MAX);
    sel->choices[sel->nchoices++] = choices;
    return MPI_SUCCESS;
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

static const struct mpi_algorithm *find_algorithm(const struct mpi_select *sel,
                                                  enum mpi_collective kind, const char *name,
                                                  size_t length)
{
    for (unsigned i = sel->nalgorithms; i-- > 0;)
        if (sel->algorithms[i]->kind == kind && is_named(sel->algorithms[i]->name, name, length))
            return sel->algorithms[i];
    return NULL;
}

/* @return MPI_ERR_ARG, with what there is. */
static int no_such_algorithm(struct mpi_rank *mr, const char *item, size_t n,
                             enum mpi_collective kind)
{
    const struct mpi_select *sel = mr->select;
    char list[120] = "";
    size_t at = 0;

    for (unsigned i = 0; i < sel->nalgorithms && at < sizeof(list); i++)
        if (sel->algorithms[i]->kind == kind)
            at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at > 0 ? ", " : "",
                                   sel->algorithms[i]->name);
    return mpi_fail(mr, MPI_ERR_ARG, "algorithm %.*s: expected %s", (int)n, item, list);
}

/* Digits and K or M for 2^10 or 2^20. @return whether there were any. */
static bool read_number(const char **at, const char *end, uint64_t *value_p)
{
    const char *from = *at;

    for (*value_p = 0; *at < end && **at >= '0' && **at <= '9' && *value_p < UINT64_MAX / 64; ++*at)
        *value_p = *value_p * 10 + (uint64_t)(**at - '0');
    if (*at == from)
        return false;
    if (*at < end && (**at == 'K' || **at == 'M'))
        *value_p *= *(*at)++ == 'K' ? KB : KB * KB;
    return true;
}

/* "@FROM..BELOW/RANKS" from `at` on, each part or all of it absent. */
static bool read_limits(const char *at, const char *end, struct mpi_choice *f)
{
    uint64_t ranks = 0;

    if (at < end && *at == '@') {
        at++;
        (void)read_number(&at, end, &f->from_bytes);
        if (end - at < 2 || memcmp(at, "..", 2) != 0)
            return false;
        at += 2;
        (void)read_number(&at, end, &f->below_bytes);
        if (f->below_bytes != 0 && f->below_bytes <= f->from_bytes)
            return false;
    }
    if (at < end && *at == '/') {
        at++;
        if (!read_number(&at, end, &ranks) || ranks == 0 || ranks >= INT32_MAX)
            return false;
        f->from_ranks = (int)ranks;
        f->below_ranks = f->from_ranks + 1;
    }
    return at == end;
}

/* One without limits replaces all that there is of its collective. */
static int add_forced(struct mpi_rank *mr, const struct mpi_choice *f)
{
    struct mpi_select *sel = mr->select;
    bool limited = f->from_bytes != 0 || f->below_bytes != 0 || f->from_ranks != 0;
    unsigned kept = 0;

    for (unsigned i = 0; i < sel->nforced; i++)
        if (limited || sel->forced[i].kind != f->kind)
            sel->forced[kept++] = sel->forced[i];
    if (kept == FORCED_MAX)
        return mpi_fail(mr, MPI_ERR_ARG, "more than %u algorithms", FORCED_MAX);
    memmove(sel->forced + 1, sel->forced, kept * sizeof(*f));
    sel->forced[0] = *f;
    sel->nforced = kept + 1;
    sel->forced[sel->nforced] = (struct mpi_choice){ 0 };
    return MPI_SUCCESS;
}

/* One "kind=name@from..below/ranks" of `n` characters, with a comma or the end behind them. */
static int force_one(struct mpi_rank *mr, const char *item, size_t n)
{
    const char *mark = memchr(item, '=', n), *limits;
    const struct mpi_algorithm *a;
    struct mpi_choice f = { .kind = MPI_COLL_BARRIER };

    if (mark == NULL)
        return mpi_fail(mr, MPI_ERR_ARG,
                        "algorithm %.*s: expected COLLECTIVE=NAME, as allgather=ring", (int)n,
                        item);
    while (f.kind < MPI_COLLECTIVES && !is_named(names[f.kind], item, (size_t)(mark - item)))
        f.kind++;
    if (f.kind == MPI_COLLECTIVES)
        return mpi_fail(mr, MPI_ERR_ARG,
                        "algorithm %.*s: no such collective: expected the name of one without "
                        "MPI_, as in allgather=ring",
                        (int)n, item);
    limits = mark + 1 + strcspn(mark + 1, "@/,");
    a = find_algorithm(mr->select, f.kind, mark + 1, (size_t)(limits - mark) - 1);
    if (a == NULL)
        return no_such_algorithm(mr, item, (size_t)(limits - item), f.kind);
    f.algorithm = a->name;
    if (!read_limits(limits, item + n, &f))
        return mpi_fail(mr, MPI_ERR_ARG,
                        "algorithm %.*s: expected @FROM..BELOW in bytes, /RANKS, or both behind "
                        "its name, as in allgather=ring@4K..64K/16",
                        (int)n, item);
    return add_forced(mr, &f);
}

int mpi_algorithms_force(struct mpi_rank *mr, const char *text)
{
    int code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && text != NULL && *text != '\0') {
        size_t n = strcspn(text, ",");

        code = force_one(mr, text, n);
        text += n + (text[n] == ',');
    }
    return code;
}

static bool limits_hold(const struct mpi_choice *ch, const struct mpi_coll *c)
{
    return ch->kind == c->kind && c->bytes >= ch->from_bytes &&
           (ch->below_bytes == 0 || c->bytes < ch->below_bytes) && c->size >= ch->from_ranks &&
           (ch->below_ranks == 0 || c->size < ch->below_ranks);
}

static bool algorithm_applies(const struct mpi_algorithm *a, const struct mpi_coll *c)
{
    return a->kind == c->kind && (a->applies == NULL || a->applies(c));
}

/* The first row of a table whose limits hold and whose algorithm applies; NULL: none does. */
static const struct mpi_algorithm *choose_from(const struct mpi_choice *ch,
                                               const struct mpi_coll *c)
{
    const struct mpi_algorithm *a;

    for (; ch->algorithm != NULL; ch++) {
        if (!limits_hold(ch, c))
            continue;
        a = find_algorithm(c->mr->select, c->kind, ch->algorithm, strlen(ch->algorithm));
        if (a != NULL && algorithm_applies(a, c))
            return a;
    }
    return NULL;
}

/* Where no table has a row, the first algorithm that applies. Each kind has one that always does.
 */
static const struct mpi_algorithm *choose_algorithm(const struct mpi_coll *c)
{
    const struct mpi_select *sel = c->mr->select;
    const struct mpi_algorithm *a = choose_from(sel->forced, c);

    for (unsigned t = sel->nchoices; a == NULL && t-- > 0;)
        a = choose_from(sel->choices[t], c);
    for (unsigned i = 0; a == NULL; i++)
        a = algorithm_applies(sel->algorithms[i], c) ? sel->algorithms[i] : NULL;
    return a;
}

void mpi_coll_build(struct mpi_coll *c)
{
    const struct mpi_algorithm *a = choose_algorithm(c);

    if (c->kind >= MPI_COLL_REDUCE)
        mpi_build_sums(c, a->build);
    else
        a->build(c);
}

bool mpi_algorithm_text(const struct mpi_rank *mr, unsigned i, char *text, size_t room)
{
    const struct mpi_select *sel = mr->select;

    if (i >= sel->nalgorithms)
        return false;
    (void)snprintf(text, room, "%s=%s", names[sel->algorithms[i]->kind], sel->algorithms[i]->name);
    return true;
}
