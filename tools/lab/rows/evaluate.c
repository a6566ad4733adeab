#include "tools/lab/rows/side.h"

#include "tools/load/value.h"

#include <math.h>
#include <string.h>

/** Keys of the rows' own grammar; they say nothing about one measurement. */
static const char *const grammar[] = { "versus", "over", "take",       "measure",
                                       "note",   "grid", "spread_pct", NULL };

/* ---- the two sides of a row ---------------------------------------------------------- */

struct comparison {
    struct lab_side a, b;
    bool has_b;
    const char *over; /* NULL, or the key that walks over: */
    struct lab_list list;
};

static struct lab_side make_side(const struct lab_row *row)
{
    struct lab_side side = { .row = row, .setup = row->setup };
    unsigned kept = 0;

    side.take = lab_setup_get(&row->setup, "take");
    for (const char *const *key = grammar; *key != NULL; key++)
        lab_setup_drop(&side.setup, *key);
    for (unsigned i = 0; i < side.setup.n; i++)
        if (strncmp(side.setup.keys[i].key, "versus_", 7) != 0)
            side.setup.keys[kept++] = side.setup.keys[i];
    side.setup.n = kept;
    return side;
}

/** over=KEY:LIST: with take and no other list it is one more list to take from.
 * @return the key that walks over *list_p; NULL: none does */
static const char *split_over(struct lab_context *c, struct lab_side *side, struct lab_list *list_p)
{
    const char *over = lab_setup_get(&side->row->setup, "over"), *colon, *key;
    struct lab_list other;
    bool listed;

    if (over == NULL)
        return NULL;
    colon = strchr(over, ':');
    if (colon == NULL)
        lab_side_fail(c, "over", "KEY:LIST");
    key = load_text(c->ev->arena, "%.*s", (int)(colon - over), over);
    listed = lab_side_list(c, &side->setup, &other) != NULL;
    if (side->take != NULL && !listed) {
        lab_setup_put(&side->setup, key, colon + 1, side->row->where);
        return NULL;
    }
    *list_p = lab_list_parse(key, colon + 1, side->row->where, c->ev->arena);
    return key;
}

static void make_versus(struct lab_context *c, struct comparison *cmp)
{
    const char *id = lab_setup_get(&c->row->setup, "versus"), *over;
    const struct lab_row *row;
    struct lab_list list;

    if (id == NULL)
        return;
    row = lab_rows_find(c->ev->rows, id);
    if (row == NULL && c->ev->library != NULL)
        row = lab_rows_find(c->ev->library, id);
    if (row == NULL)
        lab_side_fail(c, "versus", "the id of a row");
    cmp->b = make_side(row);
    over = split_over(c, &cmp->b, &list);
    if (over != NULL && (cmp->over == NULL || strcmp(cmp->over, over) != 0))
        lab_side_fail(c, "versus", "a row without a list of its own, or over= the same key");
    for (unsigned i = 0; i < c->row->setup.n; i++)
        if (strncmp(c->row->setup.keys[i].key, "versus_", 7) == 0)
            lab_setup_put(&cmp->b.setup, c->row->setup.keys[i].key + 7, c->row->setup.keys[i].value,
                          c->row->where);
    cmp->has_b = true;
}

const char *lab_row_measure(const struct lab_row *row)
{
    static const char *const words[] = { "mpi-",      "npb-",      "mbcf-",   "bcast",
                                         "allgather", "allreduce", "stencil", NULL };
    bool says = false;

    for (const char *const *w = words; *w != NULL; w++)
        says |= strncmp(row->workload, *w, strlen(*w)) == 0;
    return says ? NULL : lab_setup_get(&row->setup, "measure");
}

/** The quantity itself, where it is one; NULL: it compares. */
static const char *basic_of(const struct lab_row *row)
{
    if (strcmp(row->quantity, "rate") == 0)
        return strcmp(row->unit, "1/s") == 0 ? LAB_MESSAGE_RATE : LAB_BYTE_RATE;
    if (strcmp(row->quantity, "share") == 0 && lab_setup_get(&row->setup, "versus") == NULL)
        return LAB_WRITTEN;
    if (strcmp(row->quantity, "speedup") == 0)
        return "time";
    return lab_side_is_basic(row->quantity) ? row->quantity : NULL;
}

