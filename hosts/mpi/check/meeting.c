/*
 * Collectives: do the calls of all ranks fit together? A meeting is one collective of a
 * communicator, known by the communicator's context, its first rank (both groups of an
 * inter-communicator have the same context for their own), and its number in the library's count.
 * The first rank that comes says what it is, and each later one is compared. When all have come it
 * is forgotten.
 */
#define _GNU_SOURCE /* trees of search.h: how to walk and free them */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/check/record.h"

#define REPORTS_MAX 4u /* lines for a meeting: what one rank does wrong all others differ from */
#define MISSING_MAX 8u /* ranks that are named */

struct part {
    int world;            /* rank in the world */
    struct mpi_place at;  /* no host: has not come */
    uint64_t *give, *get; /* see mpi_check_call */
};

struct meeting {
    struct mpi_check *ck;
    uint32_t context, ordinal;
    int lead;        /* its first rank, in the world */
    uint32_t number; /* in the program's count */
    char comm[64];
    int size, come;
    unsigned reports;
    const struct part *first;
    struct mpi_check_call call; /* the first one's */
    struct part parts[];        /* of an inter-communicator: the group with the lower rank first */
};

static int by_number(const void *left, const void *right)
{
    const struct meeting *a = left, *b = right;

    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->lead != b->lead)
        return a->lead < b->lead ? -1 : 1;
    return a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

static void free_meeting(void *meeting)
{
    struct meeting *m = meeting;

    for (int i = 0; i < m->size; i++) {
        free(m->parts[i].give);
        free(m->parts[i].get);
    }
    free(m);
}

void mpi_meetings_release(struct mpi_check *ck)
{
    tdestroy(ck->meetings, free_meeting);
}

/* ---- who takes part ------------------------------------------------------------------------- */

static int size_of(const struct mpi_comm *c)
{
    return c->size + (c->remote != NULL ? c->remote->size : 0);
}

static bool is_second(const struct mpi_comm *c)
{
    return c->remote != NULL && c->remote->world[0] < c->group->world[0];
}

static int own_index(const struct mpi_comm *c)
{
    return c->rank + (is_second(c) ? c->remote->size : 0);
}

static const struct mpi_group *first_group(const struct mpi_comm *c)
{
    return is_second(c) ? c->remote : c->group;
}

static void name_parts(struct meeting *m, const struct mpi_comm *c)
{
    const struct mpi_group *first = first_group(c);
    const struct mpi_group *second = is_second(c) ? c->group : c->remote;

    for (int i = 0; i < m->size; i++)
        m->parts[i].world = i < first->size ? first->world[i] : second->world[i - first->size];
}

/* The program counts its own calls, each of which may be several collectives of the library. */
static void count_call(const struct mpi_rank *mr, struct mpi_comm *comm)
{
    if (comm->last_call != mr->calls)
        comm->called++;
    comm->last_call = mr->calls;
}

static struct meeting *find_meeting(const struct mpi_check *ck, const struct mpi_check_call *c)
{
    const struct meeting key = { .context = c->within->context,
                                 .lead = first_group(c->within)->world[0],
                                 .ordinal = c->ordinal };
    struct meeting **found = tfind(&key, &ck->meetings, by_number);

    return found != NULL ? *found : NULL;
}

static struct meeting *new_meeting(struct mpi_rank *mr, const struct mpi_check_call *c)
{
    int n = size_of(c->within);
    struct meeting *m = mpi_need(mr, calloc(1, sizeof(*m) + (size_t)n * sizeof(m->parts[0])));

    m->ck = mr->check;
    m->context = c->within->context;
    m->lead = first_group(c->within)->world[0];
    m->ordinal = c->ordinal;
    m->number = c->comm->called;
    m->size = n;
    mpi_comm_text(c->comm, m->comm, sizeof(m->comm));
    name_parts(m, c->within);
    mpi_need(mr, tsearch(m, &mr->check->meetings, by_number));
    return m;
}

static void end_meeting(struct mpi_check *ck, struct meeting *m)
{
    (void)tdelete(m, &ck->meetings, by_number);
    free_meeting(m);
}

