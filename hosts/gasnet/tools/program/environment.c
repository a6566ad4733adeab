/* The environment, with values for what is not set in it. Verbose, rank 0 prints them, once each.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hosts/gasnet/include/gasnet_tools.h"
#include "hosts/gasnet/tools/program/fatal.h"
#include "hosts/gasnet/tools/program/text.h"
#include "hosts/gasnet/tools/run.h"

/* Names that were printed. */
static struct shown {
    struct shown *next;
    char name[];
} * shown;

char *gasnett_getenv(const char *name)
{
    return getenv(name);
}

void gasnett_setenv(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        gasneti_tools_fatal("gasnett_setenv", NULL, "%s: expected the name of a variable", name);
}

void gasnett_unsetenv(const char *name)
{
    if (unsetenv(name) != 0)
        gasneti_tools_fatal("gasnett_unsetenv", NULL, "%s: expected the name of a variable", name);
}

/* ---- what is printed ---- */

/* 1, 0; -1: neither. */
static int yes_of(const char *text)
{
    static const char *const words[][6] = { { "n", "no", "0", "f", "false", "off" },
                                            { "y", "yes", "1", "t", "true", "on" } };

    for (int yes = 0; yes < 2; yes++)
        for (size_t i = 0; i < sizeof(words[0]) / sizeof(words[0][0]); i++)
            if (strcasecmp(text, words[yes][i]) == 0)
                return yes;
    return -1;
}

int gasnett_verboseenv(void)
{
    const char *text = getenv("GASNET_VERBOSEENV");

    return text != NULL && yes_of(text) != 0 && gasneti_tools_run_is_first();
}

void gasnett_envstr_display(const char *name, const char *value, int is_default)
{
    size_t n = strlen(name) + 1;
    struct shown *s = shown;

    if (!gasnett_verboseenv())
        return;
    while (s != NULL && strcmp(s->name, name) != 0)
        s = s->next;
    if (s != NULL)
        return;
    s = malloc(sizeof(*s) + n);
    if (s != NULL) {
        memcpy(s->name, name, n);
        s->next = shown;
        shown = s;
    }
    fprintf(stderr, "ENV parameter: %s = %s%s\n", name, value, is_default ? "   (default)" : "");
    fflush(stderr);
}

void gasnett_envint_display(const char *name, int64_t value, int is_default, int is_memory)
{
    char text[48];

    gasnett_envstr_display(name, gasnett_format_number(value, text, sizeof(text), is_memory),
                           is_default);
}

void gasnett_envdbl_display(const char *name, double value, int is_default)
{
    char text[48];

    (void)snprintf(text, sizeof(text), "%g", value);
    gasnett_envstr_display(name, text, is_default);
}

/* ---- values by kind ---- */

char *gasnett_getenv_withdefault(const char *name, const char *otherwise)
{
    char *text = getenv(name);

    if (text == NULL) {
        gasnett_envstr_display(name, otherwise != NULL ? otherwise : "*not set*", 1);
        return (char *)(uintptr_t)otherwise; /* for reading, as with getenv() */
    }
    gasnett_envstr_display(name, text, 0);
    return text;
}

int gasnett_getenv_yesno_withdefault(const char *name, int otherwise)
{
    const char *text = getenv(name);
    int yes = text != NULL ? yes_of(text) : otherwise != 0;

    if (yes < 0)
        gasneti_tools_fatal(name, NULL, "%s: expected YES or NO, y or n, 1 or 0", text);
    gasnett_envstr_display(name, yes ? "YES" : "NO", text == NULL);
    return yes;
}

int64_t gasnett_getenv_int_withdefault(const char *name, int64_t otherwise, uint64_t unit)
{
    const char *text = getenv(name);
    int64_t value = otherwise;

    if (text != NULL && gasneti_tools_number_parse(text, unit, &value) != 0)
        gasneti_tools_fatal(name, NULL, "%s: expected %s", text,
                            unit != 0 ? "a size, as in 4096, 1.5MB or 2 GB"
                                      : "a whole number, decimal or from 0x");
    gasnett_envint_display(name, value, text == NULL, unit != 0);
    return value;
}

double gasnett_getenv_dbl_withdefault(const char *name, double otherwise)
{
    const char *text = getenv(name);
    double value = otherwise;

    if (text != NULL && gasnett_parse_dbl(text, &value) != 0)
        gasneti_tools_fatal(name, NULL, "%s: expected a number or a fraction, as in 1.5 or 3/8",
                            text);
    gasnett_envdbl_display(name, value, text == NULL);
    return value;
}
