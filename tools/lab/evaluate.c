#include "tools/lab/evaluate.h"

#include "tools/load/value.h"

#include <math.h>
#include <string.h>

/** Keys of the rows' own grammar; they say nothing about one measurement. */
static const char *const grammar[] = { "versus", "over", "take",       "measure",
                                       "note",   "grid", "spread_pct", NULL };

/** One of the two things that a row compares. */
struct side {
    const struct lab_row *row; /* platform, workload, where */
    struct lab_setup setup;    /* without grammar */
    const char *take, *measure;
};

struct context {
    const struct lab_evaluator *ev;
    const struct lab_row *row;
    struct sim_error *err;
    bool pending;
    const char *failure;
};

static int fail(const struct context *c, const char *key, const char *expected)
{
    const char *value = lab_setup_get(&c->row->setup, key);

    return sim_error_set(c->err, SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", c->row->where, key,
                         value != NULL ? value : "(absent)", expected);
}

/* ---- measures ------------------------------------------------------------------ */

static bool is_basic(const char *quantity)
{
    return strcmp(quantity, "latency") == 0 || strcmp(quantity, "bandwidth") == 0 ||
           strcmp(quantity, "time") == 0;
}

static int measure_point(struct context *c, const struct side *side, const char *quantity,
                         double *value_p)
{
    struct lab_point point = { side->row->where, side->row->platform, side->row->workload,
                               &side->setup, NULL };
    struct lab_reading reading = { 0 };
    struct lab_plan plan;
    int rc = lab_plan_make(&point, &c->ev->protocol, c->ev->arena, &plan, c->err);

    if (rc == SIM_OK && plan.nruns == 0 && strcmp(quantity, "bandwidth") != 0)
        return fail(c, "mode", "something with a latency");
    if (rc == SIM_OK)
        rc = lab_read_plan(c->ev, &plan, quantity, &reading);
    c->pending |= reading.pending;
    if (reading.failure != NULL)
        c->failure = reading.failure;
    *value_p = reading.value;
    return rc;
}

/** The next word of a measure, or "" at its end. */
static const char *next_word(struct context *c, const char **text_p)
{
    const char *p = *text_p + strspn(*text_p, " ");
    int n = (int)strcspn(p, " ");

    *text_p = p + n;
    return load_text(c->ev->arena, "%.*s", n, p);
}

/** "latency at hops=1": a quantity, at the side's setup or with keys changed. */
static int measure_term(struct context *c, const struct side *side, const char **text_p,
                        double *value_p)
{
    struct side changed = *side;
    const char *quantity = next_word(c, text_p);
    const char *rest = *text_p, *word = next_word(c, &rest);
    int rc = SIM_OK;

    if (!is_basic(quantity))
        return fail(c, "measure", "latency or bandwidth [minus|plus|over ... [at key=value]]");
    while (rc == SIM_OK && (strcmp(word, "at") == 0 || strcmp(word, "and") == 0)) {
        const char *entry = next_word(c, &rest), *eq = strchr(entry, '=');

        if (eq == NULL)
            return fail(c, "measure", "key=value behind at");
        rc =
            lab_setup_put(&changed.setup, load_text(c->ev->arena, "%.*s", (int)(eq - entry), entry),
                          eq + 1, c->row->where, c->err);
        *text_p = rest;
        word = next_word(c, &rest);
    }
    return rc == SIM_OK ? measure_point(c, &changed, quantity, value_p) : rc;
}

/** TERM [minus|plus|over TERM] */
static int measure(struct context *c, const struct side *side, double *value_p)
{
    const char *text = side->measure, *op;
    double a, b;
    int rc = measure_term(c, side, &text, &a);

    if (rc != SIM_OK)
        return rc;
    op = next_word(c, &text);
    *value_p = a;
    if (op[0] == '\0')
        return SIM_OK;
    rc = measure_term(c, side, &text, &b);
    if (rc != SIM_OK)
        return rc;
    if (next_word(c, &text)[0] != '\0')
        return fail(c, "measure", "at most two terms");
    if (strcmp(op, "minus") == 0)
        *value_p = a - b;
    else if (strcmp(op, "plus") == 0)
        *value_p = a + b;
    else if (strcmp(op, "over") == 0)
        *value_p = a / b;
    else
        return fail(c, "measure", "minus, plus or over between two terms");
    return SIM_OK;
}

