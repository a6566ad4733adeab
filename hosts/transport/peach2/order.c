/*
 * Who is whose neighbour. Slots of the window follow the rings, because the routing unit has but a
 * few pairs of registers for each port (regs/hub_regs.h): neighbours in a ring have neighbouring
 * slots, and the second of two rings follows the first one. Where there are two, S leads to one
 * slot only, the one half of all slots away; that is read from the routing registers, which a
 * driver may.
 */
#include <stdlib.h>

#include "hosts/transport/peach2/internal.h"

#define PORT_S 3u

struct p2 *p2_of_transport(struct transport *t)
{
    return t->ops == &transport_peach2 ? p2_of(t) : NULL;
}

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

bool p2_all_have_across(const struct p2 *p2)
{
    for (unsigned r = 0; r < p2->nranks; r++)
        if (p2->peers[r].across == P2_NO_SLOT)
            return false;
    return true;
}

bool p2_is_even(const struct p2 *p2)
{
    return p2->even;
}

uint32_t p2_slot(const struct p2 *p2, int rank)
{
    return p2->peers[rank].slot;
}

bool p2_order_init(struct p2 *p2)
{
    unsigned place = 0, each = 0;

    p2->place = calloc(p2->nranks, sizeof(*p2->place));
    p2->sorted = calloc(p2->nranks, sizeof(*p2->sorted));
    if (p2->place == NULL || p2->sorted == NULL)
        return false;
    p2->even = true;
    for (unsigned slot = 0; slot < p2->d->slots; slot++) { /* ranks of a node follow each other */
        unsigned before = place;

        for (unsigned r = 0; r < p2->nranks; r++)
            if (p2->peers[r].slot == slot)
                p2->place[r] = place++;
        each = each == 0 ? place - before : each;
        p2->even &= place == before || place - before == each;
    }
    return true;
}

/* By place, `ranks` and what belongs to them; in as many steps as there are ranks in the world. */
static void sort_by_place(struct p2 *p2, int *ranks, int *index, int n)
{
    for (unsigned r = 0; r < p2->nranks; r++)
        p2->sorted[r].rank = -1;
    for (int i = 0; i < n; i++)
        p2->sorted[p2->place[ranks[i]]] = (struct p2_sorted){ ranks[i], index[i] };
    n = 0;
    for (unsigned r = 0; r < p2->nranks; r++)
        if (p2->sorted[r].rank >= 0) {
            ranks[n] = p2->sorted[r].rank;
            index[n++] = p2->sorted[r].index;
        }
}

static void swap_ranks(int *a, int *b)
{
    int was = *a;

    *a = *b;
    *b = was;
}

/* @return whether the rank at i and that at half + i face each other, for all i. */
static bool rings_face(const struct p2 *p2, const int *ranks, int half)
{
    uint32_t far = p2->peers[ranks[0]].across;

    for (int i = 0; i < half; i++) {
        const struct p2_peer *a = &p2->peers[ranks[i]], *b = &p2->peers[ranks[half + i]];

        if (a->across != b->slot || b->across != a->slot || a->slot >= far || b->slot < far)
            return false;
    }
    return true;
}

int p2_sort(struct p2 *p2, int *ranks, int *index, int n)
{
    int half = n / 2;

    sort_by_place(p2, ranks, index, n);
    if (n < 4 || n % 2 != 0 || !p2_all_near(p2, ranks, n) || !rings_face(p2, ranks, half))
        return 0;
    for (int i = 0; i < half / 2; i++) {
        swap_ranks(&ranks[half + i], &ranks[n - 1 - i]);
        swap_ranks(&index[half + i], &index[n - 1 - i]);
    }
    return half;
}
