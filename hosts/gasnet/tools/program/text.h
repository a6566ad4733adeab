/* Between the tools of a program: what a text means. */
#ifndef GASNET_TOOLS_TEXT_H
#define GASNET_TOOLS_TEXT_H

#include <stdint.h>

/**
 * @param unit 0: a plain number; else of memory, and what a number without a unit counts
 * @return 0; or 1, where *value_p is the number that the text begins with, or 0
 */
int gasneti_tools_number_parse(const char *text, uint64_t unit, int64_t *value_p);

#endif /* GASNET_TOOLS_TEXT_H */
