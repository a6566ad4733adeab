#include "tools/lab/workload/values.h"

#include "hosts/launch/include/hubsim-workload.h"
#include "tools/load/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** "1..64", "1..", "16.. by 16". */
struct value_range {
    uint64_t first, last, step; /* last UINT64_MAX: it has no end */
};

static bool read_value_range(const char *values, struct value_range *range)
{
    int n = 0;

    *range = (struct value_range){ .last = UINT64_MAX, .step = 1 };
    if (sscanf(values, "%" SCNu64 "..%n", &range->first, &n) != 1 || n == 0)
        return false;
    values += n;
    if (isdigit((unsigned char)*values) && sscanf(values, "%" SCNu64 "%n", &range->last, &n) == 1)
        values += n;
    if (*values == '\0')
        return true;
    return sscanf(values, " by %" SCNu64 "%n", &range->step, &n) == 1 && values[n] == '\0' &&
           range->step > 0;
}

bool lab_values_list(const char *list, const char *separator, const char *text)
{
    size_t n = strlen(text), length;

    for (const char *at = list; *at != '\0'; at += strspn(at, separator)) {
        length = strcspn(at, separator);
        if (length == n && strncmp(at, text, n) == 0)
            return true;
        at += length;
    }
    return false;
}

bool lab_values_grid(const char *text, uint64_t *ranks_p)
{
    unsigned x, y, z;
    int n = 0;

    if (strspn(text, "0123456789x") != strlen(text) ||
        sscanf(text, "%5ux%5ux%5u%n", &x, &y, &z, &n) != 3 || text[n] != '\0')
        return false;
    *ranks_p = (uint64_t)x * y * z;
    return *ranks_p > 0;
}

bool lab_values_allow(const char *values, const char *text)
{
    struct value_range range;
    uint64_t number;

    if (values == NULL || strcmp(values, LAB_VALUES_MPI) == 0)
        return true;
    if (strcmp(values, HUBSIM_NUMBER) == 0)
        return load_number(text, false, &number);
    if (strcmp(values, HUBSIM_GRID) == 0)
        return lab_values_grid(text, &number);
    if (read_value_range(values, &range))
        return load_number(text, false, &number) && number >= range.first && number <= range.last &&
               (number - range.first) % range.step == 0;
    return lab_values_list(values, "|", text);
}

const char *lab_values_words(const char *values, bool sizes, struct load_arena *arena)
{
    const char *example = sizes ? ", such as 4096 or 4KiB" : "";
    struct value_range range;

    if (strcmp(values, HUBSIM_NUMBER) == 0)
        return load_text(arena, "%s%s", values, example);
    if (strcmp(values, HUBSIM_GRID) == 0)
        return "three numbers such as 4x2x2";
    if (!read_value_range(values, &range) || range.last != UINT64_MAX ||
        range.first % range.step != 0)
        return values;
    if (range.step == 1)
        return load_text(arena, "a whole number, at least %" PRIu64 "%s", range.first, example);
    if (range.first == 0)
        return load_text(arena, "a multiple of %" PRIu64 "%s", range.step, example);
    return load_text(arena, "a multiple of %" PRIu64 ", at least %" PRIu64 "%s", range.step,
                     range.first, example);
}
