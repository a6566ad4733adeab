/*
 * IS: ranks of integer keys with a distribution that peaks in the middle. Keys are counted in
 * buckets, ranks agree on who ranks which buckets, keys go there, and are counted one by one.
 */
#include "npb.h"

#include <stdlib.h>
#include <string.h>

enum { TESTS = 5, ITERATIONS = 10 };
#define SEED UINT64_C(314159265)

struct test {
    struct npb n;
    int key_log2, bucket_log2;
    int total, own; /* keys: of all ranks, and those that this rank brings */
    int max_key, buckets;
    int *keys, *ordered;    /* own: as made, and by buckets */
    int *sizes, *all_sizes; /* of buckets: of the own keys, of all; then the keys looked up */
    int *received, nreceived;
    int *counts;   /* of received keys up to a value; index: value - low */
    int low, high; /* keys that this rank ranks: low .. high - 1 */
    int below;     /* of all ranks, less than low */
    int *send_n, *send_at, *receive_n, *receive_at;
    int good;
};

/* Where keys are looked up in each iteration, and their ranks in the first one; by class. */
static const int test_index[2][TESTS] = { { 48427, 17148, 23627, 62548, 4431 },
                                          { 357773, 934767, 875723, 898999, 404505 } };
static const int test_rank[2][TESTS] = { { 0, 18, 346, 64917, 65463 },
                                         { 1249, 11698, 1039987, 1043896, 1048018 } };

static void make_keys(struct test *t)
{
    uint64_t seed = npb_skip(SEED, 4 * (uint64_t)t->own * (uint64_t)t->n.me);

    for (int i = 0; i < t->own; i++) {
        double x = npb_random(&seed);

        for (int k = 1; k < 4; k++)
            x += npb_random(&seed);
        t->keys[i] = (int)(t->max_key / 4.0 * x);
    }
    npb_charge_random(4 * (uint64_t)t->own);
}

/* ---- one ranking --------------------------------------------------------------------- */

/** One pass over keys: all are read, and some written elsewhere. */
static void charge_work(const struct test *t, int read, int written)
{
    unsigned long long key = sizeof(int);

    hub_work(HUB_LOOP_COUNTING, (unsigned long long)read);
    hub_walk(key * (unsigned long long)read, key * (unsigned long long)written,
             key * (unsigned long long)(3 * t->own + t->high - t->low));
}

static int bucket_of(const struct test *t, int key)
{
    return key >> (t->key_log2 - t->bucket_log2);
}

/** Counts and, behind them, the keys that are looked up: one sum carries both. */
static void count_buckets(struct test *t)
{
    memset(t->sizes, 0, (size_t)(t->buckets + TESTS) * sizeof(int));
    for (int i = 0; i < TESTS; i++) {
        int at = test_index[t->n.is_w][i];

        if (at / t->own == t->n.me)
            t->sizes[t->buckets + i] = t->keys[at % t->own];
    }
    for (int i = 0; i < t->own; i++)
        t->sizes[bucket_of(t, t->keys[i])]++;
    charge_work(t, t->own, 0);
}

static void order_by_buckets(struct test *t)
{
    int *next = npb_alloc((uint64_t)t->buckets + 1, sizeof(int));

    for (int b = 0; b < t->buckets; b++)
        next[b + 1] = next[b] + t->sizes[b];
    for (int i = 0; i < t->own; i++)
        t->ordered[next[bucket_of(t, t->keys[i])]++] = t->keys[i];
    free(next);
    charge_work(t, t->own, t->own);
}

/** Gives rank 0 the first buckets, and so on, such that each gets about as many keys. */
static void share_out(struct test *t)
{
    int width = 1 << (t->key_log2 - t->bucket_log2), sum = 0, rank = 0, sent = 0;

    memset(t->send_n, 0, (size_t)t->n.ranks * sizeof(int));
    t->low = t->high = t->below = 0;
    for (int b = 0; b < t->buckets; b++) {
        if (rank == t->n.me)
            t->high = (b + 1) * width;
        sum += t->all_sizes[b];
        t->send_n[rank] += t->sizes[b];
        if (sum < (rank + 1) * t->own || rank + 1 == t->n.ranks)
            continue;
        rank++;
        if (rank == t->n.me) {
            t->low = t->high = (b + 1) * width;
            t->below = sum;
        }
    }
    for (int r = 0; r < t->n.ranks; r++) {
        t->send_at[r] = sent;
        sent += t->send_n[r];
    }
}

