/* Lists of pieces of memory as text: of the vector, indexed and strided calls. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "hosts/gasnet/include/gasnet_tools.h"

#define PIECE_BYTES 80 /* text of one piece: two numbers of 20 digits, an address */
#define HEAD_BYTES  256

/* gasnet.h may not be there: the layout of its gasnet_memvec_t. */
struct piece {
    void *addr;
    size_t len;
};

struct text {
    char *at, *end;
};

GASNETT_FORMAT_PRINTF(text_add, 2, 3,
                      static void text_add(struct text *t, const char *format, ...));
static void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at, (size_t)(t->end - t->at), format, args);
    va_end(args);
    if (n > 0)
        t->at += n < t->end - t->at ? n : t->end - t->at - 1;
}

static void widen(void **low_p, void **high_p, void *p, size_t bytes, int first)
{
    char *low = p, *high = low + (bytes > 0 ? bytes - 1 : 0);

    if (first || low < (char *)*low_p)
        *low_p = low;
    if (first || high > (char *)*high_p)
        *high_p = high;
}

/* ---- pieces with an address and a length each ---- */

gasnett_memveclist_stats_t gasnett_memveclist_stats(size_t count, const void *list)
{
    const struct piece *pieces = list;
    gasnett_memveclist_stats_t stats = { 0, 0, 0, NULL, NULL };
    int found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t n = pieces[i].len;

        stats.totalsz += n;
        stats.minsz = i == 0 || n < stats.minsz ? n : stats.minsz;
        stats.maxsz = n > stats.maxsz ? n : stats.maxsz;
        if (n > 0) /* the address of nothing may be any */
            widen(&stats.minaddr, &stats.maxaddr, pieces[i].addr, n, !found++);
    }
    return stats;
}

uintptr_t gasnett_memveclist_totalsz(size_t count, const void *list)
{
    return gasnett_memveclist_stats(count, list).totalsz;
}

size_t gasnett_format_memveclist_bufsz(size_t count)
{
    return HEAD_BYTES + count * PIECE_BYTES;
}

static gasnett_memveclist_stats_t add_memveclist(struct text *t, size_t count, const void *list)
{
    const struct piece *pieces = list;
    gasnett_memveclist_stats_t stats = gasnett_memveclist_stats(count, list);

    text_add(t, "%zu entries, totalsz=%" PRIuPTR ", bounds=[%p...%p]\n list=[", count,
             stats.totalsz, stats.minaddr, stats.maxaddr);
    for (size_t i = 0; i < count; i++)
        text_add(t, "%s{%p,%zu}", i > 0 ? ", " : "", pieces[i].addr, pieces[i].len);
    text_add(t, "]");
    return stats;
}

gasnett_memveclist_stats_t gasnett_format_memveclist(char *text, size_t count, const void *list)
{
    struct text t = { text, text + gasnett_format_memveclist_bufsz(count) };

    return add_memveclist(&t, count, list);
}

/* The bytes of both sides are the same ones. */
static void add_transfer(struct text *t, size_t bytes, uint32_t node)
{
    text_add(t, "(%zu data bytes) node=%" PRIu32 "\n", bytes, node);
}

size_t gasnett_format_putvgetv_bufsz(size_t to_count, size_t from_count)
{
    return HEAD_BYTES + gasnett_format_memveclist_bufsz(to_count) +
           gasnett_format_memveclist_bufsz(from_count);
}

size_t gasnett_format_putvgetv(char *text, uint32_t node, size_t to_count, const void *to_list,
                               size_t from_count, const void *from_list)
{
    struct text t = { text, text + gasnett_format_putvgetv_bufsz(to_count, from_count) };
    size_t bytes = gasnett_memveclist_totalsz(to_count, to_list);

    add_transfer(&t, bytes, node);
    text_add(&t, "dst: ");
    (void)add_memveclist(&t, to_count, to_list);
    text_add(&t, "\nsrc: ");
    (void)add_memveclist(&t, from_count, from_list);
    return bytes;
}

