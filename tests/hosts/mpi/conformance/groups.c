/* Groups and communicators: chapter 6 of MPI-3.1. */
#include "check.h"

static MPI_Group world;

static int size_of(MPI_Group g)
{
    int n = -1;

    MPI_Group_size(g, &n);
    return n;
}

/* The group's ranks in the world are `want`. */
static int is(MPI_Group g, int n, const int *want)
{
    int ranks[64], got[64], same = size_of(g) == n;

    for (int i = 0; i < n; i++)
        ranks[i] = i;
    if (same && n > 0) {
        MPI_Group_translate_ranks(g, n, ranks, world, got);
        same = memcmp(got, want, (size_t)n * sizeof(int)) == 0;
    }
    return same;
}

static int compare(MPI_Group a, MPI_Group b)
{
    int result = -1;

    MPI_Group_compare(a, b, &result);
    return result;
}

static void group_basics(void)
{
    int n = -1, r = -1, all[64], none = 0;
    MPI_Group g, again;

    for (int i = 0; i < check_size; i++)
        all[i] = i;
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world), "6.3.2 group of the world");
    CHECK_OK(MPI_Group_size(world, &n), "6.3.1 size");
    CHECK_OK(MPI_Group_rank(world, &r), "6.3.1 rank");
    CHECK(n == check_size && r == check_rank, "6.3.1 size and rank are the communicator's");
    CHECK(is(world, check_size, all), "6.3.2 ranks in order");
    CHECK(size_of(MPI_GROUP_EMPTY) == 0, "6.3.1 the empty group has no ranks");
    CHECK_OK(MPI_Group_rank(MPI_GROUP_EMPTY, &r), "6.3.1 rank in the empty group");
    CHECK(r == MPI_UNDEFINED, "6.3.1 rank of who is not in it");
    CHECK_OK(MPI_Comm_group(MPI_COMM_SELF, &g), "6.3.2 group of oneself");
    CHECK(is(g, 1, &check_rank), "6.3.2 it has the process alone");
    CHECK(compare(g, world) == (check_size == 1 ? MPI_IDENT : MPI_UNEQUAL), "6.3.1 compare");
    CHECK(compare(g, MPI_GROUP_EMPTY) == MPI_UNEQUAL, "6.3.1 compare with the empty one");
    MPI_Group_free(&g);
    CHECK(g == MPI_GROUP_NULL, "6.3.3 a freed handle is null");
    CHECK_OK(MPI_Group_incl(world, 0, NULL, &g), "6.3.2 include nothing");
    CHECK(g == MPI_GROUP_EMPTY, "6.3.2 that is the empty group");
    CHECK_OK(MPI_Group_excl(world, 0, NULL, &again), "6.3.2 exclude nothing");
    CHECK(compare(world, again) == MPI_IDENT, "6.3.2 that is the same group");
    MPI_Group_free(&again);
    CHECK_OK(MPI_Group_excl(world, check_size, all, &g), "6.3.2 exclude all");
    CHECK(size_of(g) == 0, "6.3.2 nobody is left");
    CHECK_ERROR(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &n), "6.3.1 the null group");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_size(world, NULL), "2.8 no place for the size");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_union(world, world, NULL), "2.8 no place for the group");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Group_incl(world, 1, &check_size, &g), "6.3.2 no such rank");
    all[0] = none;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_incl(world, -1, all, &g), "6.3.2 a negative number");
    if (check_size > 1) {
        int twice[2] = { 1, 1 };
        CHECK_ERROR(MPI_ERR_RANK, MPI_Group_incl(world, 2, twice, &g), "6.3.2 a rank twice");
        CHECK_ERROR(MPI_ERR_RANK, MPI_Group_excl(world, 2, twice, &g), "6.3.2 a rank twice");
    }
}

static void group_ranges(void)
{
    int last = check_size - 1, want[64] = { 0 }, n = 0;
    int down[1][3] = { { last, 0, -2 } }, up[2][3] = { { 0, 0, 1 }, { 1, last, 2 } };
    MPI_Group g, h;

    for (int r = last; r >= 0; r -= 2)
        want[n++] = r;
    CHECK_OK(MPI_Group_range_incl(world, 1, down, &g), "6.3.2 a range downwards");
    CHECK(is(g, n, want), "6.3.2 its ranks in that order");
    CHECK_OK(MPI_Group_range_excl(world, 1, down, &h), "6.3.2 all but the range");
    n = 0;
    for (int r = 0; r <= last; r++)
        if ((last - r) % 2 != 0)
            want[n++] = r;
    CHECK(is(h, n, want), "6.3.2 the others keep their order");
    MPI_Group_free(&g);
    MPI_Group_free(&h);
    n = 1;
    want[0] = 0;
    for (int r = 1; r <= last; r += 2)
        want[n++] = r;
    CHECK_OK(MPI_Group_range_incl(world, last > 0 ? 2 : 1, up, &g), "6.3.2 several ranges");
    CHECK(is(g, n, want), "6.3.2 one after the other");
    MPI_Group_free(&g);
    up[0][2] = 0;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_range_incl(world, 1, up, &g), "6.3.2 stride 0");
    up[0][2] = 1;
    up[0][1] = check_size;
    CHECK_ERROR(MPI_ERR_RANK, MPI_Group_range_incl(world, 1, up, &g), "6.3.2 beyond the last rank");
}