/* ---- lists ------------------------------------------------------------------------ */

/** The one key of the setup whose value is a list; NULL: there is none. */
static int find_list(struct context *c, const struct lab_setup *setup, const char **key_p,
                     struct lab_list *list_p)
{
    *key_p = NULL;
    for (unsigned i = 0; i < setup->n; i++) {
        const char *value = setup->keys[i].value;
        int rc;

        if (strchr(value, '|') == NULL && strstr(value, "..") == NULL)
            continue;
        if (*key_p != NULL)
            return fail(c, setup->keys[i].key, "one key with a list of values");
        *key_p = setup->keys[i].key;
        rc = lab_list_parse(value, c->row->where, c->ev->arena, list_p, c->err);
        if (rc != SIM_OK)
            return rc;
    }
    return SIM_OK;
}

static int with_key(struct context *c, const struct side *side, const char *key, const char *value,
                    struct side *out)
{
    *out = *side;
    return lab_setup_put(&out->setup, key, value, c->row->where, c->err);
}

/** One number: the measure, or its largest or smallest over the list. */
static int side_value(struct context *c, const struct side *side, double *value_p)
{
    struct lab_list list;
    const char *key;
    double best = NAN;
    int rc = find_list(c, &side->setup, &key, &list);

    if (rc != SIM_OK || (key == NULL && side->take == NULL))
        return rc != SIM_OK ? rc : measure(c, side, value_p);
    if (key == NULL)
        return fail(c, "take", "a key with a list of values beside it");
    if (side->take == NULL)
        return fail(c, key, "take or over beside a list");
    for (unsigned i = 0; i < list.n && rc == SIM_OK; i++) {
        struct side one;
        double value;

        rc = with_key(c, side, key, list.items[i], &one);
        if (rc == SIM_OK)
            rc = measure(c, &one, &value);
        if (rc == SIM_OK && (isnan(best) || (side->take[1] == 'a' ? value > best : value < best)))
            best = value;
    }
    *value_p = best;
    return rc;
}

/* ---- the two sides of a row ---------------------------------------------------------- */

struct comparison {
    struct side a, b;
    bool has_b;
    const char *over; /* NULL, or the key that walks over: */
    struct lab_list list;
};

static void make_side(const struct lab_row *row, struct side *side)
{
    unsigned kept = 0;

    *side = (struct side){ .row = row, .setup = row->setup };
    side->take = lab_setup_get(&row->setup, "take");
    for (const char *const *key = grammar; *key != NULL; key++)
        lab_setup_drop(&side->setup, *key);
    for (unsigned i = 0; i < side->setup.n; i++)
        if (strncmp(side->setup.keys[i].key, "versus_", 7) != 0)
            side->setup.keys[kept++] = side->setup.keys[i];
    side->setup.n = kept;
}

/** over=KEY:LIST: with take and no other list it is one more list to take from. */
static int split_over(struct context *c, const struct lab_row *row, struct side *side,
                      const char **key_p, struct lab_list *list_p)
{
    const char *over = lab_setup_get(&row->setup, "over"), *colon, *key, *listed;
    struct lab_list other;
    int rc;

    *key_p = NULL;
    if (over == NULL)
        return SIM_OK;
    colon = strchr(over, ':');
    if (colon == NULL)
        return fail(c, "over", "KEY:LIST");
    key = load_text(c->ev->arena, "%.*s", (int)(colon - over), over);
    rc = find_list(c, &side->setup, &listed, &other);
    if (rc == SIM_OK && side->take != NULL && listed == NULL)
        return lab_setup_put(&side->setup, key, colon + 1, row->where, c->err);
    if (rc == SIM_OK)
        rc = lab_list_parse(colon + 1, row->where, c->ev->arena, list_p, c->err);
    *key_p = key;
    return rc;
}

