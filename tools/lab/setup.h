/*
 * The `setup` column of published measurements: key=value;key=value, where a value
 * may be a list a|b|c or a range of powers of two a..b (configs/published/README.md).
 */
#ifndef LAB_SETUP_H
#define LAB_SETUP_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

#define LAB_SETUP_MAX 40u /* keys of one row */

struct lab_setup {
    unsigned n;
    struct lab_key {
        const char *key, *value;
    } keys[LAB_SETUP_MAX];
};

/** `where` ("peach2.csv:12") begins each message. Texts live in `arena`. */
int lab_setup_parse(const char *text, const char *where, struct load_arena *arena,
                    struct lab_setup *setup_p, struct sim_error *err);
const char *lab_setup_get(const struct lab_setup *setup, const char *key); /* NULL: absent */
/** Replaces or appends; texts are not copied. */
int lab_setup_put(struct lab_setup *setup, const char *key, const char *value, const char *where,
                  struct sim_error *err);
void lab_setup_drop(struct lab_setup *setup, const char *key);

struct lab_list {
    unsigned n;
    const char **items;
};
/** "64..512|768" -> 64, 128, 256, 512, 768; a single value is a list of one. */
int lab_list_parse(const char *text, const char *where, struct load_arena *arena,
                   struct lab_list *list_p, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_SETUP_H */
