/*
 * Ranges of addresses, which may overlap, and the newest of them that holds another one. They have
 * numbers from 0 on, in the order in which they were added. A treap (Seidel and Aragon, 1996) by
 * address: each node knows how far the ranges below it reach, so whole parts are left out.
 */
#ifndef TRANSPORT_IB_COVER_H
#define TRANSPORT_IB_COVER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibt_cover_range {
    uint64_t address, end;
    /* of all at and below this one: */
    uint64_t reach;       /* the last end */
    uint32_t newest;      /* the largest number + 1 */
    uint32_t left, right; /* number + 1; 0: none */
};

struct ibt_cover {
    struct ibt_cover_range *ranges; /* by number */
    uint32_t n, room, root;
};

void ibt_cover_fini(struct ibt_cover *c);
/** Its number is that of ranges before. @return false: out of memory */
bool ibt_cover_add(struct ibt_cover *c, uint64_t address, uint64_t bytes);
/** Leaves one out; the last one gets its number. */
void ibt_cover_drop(struct ibt_cover *c, uint32_t number);
/** @return false: none holds [address, address + bytes) */
bool ibt_cover_find(const struct ibt_cover *c, uint64_t address, uint64_t bytes,
                    uint32_t *number_p);

#ifdef __cplusplus
}
#endif
#endif /* TRANSPORT_IB_COVER_H */
