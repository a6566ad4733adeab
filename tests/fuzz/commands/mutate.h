/* How inputs are made wrong, or right at the edge of what is allowed. */
#ifndef MUTATE_H
#define MUTATE_H

#include "seeds.h"

struct mutator {
    const struct seeds *seeds;
    struct dice *dice;
    struct load_arena *arena; /* of what they return */
    bool ethernet;            /* parameters of which machines --set names */
    bool polite; /* nothing is refused if it can be helped: this leads far into a run */
};

/** A number, word or name that somebody has not thought of, or a word of some other file. */
const char *mutate_word(const struct mutator *m);
/** Nine of ten times within the range, mostly at its ends. */
const char *mutate_param_value(const struct mutator *m, const struct seed_param *param);
/** KEY=VALUE of --set. */
const char *mutate_set(const struct mutator *m);

/** A file that is YAML, changed `times` as a document. `small`: first everything that makes an
 * experiment long is cut down. @return its text; NULL where libyaml cannot read it. */
const char *mutate_tree(const struct mutator *m, const char *bytes, size_t n, unsigned times,
                        bool small, size_t *n_p);
/** One change of the bytes themselves. */
const char *mutate_bytes(const struct mutator *m, const char *bytes, size_t n, size_t *n_p);
/** The first line of a CSV and a few of the others, with cells that are changed `times`. */
const char *mutate_csv(const struct mutator *m, const char *bytes, unsigned times, size_t *n_p);

#endif /* MUTATE_H */
