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
    err->headed = head[0] != '\0';
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

static void set_head(struct sim_error *err, const char *head, unsigned line)
{
    size_t n = strlen(head), room = sizeof(err->text) / 2;
    bool whole = n <= room;
    char tail[16] = "";

    if (line != 0)
        (void)snprintf(tail, sizeof(tail), ":%u", line);
    (void)snprintf(err->text, sizeof(err->text), "%s%s%s: ", whole ? "" : "...",
                   whole ? head : head + n - room, tail);
    err->head = strlen(err->text);
}

int sim_error_set_behind(struct sim_error *err, int code, const char *head, const char *fmt, ...)
{
    va_list ap;

    if (err == NULL || err->code != SIM_OK)
        return code;
    err->code = code;
    set_head(err, head, 0);
    va_start(ap, fmt);
    append_text(err, fmt, ap);
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
    err->code = code;
    if (file != NULL)
        set_head(err, file, line);
    va_start(ap, fmt);
    append_text(err, fmt, ap);
    va_end(ap);
    return code;
}

const char *sim_error_why(const struct sim_error *err)
{
    return err->located ? err->text : err->text + err->head;
}

void sim_assert_fail(const char *cond, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: broken rule: %s\n", file, line, cond);
    abort();
}
