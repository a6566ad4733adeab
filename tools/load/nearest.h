/* "Did you mean": the word of a list that a mistyped one comes nearest to. */
#ifndef LOAD_NEAREST_H
#define LOAD_NEAREST_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct load_nearest {
    const char *word;
    char best[65]; /* empty: none is near enough to be meant */
    unsigned distance;
};

void load_nearest_init(struct load_nearest *near, const char *word);
void load_nearest_offer(struct load_nearest *near, const char *candidate);
/** ", did you mean X?" or "", in `text`. */
const char *load_nearest_hint(const struct load_nearest *near, char *text, size_t size);

SIM_END_DECLS
#endif /* LOAD_NEAREST_H */
