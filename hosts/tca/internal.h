/* Inside of the TCA library. */
#ifndef TCA_INTERNAL_H
#define TCA_INTERNAL_H

#include "hosts/driver/driver.h"
#include "hosts/tca/include/tca-api.h"

#define TCA_HANDLE_MAGIC 0x5443u /* "TC" */

/** The calling rank and its node's driver. */
struct tca_self {
    struct host *h;
    struct driver *d;
};
/** A table of the older interface: positions with one put each, NULL where nothing was set. */
struct tca_table {
    tcaDesc **at; /* NULL: no such table */
    int capacity;
};
/** What the library keeps for one rank. */
struct tca_state {
    struct host_state kept; /* first: see tca_state_of() */
    bool initialized;       /* by tcaInit() */
    struct tca_table *tables;
    int ntables;
    tcaDesc *descs;
};
/** NULL before the first call that needs it. */
struct tca_state *tca_state_of(struct host *h);
/** Makes it, if need be. NULL: out of memory. */
struct tca_state *tca_state_make(struct host *h);
void tca_tables_free(struct tca_state *state);
/** All that the rank has made and not freed. */
void tca_descs_free(struct tca_state *state);

/** Appends all puts of `from`. */
tcaresult tca_desc_join(tcaDesc *to, const tcaDesc *from);
/** The last put's. */
int tca_desc_flags(const tcaDesc *d);

/** TCA_SUCCESS after tcaInit(). Costs the call. */
tcaresult tca_enter(struct tca_self *self_p);

static inline bool tca_handle_ok(const tcaHandle *h)
{
    return h != NULL && h->magic == TCA_HANDLE_MAGIC;
}
/** Do cables lead to the owner's node? */
static inline bool tca_reaches(const struct tca_self *self, const tcaHandle *h)
{
    return h->subcluster == self->d->subcluster;
}
/** [off, off + n) lies within `size`; n of 0 is allowed. */
static inline bool tca_within(uint64_t size, off_t off, uint64_t n)
{
    return off >= 0 && (uint64_t)off <= size && n <= size - (uint64_t)off;
}
tcaresult tca_from_driver(int driver_status);

#endif /* TCA_INTERNAL_H */
