/* Numbers as text, and what is counted in memory. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/gasnet/include/gasnet_tools.h"
#include "hosts/gasnet/tools/program/text.h"

static const char units[] = "BKMGTPE"; /* each 1024 of the one before */

/* ---- texts ---- */

char *gasnett_format_number(int64_t value, char *text, size_t room, int is_memory)
{
    unsigned power = 0;

    while (is_memory && value != 0 && value % 1024 == 0 && units[power + 1] != '\0') {
        value /= 1024;
        power++;
    }
    if (!is_memory)
        (void)snprintf(text, room, "%" PRId64, value);
    else if (power == 0)
        (void)snprintf(text, room, "%" PRId64 " B", value);
    else
        (void)snprintf(text, room, "%" PRId64 " %cB", value, units[power]);
    return text;
}

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \t\n");
}

/* "", "B", "K", "KB" or "KiB". @return bytes, 0: it is none */
static uint64_t unit_of(const char *text, uint64_t none)
{
    const char *found;
    uint64_t unit;

    if (*text == '\0')
        return none;
    found = strchr(units, toupper((unsigned char)*text));
    if (found == NULL)
        return 0;
    unit = UINT64_C(1) << (10 * (found - units));
    text++;
    if (found != units && (*text == 'i' || *text == 'I'))
        text++;
    if (found != units && (*text == 'b' || *text == 'B'))
        text++;
    return *skip_space(text) == '\0' ? unit : 0;
}

static int parse_plain(const char *text, int64_t *value_p)
{
    char *end;
    const char *digits = text + strspn(text, "+-");
    int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;

    errno = 0;
    *value_p = base == 16 && *text != '-' ? (int64_t)strtoull(text, &end, base)
                                          : (int64_t)strtoll(text, &end, base);
    return end == text || errno != 0 || *skip_space(end) != '\0';
}

/* Whole numbers stay exact; fractions are of a unit. */
static int parse_size(const char *text, uint64_t none, int64_t *value_p)
{
    char *end, *end_whole;
    double value = strtod(text, &end);
    long long whole = strtoll(text, &end_whole, 10);
    uint64_t unit;

    *value_p = 0;
    if (text[strspn(text, "+-")] == '0' && (text[strspn(text, "+-") + 1] | 0x20) == 'x')
        whole = strtoll(text, &end_whole, 16), end = end_whole;
    if (end == text || isnan(value))
        return 1;
    unit = unit_of(skip_space(end), none);
    if (end == end_whole) {
        if (__builtin_mul_overflow(whole, unit != 0 ? unit : none, value_p))
            return 1;
    } else {
        value *= (double)(unit != 0 ? unit : none);
        if (!(fabs(value) < 9.2e18))
            return 1;
        *value_p = (int64_t)value;
    }
    return unit == 0;
}

int gasneti_tools_number_parse(const char *text, uint64_t unit, int64_t *value_p)
{
    text = skip_space(text);
    return unit == 0 ? parse_plain(text, value_p) : parse_size(text, unit, value_p);
}

int64_t gasnett_parse_int(const char *text, uint64_t unit)
{
    int64_t value;

    (void)gasneti_tools_number_parse(text, unit, &value);
    return value;
}

int gasnett_parse_dbl(const char *text, double *value_p)
{
    char *end;
    double value = strtod(text, &end), below = 1;

    if (end == text)
        return 1;
    end += strspn(end, " \t\n");
    if (*end == '/') {
        const char *from = end + 1;

        below = strtod(from, &end);
        if (end == from || below == 0)
            return 1;
    }
    if (*skip_space(end) != '\0')
        return 1;
    *value_p = value / below;
    return 0;
}

/* ---- bytes ---- */

int gasnett_isLittleEndian(void)
{
    const uint16_t one = 1;
    uint8_t first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* FNV-1a, of 64 bits. */
uint64_t gasnett_checksum(const void *p, size_t bytes)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ ((const uint8_t *)p)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

size_t gasnett_count0s(const void *p, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes; i++)
        n += ((const uint8_t *)p)[i] == 0;
    return n;
}

size_t gasnett_count0s_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return gasnett_count0s(from, bytes);
}

int gasnett_count0s_uint32_t(uint32_t x)
{
    return (int)gasnett_count0s(&x, sizeof(x));
}

int gasnett_count0s_uint64_t(uint64_t x)
{
    return (int)gasnett_count0s(&x, sizeof(x));
}

int gasnett_count0s_uintptr_t(uintptr_t x)
{
    return (int)gasnett_count0s(&x, sizeof(x));
}
