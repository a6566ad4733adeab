/* What cases are made of: the files of configs/ and of the corpora, their words, every parameter
 * with its range, and results that the commands under test have made. */
#ifndef SEEDS_H
#define SEEDS_H

#include "dice.h"
#include "tools/load/arena.h"

struct seed_file {
    const char *folder, *name; /* "machines", "ring4.yaml" */
    const char *bytes;
    size_t n;
};

struct seed_param {
    const char *key; /* "node0.hub.e.link.lanes" */
    uint64_t min, max;
    const char *choices; /* "uc|wc" or NULL */
    bool ethernet;       /* the machine is joined by Ethernet, not by hubs */
};

struct seeds {
    struct load_arena arena;
    struct seed_file *files;
    size_t nfiles;
    const char **words;
    size_t nwords;
    struct seed_param *params;
    size_t nparams;
};

/** Each file of `root`/`folder`, sorted by name, and its words. */
void seeds_add_folder(struct seeds *seeds, const char *root, const char *folder);
/** Rows of `hubsim params --csv`. */
void seeds_add_params(struct seeds *seeds, const char *csv, bool ethernet);
void seeds_fini(struct seeds *seeds);
/** @return a file of this folder, or NULL where it has none */
const struct seed_file *seeds_pick(const struct seeds *seeds, struct dice *dice,
                                   const char *folder);
const struct seed_file *seeds_find(const struct seeds *seeds, const char *folder, const char *name);
/** @return any parameter; one whose key ends in `key`, or NULL */
const struct seed_param *seeds_param(const struct seeds *seeds, struct dice *dice, const char *key);
/** The whole of a file, with a 0 behind it; NULL: it cannot be read. */
const char *seeds_read(struct load_arena *arena, const char *path, size_t *n_p);

#endif /* SEEDS_H */
