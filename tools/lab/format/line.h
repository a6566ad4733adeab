/*
 * The lines by which a run says what came of it: `KIND key=value ...` of its programs, its machine
 * and its observers. Worker processes and databases hand them on as they are.
 */
#ifndef LAB_LINE_H
#define LAB_LINE_H

#include <stdio.h>

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

enum lab_line_kind {
    LAB_LINE_RESULT,
    LAB_LINE_TRAFFIC,
    LAB_LINE_FAULT,
    LAB_LINE_USAGE,
    LAB_LINE_STAT, /* VALUE UNIT PATH */
    LAB_LINE_FINGERPRINT,
    LAB_LINE_BOUND, /* NAME key=value ... */
    LAB_LINE_KINDS
};

struct lab_line {
    unsigned n;
    struct lab_pair {
        const char *key, *value;
    } * pairs;
};

/** The kind and what is formatted, which ends the line. */
void lab_line_write(FILE *out, enum lab_line_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** What follows the kind; NULL: `text` begins with a line of another one. */
const char *lab_line_body(const char *text, enum lab_line_kind kind);
/** How many lines of `text` are of this kind. */
unsigned lab_line_count(const char *text, enum lab_line_kind kind);
/** From the n bytes of a body, "key=value key=value". */
struct lab_line lab_line_parse(const char *body, size_t n, struct load_arena *arena);
/** False: there is no such key, or its value is no whole number. */
bool lab_line_get(const struct lab_line *line, const char *key, uint64_t *value_p);

SIM_END_DECLS
#endif /* LAB_LINE_H */