static void exchange(struct test *t)
{
    CHECK(MPI_Alltoall(t->send_n, 1, MPI_INT, t->receive_n, 1, MPI_INT, MPI_COMM_WORLD),
          MPI_SUCCESS);
    t->nreceived = 0;
    for (int r = 0; r < t->n.ranks; r++) {
        t->receive_at[r] = t->nreceived;
        t->nreceived += t->receive_n[r];
    }
    CHECK(MPI_Alltoallv(t->ordered, t->send_n, t->send_at, MPI_INT, t->received, t->receive_n,
                        t->receive_at, MPI_INT, MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void rank_keys(struct test *t)
{
    memset(t->counts, 0, (size_t)(t->high - t->low + 1) * sizeof(int));
    for (int i = 0; i < t->nreceived; i++)
        t->counts[t->received[i] - t->low]++;
    for (int k = 1; k < t->high - t->low; k++)
        t->counts[k] += t->counts[k - 1];
    charge_work(t, t->nreceived, 0);
}

/** How the two keys that change in each iteration move a known rank. */
static int shift_of(const struct test *t, int test, int iteration)
{
    if (!t->n.is_w)
        return test <= 2 ? iteration : -iteration;
    return test < 2 ? iteration - 2 : -iteration;
}

static void look_up(struct test *t, int iteration)
{
    for (int i = 0; i < TESTS; i++) {
        int key = t->all_sizes[t->buckets + i], rank;

        if (key < t->low || key >= t->high || key == 0)
            continue;
        rank = t->below + (key > t->low ? t->counts[key - t->low - 1] : 0);
        t->good &= rank == test_rank[t->n.is_w][i] + shift_of(t, i, iteration);
    }
}

static void rank_once(struct test *t, int iteration)
{
    if (t->n.me == 0) {
        t->keys[iteration] = iteration;
        t->keys[iteration + ITERATIONS] = t->max_key - iteration;
    }
    count_buckets(t);
    order_by_buckets(t);
    CHECK(
        MPI_Allreduce(t->sizes, t->all_sizes, t->buckets + TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        MPI_SUCCESS);
    share_out(t);
    exchange(t);
    rank_keys(t);
    look_up(t, iteration);
}

/** Counts are the order within a rank; the ranges of ranks follow each other; none is lost. */
static int sorted(const struct test *t)
{
    int total = t->nreceived, good = 1;

    charge_work(t, t->nreceived, t->nreceived); /* the original puts them in order, and looks */
    charge_work(t, t->nreceived, 0);
    for (int i = 0; i < t->nreceived; i++)
        good &= t->received[i] >= t->low && t->received[i] < t->high;
    if (t->high > t->low)
        good &= t->counts[t->high - t->low - 1] == t->nreceived;
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    return good && total == t->total;
}

static void init(struct test *t)
{
    uint64_t ranks = (uint64_t)t->n.ranks;

    t->total = 1 << (t->n.is_w ? 20 : 16);
    t->key_log2 = t->n.is_w ? 16 : 11;
    t->bucket_log2 = t->n.is_w ? 10 : 9;
    t->max_key = 1 << t->key_log2;
    t->buckets = 1 << t->bucket_log2;
    t->own = t->total / t->n.ranks;
    t->good = 1;
    t->keys = npb_alloc((uint64_t)t->own, sizeof(int));
    t->ordered = npb_alloc((uint64_t)t->own, sizeof(int));
    t->received = npb_alloc((uint64_t)t->total, sizeof(int));
    t->counts = npb_alloc((uint64_t)t->max_key + 1, sizeof(int));
    t->sizes = npb_alloc((uint64_t)t->buckets + TESTS, sizeof(int));
    t->all_sizes = npb_alloc((uint64_t)t->buckets + TESTS, sizeof(int));
    t->send_n = npb_alloc(ranks, sizeof(int));
    t->send_at = npb_alloc(ranks, sizeof(int));
    t->receive_n = npb_alloc(ranks, sizeof(int));
    t->receive_at = npb_alloc(ranks, sizeof(int));
}

int main(int argc, char **argv)
{
    struct test t = { .good = 0 };

    npb_init(&t.n, &argc, &argv, ITERATIONS, ITERATIONS);
    (void)npb_log2_ranks(&t.n, 64);
    if (t.n.iterations > ITERATIONS)
        fail("iterations=%llu: expected at most 10", (unsigned long long)t.n.iterations);
    init(&t);
    make_keys(&t);
    rank_once(&t, 1); /* untimed: memory is touched first */
    npb_start(&t.n);
    do
        rank_once(&t, (int)t.n.done + 1);
    while (npb_next(&t.n));
    npb_stop(&t.n);
    npb_end(&t.n, t.good && sorted(&t));
    return 0;
}
