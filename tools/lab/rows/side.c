#include "tools/lab/rows/side.h"

#include <string.h>

int lab_side_fail(const struct lab_context *c, const char *key, const char *expected)
{
    const char *value = lab_setup_get(&c->row->setup, key);

    return sim_error_set(c->err, SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", c->row->where, key,
                         value != NULL ? value : "(absent)", expected);
}

/* ---- measures ------------------------------------------------------------------ */

bool lab_side_is_basic(const char *quantity)
{
    static const char *const names[] = { "latency",     "bandwidth",      "time",     "round_trip",
                                         LAB_BYTE_RATE, LAB_MESSAGE_RATE, LAB_WRITTEN };

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], quantity) == 0)
            return true;
    return false;
}

static int measure_point(struct lab_context *c, const struct lab_side *side, const char *quantity,
                         double *value_p)
{
    struct lab_point point = { side->row->where, side->row->platform, side->row->workload,
                               &side->setup, NULL };
    struct lab_reading reading = { 0 };
    struct lab_plan plan;
    int rc = lab_plan_make(&point, &c->ev->protocol, c->ev->arena, &plan, c->err);

    if (rc == SIM_OK && plan.nruns == 0 && strcmp(quantity, "bandwidth") != 0)
        return lab_side_fail(c, "mode", "something with a latency");
    if (rc == SIM_OK)
        rc = lab_read_plan(c->ev, &plan, quantity, &reading);
    c->pending |= reading.pending;
    if (reading.failure != NULL) {
        c->failure = reading.failure;
        c->not_run = reading.not_run;
    }
    *value_p = reading.value;
    return rc;
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
static int measure_term(struct lab_context *c, const struct lab_side *side, const char **text_p,
                        double *value_p)
{
    struct lab_side changed = *side;
    const char *quantity = next_word(c, text_p);
    const char *rest = *text_p, *word = next_word(c, &rest);
    int rc = SIM_OK;

    if (!lab_side_is_basic(quantity))
        return lab_side_fail(c, "measure",
                             "latency or bandwidth [minus|plus|over ... [at key=value]]");
    while (rc == SIM_OK && (strcmp(word, "at") == 0 || strcmp(word, "and") == 0)) {
        const char *entry = next_word(c, &rest), *eq = strchr(entry, '=');

        if (eq == NULL)
            return lab_side_fail(c, "measure", "key=value behind at");
        rc =
            lab_setup_put(&changed.setup, load_text(c->ev->arena, "%.*s", (int)(eq - entry), entry),
                          eq + 1, c->row->where, c->err);
        *text_p = rest;
        word = next_word(c, &rest);
    }
    return rc == SIM_OK ? measure_point(c, &changed, quantity, value_p) : rc;
}

/** TERM [minus|plus|over TERM] */
int lab_side_measure(struct lab_context *c, const struct lab_side *side, double *value_p)
{
    const char *text = side->measure, *op;
    double a = 0, b = 0;
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
        return lab_side_fail(c, "measure", "at most two terms");
    if (strcmp(op, "minus") == 0)
        *value_p = a - b;
    else if (strcmp(op, "plus") == 0)
        *value_p = a + b;
    else if (strcmp(op, "over") == 0)
        *value_p = a / b;
    else
        return lab_side_fail(c, "measure", "minus, plus or over between two terms");
    return SIM_OK;
}

/* ---- lists ------------------------------------------------------------------------ */

int lab_side_list(const struct lab_context *c, const struct lab_setup *setup, const char **key_p,
                  struct lab_list *list_p)
{
    *key_p = NULL;
    for (unsigned i = 0; i < setup->n; i++) {
        const char *value = setup->keys[i].value;
        int rc;

        if (strchr(value, '|') == NULL && strstr(value, "..") == NULL)
            continue;
        if (*key_p != NULL)
            return lab_side_fail(c, setup->keys[i].key, "one key with a list of values");
        *key_p = setup->keys[i].key;
        rc = lab_list_parse(value, c->row->where, c->ev->arena, list_p, c->err);
        if (rc != SIM_OK)
            return rc;
    }
    return SIM_OK;
}

int lab_side_with(const struct lab_context *c, const struct lab_side *side, const char *key,
                  const char *value, struct lab_side *out)
{
    *out = *side;
    return lab_setup_put(&out->setup, key, value, c->row->where, c->err);
}

/** Which item of the list `take` takes; its value in *value_p. */
static int take_best(struct lab_context *c, const struct lab_side *side, const char *key,
                     const struct lab_list *list, unsigned *index_p, double *value_p)
{
    bool largest = strcmp(side->take, "max") == 0;
    int rc = SIM_OK;

    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++) {
        struct lab_side one;
        double value;

        rc = lab_side_with(c, side, key, list->items[i], &one);
        if (rc == SIM_OK)
            rc = lab_side_measure(c, &one, &value);
        if (rc == SIM_OK && (i == 0 || (largest ? value > *value_p : value < *value_p))) {
            *value_p = value;
            *index_p = i;
        }
    }
    return rc;
}

int lab_side_value(struct lab_context *c, const struct lab_side *side, double *value_p)
{
    struct lab_context base = *c;
    struct lab_side one;
    struct lab_list list;
    const char *key;
    unsigned index = 0;
    int rc = lab_side_list(c, &side->setup, &key, &list);

    if (rc != SIM_OK || (key == NULL && side->take == NULL))
        return rc != SIM_OK ? rc : lab_side_measure(c, side, value_p);
    if (key == NULL)
        return lab_side_fail(c, "take", "a key with a list of values beside it");
    if (side->take == NULL)
        return lab_side_fail(c, key, "take or over beside a list");
    if (c->ev->base == NULL)
        return take_best(c, side, key, &list, &index, value_p);
    base.ev = c->ev->base;
    rc = take_best(&base, side, key, &list, &index, value_p);
    if (rc == SIM_OK)
        rc = lab_side_with(c, side, key, list.items[index], &one);
    return rc == SIM_OK ? lab_side_measure(c, &one, value_p) : rc;
}