/* Even and low ranks. */
static void group_sets(void)
{
    int half = (check_size + 1) / 2, want[64], n = 0;
    int evens[1][3] = { { 0, check_size - 1, 2 } }, lows[1][3] = { { half - 1, 0, -1 } };
    MPI_Group even, low, g, h;

    MPI_Group_range_incl(world, 1, evens, &even);
    MPI_Group_range_incl(world, 1, lows, &low);
    for (int r = 0; r < check_size; r += 2)
        want[n++] = r;
    for (int r = half - 1; r >= 0; r--)
        if (r % 2 != 0)
            want[n++] = r;
    CHECK_OK(MPI_Group_union(even, low, &g), "6.3.2 union");
    CHECK(is(g, n, want), "6.3.2 the first group, then what only the second has");
    MPI_Group_free(&g);
    n = 0;
    for (int r = 0; r < half; r += 2)
        want[n++] = r;
    CHECK_OK(MPI_Group_intersection(even, low, &g), "6.3.2 intersection");
    CHECK(is(g, n, want), "6.3.2 in the order of the first group");
    CHECK_OK(MPI_Group_intersection(low, even, &h), "6.3.2 intersection the other way round");
    CHECK(compare(g, h) == (n > 1 ? MPI_SIMILAR : MPI_IDENT), "6.3.1 the same in another order");
    MPI_Group_free(&g);
    MPI_Group_free(&h);
    n = 0;
    for (int r = 0; r < check_size; r += 2)
        if (r >= half)
            want[n++] = r;
    CHECK_OK(MPI_Group_difference(even, low, &g), "6.3.2 difference");
    CHECK(is(g, n, want), "6.3.2 what the second has not");
    if (g != MPI_GROUP_EMPTY)
        MPI_Group_free(&g);
    CHECK_OK(MPI_Group_difference(even, even, &g), "6.3.2 difference with itself");
    CHECK(g == MPI_GROUP_EMPTY, "6.3.2 is empty");
    CHECK_OK(MPI_Group_union(MPI_GROUP_EMPTY, low, &g), "6.3.2 union with the empty group");
    CHECK(compare(g, low) == MPI_IDENT, "6.3.2 changes nothing");
    MPI_Group_free(&g);
    want[0] = MPI_PROC_NULL;
    want[1] = check_size - 1;
    CHECK_OK(MPI_Group_translate_ranks(world, 2, want, low, want + 2), "6.3.1 translate");
    CHECK(want[2] == MPI_PROC_NULL, "6.3.1 nobody is nobody in each group");
    CHECK(want[3] == (check_size == 1 ? 0 : MPI_UNDEFINED), "6.3.1 who is not in the other group");
    MPI_Group_free(&even);
    MPI_Group_free(&low);
}

