/* Values of a parameter table: from text and from trees. */
#ifndef LOAD_VALUE_H
#define LOAD_VALUE_H

#include "machine/machine.h"
#include "tools/load/tree.h"

SIM_BEGIN_DECLS

/** A whole number: digits, with _ between them, 0x, and for bytes KiB, MiB, GiB or TiB behind it.
 */
bool load_number(const char *text, bool bytes, uint64_t *value_p);
/** A number or the name of a choice, within the row's range. */
bool load_value_parse(const struct machine_param *param, const char *text, uint64_t *value_p);
/** "expected a whole number, 0 .. 1000000 mm" or "expected uc or wc". */
const char *load_value_expected(const struct machine_param *param, char *text, size_t size);
/** The value as a file would say it. */
const char *load_value_print(const struct machine_param *param, uint64_t value, char *text,
                             size_t size);

/** The values of one component: an entry for each row of its table, and one without a row. */
struct load_values {
    unsigned n;
    struct machine_value *values;
};
void load_values_init(struct load_values *v, const struct machine_param *params,
                      struct load_arena *arena);

/** One layer of a component's values: an included file, then the file that includes it. */
struct load_layer {
    const char *const *skip;  /* keys of the map itself that are no parameters, NULL at the end */
    const char *const *allow; /* NULL: all; else the only groups ("firmware") that may be set */
    const char *allow_file;   /* which file says so */
    struct load_arena *arena;
};
/** A key may be dotted, nested or both. */
void load_values_assign(struct load_values *v, const struct load_layer *layer,
                        const struct load_tree *map);

/** What comes behind the name of n things: "s", or nothing where it is one. */
const char *load_plural(uint64_t n);

SIM_END_DECLS
#endif /* LOAD_VALUE_H */