static int make_versus(struct context *c, struct comparison *cmp)
{
    const char *id = lab_setup_get(&c->row->setup, "versus"), *over;
    const struct lab_row *row;
    struct lab_list list;
    int rc = SIM_OK;

    if (id == NULL)
        return SIM_OK;
    row = lab_rows_find(c->ev->rows, id);
    if (row == NULL && c->ev->library != NULL)
        row = lab_rows_find(c->ev->library, id);
    if (row == NULL)
        return fail(c, "versus", "the id of a row");
    if (row->needs_mpi)
        return fail(c, "versus", "needs = ib-mpi here too");
    make_side(row, &cmp->b);
    rc = split_over(c, row, &cmp->b, &over, &list);
    if (rc == SIM_OK && over != NULL && (cmp->over == NULL || strcmp(cmp->over, over) != 0))
        return fail(c, "versus", "a row without a list of its own, or over= the same key");
    for (unsigned i = 0; i < c->row->setup.n && rc == SIM_OK; i++)
        if (strncmp(c->row->setup.keys[i].key, "versus_", 7) == 0)
            rc = lab_setup_put(&cmp->b.setup, c->row->setup.keys[i].key + 7,
                               c->row->setup.keys[i].value, c->row->where, c->err);
    cmp->has_b = true;
    return rc;
}

/** What is measured on each side: latency, bandwidth or an expression of them. */
static int choose_measures(struct context *c, struct comparison *cmp)
{
    const char *own = lab_setup_get(&c->row->setup, "measure"), *other = NULL;

    if (own == NULL && is_basic(c->row->quantity))
        own = c->row->quantity;
    if (cmp->has_b) {
        other = lab_setup_get(&cmp->b.row->setup, "measure");
        if (other == NULL && is_basic(cmp->b.row->quantity))
            other = cmp->b.row->quantity;
    }
    if (own == NULL)
        own = other;
    if (own == NULL)
        return fail(c, "measure", "latency or bandwidth");
    cmp->a.measure = own;
    cmp->b.measure = is_basic(own) || other == NULL ? own : other;
    return SIM_OK;
}

static int prepare(struct context *c, struct comparison *cmp)
{
    int rc;

    memset(cmp, 0, sizeof(*cmp));
    rc = lab_plan_check_keys(c->row->where, c->row->workload, &c->row->setup, c->err);
    if (rc != SIM_OK)
        return rc;
    make_side(c->row, &cmp->a);
    rc = split_over(c, c->row, &cmp->a, &cmp->over, &cmp->list);
    if (rc == SIM_OK)
        rc = make_versus(c, cmp);
    if (rc == SIM_OK)
        rc = choose_measures(c, cmp);
    return rc;
}

/* ---- relations ------------------------------------------------------------------------ */