static int sum_on(MPI_Comm comm)
{
    int one = 1, sum = -1;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

static int compare_comms(MPI_Comm a, MPI_Comm b)
{
    int result = -1;

    MPI_Comm_compare(a, b, &result);
    return result;
}

static void comm_basics(void)
{
    MPI_Comm dup, twice, reversed, none = MPI_COMM_NULL;
    MPI_Request rq;
    char name[MPI_MAX_OBJECT_NAME];
    int n = -1, r, back, flag = -1, value = check_rank;

    CHECK_OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &n), "6.8 name of the world");
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && n == 14, "6.8 it has its own");
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &n), "6.8 name of oneself");
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0, "6.8 it has its own");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup), "6.4.2 dup");
    CHECK(compare_comms(dup, MPI_COMM_WORLD) == MPI_CONGRUENT, "6.4.1 congruent");
    CHECK(compare_comms(dup, dup) == MPI_IDENT, "6.4.1 identical");
    CHECK_OK(MPI_Comm_get_name(dup, name, &n), "6.8 name of a new one");
    CHECK(n == 0 && name[0] == '\0', "6.8 names are not copied");
    CHECK_OK(MPI_Comm_set_name(dup, "twin"), "6.8 set a name");
    CHECK_OK(MPI_Comm_get_name(dup, name, &n), "6.8 get it");
    CHECK(strcmp(name, "twin") == 0 && n == 4, "6.8 it is that");
    CHECK_OK(MPI_Comm_idup(dup, &twice, &rq), "6.4.2 idup");
    CHECK(sum_on(dup) == check_size, "6.4.2 a collective while idup is on its way");
    CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "6.4.2 idup ends");
    CHECK(sum_on(twice) == check_size, "6.4.2 it works");
    CHECK_OK(MPI_Comm_dup_with_info(dup, MPI_INFO_NULL, &none), "6.4.2 dup with info");
    CHECK(sum_on(none) == check_size, "6.4.2 it works");
    MPI_Comm_free(&none);
    CHECK_OK(MPI_Comm_test_inter(dup, &flag), "6.6.1 test");
    CHECK(flag == 0, "6.6.1 of one group");
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_remote_size(dup, &n), "6.6.1 no remote group");
    CHECK_OK(MPI_Comm_split(dup, 0, -check_rank, &reversed), "6.4.2 split, all in one");
    MPI_Comm_rank(reversed, &r);
    CHECK(r == check_size - 1 - check_rank, "6.4.2 ranks follow the keys");
    CHECK(compare_comms(reversed, dup) == (check_size > 1 ? MPI_SIMILAR : MPI_CONGRUENT),
          "6.4.1 another order");
    /* the same pair and tag on two communicators */
    MPI_Isend(&value, 1, MPI_INT, check_rank, 3, dup, &rq);
    MPI_Recv(&back, 1, MPI_INT, check_rank, 3, dup, MPI_STATUS_IGNORE);
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    CHECK(back == check_rank, "6.4.2 messages to oneself");
    CHECK_OK(MPI_Comm_free(&reversed), "6.4.3 free");
    CHECK(reversed == MPI_COMM_NULL, "6.4.3 a freed handle is null");
    MPI_Comm_free(&dup);
    CHECK(sum_on(twice) == check_size, "6.4.3 a copy outlives what it was made from");
    CHECK_OK(MPI_Comm_disconnect(&twice), "10.5.4 disconnect");
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &n), "6.4.1 the null communicator");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &none), "6.4.2 a bad colour");
}

static void comm_create(void)
{
    int third[1][3] = { { 0, check_size - 1, 3 } }, r, mine[1] = { check_rank };
    MPI_Comm c, d;
    MPI_Group g, one;

    MPI_Group_range_incl(world, 1, third, &g);
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, g, &c), "6.4.2 create");
    CHECK((c == MPI_COMM_NULL) == (check_rank % 3 != 0), "6.4.2 null outside of the group");
    if (c != MPI_COMM_NULL) {
        MPI_Comm_rank(c, &r);
        CHECK(r == check_rank / 3, "6.4.2 ranks are the group's");
        CHECK(sum_on(c) == (check_size + 2) / 3, "6.4.2 it works");
        MPI_Comm_free(&c);
        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, g, 9, &d),
                 "6.4.2 create by the group alone");
        CHECK(sum_on(d) == (check_size + 2) / 3, "6.4.2 it works");
        MPI_Comm_free(&d);
    }
    MPI_Group_free(&g);
    MPI_Group_incl(world, 1, mine, &one);
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, one, &c), "6.4.2 create, each rank another group");
    CHECK(sum_on(c) == 1, "6.4.2 each has its own");
    MPI_Comm_free(&c);
    MPI_Group_free(&one);
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &c), "6.4.2 create for nobody");
    CHECK(c == MPI_COMM_NULL, "6.4.2 gives none");
    CHECK_OK(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, check_rank, MPI_INFO_NULL, &c),
        "6.4.2 ranks that share memory");
    CHECK(c != MPI_COMM_NULL && sum_on(c) >= 1, "6.4.2 each is in one");
    MPI_Comm_free(&c);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &c),
             "6.4.2 no type");
    CHECK(c == MPI_COMM_NULL, "6.4.2 gives none");
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2 == 0 ? 4 : MPI_UNDEFINED, 0, &c),
             "6.4.2 split without colour");
    CHECK((c == MPI_COMM_NULL) == (check_rank % 2 != 0), "6.4.2 gives none");
    if (c != MPI_COMM_NULL)
        MPI_Comm_free(&c);
}

/* Pairs (0 1)(2 3).. and (1 2)(3 4).. and thirds are made in different orders on different ranks,
 * and used while others are made. */