/** What is measured on each side: latency, bandwidth or an expression of them. */
static void choose_measures(struct lab_context *c, struct comparison *cmp)
{
    const char *own = lab_row_measure(c->row), *other = NULL;

    if (own == NULL)
        own = basic_of(c->row);
    if (cmp->has_b) {
        other = lab_row_measure(cmp->b.row);
        if (other == NULL)
            other = basic_of(cmp->b.row);
    }
    if (own == NULL)
        own = other;
    if (own == NULL)
        lab_side_fail(c, "measure", "latency or bandwidth");
    cmp->a.measure = own;
    cmp->b.measure = lab_side_is_basic(own) || other == NULL ? own : other;
}

static struct comparison prepare_sides(struct lab_context *c)
{
    struct comparison cmp = { .a = make_side(c->row) };

    lab_plan_check_keys(c->row->where, c->row->workload, &c->row->setup);
    cmp.over = split_over(c, &cmp.a, &cmp.list);
    make_versus(c, &cmp);
    choose_measures(c, &cmp);
    return cmp;
}

/* ---- relations ------------------------------------------------------------------------ */

/** What a row's value is in, seen from seconds and bytes per second. */
static double unit_scale(const struct lab_context *c, const char *measure_text)
{
    static const struct {
        const char *unit, *quantity;
        double scale;
    } units[] = {
        { "s", "latency", 1 },
        { "ms", "latency", 1e3 },
        { "us", "latency", 1e6 },
        { "ns", "latency", 1e9 },
        { "B/s", "bandwidth", 1 },
        { "kB/s", "bandwidth", 1e-3 },
        { "MB/s", "bandwidth", 1e-6 },
        { "GB/s", "bandwidth", 1e-9 },
        { "1/s", NULL, 1 },
        { "x", NULL, 1 },
        { "1", NULL, 1 },
        { "percent", NULL, 1 },
        { "B", NULL, 1 },
    };
    bool time =
        strncmp(measure_text, "bandwidth", 9) != 0 && strcmp(measure_text, LAB_BYTE_RATE) != 0;

    for (unsigned i = 0; i < SIM_COUNT(units); i++) {
        if (strcmp(units[i].unit, c->row->unit) != 0)
            continue;
        if (units[i].quantity != NULL && time != (strcmp(units[i].quantity, "latency") == 0))
            break;
        return units[i].scale;
    }
    load_raise(SIM_ERR_CONFIG, "%s: unit = %s: expected a unit of %s", c->row->where, c->row->unit,
               c->row->quantity);
}

static bool is_ratio(const struct lab_row *row)
{
    return strcmp(row->quantity, "ratio") == 0 || row->relation == LAB_RATIO_GE ||
           row->relation == LAB_RATIO_LE || row->relation == LAB_RATIO_BETWEEN;
}

static bool is_order(const struct lab_row *row)
{
    return row->relation == LAB_LESS_THAN || row->relation == LAB_GREATER_THAN;
}

/** Keeps the worst of the instances that over= makes. */
static void judge_into(const struct lab_context *c, double simulated, double other,
                       struct lab_score *score)
{
    struct lab_judgement j = lab_judge(c->row, simulated, other);
    bool worse =
        (score->verdict == LAB_PASS && !j.pass) ||
        (j.pass == (score->verdict == LAB_PASS) && fabs(j.error_pct) > fabs(score->error_pct));

    if (score->has_value && !worse)
        return;
    score->has_value = true;
    score->verdict = j.pass ? LAB_PASS : LAB_FAIL;
    score->simulated = simulated;
    score->error_pct = j.error_pct;
}

static void compare_sides(struct lab_context *c, const struct lab_side *a, const struct lab_side *b,
                          bool has_b, struct lab_score *score)
{
    bool ratio = is_ratio(c->row), share = has_b && strcmp(c->row->quantity, "share") == 0;
    double x = lab_side_value(c, a), y = has_b ? lab_side_value(c, b) : 1;
    double scale = unit_scale(c, a->measure);

    if (strcmp(c->row->quantity, "speedup") == 0)
        judge_into(c, y / x, 0, score);
    else if (ratio || share)
        judge_into(c, x / y * (share ? 100 : 1), 0, score);
    else
        judge_into(c, x * scale, y * scale, score);
}

static double read_place(const struct lab_context *c, const char *key, const char *item)
{
    uint64_t number;

    if (!load_number(item, false, &number))
        lab_side_fail(c, key, "a list of whole numbers");
    return (double)number;
}

