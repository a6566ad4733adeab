/*
 * Mistakes are reported as they are found. One like an earlier one, of whichever rank, in the same
 * call of the program with the same other call, is counted: the last one has a line, when the run
 * has ended. Those lines are in the order of the first ones.
 */
#define _GNU_SOURCE /* tdestroy */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/check/record.h"

enum { TEXT_BYTES = 1200 };

struct mpi_likes {
    TAILQ_ENTRY(mpi_likes) in_found;
    unsigned more;            /* than the first one */
    unsigned lowest, highest; /* rank of all of them */
    struct mpi_place at;      /* the last one that there was memory for */
    char *text;               /* what follows its name; NULL: there is only the first one */
    char key[];               /* both places in the program, and what else they share */
};

static int by_key(const void *left, const void *right)
{
    const struct mpi_likes *a = left, *b = right;

    return strcmp(a->key, b->key);
}

static void free_likes(void *likes)
{
    free(((struct mpi_likes *)likes)->text);
    free(likes);
}

/** By `found` or `found_more` of the process. */
static void report_line(const struct mpi_place *at, const char *text,
                        void (*found)(struct host *h, const char *line))
{
    struct host *h = at->host;
    char place[128] = "", line[TEXT_BYTES + 200];

    if (at->call.name != NULL)
        h->process->place(h, at->call.from, place, sizeof(place));
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s%s", h->rank,
                   h->node->index, (double)at->ps * 1e-6,
                   at->call.name != NULL ? at->call.name : "", place, text);
    found(h, line);
}

/* What follows the name and the place of the call. */
static void mistake_text(const struct mpi_mistake *m, const char *text, char *all, size_t room)
{
    char number[32] = "", other[200] = "";

    if (m->number != 0)
        (void)snprintf(number, sizeof(number), ", collective %u", m->number);
    if (m->other != NULL)
        mpi_place_text(m->other, other, sizeof(other));
    (void)snprintf(all, room, "%s%s%s%s", number, text, other, m->after != NULL ? m->after : "");
}

/* "MPI_Send at prog+0x123", the same on all ranks. */
static void call_text(const struct mpi_place *p, char *text, size_t room)
{
    char place[128];

    text[0] = '\0';
    if (p->call.name == NULL) /* the end of a rank is no call */
        return;
    p->host->process->place(p->host, p->call.from, place, sizeof(place));
    (void)snprintf(text, room, "%s%s", p->call.name, place);
}

static void key_text(const struct mpi_mistake *m, const char *text, char *key, size_t room)
{
    char at[200], other[200] = "";

    call_text(m->at, at, sizeof(at));
    if (m->other != NULL)
        call_text(m->other, other, sizeof(other));
    (void)snprintf(key, room, "%s\n%s\n%s", at, other, m->alike != NULL ? m->alike : text);
}

/* @return what is kept of those like it; NULL: it is the first one */
static struct mpi_likes *add_like(struct mpi_check *ck, const struct mpi_mistake *m,
                                  const char *text)
{
    char key[TEXT_BYTES];
    struct mpi_likes *new, **found;

    key_text(m, text, key, sizeof(key));
    new = calloc(1, sizeof(*new) + strlen(key) + 1);
    if (new == NULL)
        return NULL;
    strcpy(new->key, key); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): it has room */
    new->lowest = new->highest = m->at->host->rank;
    found = tsearch(new, &ck->likes, by_key);
    if (found != NULL && *found == new) {
        TAILQ_INSERT_TAIL(&ck->found, new, in_found);
        return NULL;
    }
    free(new);
    return found != NULL ? *found : NULL;
}

static void count_like(struct mpi_likes *likes, const struct mpi_mistake *m, const char *text)
{
    struct host *h = m->at->host;
    char *last = strdup(text);

    likes->more++;
    h->process->found(h, NULL); /* counts it */
    if (h->rank < likes->lowest)
        likes->lowest = h->rank;
    if (h->rank > likes->highest)
        likes->highest = h->rank;
    if (last == NULL)
        return; /* the line has the one before it */
    likes->at = *m->at;
    free(likes->text);
    likes->text = last;
}

void mpi_check_found(struct mpi_check *ck, const struct mpi_mistake *m, const char *format, ...)
{
    char text[512], all[TEXT_BYTES];
    struct mpi_likes *likes;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    likes = add_like(ck, m, text);
    mistake_text(m, text, all, sizeof(all));
    if (likes == NULL)
        report_line(m->at, all, m->at->host->process->found);
    else
        count_like(likes, m, all);
}

static void report_last(const struct mpi_likes *likes)
{
    char ranks[48] = "", text[TEXT_BYTES];

    if (likes->text == NULL)
        return;
    if (likes->more > 1 && likes->lowest < likes->highest)
        (void)snprintf(ranks, sizeof(ranks), ", on ranks %u to %u", likes->lowest, likes->highest);
    (void)snprintf(text, sizeof(text),
                   likes->more > 1 ? "%s; the last of %u more%s" : "%s; one more", likes->text,
                   likes->more, ranks);
    report_line(&likes->at, text, likes->at.host->process->found_more);
}

void mpi_found_release(struct mpi_check *ck)
{
    const struct mpi_likes *likes;

    for (likes = TAILQ_FIRST(&ck->found); likes != NULL; likes = TAILQ_NEXT(likes, in_found))
        report_last(likes);
    tdestroy(ck->likes, free_likes);
}
