/* Every value in force of a machine or platform, with unit, range, source and calibration. */
#ifndef LAB_PARAMS_H
#define LAB_PARAMS_H

#include "tools/lab/format/table.h"
#include "tools/load/machine.h"

SIM_BEGIN_DECLS

enum { LAB_PARAMS_KEY, LAB_PARAMS_VALUE }; /* columns; more follow */

/**
 * Nodes whose values are equal share a row ("node*.hub.clock_khz").
 * @param pattern of fnmatch(), for keys such as "node0.hub.clock_khz"; NULL: all keys. What it
 * chooses of some nodes only has a row for each.
 */
void lab_params(const struct load_machine *machine, const char *pattern, struct lab_table *table);
/** The same as Markdown, one table for each component; equal ports share a row. */
void lab_params_markdown(const struct load_machine *machine, FILE *out);
/** What can go wrong (NULL at the end of `kinds`), and the keys that say how; fault_table.c. */
void lab_fault_table(const struct machine_kind *const *kinds, struct lab_table *table);
/** The first value of a fault that kinds have, such as bit_error_rate; NULL: there is no such one.
 */
const struct machine_param *lab_fault_param(const struct machine_kind *const *kinds,
                                            const char *fault);

SIM_END_DECLS
#endif /* LAB_PARAMS_H */