/** The place with the largest bandwidth. */
static void find_peak(struct lab_context *c, const struct lab_side *side, struct lab_score *score)
{
    struct lab_list list;
    const char *key = lab_side_list(c, &side->setup, &list);
    double best = -INFINITY, place = 0;

    if (key == NULL)
        lab_side_fail(c, "bytes", "a list of values");
    for (unsigned i = 0; i < list.n; i++) {
        struct lab_side one = lab_side_with(c, side, key, list.items[i]);
        double value = lab_side_measure(c, &one);

        if (value > best) {
            best = value;
            place = read_place(c, key, list.items[i]);
        }
    }
    judge_into(c, place, 0, score);
}

/** Where the order of the two sides at the first place ends, and where the reverse begins. */
static void find_crossover(struct lab_context *c, const struct comparison *cmp,
                           struct lab_score *score)
{
    struct comparison each = *cmp;
    double last = 0, next = INFINITY;
    bool first_less = false;

    if (!cmp->has_b)
        lab_side_fail(c, "versus", "the id of a row");
    if (each.over == NULL)
        each.over = lab_side_list(c, &cmp->a.setup, &each.list);
    if (each.over == NULL)
        lab_side_fail(c, "over", "KEY:LIST");
    for (unsigned i = 0; i < each.list.n; i++) {
        double x, y, place;

        each.a = lab_side_with(c, &cmp->a, each.over, each.list.items[i]);
        each.b = lab_side_with(c, &cmp->b, each.over, each.list.items[i]);
        x = lab_side_measure(c, &each.a);
        y = lab_side_measure(c, &each.b);
        place = read_place(c, each.over, each.list.items[i]);
        if (i == 0)
            first_less = x < y;
        if ((x < y) != first_less && isinf(next))
            next = place;
        else if ((x < y) == first_less)
            last = place; /* beyond `next` the order came back: no crossover there */
    }
    judge_into(c, last, next, score);
}

static void compare_at(struct lab_context *c, const struct comparison *cmp, unsigned item,
                       struct lab_score *score)
{
    struct lab_side a = lab_side_with(c, &cmp->a, cmp->over, cmp->list.items[item]);
    struct lab_side b = lab_side_with(c, &cmp->b, cmp->over, cmp->list.items[item]);

    compare_sides(c, &a, &b, cmp->has_b, score);
}

/** At each place; where a base is given, at the base's worst one. */
static void compare_over(struct lab_context *c, const struct comparison *cmp,
                         struct lab_score *score)
{
    struct lab_context base = *c;
    struct lab_score worst = *score;
    unsigned place = 0;

    if (c->ev->base != NULL)
        base.ev = c->ev->base;
    for (unsigned i = 0; i < cmp->list.n; i++) {
        struct lab_score before = worst;

        compare_at(c->ev->base != NULL ? &base : c, cmp, i, &worst);
        if (worst.error_pct != before.error_pct || worst.verdict != before.verdict)
            place = i;
    }
    if (c->ev->base != NULL)
        compare_at(c, cmp, place, score);
    else
        *score = worst;
}

static void evaluate_row(struct lab_context *c, struct lab_score *score)
{
    struct comparison cmp = prepare_sides(c);

    if (!cmp.has_b && (is_ratio(c->row) || is_order(c->row) ||
                       strcmp(c->row->quantity, "speedup") == 0 || cmp.a.measure == NULL))
        lab_side_fail(c, "versus", "the id of a row");
    if (c->row->relation == LAB_PEAK_AT)
        find_peak(c, &cmp.a, score);
    else if (c->row->relation == LAB_CROSSOVER)
        find_crossover(c, &cmp, score);
    else if (cmp.over == NULL)
        compare_sides(c, &cmp.a, &cmp.b, cmp.has_b, score);
    else
        compare_over(c, &cmp, score);
}

struct lab_score lab_evaluate(const struct lab_evaluator *ev, const struct lab_row *row)
{
    struct lab_context c = { .ev = ev, .row = row };
    struct lab_score score = { .verdict = LAB_PASS };

    evaluate_row(&c, &score);
    if (c.failure != NULL)
        score = (struct lab_score){ .verdict = c.not_run ? LAB_NOT_RUN : LAB_FAIL,
                                    .reason = c.failure };
    if (c.pending)
        score = (struct lab_score){ .verdict = LAB_PENDING };
    return score;
}