static void overlapping(void)
{
    int left[2] = { check_rank / 2 * 2, check_rank / 2 * 2 + 1 };
    int right[2] = { (check_rank - 1) / 2 * 2 + 1, (check_rank - 1) / 2 * 2 + 2 };
    int has_left = left[1]<check_size, has_right = check_rank> 0 && right[1] < check_size;
    MPI_Comm a = MPI_COMM_NULL, b = MPI_COMM_NULL, dups[4];
    MPI_Request rq[4];
    MPI_Group g;

    for (int turn = 0; turn < 4; turn++) {
        for (int k = 0; k < 2; k++) {
            int first = k == 0;
            if (first ? has_left : has_right) {
                MPI_Group_incl(world, 2, first ? left : right, &g);
                MPI_Comm_create_group(MPI_COMM_WORLD, g, 20 + turn, first ? &a : &b);
                MPI_Group_free(&g);
            }
        }
        if (has_left)
            CHECK(sum_on(a) == 2, "6.4.2 the left pair");
        if (has_right)
            CHECK(sum_on(b) == 2, "6.4.2 the right pair");
        if (has_left && has_right) { /* the tags and ranks are the same, the contexts are not */
            int me, out = 100 * check_rank, in = -1;
            MPI_Comm_rank(a, &me);
            MPI_Sendrecv(&out, 1, MPI_INT, me, 1, &in, 1, MPI_INT, me, 1, a, MPI_STATUS_IGNORE);
            CHECK(in == out, "6.4.2 nothing comes from the other one");
        }
        if (has_left)
            MPI_Comm_free(&a);
        if (has_right)
            MPI_Comm_free(&b);
    }
    for (int k = 0; k < 4; k++)
        MPI_Comm_idup(MPI_COMM_WORLD, &dups[k], &rq[k]);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank % 3, 0, &a);
    CHECK(sum_on(a) == (check_size - check_rank % 3 + 2) / 3, "6.4.2 made while others are made");
    MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 4; k++) {
        int in = -1;
        MPI_Request in_rq;
        MPI_Irecv(&in, 1, MPI_INT, check_rank, 5, dups[3 - k], &in_rq);
        for (int j = 0; j < 4; j++)
            if (j == 3 - k)
                MPI_Send(&j, 1, MPI_INT, check_rank, 5, dups[j]);
        MPI_Wait(&in_rq, MPI_STATUS_IGNORE);
        CHECK(in == 3 - k, "6.4.2 four copies are four contexts");
        CHECK(sum_on(dups[k]) == check_size, "6.4.2 each works");
    }
    for (int k = 0; k < 4; k++)
        MPI_Comm_free(&dups[k]);
    MPI_Comm_free(&a);
}

/* Many, freed in another order than they were made. */
static void many(void)
{
    MPI_Comm c[20];

    for (int i = 0; i < 20; i++)
        MPI_Comm_split(MPI_COMM_WORLD, (check_rank + i) % 2, check_rank, &c[i]);
    for (int i = 19; i >= 0; i -= 2)
        MPI_Comm_free(&c[i]);
    for (int i = 0; i < 20; i += 2) {
        CHECK(sum_on(c[i]) == (check_size + ((check_rank + i) % 2 == i % 2)) / 2, "6.4.2 split");
        MPI_Comm_free(&c[i]);
    }
}

/* Rank 0 makes as many as it may: the next one is an error for all that would be in it. */
static void too_many(void)
{
    enum { MOST = 1 << 16 };
    static MPI_Comm own[MOST + 1];
    MPI_Comm c = MPI_COMM_NULL, other;
    MPI_Request rq;
    int n = 0;

    while (check_rank == 0 && n <= MOST && MPI_Comm_dup(MPI_COMM_SELF, &own[n]) == MPI_SUCCESS)
        n++;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank != 0, 0, &other);
    CHECK((n > 1000 && other == MPI_COMM_NULL) ||
              (check_rank != 0 && sum_on(other) == check_size - 1),
          "6.4.2 of others alone");
    CHECK_ERROR(MPI_ERR_OTHER, MPI_Comm_dup(MPI_COMM_WORLD, &c), "6.4.2 too many at once");
    CHECK(c == MPI_COMM_NULL, "6.4.2 none of too many");
    MPI_Comm_idup(MPI_COMM_WORLD, &c, &rq);
    CHECK_ERROR(MPI_ERR_OTHER, MPI_Wait(&rq, MPI_STATUS_IGNORE), "6.4.2 too many, without waiting");
    CHECK_ERROR(MPI_ERR_OTHER, MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &c), "6.4.2 too many, split");
    CHECK(c == MPI_COMM_NULL, "6.4.2 none of a split");
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&own[i]);
    if (other != MPI_COMM_NULL)
        MPI_Comm_free(&other);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c), "6.4.3 what is freed counts no more");
    CHECK(sum_on(c) == check_size, "6.4.3 it works");
    MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "groups");
    group_basics();
    group_ranges();
    group_sets();
    comm_basics();
    comm_create();
    overlapping();
    many();
    if (check_size == 2)
        too_many();
    MPI_Group_free(&world);
    return check_end();
}
