#include "tools/load/quantity.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_MAX 99

static const struct {
    const char *name;
    int digits; /* 10^digits ps */
} times[] = { { "ps", 0 }, { "ns", 3 }, { "us", 6 }, { "ms", 9 }, { "s", 12 } };

#define NTIMES SIM_COUNT(times)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** Digits with a point among them; `*scale_p` falls by the number of those behind it. */
static bool read_mantissa(const char **p, int *scale_p, uint64_t *value_p)
{
    bool point = false, any = false;
    uint64_t value = 0;

    for (; is_digit(**p) || (**p == '.' && !point); (*p)++) {
        uint64_t digit = (uint64_t)(unsigned char)(**p - '0');

        if (**p == '.') {
            point = true;
            continue;
        }
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
        *scale_p -= point ? 1 : 0;
        any = true;
    }
    *value_p = value;
    return any && (*p)[-1] != '.';
}

static bool read_exponent(const char **p, int *scale_p)
{
    const char *q = *p;
    bool negative;
    int value = 0;

    if (*q != 'e' && *q != 'E')
        return true;
    q++;
    negative = *q == '-';
    q += *q == '-' || *q == '+';
    if (!is_digit(*q))
        return false;
    for (; is_digit(*q); q++) {
        value = value * 10 + (*q - '0');
        if (value > EXPONENT_MAX)
            return false;
    }
    *scale_p += negative ? -value : value;
    *p = q;
    return true;
}

bool load_decimal(const char *text, const char **end_p, int scale, uint64_t *value_p)
{
    const char *p = text;
    uint64_t value;

    if (!read_mantissa(&p, &scale, &value) || !read_exponent(&p, &scale) ||
        (end_p == NULL && *p != '\0'))
        return false;
    if (value == 0)
        scale = 0;
    for (; scale < 0 && value % 10 == 0; scale++)
        value /= 10;
    for (; scale > 0 && value <= UINT64_MAX / 10; scale--)
        value *= 10;
    if (scale != 0)
        return false;
    *value_p = value;
    if (end_p != NULL)
        *end_p = p;
    return true;
}

/** "10us", "1.5ms" -> picoseconds. */
static bool parse_time(const char *text, sim_time_t *ps_p)
{
    if (strcmp(text, "0") == 0) { /* of any unit */
        *ps_p = 0;
        return true;
    }
    for (size_t i = 0; i < NTIMES; i++) {
        const char *end;

        if (load_decimal(text, &end, times[i].digits, ps_p) && strcmp(end, times[i].name) == 0)
            return true;
    }
    return false;
}

static bool is_time(const struct machine_param *param)
{
    return strcmp(param->unit, "ps") == 0;
}

/** N of the unit "1e-N"; 0: no rate. */
static int rate_digits(const struct machine_param *param)
{
    return strncmp(param->unit, "1e-", 3) == 0 ? (int)strtol(param->unit + 3, NULL, 10) : 0;
}

static bool is_rate(const struct machine_param *param)
{
    return rate_digits(param) != 0;
}

bool load_quantity_parse(const struct machine_param *param, const char *text, uint64_t *value_p)
{
    uint64_t value;
    bool good;

    if (!is_time(param) && !is_rate(param))
        return load_value_parse(param, text, value_p);
    good = is_time(param) ? parse_time(text, &value)
                          : load_decimal(text, NULL, rate_digits(param), &value);
    if (!good || value < param->min || value > param->max)
        return false;
    *value_p = value;
    return true;
}

const char *load_quantity_expected(const struct machine_param *param, char *text, size_t size)
{
    char min[32], max[32];

    if (!is_time(param) && !is_rate(param))
        return load_value_expected(param, text, size);
    (void)load_quantity_print(param, param->min, min, sizeof(min));
    (void)load_quantity_print(param, param->max, max, sizeof(max));
    snprintf(text, size, "expected a %s, %s .. %s, such as %s", is_time(param) ? "time" : "rate",
             min, max,
             is_time(param)           ? "10us"
             : rate_digits(param) < 9 ? "0.01"
                                      : "1e-9");
    return text;
}

/** In the largest unit that keeps it whole. */
static void print_time(uint64_t ps, char *text, size_t size)
{
    size_t unit = 0;

    if (ps == 0) {
        snprintf(text, size, "0");
        return;
    }
    for (; unit + 1 < NTIMES && ps % 1000 == 0; unit++)
        ps /= 1000;
    snprintf(text, size, "%" PRIu64 "%s", ps, times[unit].name);
}

/** "2.5e-9" of 2500000000 in units of 10^power */
static void print_rate(uint64_t value, int power, char *text, size_t size)
{
    char digits[24];
    int n;

    while (value != 0 && value % 10 == 0) {
        value /= 10;
        power++;
    }
    n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    if (value == 0)
        snprintf(text, size, "0");
    else if (power >= 0 && power < 4)
        snprintf(text, size, "%s%.*s", digits, power, "000");
    else if (n == 1)
        snprintf(text, size, "%se%d", digits, power);
    else
        snprintf(text, size, "%c.%se%d", digits[0], digits + 1, power + n - 1);
}

const char *load_quantity_print(const struct machine_param *param, uint64_t value, char *text,
                                size_t size)
{
    if (is_time(param))
        print_time(value, text, size);
    else if (is_rate(param))
        print_rate(value, -rate_digits(param), text, size);
    else
        (void)load_value_print(param, value, text, size);
    return text;
}
