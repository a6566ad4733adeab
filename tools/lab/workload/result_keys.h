/* What the programs of workloads print in their result line, so that a figure can be refused before
 * anything has run. tests/workloads/test_result_keys.cpp holds it to what they print. */
#ifndef LAB_RESULT_KEYS_H
#define LAB_RESULT_KEYS_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

/** Does the result of this workload have the key, with a number as its value? */
bool lab_result_has(const char *workload, const char *key);
/** "bytes, repeats, ...", for messages. */
const char *lab_result_keys(const char *workload, struct load_arena *arena);

SIM_END_DECLS
#endif /* LAB_RESULT_KEYS_H */
