/*
 * Mistakes are reported as they are found. One like an earlier one, in the same call of the program
 * with the same other call, is counted: the last one has a line, when the run has ended. Those
 * lines are in the order of the first ones: that of the tree, by pointers, differs from run to run.
 */
#define _GNU_SOURCE /* tdestroy */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/check/record.h"

struct mpi_likes {
    TAILQ_ENTRY(mpi_likes) in_found;
    struct mpi_place at;    /* the last one's */
    struct mpi_place other; /* the first one's; its host NULL: there is none */
    unsigned more;          /* than the first one */
    char text[];            /* what comes between their places, and behind them */
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
    const struct mpi_likes *a = left, *b = right;
    int order = compare_places(&a->at, &b->at);

    if (order == 0)
        order = compare_places(&a->other, &b->other);
    return order != 0 ? order : strcmp(a->text, b->text);
}

/** By `found` or `found_more` of the process. */
static void report_line(const struct mpi_place *at, const char *text,
                        void (*found)(struct host *h, const char *line))
{
    struct host *h = at->host;
    char place[128] = "", line[1400];

    if (at->call.name != NULL)
        h->process->place(h, at->call.from, place, sizeof(place));
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s%s", h->rank,
                   h->node->index, (double)at->ps * 1e-6,
                   at->call.name != NULL ? at->call.name : "", place, text);
    found(h, line);
}

static void report_first(const struct mpi_mistake *m, const char *text)
{
    char number[32] = "", other[200] = "", all[1200];

    if (m->number != 0)
        (void)snprintf(number, sizeof(number), ", collective %u", m->number);
    if (m->other != NULL)
        mpi_place_text(m->other, other, sizeof(other));
    (void)snprintf(all, sizeof(all), "%s%s%s%s", number, text, other,
                   m->after != NULL ? m->after : "");
    report_line(m->at, all, m->at->host->process->found);
}

/* @return what is kept of those like it; NULL: it is the first one */
static struct mpi_likes *add_like(struct mpi_check *ck, const struct mpi_mistake *m,
                                  const char *text)
{
    const char *after = m->after != NULL ? m->after : "";
    size_t n = strlen(text) + strlen(after) + 1;
    struct mpi_likes *new = calloc(1, sizeof(*new) + n), **found;

    if (new == NULL)
        return NULL;
    new->at = *m->at;
    if (m->other != NULL)
        new->other = *m->other;
    (void)snprintf(new->text, n, "%s%s", text, after);
    found = tsearch(new, &ck->likes, by_kind);
    if (found != NULL && *found == new) {
        TAILQ_INSERT_TAIL(&ck->found, new, in_found);
        return NULL;
    }
    free(new);
    return found != NULL ? *found : NULL;
}

void mpi_check_found(struct mpi_check *ck, const struct mpi_mistake *m, const char *format, ...)
{
    struct host *h = m->at->host;
    char text[512];
    struct mpi_likes *likes;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    likes = add_like(ck, m, text);
    if (likes == NULL) {
        report_first(m, text);
        return;
    }
    likes->more++;
    h->process->found(h, NULL);
    likes->at = *m->at;
}

static void report_last(const struct mpi_likes *likes)
{
    char text[64];

    if (likes->more == 0)
        return;
    (void)snprintf(text, sizeof(text), ": the last of %u more like the first one", likes->more);
    report_line(&likes->at, likes->more > 1 ? text : ": one more like the first one",
                likes->at.host->process->found_more);
}

void mpi_found_release(struct mpi_check *ck)
{
    const struct mpi_likes *likes;

    for (likes = TAILQ_FIRST(&ck->found); likes != NULL; likes = TAILQ_NEXT(likes, in_found))
        report_last(likes);
    tdestroy(ck->likes, free);
}
