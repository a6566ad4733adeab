#include "tools/lab/result/junit.h"

#include <string.h>

/** XML 1.0 has no other control characters, not even escaped. */
static const char *escape(const char *text, struct load_arena *arena)
{
    static const char *const names[] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"
    };
    char *escaped = load_alloc(arena, 6 * strlen(text) + 1), *at = escaped;

    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < SIM_COUNT(names) && names[c] != NULL)
            at += sprintf(at, "%s", names[c]);
        else
            *at++ = (char)(c < 0x20 && c != '\t' && c != '\n' ? ' ' : c);
    }
    return escaped;
}

static void write_details(FILE *out, const struct lab_point_pair *pair, struct load_arena *arena)
{
    const char *prints = lab_point_prints(pair);

    fprintf(out, "fingerprints that differ: %s\n", prints[0] != '\0' ? prints : "none");
    for (unsigned i = 0; i < pair->ncells; i++) {
        const struct lab_cell *cell = &pair->cells[i];

        fprintf(out, "%s: kept %s, now %s%s\n", escape(cell->name, arena), escape(cell->a, arena),
                cell->b != NULL ? escape(cell->b, arena) : "no such column",
                cell->within ? " (within the band)" : "");
    }
}

static const char *message_of(enum lab_point_verdict verdict)
{
    static const char *const messages[] = {
        [LAB_POINT_EQUAL] = "",
        [LAB_POINT_MODEL] = "fingerprints differ, no value does by more than it may",
        [LAB_POINT_VALUES] = "a value differs by more than it may",
        [LAB_POINT_GONE] = "there is no such point any more",
        [LAB_POINT_NEW] = "the kept result has no such point",
    };

    return messages[verdict];
}

static void write_case(FILE *out, const char *suite, const struct lab_point_pair *pair, bool passes,
                       struct load_arena *arena)
{
    fprintf(out, "    <testcase classname=\"%s\" name=\"%s\"", suite, escape(pair->name, arena));
    if (pair->verdict == LAB_POINT_EQUAL) {
        fputs("/>\n", out);
        return;
    }
    if (passes)
        fputs(">\n      <system-out>", out);
    else
        fprintf(out, ">\n      <failure message=\"%s\" type=\"%s\">", message_of(pair->verdict),
                lab_point_word(pair->verdict));
    write_details(out, pair, arena);
    fprintf(out, "</%s>\n    </testcase>\n", passes ? "system-out" : "failure");
}

static void write_lines(FILE *out, const struct lab_checks *checks, struct load_arena *arena)
{
    for (unsigned i = 0; i < checks->n; i++)
        fprintf(out, "%s\n", escape(checks->mistakes[i], arena));
}

static void write_checks(FILE *out, const char *suite, const struct lab_checks *checks,
                         struct load_arena *arena)
{
    fprintf(out, "    <testcase classname=\"%s\" name=\"races\"", suite);
    if (checks->found == 0) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n      <failure message=\"the program uses memory while a transfer does\" "
          "type=\"race\">",
          out);
    write_lines(out, checks, arena);
    fputs("</failure>\n    </testcase>\n", out);
}

static void write_earlier(FILE *out, const char *suite, const struct lab_checks *earlier,
                          struct load_arena *arena)
{
    fprintf(out,
            "    <testcase classname=\"%s\" name=\"mistakes when it was kept\">\n"
            "      <system-out>",
            suite);
    write_lines(out, earlier, arena);
    fputs("</system-out>\n    </testcase>\n", out);
}

static void write_suite(FILE *out, const struct lab_junit_suite *suite,
                        const struct lab_bands *bands)
{
    const struct lab_comparison *c = suite->comparison;
    struct load_arena arena = { 0 };
    const char *name = escape(suite->name, &arena);
    const struct lab_checks *checks = c != NULL ? suite->checks : NULL;
    const struct lab_checks *earlier = c != NULL ? suite->earlier : NULL;
    unsigned tests = c != NULL ? c->npoints + (checks != NULL) + (earlier != NULL) : 1;
    unsigned failures = checks != NULL && checks->found > 0;

    for (unsigned i = 0; c != NULL && i < c->npoints; i++)
        failures += !lab_compare_point_passes(&c->points[i], bands);
    fprintf(out, "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\">\n", name,
            tests, failures, c == NULL);
    for (unsigned i = 0; c != NULL && i < c->npoints; i++)
        write_case(out, name, &c->points[i], lab_compare_point_passes(&c->points[i], bands),
                   &arena);
    if (checks != NULL)
        write_checks(out, name, checks, &arena);
    if (earlier != NULL)
        write_earlier(out, name, earlier, &arena);
    if (c == NULL)
        fprintf(out,
                "    <testcase classname=\"%s\" name=\"run again\">\n      <error message=\"%s\" "
                "type=\"error\"/>\n    </testcase>\n",
                name, escape(suite->error, &arena));
    fputs("  </testsuite>\n", out);
    load_arena_fini(&arena);
}

void lab_junit_write(FILE *out, const struct lab_junit_suite *suites, unsigned n,
                     const struct lab_bands *bands)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (unsigned i = 0; i < n; i++)
        write_suite(out, &suites[i], bands);
    fputs("</testsuites>\n", out);
}
