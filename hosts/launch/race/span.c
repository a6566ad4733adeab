/*
 * A treap (Aragon and Seidel, 1989) by the lowest address: heap-ordered by a hash of the number,
 * which keeps it some 2 ln n deep, as random numbers would.
 */
#include "hosts/launch/race/span.h"

#include <stdbool.h>
#include <stddef.h>

static uint64_t priority_of(const struct race_span *s)
{
    uint64_t x = s->number;

    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd); /* the finaliser of MurmurHash3 */
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static bool is_before(const struct race_span *a, const struct race_span *b)
{
    return a->low < b->low || (a->low == b->low && a->number < b->number);
}

static void renew_top(struct race_span *t)
{
    t->top = t->high;
    if (t->left != NULL && t->left->top > t->top)
        t->top = t->left->top;
    if (t->right != NULL && t->right->top > t->top)
        t->top = t->right->top;
}

/** All of `a` are before those of `b`. */
static struct race_span *join(struct race_span *a, struct race_span *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    if (priority_of(a) > priority_of(b)) {
        a->right = join(a->right, b);
        renew_top(a);
        return a;
    }
    b->left = join(a, b->left);
    renew_top(b);
    return b;
}

/** Into those before `s` and those behind it. */
static void split(struct race_span *t, const struct race_span *s, struct race_span **before_p,
                  struct race_span **behind_p)
{
    if (t == NULL) {
        *before_p = *behind_p = NULL;
        return;
    }
    if (is_before(t, s)) {
        *before_p = t;
        split(t->right, s, &t->right, behind_p);
    } else {
        *behind_p = t;
        split(t->left, s, before_p, &t->left);
    }
    renew_top(t);
}

static struct race_span *add(struct race_span *t, struct race_span *s)
{
    if (t == NULL || priority_of(s) > priority_of(t)) {
        split(t, s, &s->left, &s->right);
        t = s;
    } else if (is_before(s, t)) {
        t->left = add(t->left, s);
    } else {
        t->right = add(t->right, s);
    }
    renew_top(t);
    return t;
}

static struct race_span *take_out(struct race_span *t, const struct race_span *s)
{
    if (t == s)
        return join(t->left, t->right);
    if (is_before(s, t))
        t->left = take_out(t->left, s);
    else
        t->right = take_out(t->right, s);
    renew_top(t);
    return t;
}

void race_spans_add(struct race_spans *spans, struct race_span *s, uintptr_t low, uintptr_t high)
{
    *s = (struct race_span){ .low = low, .high = high, .number = ++spans->added };
    spans->root = add(spans->root, s);
    spans->n++;
}

void race_spans_remove(struct race_spans *spans, struct race_span *s)
{
    spans->root = take_out(spans->root, s);
    spans->n--;
}

/** Two lists in the order of numbers as one. */
static struct race_span *merge(struct race_span *a, struct race_span *b)
{
    struct race_span *first = NULL, **end = &first;

    while (a != NULL && b != NULL) {
        struct race_span **least = a->number < b->number ? &a : &b;

        *end = *least;
        end = &(*least)->next;
        *least = (*least)->next;
    }
    *end = a != NULL ? a : b;
    return first;
}

static struct race_span *find(struct race_span *t, uintptr_t low, uintptr_t high)
{
    struct race_span *found;

    if (t == NULL || t->top <= low)
        return NULL;
    found = find(t->left, low, high);
    if (t->low >= high)
        return found;
    if (t->high > low) {
        t->next = NULL;
        found = merge(found, t);
    }
    return merge(found, find(t->right, low, high));
}

struct race_span *race_spans_find(const struct race_spans *spans, uintptr_t low, uintptr_t high)
{
    return find(spans->root, low, high);
}

void race_spans_bounds(const struct race_spans *spans, uintptr_t *low_p, uintptr_t *high_p)
{
    const struct race_span *s = spans->root;

    *high_p = s->top;
    while (s->left != NULL)
        s = s->left;
    *low_p = s->low;
}
