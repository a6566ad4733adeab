/* One call: what is shown of it, what the reference says, what came. And things to call with. */
#ifndef FUZZ_CALL_H
#define FUZZ_CALL_H

#include "reference.h"

struct call {
    struct world *w;
    unsigned rank;
    const char *name;
    struct verdict v;
    uint64_t begin_ps;
};

/** Shows "NAME(...", the arguments by the format. */
struct call call_begin(struct world *w, unsigned rank, const char *name, struct verdict v,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/** Judges what came. @return it succeeded, and nothing is wrong with that */
bool call_end(struct call *c, tcaresult got);
/** A refused call has changed what it may only write on success. */
void call_changed(const struct call *c, const char *what);

/** "m3 + 16", in a buffer of the world's own that the next but three overwrites. */
const char *name_pointer(const struct world *w, const uint8_t *p);
const char *name_handle(const struct world *w, const struct handle *h);
const char *name_list(const struct world *w, const struct list *l);

/** In a variable of the program that tcaMalloc() never gave. */
uint8_t *plain_memory(void);

/** One of the rank's memories. NULL: there is none. */
struct mem *pick_mem(struct world *w, unsigned rank, bool live);
struct handle_wish {
    unsigned rank; /* of its node; RANKS_MAX: any */
    enum handle_state state;
    bool live;    /* of memory that is not freed */
    size_t least; /* bytes */
};
struct handle *pick_handle(struct world *w, const struct handle_wish *wish);
/** One that a call must or may refuse; NULL stands for itself. */
struct handle *pick_bad_handle(struct world *w);
struct list *pick_list(struct world *w, unsigned rank, bool live);
/** Mostly one that there is. */
int pick_channel(struct world *w);
struct handle *add_handle(struct world *w, const struct handle *h);

#endif /* FUZZ_CALL_H */
