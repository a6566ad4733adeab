#define _GNU_SOURCE /* fopencookie, open_memstream */
#include "hosts/launch/process/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct output_line {
    sim_time_t time;
    unsigned rank;
    enum output_stream stream;
    uint64_t seq; /* within everything; decides only between lines of one rank at one time */
    char *text;
};

struct output_file {
    struct output *out;
    struct output_file *next;
    FILE *file;
    unsigned rank;
    enum output_stream stream;
    sim_time_t (*clock)(void *arg);
    void *clock_arg;
    FILE *part; /* writes into `text`: what has come of a line that lacks its newline */
    char *text;
    size_t text_bytes;
};

struct output {
    output_fn fn;
    void *arg;
    const int *codes; /* NULL: nothing fails */
    bool ended;
    struct output_file *files;
    struct output_line *lines;
    size_t nlines, room;
    uint64_t seq;
    struct output *kept;
};

/* See output_keep(). It is for checks for leaks only: the last one, and from it the others by their
 * `kept`. */
static struct output *last_kept;

struct output *output_create(output_fn fn, void *arg)
{
    struct output *out = calloc(1, sizeof(*out));

    if (out != NULL) {
        out->fn = fn;
        out->arg = arg;
    }
    return out;
}

void output_follow(struct output *out, const int *codes)
{
    out->codes = codes;
}

/** @param text NULL: no memory, else it is the list's. @return whether there was memory */
static bool add_line(struct output *out, unsigned rank, enum output_stream stream, sim_time_t time,
                     char *text)
{
    if (text != NULL && out->nlines == out->room) {
        size_t room = out->room != 0 ? 2 * out->room : 64;
        struct output_line *more = realloc(out->lines, room * sizeof(*more));

        if (more == NULL) {
            free(text);
            return false;
        }
        out->lines = more;
        out->room = room;
    }
    if (text != NULL)
        out->lines[out->nlines++] = (struct output_line){ time, rank, stream, out->seq++, text };
    return text != NULL;
}

static bool part_to_line(struct output_file *f, sim_time_t time)
{
    char *text = fflush(f->part) == 0 ? strndup(f->text, f->text_bytes) : NULL;
    bool added = add_line(f->out, f->rank, f->stream, time, text);

    if (added)
        rewind(f->part);
    return added;
}

void output_put(struct output *out, unsigned rank, enum output_stream stream, sim_time_t time,
                const char *line)
{
    if (!out->ended && (out->codes == NULL || out->codes[stream] == 0))
        (void)add_line(out, rank, stream, time, strdup(line));
}

static ssize_t file_write(void *cookie, const char *bytes, size_t n)
{
    struct output_file *f = cookie;
    sim_time_t now;

    if (f->out->ended)
        return (ssize_t)n;
    now = f->clock(f->clock_arg);
    if (f->out->codes != NULL && f->out->codes[f->stream] != 0) {
        errno = f->out->codes[f->stream];
        return 0;
    }
    for (size_t at = 0; at < n;) {
        const char *end = memchr(bytes + at, '\n', n - at);
        size_t take = end != NULL ? (size_t)(end - bytes) - at : n - at;

        if (fwrite(bytes + at, 1, take, f->part) < take || (end != NULL && !part_to_line(f, now)))
            return 0; /* stdio reports the error to the program */
        at += take + (end != NULL);
    }
    return (ssize_t)n;
}

static void file_close(struct output_file *f)
{
    if (f->file != NULL)
        fclose(f->file);
    if (f->part != NULL)
        fclose(f->part);
    free(f->text);
    free(f);
}

FILE *output_open(struct output *out, unsigned rank, enum output_stream stream,
                  sim_time_t (*clock)(void *arg), void *clock_arg)
{
    struct output_file *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return NULL;
    f->out = out;
    f->rank = rank;
    f->stream = stream;
    f->clock = clock;
    f->clock_arg = clock_arg;
    f->part = open_memstream(&f->text, &f->text_bytes);
    f->file = fopencookie(f, "w", (cookie_io_functions_t){ .write = file_write });
    if (f->file == NULL || f->part == NULL) {
        file_close(f);
        return NULL;
    }
    setvbuf(f->file, NULL, _IOLBF, BUFSIZ);
    f->next = out->files;
    out->files = f;
    return f->file;
}

static int line_order(const void *a, const void *b)
{
    const struct output_line *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Lines that are due before `until` come to the front, in their order. @return how many. */
static size_t sort_lines(struct output *out, sim_time_t until)
{
    size_t due = 0;

    if (until == SIM_TIME_NEVER) {
        for (struct output_file *f = out->files; f != NULL; f = f->next) {
            fflush(f->file);
            if (ftell(f->part) > 0)
                part_to_line(f, f->clock(f->clock_arg));
        }
    }
    if (out->nlines > 0)
        qsort(out->lines, out->nlines, sizeof(out->lines[0]), line_order);
    while (due < out->nlines && (until == SIM_TIME_NEVER || out->lines[due].time < until))
        due++;
    return due;
}

static void drop_lines(struct output *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(out->lines[i].text);
    out->nlines -= n;
    if (n > 0)
        memmove(out->lines, out->lines + n, out->nlines * sizeof(out->lines[0]));
}

void output_flush(struct output *out, sim_time_t until)
{
    size_t due = sort_lines(out, until);

    for (size_t i = 0; i < due && out->fn != NULL; i++) {
        const struct output_line *l = &out->lines[i];

        out->fn(out->arg, l->rank, l->stream, l->time, l->text);
    }
    drop_lines(out, due);
}

/* A line in a pack; its text follows, with the byte that ends it. */
struct packed_line {
    sim_time_t time;
    uint64_t rank, stream, bytes;
};

unsigned char *output_pack(struct output *out, sim_time_t until, size_t *n_p)
{
    size_t due = sort_lines(out, until), n = 0, at = 0;
    unsigned char *bytes;

    for (size_t i = 0; i < due; i++)
        n += sizeof(struct packed_line) + strlen(out->lines[i].text) + 1;
    bytes = malloc(n + 1);
    for (size_t i = 0; bytes != NULL && i < due; i++) {
        const struct output_line *l = &out->lines[i];
        const struct packed_line head = { l->time, l->rank, l->stream, strlen(l->text) + 1 };

        memcpy(bytes + at, &head, sizeof(head));
        memcpy(bytes + at + sizeof(head), l->text, head.bytes);
        at += sizeof(head) + head.bytes;
    }
    *n_p = at;
    if (bytes != NULL)
        drop_lines(out, due);
    return bytes;
}

bool output_unpack(struct output *out, const unsigned char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        struct packed_line head;

        memcpy(&head, bytes + at, sizeof(head));
        at += sizeof(head);
        if (!add_line(out, (unsigned)head.rank, (enum output_stream)head.stream, head.time,
                      strdup((const char *)bytes + at)))
            return false;
        at += head.bytes;
    }
    return true;
}

void output_end(struct output *out)
{
    out->ended = true;
    for (struct output_file *f = out->files; f != NULL; f = f->next)
        setvbuf(f->file, NULL, _IONBF, 0); /* the program may have given it memory of its own */
}

void output_keep(struct output *out)
{
    out->kept = last_kept;
    last_kept = out;
}

void output_destroy(struct output *out)
{
    if (out == NULL)
        return;
    while (out->files != NULL) {
        struct output_file *f = out->files;

        out->files = f->next;
        file_close(f);
    }
    for (size_t i = 0; i < out->nlines; i++)
        free(out->lines[i].text);
    free(out->lines);
    free(out);
}
