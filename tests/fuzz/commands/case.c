#include "case.h"

#include <stdlib.h>
#include <string.h>

void case_add_arg(struct fuzz_case *c, const char *arg)
{
    if (c->nargs < CASE_ARGS)
        c->args[c->nargs++] = arg;
}

void case_add_file(struct fuzz_case *c, const char *path, const char *bytes, size_t n)
{
    unsigned i = 0;

    while (i < c->nfiles && strcmp(c->files[i].path, path) != 0)
        i++;
    if (i == CASE_FILES)
        return;
    c->files[i] = (struct case_file){ path, bytes, n };
    c->nfiles += i == c->nfiles;
}

const struct case_file *case_find(const struct fuzz_case *c, const char *path)
{
    for (unsigned i = 0; i < c->nfiles; i++)
        if (strcmp(c->files[i].path, path) == 0)
            return &c->files[i];
    return NULL;
}

void case_write(const struct fuzz_case *c, FILE *out)
{
    for (unsigned i = 0; i < c->nargs; i++)
        (void)fprintf(out, "argument %zu\n%s\n", strlen(c->args[i]), c->args[i]);
    for (unsigned i = 0; i < c->nfiles; i++) {
        (void)fprintf(out, "file %zu %s\n", c->files[i].n, c->files[i].path);
        (void)fwrite(c->files[i].bytes, 1, c->files[i].n, out);
        (void)fputc('\n', out);
    }
}

struct reader {
    const char *bytes;
    size_t n, at;
};

/** The bytes after a header, and the new line that ends them. @return NULL: not there */
static const char *read_body(struct reader *r, size_t n, struct load_arena *arena)
{
    char *copy;

    if (n > r->n - r->at || r->n - r->at - n == 0 || r->bytes[r->at + n] != '\n')
        return NULL;
    copy = load_alloc(arena, n + 1);
    memcpy(copy, r->bytes + r->at, n);
    r->at += n + 1;
    return copy;
}

static bool read_part(struct reader *r, struct fuzz_case *c)
{
    char header[512];
    const char *end = memchr(r->bytes + r->at, '\n', r->n - r->at), *body;
    size_t length = end != NULL ? (size_t)(end - r->bytes) - r->at : sizeof(header);
    char *rest;
    size_t n;
    bool is_file = strncmp(r->bytes + r->at, "file ", 5) == 0;

    if (length >= sizeof(header) || (!is_file && strncmp(r->bytes + r->at, "argument ", 9) != 0))
        return false;
    memcpy(header, r->bytes + r->at, length);
    header[length] = '\0';
    r->at += length + 1;
    n = strtoul(header + (is_file ? 5 : 9), &rest, 10);
    body = read_body(r, n, c->arena);
    if (body == NULL || (is_file && *rest != ' '))
        return false;
    if (is_file)
        case_add_file(c, load_text(c->arena, "%s", rest + 1), body, n);
    else
        case_add_arg(c, body);
    return true;
}

bool case_parse(const char *bytes, size_t n, struct load_arena *arena, struct fuzz_case *c)
{
    struct reader r = { bytes, n, 0 };

    *c = (struct fuzz_case){ .arena = arena };
    while (r.at < r.n)
        if (!read_part(&r, c))
            return false;
    return c->nargs != 0;
}

static void print_word(const char *word, FILE *out)
{
    (void)fputc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(*word, out);
    (void)fputc('\'', out);
}

void case_print(const struct fuzz_case *c, FILE *out)
{
    for (unsigned i = 0; i < c->nargs; i++) {
        if (i > 0)
            (void)fputc(' ', out);
        if (c->args[i][0] != '\0' &&
            strspn(c->args[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_=./,:@+") == strlen(c->args[i]))
            (void)fputs(c->args[i], out);
        else
            print_word(c->args[i], out);
    }
    (void)fputc('\n', out);
}
