/*
 * EP: pairs of Gaussian deviates from uniform numbers by the polar method, counted by annuli. Ranks
 * work on batches of their own and add up at the end: no messages before.
 */
#include "npb.h"

#include <math.h>

enum { BATCH_LOG2 = 16, PAIRS = 1 << BATCH_LOG2, ANNULI = 10 };
#define SEED UINT64_C(271828183)

struct sums {
    double x, y, counts[ANNULI];
};

static void batch(struct sums *s, uint64_t number)
{
    uint64_t seed = npb_skip(SEED, 2 * PAIRS * number);

    for (int i = 0; i < PAIRS; i++) {
        double x = 2 * npb_random(&seed) - 1, y = 2 * npb_random(&seed) - 1;
        double t = x * x + y * y, scale, ax, ay;

        if (t > 1)
            continue;
        scale = sqrt(-2 * log(t) / t);
        x *= scale;
        y *= scale;
        ax = fabs(x);
        ay = fabs(y);
        s->x += x;
        s->y += y;
        s->counts[(int)(ax > ay ? ax : ay)]++;
    }
    hub_work(HUB_LOOP_RANDOM, 2 * PAIRS);
}

/** Sums of the two coordinates as the benchmark prints them; as many counts as pairs in the circle,
 * which are pi/4 of all but for chance. */
static int verify(const struct npb *n, const struct sums *s, uint64_t batches)
{
    static const double right[2][2] = { { -3.247834652034740e3, -6.958407078382297e3 },
                                        { -2.863319731645753e3, -6.320053679109499e3 } };
    double found[2] = { s->x, s->y }, inside = 0, pairs = (double)(batches * PAIRS);

    for (int i = 0; i < ANNULI; i++)
        inside += s->counts[i];
    if (fabs(inside / pairs - atan(1)) > 4 / sqrt(pairs))
        return 0;
    return !npb_whole(n) || npb_near(2, found, right[n->is_w]);
}

static uint64_t first_of(const struct npb *n, uint64_t batches, int rank)
{
    return batches * (uint64_t)rank / (uint64_t)n->ranks;
}

int main(int argc, char **argv)
{
    struct sums s = { .x = 0 };
    struct npb n;
    uint64_t batches, first, run = 0;

    npb_init(&n, &argc, &argv, 1, 1);
    batches = UINT64_C(1) << ((n.is_w ? 25 : 24) - BATCH_LOG2);
    /* An iteration is a batch of this rank. */
    first = first_of(&n, batches, n.me);
    for (int rank = 0; rank < n.ranks; rank++, run += n.run)
        npb_limit(&n, first_of(&n, batches, rank + 1) - first_of(&n, batches, rank));
    npb_limit(&n, first_of(&n, batches, n.me + 1) - first);
    if (n.iterations == 0)
        fail("%d ranks: expected at most %llu", n.ranks, (unsigned long long)batches);
    npb_start(&n);
    do
        batch(&s, first + n.done);
    while (npb_next(&n));
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &s.x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &s.y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, s.counts, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
          MPI_SUCCESS);
    npb_stop(&n);
    npb_end(&n, verify(&n, &s, run));
    return 0;
}
