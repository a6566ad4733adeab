#include "tools/lab/result/junit.h"

/** XML 1.0 has no other control characters, not even escaped. */
static void write_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else
            fputc(c < 0x20 && c != '\t' && c != '\n' ? ' ' : c, out);
    }
}

static void write_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    write_text(out, text);
    fputc('"', out);
}

static const char *report_prints(const struct lab_point_pair *pair)
{
    if (pair->visible)
        return pair->wire ? "visible and wire" : "visible";
    return pair->wire ? "wire" : "none";
}

static void write_details(FILE *out, const struct lab_point_pair *pair)
{
    fprintf(out, "fingerprints that differ: %s\n", report_prints(pair));
    for (unsigned i = 0; i < pair->ncells; i++) {
        const struct lab_cell *cell = &pair->cells[i];

        write_text(out, cell->name);
        fputs(": kept ", out);
        write_text(out, cell->a);
        fputs(", now ", out);
        write_text(out, cell->b != NULL ? cell->b : "no such column");
        fputs(cell->within ? " (within the band)\n" : "\n", out);
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

static void write_case(FILE *out, const char *suite, const struct lab_point_pair *pair, bool passes)
{
    fputs("    <testcase", out);
    write_attribute(out, "classname", suite);
    write_attribute(out, "name", pair->name);
    if (pair->verdict == LAB_POINT_EQUAL) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (passes) {
        fputs("      <system-out>", out);
    } else {
        fputs("      <failure", out);
        write_attribute(out, "message", message_of(pair->verdict));
        write_attribute(out, "type", lab_point_word(pair->verdict));
        fputs(">", out);
    }
    write_details(out, pair);
    fputs(passes ? "</system-out>\n    </testcase>\n" : "</failure>\n    </testcase>\n", out);
}

static void write_suite(FILE *out, const struct lab_junit_suite *suite,
                        const struct lab_bands *bands)
{
    const struct lab_comparison *c = suite->comparison;
    unsigned good = 0;

    for (unsigned i = 0; c != NULL && i < c->npoints; i++)
        good += lab_compare_point_passes(&c->points[i], bands);
    fputs("  <testsuite", out);
    write_attribute(out, "name", suite->name);
    fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\">\n", c != NULL ? c->npoints : 1,
            c != NULL ? c->npoints - good : 0, c == NULL);
    for (unsigned i = 0; c != NULL && i < c->npoints; i++)
        write_case(out, suite->name, &c->points[i], lab_compare_point_passes(&c->points[i], bands));
    if (c == NULL) {
        fputs("    <testcase", out);
        write_attribute(out, "classname", suite->name);
        fputs(" name=\"run again\">\n      <error", out);
        write_attribute(out, "message", suite->error);
        fputs(" type=\"error\"/>\n    </testcase>\n", out);
    }
    fputs("  </testsuite>\n", out);
}

void lab_junit_write(FILE *out, const struct lab_junit_suite *suites, unsigned n,
                     const struct lab_bands *bands)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (unsigned i = 0; i < n; i++)
        write_suite(out, &suites[i], bands);
    fputs("</testsuites>\n", out);
}
