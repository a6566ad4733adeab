#include "tools/lab/rows/side.h"

#include <string.h>

void lab_side_fail(const struct lab_context *c, const char *key, const char *expected)
{
    const char *value = lab_setup_get(&c->row->setup, key);

    load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", c->row->where, key,
               value != NULL ? value : "(absent)", expected);
}

/* ---- measures ------------------------------------------------------------------ */

bool lab_side_is_basic(const char *quantity)
{
    static const char *const names[] = { "latency",     "bandwidth",      "time",     "round_trip",
                                         LAB_BYTE_RATE, LAB_MESSAGE_RATE, LAB_WRITTEN };

    for (unsigned i = 0; i < SIM_COUNT(names); i++)
        if (strcmp(names[i], quantity) == 0)
            return true;
    return false;
}

static double measure_point(struct lab_context *c, const struct lab_side *side,
                            const char *quantity)
{
    struct lab_point point = { side->row->where, side->row->platform, side->row->workload,
                               &side->setup, NULL };
    struct lab_reading reading = { 0 };
    struct lab_plan plan = lab_plan_make(&point, &c->ev->protocol, c->ev->arena);

    if (plan.nruns == 0 && strcmp(quantity, "bandwidth") != 0)
        lab_side_fail(c, "mode", "something with a latency");
    lab_read_plan(c->ev, &plan, quantity, &reading);
    c->pending |= reading.pending;
    if (reading.failure != NULL) {
        c->failure = reading.failure;
        c->not_run = reading.not_run;
    }
    return reading.value;
}

/** The next word of a measure, or "" at its end. */
static const char *next_word(struct lab_context *c, const char **text_p)
{
    const char *p = *text_p + strspn(*text_p, " ");
    int n = (int)strcspn(p, " ");

    *text_p = p + n;
    return load_text(c->ev->arena, "%.*s", n, p);
}

/** "latency at hops=1": a quantity, at the side's setup or with keys changed. */
static double measure_term(struct lab_context *c, const struct lab_side *side, const char **text_p)
{
    struct lab_side changed = *side;
    const char *quantity = next_word(c, text_p);
    const char *rest = *text_p, *word = next_word(c, &rest);

    if (!lab_side_is_basic(quantity))
        lab_side_fail(c, "measure", "latency or bandwidth [minus|plus|over ... [at key=value]]");
    while (strcmp(word, "at") == 0 || strcmp(word, "and") == 0) {
        const char *entry = next_word(c, &rest), *eq = strchr(entry, '=');

        if (eq == NULL)
            lab_side_fail(c, "measure", "key=value behind at");
        lab_setup_put(&changed.setup, load_text(c->ev->arena, "%.*s", (int)(eq - entry), entry),
                      eq + 1, c->row->where);
        *text_p = rest;
        word = next_word(c, &rest);
    }
    return measure_point(c, &changed, quantity);
}

/** TERM [minus|plus|over TERM] */
double lab_side_measure(struct lab_context *c, const struct lab_side *side)
{
    const char *text = side->measure, *op;
    double a = measure_term(c, side, &text), b;

    op = next_word(c, &text);
    if (op[0] == '\0')
        return a;
    b = measure_term(c, side, &text);
    if (next_word(c, &text)[0] != '\0')
        lab_side_fail(c, "measure", "at most two terms");
    if (strcmp(op, "minus") == 0)
        return a - b;
    if (strcmp(op, "plus") == 0)
        return a + b;
    if (strcmp(op, "over") == 0)
        return a / b;
    lab_side_fail(c, "measure", "minus, plus or over between two terms");
}

/* ---- lists ------------------------------------------------------------------------ */

const char *lab_side_list(const struct lab_context *c, const struct lab_setup *setup,
                          struct lab_list *list_p)
{
    const char *key = NULL;

    for (unsigned i = 0; i < setup->n; i++) {
        const char *value = setup->keys[i].value;

        if (strcmp(setup->keys[i].key, "placement") == 0) /* a list of one measurement */
            continue;
        if (strchr(value, '|') == NULL && strstr(value, "..") == NULL)
            continue;
        if (key != NULL)
            lab_side_fail(c, setup->keys[i].key, "one key with a list of values");
        key = setup->keys[i].key;
        *list_p = lab_list_parse(key, value, c->row->where, c->ev->arena);
    }
    return key;
}

struct lab_side lab_side_with(const struct lab_context *c, const struct lab_side *side,
                              const char *key, const char *value)
{
    struct lab_side with = *side;

    lab_setup_put(&with.setup, key, value, c->row->where);
    return with;
}

/** @return the item of the list that `take` takes; its value in *value_p. */
static const char *take_best(struct lab_context *c, const struct lab_side *side, const char *key,
                             const struct lab_list *list, double *value_p)
{
    bool largest = strcmp(side->take, "max") == 0;
    const char *best = NULL;

    for (unsigned i = 0; i < list->n; i++) {
        struct lab_side one = lab_side_with(c, side, key, list->items[i]);
        double value = lab_side_measure(c, &one);

        if (i == 0 || (largest ? value > *value_p : value < *value_p)) {
            *value_p = value;
            best = list->items[i];
        }
    }
    return best;
}

double lab_side_value(struct lab_context *c, const struct lab_side *side)
{
    struct lab_context base = *c;
    struct lab_side one;
    struct lab_list list;
    const char *key = lab_side_list(c, &side->setup, &list);
    double value = 0;

    if (key == NULL && side->take == NULL)
        return lab_side_measure(c, side);
    if (key == NULL)
        lab_side_fail(c, "take", "a key with a list of values beside it");
    if (side->take == NULL)
        lab_side_fail(c, key, "take or over beside a list");
    if (c->ev->base == NULL) {
        (void)take_best(c, side, key, &list, &value);
        return value;
    }
    base.ev = c->ev->base;
    one = lab_side_with(c, side, key, take_best(&base, side, key, &list, &value));
    return lab_side_measure(c, &one);
}
