/* Recursive halving and doubling; see struct mpi_halves. */
#include "hosts/mpi/coll/collective.h"

void mpi_halves_init(const struct mpi_coll *c, struct mpi_halves *h, int root, uint64_t count)
{
    int pair = c->rank / 2;

    h->cube = mpi_cube_below(c->size);
    h->pairs = c->size - h->cube;
    h->root = root;
    if (pair >= h->pairs)
        h->place = c->rank - h->pairs;
    else
        h->place = (c->rank == 2 * pair) == (root == 2 * pair) ? pair : -1;
    h->cuts = mpi_schedule_memory(c->s, (uint64_t)(h->cube + 1) * sizeof(*h->cuts));
    for (int i = 0; i <= h->cube; i++)
        h->cuts[i] = count * (uint64_t)i / (uint64_t)h->cube;
}

static int rank_at(const struct mpi_halves *h, int place)
{
    if (place >= h->pairs)
        return place + h->pairs;
    return h->root == 2 * place ? 2 * place : 2 * place + 1;
}

/* Parts [first, first + n). */
static struct mpi_data parts_from(const struct mpi_halves *h, struct mpi_data d, int first, int n)
{
    return mpi_part(d, h->cuts[first], h->cuts[first + n]);
}

static bool is_in_pair(const struct mpi_coll *c, const struct mpi_halves *h)
{
    return c->rank / 2 < h->pairs;
}

void mpi_halves_reduce(const struct mpi_coll *c, const struct mpi_halves *h, struct mpi_data sum)
{
    struct mpi_data got;
    int first = 0;

    if (h->place < 0) {
        mpi_coll_send(c, c->rank ^ 1, sum);
        mpi_coll_fence(c);
        return;
    }
    got = mpi_coll_like(c, sum);
    if (is_in_pair(c, h)) {
        mpi_coll_receive(c, c->rank ^ 1, got);
        mpi_coll_fence(c);
        mpi_coll_sum(c, got, sum);
    }
    for (int half = h->cube / 2; half >= 1; half /= 2) {
        int keep = (h->place & half) != 0 ? first + half : first;
        int peer = rank_at(h, h->place ^ half);

        mpi_coll_exchange(c, peer, parts_from(h, got, keep, half), peer,
                          parts_from(h, sum, 2 * first + half - keep, half));
        mpi_coll_sum(c, parts_from(h, got, keep, half), parts_from(h, sum, keep, half));
        first = keep;
    }
}

void mpi_halves_allgather(const struct mpi_coll *c, const struct mpi_halves *h, struct mpi_data sum)
{
    for (int n = 1; h->place >= 0 && n < h->cube; n *= 2) {
        int peer = rank_at(h, h->place ^ n), first = h->place & ~(n - 1);

        mpi_coll_exchange(c, peer, parts_from(h, sum, first ^ n, n), peer,
                          parts_from(h, sum, first, n));
    }
    if (h->place < 0)
        mpi_coll_receive(c, c->rank ^ 1, sum);
    else if (is_in_pair(c, h))
        mpi_coll_send(c, c->rank ^ 1, sum);
}

void mpi_halves_gather(const struct mpi_coll *c, const struct mpi_halves *h, struct mpi_data sum)
{
    int root = h->root / 2 < h->pairs ? h->root / 2 : h->root - h->pairs;

    for (int n = 1; h->place >= 0 && n < h->cube; n *= 2) {
        int peer = rank_at(h, h->place ^ n), first = h->place & ~(n - 1);

        if (((h->place ^ root) & n) != 0) {
            mpi_coll_send(c, peer, parts_from(h, sum, first, n));
            return;
        }
        mpi_coll_receive(c, peer, parts_from(h, sum, first ^ n, n));
        mpi_coll_fence(c);
    }
}
