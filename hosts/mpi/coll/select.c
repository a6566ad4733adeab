/* Which algorithm a collective takes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/coll/collective.h"

#define ALGORITHMS_MAX 64u
#define OWN_MAX        80u  /* choices of the library: mpi_choices_add() */
#define FORCED_MAX     128u /* and so many by one text at most: add_choice() */
#define ITEM_MAX       100u /* bytes of the user's text in an error */
#define KB             1024u

/** What is in it; `below` 0: no limit. */
struct range {
    uint64_t from, below;
};

/** An algorithm, and where it is taken. */
struct choice {
    const struct mpi_algorithm *algorithm;
    struct range bytes, ranks;
};

/** Of one rank. */
struct mpi_select {
    const struct mpi_algorithm *algorithms[ALGORITHMS_MAX];
    struct choice choices[OWN_MAX + FORCED_MAX]; /* the latest is looked at first */
    unsigned nalgorithms, nchoices;
    unsigned nown; /* choices of the library, before those of the user */
};

static const char *const names[MPI_COLLECTIVES] = {
    "barrier",  "bcast",     "gather",         "gatherv",  "scatter",
    "scatterv", "allgather", "allgatherv",     "alltoall", "alltoallv",
    "reduce",   "allreduce", "reduce_scatter", "scan",     "exscan",
};

void mpi_select_init(struct mpi_rank *mr)
{
    mr->select = mpi_need(mr, calloc(1, sizeof(*mr->select)));
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

/* @return MPI_ERR_ARG; of a long `item` the beginning is enough, and its control characters are not
 * for a terminal. */
static int refuse(struct mpi_rank *mr, const char *item, size_t n, const char *expected)
{
    char shown[ITEM_MAX + 1] = "";

    for (size_t i = 0; i < n && i < ITEM_MAX; i++)
        shown[i] = iscntrl((unsigned char)item[i]) ? '?' : item[i];
    return mpi_fail(mr, MPI_ERR_ARG, "algorithm '%s%s': expected %s", shown,
                    n > ITEM_MAX ? "..." : "", expected);
}

/* With all that there are. */
static int no_such_algorithm(struct mpi_rank *mr, const char *item, size_t n,
                             enum mpi_collective kind)
{
    const struct mpi_select *sel = mr->select;
    char list[MPI_WHY_BYTES - ITEM_MAX - sizeof("algorithm '...': expected ")] = "";
    size_t at = 0;

    for (unsigned i = 0; i < sel->nalgorithms && at < sizeof(list); i++)
        if (sel->algorithms[i]->kind == kind)
            at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at > 0 ? ", " : "",
                                   sel->algorithms[i]->name);
    if (at >= sizeof(list)) /* a cut is seen */
        memcpy(list + sizeof(list) - sizeof("..."), "...", sizeof("..."));
    return refuse(mr, item, n, list);
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

/* "FROM..BELOW", each of them absent or not; or, if `one` may be, a number alone. */
static bool read_range(const char **at, const char *end, bool one, struct range *r)
{
    bool has = read_number(at, end, &r->from);

    if (one && has && (*at == end || **at != '.')) {
        r->below = r->from + 1;
        return r->from > 0 && r->from < INT32_MAX;
    }
    if (end - *at < 2 || memcmp(*at, "..", 2) != 0)
        return false;
    *at += 2;
    (void)read_number(at, end, &r->below);
    return r->below == 0 || r->below > r->from;
}

/* "@FROM..BELOW/RANKS" from `at` on, each part or all of it absent. */
static bool read_limits(const char *at, const char *end, struct choice *f)
{
    if (at < end && *at == '@') {
        at++;
        if (!read_range(&at, end, false, &f->bytes))
            return false;
    }
    if (at < end && *at == '/') {
        at++;
        if (!read_range(&at, end, true, &f->ranks))
            return false;
    }
    return at == end;
}

static int add_choice(struct mpi_rank *mr, const struct choice *f)
{
    struct mpi_select *sel = mr->select;

    if (sel->nchoices - sel->nown == FORCED_MAX)
        return mpi_fail(mr, MPI_ERR_ARG, "more than %u algorithms", FORCED_MAX);
    sel->choices[sel->nchoices++] = *f;
    return MPI_SUCCESS;
}

/* One "kind=name@from..below/ranks" of `n` characters, with a comma or the end behind them. */
static int force_one(struct mpi_rank *mr, const char *item, size_t n)
{
    const char *mark = memchr(item, '=', n), *limits;
    enum mpi_collective kind = MPI_COLL_BARRIER;
    struct choice f = { 0 };

    if (mark == NULL)
        return refuse(mr, item, n, "COLLECTIVE=NAME, as allgather=ring");
    while (kind < MPI_COLLECTIVES && !is_named(names[kind], item, (size_t)(mark - item)))
        kind++;
    if (kind == MPI_COLLECTIVES)
        return refuse(mr, item, n, "the name of a collective without MPI_, as in allgather=ring");
    limits = mark + 1 + strcspn(mark + 1, "@/,");
    f.algorithm = find_algorithm(mr->select, kind, mark + 1, (size_t)(limits - mark) - 1);
    if (f.algorithm == NULL)
        return no_such_algorithm(mr, item, (size_t)(limits - item), kind);
    if (!read_limits(limits, item + n, &f))
        return refuse(mr, item, n,
                      "@FROM..BELOW in bytes, /RANKS, or both behind its name, as in "
                      "allgather=ring@4K..64K/16");
    return add_choice(mr, &f);
}

int mpi_algorithms_force(struct mpi_rank *mr, const char *text)
{
    bool more = text != NULL && *text != '\0';
    int code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && more) { /* what a last comma announces is missing */
        size_t n = strcspn(text, ",");

        code = force_one(mr, text, n);
        more = text[n] == ',';
        text += n + 1;
    }
    return code;
}

int mpi_choices_add(struct mpi_rank *mr, const char *text)
{
    struct mpi_select *sel = mr->select;
    int code = mpi_algorithms_force(mr, text);

    if (code != MPI_SUCCESS)
        return code;
    if (sel->nchoices > OWN_MAX)
        return mpi_fail(mr, MPI_ERR_INTERN, "more than %u choices of algorithms", OWN_MAX);
    sel->nown = sel->nchoices;
    return MPI_SUCCESS;
}

static bool is_in(const struct range *r, uint64_t n)
{
    return n >= r->from && (r->below == 0 || n < r->below);
}

static bool algorithm_applies(const struct mpi_algorithm *a, const struct mpi_coll *c)
{
    return a->kind == c->kind && (a->applies == NULL || a->applies(c));
}

/* The latest choice that holds. Where there is none, the first algorithm that applies: each kind
 * has one that always does. */
static const struct mpi_algorithm *choose_algorithm(const struct mpi_coll *c)
{
    const struct mpi_select *sel = c->mr->select;
    unsigned first = 0;

    for (unsigned i = sel->nchoices; i-- > 0;) {
        const struct choice *ch = &sel->choices[i];

        if (is_in(&ch->bytes, c->bytes) && is_in(&ch->ranks, (uint64_t)c->size) &&
            algorithm_applies(ch->algorithm, c))
            return ch->algorithm;
    }
    while (!algorithm_applies(sel->algorithms[first], c))
        first++;
    return sel->algorithms[first];
}

void mpi_coll_build(struct mpi_coll *c)
{
    const struct mpi_algorithm *a = choose_algorithm(c);

    if (c->kind >= MPI_COLL_REDUCE)
        mpi_build_sums(c, a->build);
    else if (mpi_coll_by_host(c))
        mpi_build_by_host(c, a->build);
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
