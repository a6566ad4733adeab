/*
 * The `setup` column of published measurements: key=value;key=value, where a value
 * may be a list a|b|c, a range of doublings a..b or of steps a..b by s
 * (configs/published/README.md).
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
        const char *where; /* NULL: not said */
    } keys[LAB_SETUP_MAX];
};

/** Sizes with a unit as bytes: "4KiB..1MiB|3MiB" -> "4096..1048576|3145728". What is no size, or
 * has no unit, stays as it is. lab_words_value() knows of which keys. */
const char *lab_setup_sizes(const char *text, struct load_arena *arena);

/** `where` ("peach2.csv:12") begins each message. Texts live in `arena`. */
struct lab_setup lab_setup_parse(const char *text, const char *where, struct load_arena *arena);
const char *lab_setup_get(const struct lab_setup *setup, const char *key); /* NULL: absent */
/** Where the key is written; `absent`: that is not known. */
const char *lab_setup_where(const struct lab_setup *setup, const char *key, const char *absent);
/** Replaces or appends; texts are not copied. */
void lab_setup_put(struct lab_setup *setup, const char *key, const char *value, const char *where);
void lab_setup_drop(struct lab_setup *setup, const char *key);

struct lab_list {
    unsigned n, room;
    const char **items;
};
void lab_list_add(struct lab_list *list, const char *item, const char *where,
                  struct load_arena *arena);
/** "64..512|768" -> 64, 128, 256, 512, 768; "1..7 by 2" -> 1, 3, 5, 7; a value is a list of one. */
struct lab_list lab_list_parse(const char *key, const char *text, const char *where,
                               struct load_arena *arena);

SIM_END_DECLS
#endif /* LAB_SETUP_H */
