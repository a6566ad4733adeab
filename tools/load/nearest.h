/* "Did you mean": the word of a list that a mistyped one comes nearest to. */
#ifndef LOAD_NEAREST_H
#define LOAD_NEAREST_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct load_nearest {
    const char *word;
    char hint[160]; /* ", did you mean X?", or "": none is near enough to be meant */
    unsigned distance;
    bool keys;     /* the word and its candidates are keys: dots divide them into parts */
    bool same_end; /* X ends in the same part behind a dot, and so do all that may take its place */
};

/** @param keys whether it is a key, "node0.hub.lanes"; else a name, "lib-2.0", has one part */
void load_nearest_init(struct load_nearest *near, const char *word, bool keys);
/** A word that names a node beyond the last of `nnodes` gets a hint with those that there are. */
void load_nearest_node(struct load_nearest *near, unsigned nnodes);
/**
 * A candidate is near when a third of the word's letters make it another one, when the word is its
 * beginning, or when the key leaves parts of it out. A digit counts as less, by the difference.
 * What ends in a key's last part, of three letters or more, goes before others. Then come what is
 * nearest, and what came first.
 */
void load_nearest_offer(struct load_nearest *near, const char *candidate);

/**
 * `path` as the writer of `word` would spell it: a part between dots that a wildcard in its place
 * matches is that wildcard: "node*.hub.lanes" for "node*.hub.lane" and "node0.hub.lanes".
 */
void load_nearest_spell(const char *word, const char *path, char *text, size_t size);

SIM_END_DECLS
#endif /* LOAD_NEAREST_H */
