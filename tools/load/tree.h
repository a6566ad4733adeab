/*
 * A YAML file as a tree whose every node knows its file, line and column.
 * Reading refuses duplicate keys, keys that are no plain text, and trees that
 * are too deep or too large (an alias may name its own ancestor).
 */
#ifndef LOAD_TREE_H
#define LOAD_TREE_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

enum load_type { LOAD_SCALAR, LOAD_LIST, LOAD_MAP };

struct load_tree {
    enum load_type type;
    const char *file;
    unsigned line, column; /* from 1; of the key where there is one */
    const char *key;       /* within a map, else NULL */
    const char *text;      /* a scalar's, else NULL; blanks stand for what would break a line */
    const char *exact;     /* with these bytes as they are */
    unsigned n;            /* items of a list or a map */
    struct load_tree *items;
};

/** @return the root, a map, in `arena`. Raises SIM_ERR_IO or SIM_ERR_CONFIG. */
struct load_tree *load_tree_read(const char *path, struct load_arena *arena);
/** The same from memory; `name` stands for the file in messages. */
struct load_tree *load_tree_parse(const char *name, const char *bytes, size_t n,
                                  struct load_arena *arena);

/** The same for what hubsim has written itself, JSON being YAML: it may be large. */
struct load_tree *load_tree_read_data(const char *path, struct load_arena *arena);

/** The item of a map, or NULL. */
const struct load_tree *load_tree_get(const struct load_tree *map, const char *key);

/** Raises "file:line:col: name = value: " and the rest. `name` NULL: the node's own key. */
_Noreturn void load_fail(const struct load_tree *at, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Whether a key is in the list (NULL at the end). */
bool load_tree_is_one(const char *key, const char *const *keys);

/** Only keys of the list (NULL at the end) may occur in the map. */
void load_tree_only(const struct load_tree *map, const char *const *keys);
/** For messages: ": expected this, that", as many as there is room for. @return `text` */
const char *load_tree_keys(const char *const *keys, char *text, size_t room);
/** A scalar of the map; absent: *text_p is unchanged. */
void load_tree_text(const struct load_tree *map, const char *key, const char **text_p);
/** What must be there. */
const struct load_tree *load_tree_need(const struct load_tree *map, const char *key,
                                       enum load_type type);

SIM_END_DECLS
#endif /* LOAD_TREE_H */
