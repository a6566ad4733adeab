/* Inside of the TCA library. */
#ifndef TCA_INTERNAL_H
#define TCA_INTERNAL_H

#include "hosts/driver/driver.h"
#include "hosts/tca/include/tca-api.h"

#define TCA_HANDLE_MAGIC 0x5443u /* "TC" */

/** One put. */
struct tca_put {
    tcaHandle dst;
    uint64_t dst_off, src_bus;
    uint64_t width, count; /* count 1: in one piece */
    uint64_t dst_gap, src_gap;
    int flags;
    unsigned slot;
    uint32_t tag;
};

static inline struct host_rows tca_put_rows(const struct tca_put *p, uint64_t at, uint64_t gap)
{
    return (struct host_rows){
        .at = at, .width = p->width, .count = p->count, .pitch = p->width + gap
    };
}

/** One that a program has made is in a list of its rank's: a rank that is ended frees nothing
 * itself. Its puts are freed by free(). */
struct tcaDesc {
    struct tca_put *puts;
    size_t n, room;
    tcaDesc **before_p, *next;
};

/** A table of the older interface: positions with a list of one put each, or an empty one. */
struct tca_table {
    tcaDesc *at; /* NULL: no such table */
    int capacity;
};
/** What a channel's list reads, with bus addresses. */
struct tca_sources {
    struct host_rows *puts;
    size_t n;
};

/** What the library keeps for one rank. */
struct tca_rank {
    struct host_state kept; /* first: see tca_enter() */
    struct host *h;
    struct driver *d; /* the node's; NULL before tcaInit() */
    struct tca_table *tables;
    int ntables;
    tcaDesc *descs;
    void *freed, *unpinned; /* trees: see freed.c */
    struct tca_sources sources[HUB_DMA_CHANNELS];
    unsigned refused;   /* calls that were, as far as they were reported */
    unsigned strangers; /* a bit for each channel that has had the list of another rank */
};
/** Makes it, if need be. NULL: out of memory, or outside of a rank. */
struct tca_rank *tca_rank_make(void);
/** The calling rank after tcaInit(), else NULL, for which tca_refuse() is called. Costs the call.
 */
struct tca_rank *tca_enter(const char *call);

/** Notifies the user who runs the program why a call is refused. Outside of a rank it does nothing.
 * @return code */
tcaresult tca_refuse(const char *call, tcaresult code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What several calls refuse, with the name of the argument. */
tcaresult tca_refuse_channel(const char *call, int ch);
tcaresult tca_refuse_handle(const char *call, const char *name, const tcaHandle *h);
tcaresult tca_refuse_reach(const char *call, const char *name, const tcaHandle *h,
                           const struct tca_rank *self);

/** The rank has freed these bytes of its memory, at `place` in the program. */
void tca_freed_add(struct tca_rank *self, const void *p, uint64_t bytes, struct host_place place);
/** tcaFree() at `place` has taken this part of a GPU's memory off the bus. */
void tca_freed_unpin(struct tca_rank *self, const struct host_freed *part, struct host_place place);
/** These bytes are allocated again: forgets that they were freed. */
void tca_freed_remove(struct tca_rank *self, const void *p, uint64_t bytes);
/** Where memory was freed that `p` is in. NULL: nowhere. */
const struct host_place *tca_freed_place(const struct tca_rank *self, const void *p);
/** This list is that of a channel from now on. */
void tca_freed_install(struct tca_rank *self, const tcaDesc *d, int ch);
/** Where the rank has freed memory of a GPU that the channel's list reads, and that is not on the
 * bus. NULL: nowhere. */
const struct host_place *tca_freed_source(const struct tca_rank *self, int ch);
void tca_freed_fini(struct tca_rank *self);

/* For the check for races, where that is on: the rank's node; the list of a channel; bytes that the
 * CPU is about to store to an offset of the window; memory that was freed, and its bus address. */
void tca_race_part(const struct tca_rank *self);
void tca_race_install(const struct tca_rank *self, const tcaDesc *d, int ch);
void tca_race_stored(const struct tca_rank *self, uint64_t offset, const void *from, uint64_t bytes,
                     struct host_place place);
void tca_race_freed(const struct tca_rank *self, const struct host_freed *freed,
                    struct host_place place);
/** For tcaReset(): takes the notifications that have come, as the check does then. */
void tca_race_forgotten(const struct tca_rank *self);

#define TCA_TABLE_INTERNAL 0 /* the number of the table that stands for the board's memory */
/** @return its number; -1: out of memory. */
int tca_table_make(struct tca_rank *self, int capacity);
void tca_tables_free(struct tca_rank *self);
/** All that the rank has made and not freed. */
void tca_descs_free(struct tca_rank *self);

tcaresult tca_append_put(tcaDesc *d, const struct tca_put *p);
/** What a program asks for, with the name of its call. */
struct tca_ask {
    const char *call;
    const tcaHandle *dst, *src;
    off_t dst_off, src_off;
    uint64_t dst_pitch, src_pitch, width, count;
    bool rows;  /* else it is of one row, whose width the program calls n */
    bool table; /* its list is one of a table, not the program's own */
    int flags, slot, tag;
};
/** Appends a put to a list. */
tcaresult tca_set_put(tcaDesc *d, const struct tca_ask *a);
/** Makes a list, which has puts, that of a channel. */
tcaresult tca_set_chain(struct tca_rank *self, struct host_place place, const tcaDesc *d, int ch);

static inline bool tca_handle_ok(const tcaHandle *h)
{
    return h != NULL && h->magic == TCA_HANDLE_MAGIC;
}
/** Do cables lead to the owner's node? */
static inline bool tca_reaches(const struct tca_rank *self, const tcaHandle *h)
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