/* ---- pieces of one length ---- */

gasnett_addrlist_stats_t gasnett_addrlist_stats(size_t count, void *const *list, size_t bytes)
{
    gasnett_addrlist_stats_t stats = { NULL, NULL };

    for (size_t i = 0; i < count; i++)
        widen(&stats.minaddr, &stats.maxaddr, list[i], bytes, i == 0);
    return stats;
}

size_t gasnett_format_addrlist_bufsz(size_t count)
{
    return HEAD_BYTES + count * PIECE_BYTES;
}

static gasnett_addrlist_stats_t add_addrlist(struct text *t, size_t count, void *const *list,
                                             size_t bytes)
{
    gasnett_addrlist_stats_t stats = gasnett_addrlist_stats(count, list, bytes);

    text_add(t, "%zu entries, totalsz=%zu, len=%zu, bounds=[%p...%p]\n list=[", count,
             count * bytes, bytes, stats.minaddr, stats.maxaddr);
    for (size_t i = 0; i < count; i++)
        text_add(t, "%s%p", i > 0 ? ", " : "", list[i]);
    text_add(t, "]");
    return stats;
}

gasnett_addrlist_stats_t gasnett_format_addrlist(char *text, size_t count, void *const *list,
                                                 size_t bytes)
{
    struct text t = { text, text + gasnett_format_addrlist_bufsz(count) };

    return add_addrlist(&t, count, list, bytes);
}

size_t gasnett_format_putigeti_bufsz(size_t to_count, size_t from_count)
{
    return HEAD_BYTES + gasnett_format_addrlist_bufsz(to_count) +
           gasnett_format_addrlist_bufsz(from_count);
}

size_t gasnett_format_putigeti(char *text, uint32_t node, size_t to_count, void *const *to_list,
                               size_t to_bytes, size_t from_count, void *const *from_list,
                               size_t from_bytes)
{
    struct text t = { text, text + gasnett_format_putigeti_bufsz(to_count, from_count) };

    add_transfer(&t, to_count * to_bytes, node);
    text_add(&t, "dst: ");
    (void)add_addrlist(&t, to_count, to_list, to_bytes);
    text_add(&t, "\nsrc: ");
    (void)add_addrlist(&t, from_count, from_list, from_bytes);
    return to_count * to_bytes;
}

/* ---- a strided transfer ---- */

static void add_strides(struct text *t, size_t count, const size_t *list)
{
    text_add(t, "[");
    for (size_t i = 0; i < count; i++)
        text_add(t, "%s%zu", i > 0 ? ", " : "", list[i]);
    text_add(t, "]");
}

size_t gasnett_format_strides_bufsz(size_t count)
{
    return HEAD_BYTES + count * PIECE_BYTES;
}

void gasnett_format_strides(char *text, size_t count, const size_t *list)
{
    struct text t = { text, text + gasnett_format_strides_bufsz(count) };

    add_strides(&t, count, list);
}

size_t gasnett_format_putsgets_bufsz(size_t levels)
{
    return 2 * HEAD_BYTES + (3 * levels + 1) * PIECE_BYTES;
}

static void add_side(struct text *t, const char *name, const void *at, const size_t *strides,
                     size_t levels)
{
    text_add(t, "\n%s: %p strides=", name, at);
    add_strides(t, levels, strides);
}

size_t gasnett_format_putsgets(char *text, void *stats, uint32_t node, void *to,
                               const size_t *to_strides, void *from, const size_t *from_strides,
                               const size_t *count, size_t levels)
{
    struct text t = { text, text + gasnett_format_putsgets_bufsz(levels) };
    size_t bytes = 1;

    (void)stats;
    for (size_t i = 0; i <= levels; i++)
        bytes *= count[i];
    add_transfer(&t, bytes, node);
    text_add(&t, "stridelevels=%zu count=", levels);
    add_strides(&t, levels + 1, count);
    add_side(&t, "dst", to, to_strides, levels);
    add_side(&t, "src", from, from_strides, levels);
    return bytes;
}
