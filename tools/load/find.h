/*
 * Where configuration files are: "two-node" is machines/two-node.yaml in the first
 * of the roots that has it; a name with a slash or ".yaml" is a path.
 */
#ifndef LOAD_FIND_H
#define LOAD_FIND_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

struct load_roots { /* folders such as ".../share/hubsim/configs", first come, first served */
    unsigned n;
    char paths[8][512];
};

/** The folder of the running program. */
bool load_find_self(char *folder, size_t size);
/** "ring2" of "../ring2.yaml". */
const char *load_find_stem(const char *path, struct load_arena *arena);

/** configs beside the running program (bin/../share/hubsim/configs), then HUBSIM_PATH (a:b). */
void load_roots_init(struct load_roots *roots);
void load_roots_add(struct load_roots *roots, const char *path);

/** It has a slash or ends in ".yaml". */
bool load_find_is_path(const char *name);
/** @param folder "machines" @return the path, in `arena`; NULL: there is none. */
const char *load_find_first(const struct load_roots *roots, const char *folder, const char *name,
                            struct load_arena *arena);
/** What must be there: raises SIM_ERR_IO. */
const char *load_find(const struct load_roots *roots, const char *folder, const char *name,
                      struct load_arena *arena);
/** For messages: where a path that is not absolute was looked for, " in /home/me, the current
 * folder"; else "". */
const char *load_find_here(const char *name, struct load_arena *arena);
/** What is in none of one or more folders, NULL at the end. `head` ("e.yaml:3: machine = ") begins
 * the message, which offers the nearest name. */
_Noreturn void load_find_fail(const struct load_roots *roots, const char *head,
                              const char *const *folders, const char *name);

/** Calls back for each *.yaml of a folder in all roots, by name; the first root wins. */
typedef void (*load_found_fn)(void *arg, const char *name, const char *path);
void load_find_each(const struct load_roots *roots, const char *folder, load_found_fn fn,
                    void *arg);

SIM_END_DECLS
#endif /* LOAD_FIND_H */