/** What a row's value is in, seen from seconds and bytes per second. */
static int unit_scale(struct context *c, const char *measure_text, double *scale_p)
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
        { "x", NULL, 1 },
        { "1", NULL, 1 },
        { "percent", NULL, 1 },
        { "B", NULL, 1 },
    };
    bool time = strncmp(measure_text, "bandwidth", 9) != 0;

    for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(units[i].unit, c->row->unit) != 0)
            continue;
        if (units[i].quantity != NULL && time != (strcmp(units[i].quantity, "latency") == 0))
            break;
        *scale_p = units[i].scale;
        return SIM_OK;
    }
    return sim_error_set(c->err, SIM_ERR_CONFIG, "%s: unit = %s: expected a unit of %s",
                         c->row->where, c->row->unit, c->row->quantity);
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
static void judge_into(const struct context *c, double simulated, double other,
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

static int compare(struct context *c, const struct side *a, const struct side *b, bool has_b,
                   struct lab_score *score)
{
    double x, y = 1, scale;
    bool ratio = is_ratio(c->row), share = strcmp(c->row->quantity, "share") == 0;
    int rc = side_value(c, a, &x);

    if (rc == SIM_OK && has_b)
        rc = side_value(c, b, &y);
    if (rc == SIM_OK)
        rc = unit_scale(c, a->measure, &scale);
    if (rc != SIM_OK)
        return rc;
    if (ratio || share)
        judge_into(c, x / y * (share ? 100 : 1), 0, score);
    else
        judge_into(c, x * scale, y * scale, score);
    return SIM_OK;
}

static int numeric(struct context *c, const char *key, const char *item, double *value_p)
{
    uint64_t number;

    if (!load_number(item, false, &number))
        return fail(c, key, "a list of whole numbers");
    *value_p = (double)number;
    return SIM_OK;
}

/** The place with the largest bandwidth. */
static int find_peak(struct context *c, const struct side *side, struct lab_score *score)
{
    struct lab_list list;
    const char *key;
    double best = -INFINITY, place = 0;
    int rc = find_list(c, &side->setup, &key, &list);

    if (rc != SIM_OK)
        return rc;
    if (key == NULL)
        return fail(c, "bytes", "a list of values");
    for (unsigned i = 0; i < list.n && rc == SIM_OK; i++) {
        struct side one;
        double value;

        rc = with_key(c, side, key, list.items[i], &one);
        if (rc == SIM_OK)
            rc = measure(c, &one, &value);
        if (rc == SIM_OK && value > best) {
            best = value;
            rc = numeric(c, key, list.items[i], &place);
        }
    }
    judge_into(c, place, 0, score);
    return rc;
}

/** Where the order of the two sides at the first place ends, and where the reverse begins. */
static int find_crossover(struct context *c, const struct comparison *cmp, struct lab_score *score)
{
    struct comparison each = *cmp;
    double last = 0, next = INFINITY;
    bool first_less = false;
    int rc = SIM_OK;

    if (!cmp->has_b)
        return fail(c, "versus", "the id of a row");
    if (each.over == NULL)
        rc = find_list(c, &cmp->a.setup, &each.over, &each.list);
    if (rc == SIM_OK && each.over == NULL)
        return fail(c, "over", "KEY:LIST");
    for (unsigned i = 0; i < each.list.n && rc == SIM_OK; i++) {
        double x = 0, y = 0, place = 0;

        rc = with_key(c, &cmp->a, each.over, each.list.items[i], &each.a);
        if (rc == SIM_OK)
            rc = with_key(c, &cmp->b, each.over, each.list.items[i], &each.b);
        if (rc == SIM_OK)
            rc = measure(c, &each.a, &x);
        if (rc == SIM_OK)
            rc = measure(c, &each.b, &y);
        if (rc == SIM_OK)
            rc = numeric(c, each.over, each.list.items[i], &place);
        if (i == 0)
            first_less = x < y;
        if ((x < y) != first_less && isinf(next))
            next = place;
        else if ((x < y) == first_less)
            last = place; /* beyond `next` it tells that the order came back: no crossover there */
    }
    judge_into(c, last, next, score);
    return rc;
}

static int evaluate(struct context *c, struct lab_score *score)
{
    struct comparison cmp;
    int rc = prepare(c, &cmp);

    if (rc != SIM_OK)
        return rc;
    if ((is_ratio(c->row) || is_order(c->row) || strcmp(c->row->quantity, "share") == 0) &&
        !cmp.has_b)
        return fail(c, "versus", "the id of a row");
    if (c->row->relation == LAB_PEAK_AT)
        return find_peak(c, &cmp.a, score);
    if (c->row->relation == LAB_CROSSOVER)
        return find_crossover(c, &cmp, score);
    if (cmp.over == NULL)
        return compare(c, &cmp.a, &cmp.b, cmp.has_b, score);
    for (unsigned i = 0; i < cmp.list.n && rc == SIM_OK; i++) {
        struct side a, b;

        rc = with_key(c, &cmp.a, cmp.over, cmp.list.items[i], &a);
        if (rc == SIM_OK)
            rc = with_key(c, &cmp.b, cmp.over, cmp.list.items[i], &b);
        if (rc == SIM_OK)
            rc = compare(c, &a, &b, cmp.has_b, score);
    }
    return rc;
}

int lab_evaluate(const struct lab_evaluator *ev, const struct lab_row *row,
                 struct lab_score *score_p, struct sim_error *err)
{
    struct context c = { .ev = ev, .row = row, .err = err };
    struct lab_score score = { .verdict = LAB_PASS };
    int rc;

    if (row->needs_mpi) {
        score.verdict = LAB_NOT_RUN;
        rc = lab_plan_check_keys(row->where, row->workload, &row->setup, err);
    } else {
        rc = evaluate(&c, &score);
    }
    if (c.failure != NULL)
        score = (struct lab_score){ .verdict = LAB_FAIL, .reason = c.failure };
    if (c.pending)
        score = (struct lab_score){ .verdict = LAB_PENDING };
    if (rc == SIM_OK)
        *score_p = score;
    return rc;
}
