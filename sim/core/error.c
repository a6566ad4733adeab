#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sim_error_set(struct sim_error *err, int code, const char *fmt, ...)
{
    va_list ap;

    if (err == NULL || err->code != SIM_OK)
        return code;
    err->code = code;
    va_start(ap, fmt);
    (void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return code;
}

/** Behind what has been set already. */
static void append_text(struct sim_error *err, const char *fmt, va_list ap)
{
    size_t n = strlen(err->text);

    (void)vsnprintf(err->text + n, sizeof(err->text) - n, fmt, ap);
}

static void set_value(struct sim_error *err, int code, const char *head, const char *key,
                      uint64_t value, const char *word, const char *fmt, va_list ap)
{
    (void)sim_error_set(err, code, "%s%s = %s: ", head, key, word);
    append_text(err, fmt, ap);
    err->cause = SIM_CAUSE_VALUE;
    (void)snprintf(err->key, sizeof(err->key), "%s", key);
    err->value = value;
}

int sim_error_value(struct sim_error *err, int code, const char *head, const char *key,
                    uint64_t value, const char *fmt, ...)
{
    char number[24];
    va_list ap;

    if (err == NULL || err->code != SIM_OK)
        return code;
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
    va_start(ap, fmt);
    set_value(err, code, head, key, value, number, fmt, ap);
    va_end(ap);
    return code;
}

int sim_error_choice(struct sim_error *err, int code, const char *head, const char *key,
                     uint64_t value, const char *word, const char *fmt, ...)
{
    va_list ap;

    if (err == NULL || err->code != SIM_OK)
        return code;
    va_start(ap, fmt);
    set_value(err, code, head, key, value, word, fmt, ap);
    va_end(ap);
    return code;
}

int sim_error_set_at(struct sim_error *err, int code, const char *file, unsigned line,
                     const char *fmt, ...)
{
    va_list ap;

    if (err == NULL || err->code != SIM_OK)
        return code;
    err->located = file != NULL && line != 0;
    if (err->located)
        (void)sim_error_set(err, code, "%s:%u: ", file, line);
    else
        (void)sim_error_set(err, code, "%s%s", file != NULL ? file : "", file != NULL ? ": " : "");
    err->reason = err->located ? 0 : strlen(err->text);
    va_start(ap, fmt);
    append_text(err, fmt, ap);
    va_end(ap);
    return code;
}

void sim_assert_fail(const char *cond, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: broken rule: %s\n", file, line, cond);
    abort();
}
