/* Memory of the check. */
#ifndef LAUNCH_RACE_NEED_H
#define LAUNCH_RACE_NEED_H

/** @return `memory`. Where that is NULL the run ends, with a line that says so, and this does not
 * return: the check may not go on and miss something. For calls of ranks. */
void *race_need(void *memory);
/** Adds `item` to a tree of search.h that has none like it. Where there is no room it is freed, and
 * the run ends as by race_need(). */
void race_tree_add(void **tree, void *item, int (*compare)(const void *a, const void *b));

#endif /* LAUNCH_RACE_NEED_H */
