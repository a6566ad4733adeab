/* The first team, and those that others are split into. */
#include "hosts/gasnet/coll/coll.h"
#include "hosts/gasnet/coll/finish.h"

#include <stdlib.h>

void gasnet_coll_start(struct gasnet_rank *gr)
{
    struct gasnet_coll *c = gasnet_need(gr, calloc(1, sizeof(*c)));

    LIST_INIT(&c->teams);
    STAILQ_INIT(&c->news);
    gr->coll = c;
    coll_letters_start(gr);
}

void gasnet_coll_release(struct gasnet_rank *gr)
{
    struct gasnet_coll *c = gr->coll;

    if (c == NULL)
        return;
    for (unsigned i = 0; i < COLL_BUCKETS; i++) {
        while (!LIST_EMPTY(&c->ops[i]))
            coll_op_forget(LIST_FIRST(&c->ops[i]));
        while (!LIST_EMPTY(&c->boxes[i]))
            coll_box_destroy(LIST_FIRST(&c->boxes[i]));
    }
    coll_teams_release(c);
    free(c->functions);
    free(c);
}

/* ---- all ---- */

static void check_images(struct gasnet_rank *gr, const gasnet_image_t *images, gasnet_image_t own)
{
    uint64_t before = 0;

    for (unsigned i = 0; i < gr->host->size; i++)
        if (images[i] == 0)
            gasnet_fail(gr, "images[%u] = 0: expected at least 1", i);
    for (unsigned i = 0; i < gr->host->rank; i++)
        before += images[i];
    if (own < before || own >= before + images[gr->host->rank])
        gasnet_fail(gr, "my_image = %u: expected one of node %u, %llu .. %llu", own, gr->host->rank,
                    (unsigned long long)before,
                    (unsigned long long)before + images[gr->host->rank] - 1);
}

static void keep_functions(struct gasnet_rank *gr, const gasnet_coll_fn_entry_t *table, size_t n)
{
    gr->coll->functions = gasnet_need(gr, calloc(n + 1, sizeof(*table)));
    gr->coll->function_count = n;
    for (size_t i = 0; i < n; i++) {
        if (table[i].fnptr == NULL)
            gasnet_fail(gr, "function %zu: expected a function, not NULL", i);
        gr->coll->functions[i] = table[i];
    }
}

/* Once all members are here. */
static void meet(struct gasnet_rank *gr, struct coll_team *team)
{
    struct coll_op *op = coll_op_create(gr, team);

    coll_add_meeting(gr, op, 0);
    coll_op_begin(gr, op);
    coll_complete(gr, op);
}

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct gasnet_rank *gr = v.gr;
    unsigned *nodes;

    (void)init_flags;
    if (gr->coll->ready)
        gasnet_fail(gr, "called twice");
    if (images != NULL)
        check_images(gr, images, my_image);
    keep_functions(gr, fn_tbl, fn_count);
    nodes = gasnet_need(gr, calloc(gr->host->size, sizeof(*nodes)));
    for (unsigned i = 0; i < gr->host->size; i++)
        nodes[i] = i;
    gr->coll->all = coll_team_create(gr, 0, gr->host->size, nodes, images);
    gr->coll->ready = true;
    meet(gr, gr->coll->all);
    gasnet_leave(&v);
}

/* ---- parts ---- */

/* What each member says to all. */
struct member {
    uint32_t colour, rank, teams_made;
    uint32_t parent_rank; /* its own */
};

static struct member *hear_members(struct gasnet_rank *gr, struct coll_team *parent,
                                   const struct member *own)
{
    struct member *all = gasnet_need(gr, calloc(parent->size, sizeof(*all)));
    struct coll_op *op = coll_op_create(gr, parent);
    unsigned n = parent->size, me = parent->me;

    all[me] = *own;
    for (unsigned d = 1; d < n; d++)
        coll_add_expect(gr, op, (me + n - d) % n, 0, &all[(me + n - d) % n], sizeof(*own));
    for (unsigned d = 1; d < n; d++)
        coll_add_send(gr, op, (me + d) % n, 0, &all[me], sizeof(*own));
    for (unsigned d = 1; d < n; d++)
        coll_add_wait(gr, op, (me + n - d) % n, 0);
    coll_op_begin(gr, op);
    coll_complete(gr, op);
    return all;
}

static int by_colour(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->parent_rank < y->parent_rank ? -1 : 1;
}

/* Numbers go on behind the highest one that any member has: a team for each colour. */
static struct coll_team *team_of_colour(struct gasnet_rank *gr, const struct coll_team *parent,
                                        const struct member *all, uint32_t colour)
{
    uint32_t made = 0, number = 0, colours = 0;
    unsigned *nodes = gasnet_need(gr, calloc(parent->size, sizeof(*nodes))), n = 0;
    gasnet_image_t *images = gasnet_need(gr, calloc(parent->size, sizeof(*images)));
    struct coll_team *team;

    for (unsigned r = 0; r < parent->size; r++) {
        made = all[r].teams_made > made ? all[r].teams_made : made;
        colours += r == 0 || all[r].colour != all[r - 1].colour;
        if (all[r].colour != colour)
            continue;
        number = colours;
        nodes[n] = parent->nodes[all[r].parent_rank];
        images[n++] = coll_images_of(parent, all[r].parent_rank);
    }
    gr->coll->teams_made = made + colours;
    team = coll_team_create(gr, made + number, n, nodes, images);
    free(images);
    return team;
}

gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t team, gasnet_node_t color,
                                            gasnet_node_t rank, void *clientdata)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_OUTSIDE);
    struct coll_team *parent = coll_team_of(v.gr, team);
    const struct member own = { color, rank, v.gr->coll->teams_made, parent->me };
    struct member *all;
    gasnet_team_handle_t part;

    (void)clientdata; /* memory that others use for their buffers */
    all = hear_members(v.gr, parent, &own);
    qsort(all, parent->size, sizeof(*all), by_colour);
    part = coll_team_handle(team_of_colour(v.gr, parent, all, color));
    free(all);
    gasnet_leave(&v);
    return part;
}
