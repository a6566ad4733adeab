/*
 * Where the ranks are: for algorithms that choose by cables whom to send to.
 */
#ifndef TRANSPORT_PEACH2_ORDER_H
#define TRANSPORT_PEACH2_ORDER_H

#include "hosts/transport/transport.h"

struct p2;

/* A core stores 8 bytes in 80 ns, where a channel takes 1.2 us longer for the first byte and then
 * moves 8 bytes in 2 ns: from 128 bytes on it is sooner. Half of that, since it is busy meanwhile.
 */
#define P2_PIO_MAX 64u

/** @return NULL: it is over another network. */
struct p2 *p2_of_transport(struct transport *t);
/**
 * Sorts ranks so that neighbours are joined by a cable where that can be: along the ring; of two
 * rings along the one and back along the other. `ranks` holds `n` ranks of the world and is sorted
 * in place; `index`, in the same way, what the caller keeps for each.
 * @return ranks in one of two rings whose ranks face each other, so that those at `i` and
 * `n - 1 - i` are joined by S; 0: there are no such rings, or one of the ranks is far.
 */
int p2_sort(struct p2 *p2, int *ranks, int *index, int n);
/** Does a cable or the node itself lead from each of them to each? */
bool p2_all_near(const struct p2 *p2, const int *ranks, int n);
/** Has each node a cable at S, to one other node alone? */
bool p2_all_have_across(const struct p2 *p2);
/** Are as many ranks on each node? */
bool p2_is_even(const struct p2 *p2);
/** Ranks of one node are in the same slot of the window. */
uint32_t p2_slot(const struct p2 *p2, int rank);

#endif /* TRANSPORT_PEACH2_ORDER_H */
