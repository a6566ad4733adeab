/*
 * What must be refused, and with which codes: docs/tca.md and the comments of tca-api.h as rules on
 * arguments. Nothing here looks at the library. A call for which no rule applies must succeed.
 */
#ifndef FUZZ_REFERENCE_H
#define FUZZ_REFERENCE_H

#include "world.h"

struct verdict {
    bool refused;    /* else it succeeds, unless a row is open */
    unsigned open;   /* bit for each open_row that applies */
    unsigned codes;  /* bit for each code that a refusal may have */
    const char *why; /* the first rule that refuses */
};

void verdict_refuse(struct verdict *v, tcaresult code, const char *why);
/** A refusal has one of two codes. */
void verdict_open(struct verdict *v, enum open_row row, tcaresult code, tcaresult other);
bool verdict_allows(const struct verdict *v, tcaresult got);

extern const char *const open_names[OPEN_ROWS];

/** For each call but a few: tcaInit() comes first. */
struct verdict reference_call(const struct world *w, unsigned rank);
void reference_channel(struct verdict *v, int ch);
void reference_kind(struct verdict *v, tcaMemoryKind kind);

struct ask_malloc {
    bool nowhere; /* p is NULL */
    size_t n;
    tcaMemoryKind kind;
};
struct verdict reference_malloc(const struct world *w, unsigned rank, const struct ask_malloc *a);

struct ask_memory { /* of tcaFree() and tcaCreateHandle() */
    bool nowhere;   /* the place for a handle is NULL */
    uint8_t *p;
    size_t n;
    tcaMemoryKind kind;
};
struct verdict reference_free(const struct world *w, unsigned rank, const struct ask_memory *a);
struct verdict reference_handle(const struct world *w, unsigned rank, const struct ask_memory *a);
struct verdict reference_destroy(const struct world *w, unsigned rank, const struct handle *h);

/** Lists: NULL stands for NULL, and one that is not live for what was freed. */
void reference_list(struct verdict *v, unsigned rank, const struct list *l);

struct ask_put {
    const struct handle *dst, *src; /* NULL: NULL */
    off_t dst_off, src_off;
    bool rows;
    size_t dst_pitch, src_pitch, width, count; /* not `rows`: width is n, count 1 */
    int flags, slot, tag;
};
void reference_put(struct verdict *v, const struct world *w, unsigned rank,
                   const struct ask_put *a);
/** The put as it runs; for one that may be accepted. */
struct put put_of(const struct ask_put *a);

/** A list becomes that of a channel. */
void reference_set(struct verdict *v, const struct world *w, unsigned rank, const struct puts *puts,
                   int ch);
/** Descriptors that a list takes at most, wherever they lie. */
size_t puts_descriptors(const struct puts *puts);

struct verdict reference_start(const struct world *w, unsigned rank, int ch);
struct verdict reference_wait(const struct world *w, unsigned rank, int ch);
struct verdict reference_take(const struct world *w, unsigned rank, const struct handle *h,
                              int slot);
struct ask_region {
    bool nowhere;
    const struct handle *remote;
    off_t off;
};
struct verdict reference_region(const struct world *w, unsigned rank, const struct ask_region *a);
struct verdict reference_send(const struct world *w, unsigned rank, const struct pio *pio,
                              size_t off, bool no_bytes, size_t n);

#endif /* FUZZ_REFERENCE_H */
