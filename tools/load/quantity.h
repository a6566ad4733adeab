/* Values that are written with their unit or as a rate, as faults take them. */
#ifndef LOAD_QUANTITY_H
#define LOAD_QUANTITY_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

/**
 * A decimal number times 10^`scale`, as far as `*end_p` (NULL: to the end of the text), exactly:
 * "2.5e-9" with scale 18 is 2500000000. False: no number, too large, or digits would be lost.
 */
bool load_decimal(const char *text, const char **end_p, int scale, uint64_t *value_p);

/** As load_value_parse(), with times for the unit "ps" and rates for "1e-18" and the like. */
bool load_quantity_parse(const struct machine_param *param, const char *text, uint64_t *value_p);
const char *load_quantity_expected(const struct machine_param *param, char *text, size_t size);
/** The value as a file would say it: "10us", "1e-9". */
const char *load_quantity_print(const struct machine_param *param, uint64_t value, char *text,
                                size_t size);

SIM_END_DECLS
#endif /* LOAD_QUANTITY_H */
