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

gasnett_memveclist_stats_t gasnett_format_memveclist(char *text, size_t count, const void *list)
{
    const struct piece *pieces = list;
    gasnett_memveclist_stats_t stats = gasnett_memveclist_stats(count, list);
    struct text t = { text, text + gasnett_format_memveclist_bufsz(count) };

    text_add(&t, "%zu entries, totalsz=%" PRIuPTR ", bounds=[%p...%p]\n list=[", count,
             stats.totalsz, stats.minaddr, stats.maxaddr);
    for (size_t i = 0; i < count; i++)
        text_add(&t, "%s{%p,%zu}", i > 0 ? ", " : "", pieces[i].addr, pieces[i].len);
    text_add(&t, "]");
    return stats;
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

gasnett_addrlist_stats_t gasnett_format_addrlist(char *text, size_t count, void *const *list,
                                                 size_t bytes)
{
    gasnett_addrlist_stats_t stats = gasnett_addrlist_stats(count, list, bytes);
    struct text t = { text, text + gasnett_format_addrlist_bufsz(count) };

    text_add(&t, "%zu entries, totalsz=%zu, len=%zu, bounds=[%p...%p]\n list=[", count,
             count * bytes, bytes, stats.minaddr, stats.maxaddr);
    for (size_t i = 0; i < count; i++)
        text_add(&t, "%s%p", i > 0 ? ", " : "", list[i]);
    text_add(&t, "]");
    return stats;
}

/* ---- a strided transfer ---- */

size_t gasnett_format_putsgets_bufsz(size_t levels)
{
    return HEAD_BYTES + (3 * levels + 1) * PIECE_BYTES;
}

static void add_sizes(struct text *t, const char *name, const size_t *sizes, size_t n)
{
    text_add(t, " %s=[", name);
    for (size_t i = 0; i < n; i++)
        text_add(t, "%s%zu", i > 0 ? ", " : "", sizes[i]);
    text_add(t, "]\n");
}

void gasnett_format_putsgets(char *text, void *stats, void *to, const size_t *to_strides,
                             void *from, const size_t *from_strides, const size_t *count,
                             size_t levels)
{
    struct text t = { text, text + gasnett_format_putsgets_bufsz(levels) };
    size_t bytes = 1;

    (void)stats;
    for (size_t i = 0; i <= levels; i++)
        bytes *= count[i];
    text_add(&t, "dst=%p src=%p levels=%zu totalsz=%zu\n", to, from, levels, bytes);
    add_sizes(&t, "dststrides", to_strides, levels);
    add_sizes(&t, "srcstrides", from_strides, levels);
    add_sizes(&t, "count", count, levels + 1);
}
