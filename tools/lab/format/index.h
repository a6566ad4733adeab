/* Numbers for texts: 0, 1, 2 ... in the order in which they are first met. */
#ifndef LAB_INDEX_H
#define LAB_INDEX_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

#define LAB_INDEX_NONE UINT32_MAX

struct lab_index { /* all zero is an empty one; lives in the arena */
    unsigned n, room, nslots;
    const char **texts; /* [n], not copied */
    uint32_t *slots;    /* a hash table: 1 + number, 0: free */
};

/** The number of `text`, a new one where it has none; `text` must live as long as the index. */
unsigned lab_index_put(struct lab_index *index, const char *text, struct load_arena *arena);
/** Its number, or LAB_INDEX_NONE. */
unsigned lab_index_get(const struct lab_index *index, const char *text);

SIM_END_DECLS
#endif /* LAB_INDEX_H */
