/*
 * Who is whose neighbour. Slots of the window follow the rings, because the routing unit has but a
 * few pairs of registers for each port (regs/hub_regs.h): neighbours in a ring have neighbouring
 * slots, and the second of two rings follows the first one. Where there are two, S leads to one
 * slot only, the one half of all slots away; that is read from the routing registers, which a
 * driver may.
 */
#include "hosts/mpi/peach2/internal.h"

#define PORT_S 3u

uint32_t p2_read_across(const struct p2 *p2)
{
    struct host *h = p2->t.host;
    struct driver *d = p2->d;
    uint64_t lower = driver_read(h, d, HUB_ROUTE_LOWER(PORT_S, 0));
    uint64_t upper = driver_read(h, d, HUB_ROUTE_UPPER(PORT_S, 0));

    /* An upper bound of 0 is a pair that is not in use. */
    if (upper == 0 || upper - lower != d->part_bytes - 1 ||
        driver_read(h, d, HUB_ROUTE_UPPER(PORT_S, 1)) != 0)
        return P2_NO_SLOT;
    return (uint32_t)(lower / d->part_bytes);
}

bool p2_all_near(const struct p2 *p2, const int *ranks, int n)
{
    for (int i = 1; i < n; i++)
        if (p2->peers[ranks[i]].subcluster != p2->peers[ranks[0]].subcluster)
            return false;
    return true;
}

/* Is `a` behind `b`? Ranks of a node follow each other. */
static bool behind(const struct p2 *p2, int a, int b)
{
    const struct p2_peer *x = &p2->peers[a], *y = &p2->peers[b];

    return x->slot != y->slot ? x->slot > y->slot : a > b;
}

static void swap(int *a, int *b)
{
    int was = *a;

    *a = *b;
    *b = was;
}

/* @return whether the rank at i and that at half + i face each other, for all i. */
static bool face(const struct p2 *p2, const int *ranks, int half)
{
    uint32_t far = p2->peers[ranks[0]].across;

    for (int i = 0; i < half; i++) {
        const struct p2_peer *a = &p2->peers[ranks[i]], *b = &p2->peers[ranks[half + i]];

        if (a->across != b->slot || b->across != a->slot || a->slot >= far || b->slot < far)
            return false;
    }
    return true;
}

int p2_sort(const struct p2 *p2, int *ranks, int *index, int n)
{
    int half = n / 2;

    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && behind(p2, ranks[k - 1], ranks[k]); k--) {
            swap(&ranks[k], &ranks[k - 1]);
            swap(&index[k], &index[k - 1]);
        }
    if (n < 4 || n % 2 != 0 || !p2_all_near(p2, ranks, n) || !face(p2, ranks, half))
        return 0;
    for (int i = 0; i < half / 2; i++) {
        swap(&ranks[half + i], &ranks[n - 1 - i]);
        swap(&index[half + i], &index[n - 1 - i]);
    }
    return half;
}
