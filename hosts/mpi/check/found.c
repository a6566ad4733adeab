/*
 * Mistakes are reported as they are found. One like an earlier one, in the same call of the program
 * with the same other call, is counted: the last one has a line, when the run has ended.
 */
#define _GNU_SOURCE /* trees of search.h: how to walk and free them */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/check/record.h"

struct likes {
    struct mpi_place at, other; /* the last one's; other.host NULL: there is none */
    unsigned more;              /* than the first one */
    char text[];                /* what comes between their places, and behind them */
};

static int compare_places(const struct mpi_place *a, const struct mpi_place *b)
{
    if (a->host == NULL || b->host == NULL)
        return (a->host != NULL) - (b->host != NULL);
    if (a->host->rank != b->host->rank)
        return a->host->rank < b->host->rank ? -1 : 1;
    return a->call.from < b->call.from ? -1 : a->call.from > b->call.from;
}

static int by_kind(const void *left, const void *right)
{
    const struct likes *a = left, *b = right;
    int order = compare_places(&a->at, &b->at);

    if (order == 0)
        order = compare_places(&a->other, &b->other);
    return order != 0 ? order : strcmp(a->text, b->text);
}

static void print_found(const struct mpi_place *at, const char *text)
{
    struct host *h = at->host;
    char place[128], line[800];

    h->process->place(h, at->call.from, place, sizeof(place));
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s%s", h->rank,
                   h->node->index, (double)at->ps * 1e-6, at->call.name, place, text);
    h->process->found(h, line);
}

static void print_first(const struct mpi_mistake *m, const char *text)
{
    char number[32] = "", other[200] = "", all[700];

    if (m->number != 0)
        (void)snprintf(number, sizeof(number), ", collective %u", m->number);
    if (m->other != NULL)
        mpi_place_text(m->other, other, sizeof(other));
    (void)snprintf(all, sizeof(all), "%s%s%s%s", number, text, other,
                   m->after != NULL ? m->after : "");
    print_found(m->at, all);
}

/* @return what is kept of those like it; NULL: it is the first one */
static struct likes *find_likes(struct mpi_check *ck, const struct mpi_mistake *m, const char *text)
{
    const char *after = m->after != NULL ? m->after : "";
    size_t n = strlen(text) + strlen(after) + 1;
    struct likes *new = calloc(1, sizeof(*new) + n), **found;

    if (new == NULL)
        return NULL;
    new->at = *m->at;
    if (m->other != NULL)
        new->other = *m->other;
    (void)snprintf(new->text, n, "%s%s", text, after);
    found = tsearch(new, &ck->found, by_kind);
    if (found != NULL && *found == new)
        return NULL;
    free(new);
    return found != NULL ? *found : NULL;
}

void mpi_check_found(struct mpi_check *ck, const struct mpi_mistake *m, const char *format, ...)
{
    struct host *h = m->at->host;
    char text[512];
    struct likes *likes;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    likes = find_likes(ck, m, text);
    if (likes == NULL) {
        print_first(m, text);
        return;
    }
    if (likes->more++ > 0) /* the one before is not the last one */
        h->process->found(h, NULL);
    likes->at = *m->at;
}

static void print_last(const void *node, VISIT visit, void *arg)
{
    const struct likes *likes = *(struct likes *const *)node;
    char text[64];

    (void)arg;
    if ((visit != postorder && visit != leaf) || likes->more == 0)
        return;
    (void)snprintf(text, sizeof(text), ": the last of %u more like the first one", likes->more);
    print_found(&likes->at, likes->more > 1 ? text : ": one more like the first one");
}

void mpi_found_release(struct mpi_check *ck)
{
    twalk_r(ck->found, print_last, NULL);
    tdestroy(ck->found, free);
}
