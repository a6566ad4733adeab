/* "Did you mean": the word of a list that a mistyped one comes nearest to. */
#ifndef LOAD_NEAREST_H
#define LOAD_NEAREST_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct load_nearest {
    const char *word;
    char hint[160]; /* ", did you mean X?", or "": none is near enough to be meant */
    unsigned distance;
    bool same_end; /* X ends in the same part behind a dot, and so do all that may take its place */
};

void load_nearest_init(struct load_nearest *near, const char *word);
/** A word that names a node beyond the last of `nnodes` gets a hint with those that there are. */
void load_nearest_node(struct load_nearest *near, unsigned nnodes);
/**
 * A candidate is near when a third of the word's letters make it another one, when the word is its
 * beginning, or when the word leaves parts of it out. A digit counts as less, by the difference.
 * What ends in the word's last part goes before others, then what is nearest, then what came first.
 */
void load_nearest_offer(struct load_nearest *near, const char *candidate);

/**
 * `path` as the writer of `word` would spell it: a part between dots that a wildcard in its place
 * matches is that wildcard: "node*.hub.lanes" for "node*.hub.lane" and "node0.hub.lanes".
 */
void load_nearest_spell(const char *word, const char *path, char *text, size_t size);

SIM_END_DECLS
#endif /* LOAD_NEAREST_H */
