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
    const char *text;      /* a scalar's, else NULL */
    unsigned n;            /* items of a list or a map */
    struct load_tree *items;
};

/** @return SIM_OK and the root, a map; else SIM_ERR_IO or SIM_ERR_CONFIG. Lives in `arena`. */
int load_tree_read(const char *path, struct load_arena *arena, struct load_tree **root_p,
                   struct sim_error *err);
/** The same from memory; `name` stands for the file in messages. */
int load_tree_parse(const char *name, const char *bytes, size_t n, struct load_arena *arena,
                    struct load_tree **root_p, struct sim_error *err);

/** The same for what hubsim has written itself, JSON being YAML: it may be large. */
int load_tree_read_data(const char *path, struct load_arena *arena, struct load_tree **root_p,
                        struct sim_error *err);

/** The item of a map, or NULL. */
const struct load_tree *load_tree_get(const struct load_tree *map, const char *key);

/** "file:line:col: name = value: " and the rest. `name` NULL: the node's own key. @return `CONFIG`.
 */
int load_fail(struct sim_error *err, const struct load_tree *at, const char *name, const char *fmt,
              ...) __attribute__((format(printf, 4, 5)));

/** Only keys of the list (NULL at the end) may occur in the map. */
int load_tree_only(const struct load_tree *map, const char *const *keys, struct sim_error *err);
/** For messages: ": expected this, that", as many as there is room for. @return `text` */
const char *load_tree_keys(const char *const *keys, char *text, size_t room);
/** A scalar of the map; absent: SIM_OK and *text_p unchanged. */
int load_tree_text(const struct load_tree *map, const char *key, const char **text_p,
                   struct sim_error *err);
/** The same for what must be there. */
int load_tree_need(const struct load_tree *map, const char *key, enum load_type type,
                   const struct load_tree **item_p, struct sim_error *err);

SIM_END_DECLS
#endif /* LOAD_TREE_H */
