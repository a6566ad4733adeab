/* Which algorithm a collective takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/coll/collective.h"

#define TABLES_MAX 12u
#define FORCED_MAX 128u
#define KB         1024u

/** Of one rank. */
struct mpi_select {
    const struct mpi_algorithm *algorithms[TABLES_MAX];
    const struct mpi_choice *choices[TABLES_MAX];
    unsigned nadded, nchosen; /* tables of either */
    struct mpi_forced {
        const struct mpi_algorithm *algorithm;
        uint64_t from_bytes, below_bytes; /* below 0: no limit */
        int ranks;                        /* 0: any number */
    } forced[FORCED_MAX];                 /* the latest comes first */
    unsigned nforced;
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

    if (sel->nadded == TABLES_MAX)
        return mpi_fail(mr, MPI_ERR_INTERN, "more than %u tables of algorithms", TABLES_MAX);
    sel->algorithms[sel->nadded++] = algorithms;
    return MPI_SUCCESS;
}

int mpi_choices_add(struct mpi_rank *mr, const struct mpi_choice *choices)
{
    struct mpi_select *sel = mr->select;

    if (sel->nchosen == TABLES_MAX)
        return mpi_fail(mr, MPI_ERR_INTERN, "more than %u tables of choices", TABLES_MAX);
    sel->choices[sel->nchosen++] = choices;
    return MPI_SUCCESS;
}

static const struct mpi_algorithm *find(const struct mpi_select *sel, enum mpi_collective kind,
                                        const char *name, size_t length)
{
    for (unsigned t = sel->nadded; t-- > 0;)
        for (const struct mpi_algorithm *a = sel->algorithms[t]; a->name != NULL; a++)
            if (a->kind == kind && strncmp(a->name, name, length) == 0 && a->name[length] == '\0')
                return a;
    return NULL;
}

/* @return MPI_ERR_ARG, with what there is. */
static int no_such(struct mpi_rank *mr, const char *item, size_t n, enum mpi_collective kind)
{
    const struct mpi_select *sel = mr->select;
    char list[120] = "";
    size_t at = 0;

    for (unsigned t = 0; t < sel->nadded; t++)
        for (const struct mpi_algorithm *a = sel->algorithms[t];
             a->name != NULL && at < sizeof(list); a++)
            if (a->kind == kind)
                at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at > 0 ? ", " : "",
                                       a->name);
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
static bool read_limits(const char *at, const char *end, struct mpi_forced *f)
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
        if (!read_number(&at, end, &ranks) || ranks == 0 || ranks > INT32_MAX)
            return false;
        f->ranks = (int)ranks;
    }
    return at == end;
}

/* One without limits replaces all that there is of its collective. */
static int add_forced(struct mpi_rank *mr, const struct mpi_forced *f)
{
    struct mpi_select *sel = mr->select;
    unsigned kept = 0;

    if (f->from_bytes == 0 && f->below_bytes == 0 && f->ranks == 0) {
        for (unsigned i = 0; i < sel->nforced; i++)
            if (sel->forced[i].algorithm->kind != f->algorithm->kind)
                sel->forced[kept++] = sel->forced[i];
        sel->nforced = kept;
    }
    if (sel->nforced == FORCED_MAX)
        return mpi_fail(mr, MPI_ERR_ARG, "more than %u algorithms", FORCED_MAX);
    sel->forced[sel->nforced++] = *f;
    return MPI_SUCCESS;
}

/* One "kind=name@from..below/ranks" of `n` characters. */
static int force_one(struct mpi_rank *mr, const char *item, size_t n)
{
    const char *mark = memchr(item, '=', n), *end = item + n;
    size_t left = mark != NULL ? (size_t)(mark - item) : 0;

    for (int k = 0; mark != NULL && k < MPI_COLLECTIVES; k++) {
        struct mpi_forced f = { 0 };
        const char *limits = mark + 1;

        if (strlen(names[k]) != left || strncmp(names[k], item, left) != 0)
            continue;
        while (limits < end && *limits != '@' && *limits != '/')
            limits++;
        f.algorithm =
            find(mr->select, (enum mpi_collective)k, mark + 1, (size_t)(limits - mark) - 1);
        if (f.algorithm == NULL)
            return no_such(mr, item, (size_t)(limits - item), (enum mpi_collective)k);
        if (!read_limits(limits, end, &f))
            return mpi_fail(
                mr, MPI_ERR_ARG,
                "algorithm %.*s: expected @FROM..BELOW in bytes, /RANKS, or both behind "
                "its name, as in allgather=ring@4K..64K/16",
                (int)n, item);
        return add_forced(mr, &f);
    }
    if (mark != NULL)
        return mpi_fail(mr, MPI_ERR_ARG,
                        "algorithm %.*s: no such collective: expected the name of one without "
                        "MPI_, as in allgather=ring",
                        (int)n, item);
    return mpi_fail(mr, MPI_ERR_ARG, "algorithm %.*s: expected COLLECTIVE=NAME, as allgather=ring",
                    (int)n, item);
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

static bool holds(const struct mpi_choice *ch, const struct mpi_coll *c)
{
    return ch->kind == c->kind && c->bytes >= ch->from_bytes &&
           (ch->below_bytes == 0 || c->bytes < ch->below_bytes) && c->size >= ch->from_ranks &&
           (ch->below_ranks == 0 || c->size < ch->below_ranks);
}

static bool applies(const struct mpi_algorithm *a, const struct mpi_coll *c)
{
    return a != NULL && (a->applies == NULL || a->applies(c));
}

static bool forced_holds(const struct mpi_forced *f, const struct mpi_coll *c)
{
    return f->algorithm->kind == c->kind && c->bytes >= f->from_bytes &&
           (f->below_bytes == 0 || c->bytes < f->below_bytes) &&
           (f->ranks == 0 || f->ranks == c->size);
}

static const struct mpi_algorithm *choose(const struct mpi_coll *c)
{
    const struct mpi_select *sel = c->mr->select;

    for (unsigned i = sel->nforced; i-- > 0;)
        if (forced_holds(&sel->forced[i], c) && applies(sel->forced[i].algorithm, c))
            return sel->forced[i].algorithm;
    for (unsigned t = sel->nchosen; t-- > 0;) {
        for (const struct mpi_choice *ch = sel->choices[t]; ch->algorithm != NULL; ch++) {
            const struct mpi_algorithm *a;

            if (!holds(ch, c))
                continue;
            a = find(sel, c->kind, ch->algorithm, strlen(ch->algorithm));
            if (applies(a, c))
                return a;
        }
    }
    return NULL;
}

void mpi_coll_build(struct mpi_coll *c)
{
    const struct mpi_algorithm *a = choose(c);

    if (a == NULL) {
        mpi_note(c->mr, "no algorithm for %s", names[c->kind]);
        mpi_schedule_fail(c->s, MPI_ERR_INTERN);
        return;
    }
    if (c->kind >= MPI_COLL_REDUCE)
        mpi_build_sums(c, a->build);
    else
        a->build(c);
}

bool mpi_algorithm_text(const struct mpi_rank *mr, unsigned i, char *text, size_t room)
{
    const struct mpi_select *sel = mr->select;

    for (unsigned t = 0; t < sel->nadded; t++)
        for (const struct mpi_algorithm *a = sel->algorithms[t]; a->name != NULL; a++)
            if (i-- == 0) {
                (void)snprintf(text, room, "%s=%s", names[a->kind], a->name);
                return true;
            }
    return false;
}