static bool is_astray(const struct mpi_check *ck, uint32_t context)
{
    for (unsigned i = 0; i < ck->nastray; i++)
        if (ck->astray[i] == context)
            return true;
    return false;
}

static void add_astray(struct mpi_rank *mr, uint32_t context)
{
    struct mpi_check *ck = mr->check;

    if (is_astray(ck, context))
        return;
    ck->astray = mpi_need(mr, realloc(ck->astray, (ck->nastray + 1) * sizeof(*ck->astray)));
    ck->astray[ck->nastray++] = context;
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* `other` has called something else. */
static void report(struct meeting *m, const struct part *own, const char *what,
                   const struct part *other)
{
    if (m->reports++ >= REPORTS_MAX)
        return;
    mpi_check_found(
        m->ck, &(struct mpi_mistake){ .at = &own->at, .other = &other->at, .number = m->number },
        " on %s%s ", m->comm, what);
}

/* @return whether it differs from the first one's. */
static bool compare_calls(struct mpi_rank *mr, struct meeting *m, const struct part *own,
                          const struct mpi_check_call *c)
{
    const struct mpi_check_call *first = &m->call;
    char what[128] = "";

    if (strcmp(own->at.call.name, m->first->at.call.name) != 0) {
        add_astray(mr, m->context);
        (void)snprintf(what, sizeof(what), ", but");
    } else if (c->rooted && c->root != first->root) {
        (void)snprintf(what, sizeof(what), ": root = %d, but %d in", c->root, first->root);
    } else if (c->op != NULL && first->op != NULL && strcmp(c->op, first->op) != 0) {
        (void)snprintf(what, sizeof(what), ": %s, but %s in", c->op, first->op);
    } else if (c->sized && c->bytes != first->bytes) {
        (void)snprintf(what, sizeof(what), ": %llu bytes, but %llu in",
                       (unsigned long long)c->bytes, (unsigned long long)first->bytes);
    }
    if (what[0] == '\0')
        return false;
    report(m, own, what, m->first);
    return true;
}

/* What one rank gives another, and what that takes; one of them is `own`. */
static void compare_blocks(struct meeting *m, const struct part *own, int from, int to)
{
    const struct part *giver = &m->parts[from], *taker = &m->parts[to];
    uint64_t given, got;
    char what[128];

    if (giver->give == NULL || taker->get == NULL)
        return;
    given = giver->give[to];
    got = taker->get[from];
    if (given == MPI_CHECK_UNKNOWN || got == MPI_CHECK_UNKNOWN || given == got)
        return;
    if (own == giver)
        (void)snprintf(what, sizeof(what), ": %llu bytes for rank %d, which takes %llu in",
                       (unsigned long long)given, taker->world, (unsigned long long)got);
    else
        (void)snprintf(what, sizeof(what), ": %llu bytes from rank %d, which gives %llu in",
                       (unsigned long long)got, giver->world, (unsigned long long)given);
    report(m, own, what, own == giver ? taker : giver);
}

static void compare_all_blocks(struct meeting *m, int index)
{
    const struct part *own = &m->parts[index];

    for (int i = 0; (own->give != NULL || own->get != NULL) && i < m->size; i++) {
        compare_blocks(m, own, index, i);
        if (i != index)
            compare_blocks(m, own, i, index);
    }
}

/* Both sides of the rank's own arguments. @return whether they differ. */
static bool compare_sides(struct meeting *m, const struct part *own, const struct mpi_check_call *c)
{
    if (!c->sized || c->bytes == c->bytes_out)
        return false;
    if (m->reports++ < REPORTS_MAX)
        mpi_check_found(m->ck, &(struct mpi_mistake){ .at = &own->at, .number = m->number },
                        " on %s: %llu bytes are sent, %llu received", m->comm,
                        (unsigned long long)c->bytes_out, (unsigned long long)c->bytes);
    return true;
}

/* All ranks of the world call MPI_Finalize(), which is compared as a collective. */
static bool is_world(const struct meeting *m)
{
    return m->context == 0;
}

/* A rank that has ended does not come any more. */
static void look_for_ended(const struct mpi_check *ck, struct meeting *m, const struct part *own)
{
    for (int i = 0; !is_world(m) && m->reports == 0 && i < m->size; i++) {
        struct part ended = { .at = ck->ends[m->parts[i].world] };

        if (ended.at.host != NULL && m->parts[i].at.host == NULL)
            report(m, own, ", but", &ended);
    }
}

static void come(struct mpi_rank *mr, struct meeting *m, const struct mpi_check_call *c)
{
    int index = own_index(c->within);
    struct part *own = &m->parts[index];
    bool first = m->come++ == 0;

    mpi_check_place(mr, &own->at);
    own->give = c->give;
    own->get = c->get;
    if (first) {
        m->first = own;
        m->call = *c;
    }
    if (!compare_sides(m, own, c) && (first || !compare_calls(mr, m, own, c)))
        compare_all_blocks(m, index);
    look_for_ended(mr->check, m, own);
    if (m->come == m->size)
        end_meeting(mr->check, m);
}

/* Under a tag of the program's, groups of one communicator may meet beside each other. */
static bool is_compared(const struct mpi_comm *within)
{
    return size_of(within) > 1 && within->context % MPI_CONTEXTS < MPI_CONTEXT_TAGGED;
}

void mpi_check_collective(struct mpi_rank *mr, const struct mpi_check_call *c)
{
    struct meeting *m;
    bool astray;

    if (mr->check == NULL)
        return;
    count_call(mr, c->comm);
    m = find_meeting(mr->check, c);
    astray = is_astray(mr->check, c->within->context) && (m == NULL || m->reports == 0);
    if (!is_compared(c->within) || astray) {
        free(c->give);
        free(c->get);
        return;
    }
    come(mr, m != NULL ? m : new_meeting(mr, c), c);
}

/* ---- ranks that do not come ----------------------------------------------------------------- */

struct missed {
    struct mpi_check *ck;
    const struct mpi_place *end;
};

/* Inner nodes of the tree are visited three times. */
static struct meeting *visited(const void *node, VISIT visit)
{
    return visit == postorder || visit == leaf ? *(struct meeting *const *)node : NULL;
}

static bool is_open(const struct mpi_check *ck, const struct meeting *m)
{
    return m != NULL && m->reports == 0 && !is_astray(ck, m->context);
}

static void report_missed(const void *node, VISIT visit, void *arg)
{
    struct meeting *m = visited(node, visit);
    const struct missed *missed = arg;
    const struct part end = { .at = *missed->end };

    if (!is_open(missed->ck, m) || is_world(m))
        return;
    for (int i = 0; i < m->size; i++)
        if (m->parts[i].world == (int)end.at.host->rank && m->parts[i].at.host == NULL)
            report(m, &end, " has not been called, but", m->first);
}

void mpi_meetings_missed(struct mpi_check *ck, const struct mpi_place *end)
{
    struct missed missed = { ck, end };

    twalk_r(ck->meetings, report_missed, &missed);
}

static void list_missing(const struct meeting *m, char *text, size_t room)
{
    unsigned missing = 0;
    size_t n = 0;

    for (int i = 0; i < m->size; i++)
        if (m->parts[i].at.host == NULL && missing++ < MISSING_MAX)
            n += (size_t)snprintf(text + n, room - n, "%s%d", n > 0 ? ", " : "", m->parts[i].world);
    if (missing > MISSING_MAX)
        (void)snprintf(text + n, room - n, " and %u others", missing - MISSING_MAX);
}

static void report_open(const void *node, VISIT visit, void *arg)
{
    const struct meeting *m = visited(node, visit);
    char missing[160];

    if (!is_open(arg, m) || strcmp(m->first->at.call.name, "MPI_Finalize") == 0)
        return; /* what ranks do instead of that is found by itself */
    list_missing(m, missing, sizeof(missing));
    mpi_check_found(m->ck, &(struct mpi_mistake){ .at = &m->first->at, .number = m->number },
                    " on %s: not called by rank %s", m->comm, missing);
}

void mpi_meetings_open(struct mpi_check *ck)
{
    twalk_r(ck->meetings, report_open, ck);
}
