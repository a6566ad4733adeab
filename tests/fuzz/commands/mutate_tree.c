#include "mutate.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define TEXT_MAX (1u << 20) /* a hundred times the largest file of configs/ */

struct sheet {
    const struct mutator *m;
    yaml_document_t doc;
};

static int nodes_of(const yaml_document_t *doc)
{
    return (int)(doc->nodes.top - doc->nodes.start);
}

static yaml_node_t *node_of(struct sheet *s, int index)
{
    return &s->doc.nodes.start[index - 1];
}

/** Nodes count from 1. */
static int any_node(struct sheet *s)
{
    return 1 + (int)dice_below(s->m->dice, (size_t)nodes_of(&s->doc));
}

/** @return 0: there is none */
static int any_of_type(struct sheet *s, yaml_node_type_t type)
{
    int n = nodes_of(&s->doc), start = any_node(s);

    for (int i = 0; i < n; i++) {
        int index = 1 + (start - 1 + i) % n;

        if (node_of(s, index)->type == type)
            return index;
    }
    return 0;
}

static int new_scalar(struct sheet *s, const char *text)
{
    yaml_scalar_style_t style =
        dice_one_in(s->m->dice, 6) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE;
    int node = yaml_document_add_scalar(&s->doc, NULL, (const yaml_char_t *)text, (int)strlen(text),
                                        style);

    if (node == 0) /* not UTF-8: changed bytes of whole files bring that */
        node = yaml_document_add_scalar(&s->doc, NULL, (const yaml_char_t *)"?", 1, style);
    return node;
}

static void set_text(yaml_node_t *node, const char *text)
{
    size_t n = strlen(text);
    yaml_char_t *copy = malloc(n + 1);

    if (copy == NULL)
        abort();
    for (size_t i = 0; i <= n; i++)
        copy[i] = (yaml_char_t)text[i] < 0x80 ? (yaml_char_t)text[i] : '?';
    free(node->data.scalar.value);
    node->data.scalar.value = copy;
    node->data.scalar.length = n;
    node->data.scalar.style = YAML_ANY_SCALAR_STYLE;
}

/** A list or a map of a few words, or one in the other, deep. */
static int new_tree(struct sheet *s, unsigned depth)
{
    int node = dice_one_in(s->m->dice, 2)
                   ? yaml_document_add_sequence(&s->doc, NULL, YAML_ANY_SEQUENCE_STYLE)
                   : yaml_document_add_mapping(&s->doc, NULL, YAML_ANY_MAPPING_STYLE);
    size_t n = depth > 0 ? 1 : dice_below(s->m->dice, 4);

    for (size_t i = 0; i < n; i++) {
        int child = depth > 0 ? new_tree(s, depth - 1) : new_scalar(s, mutate_word(s->m));

        if (node_of(s, node)->type == YAML_SEQUENCE_NODE)
            (void)yaml_document_append_sequence_item(&s->doc, node, child);
        else
            (void)yaml_document_append_mapping_pair(&s->doc, node, new_scalar(s, mutate_word(s->m)),
                                                    child);
    }
    return node;
}

/** A place in a list or a map that names a node. */
static int *any_place(struct sheet *s)
{
    int index = any_of_type(s, dice_one_in(s->m->dice, 3) ? YAML_SEQUENCE_NODE : YAML_MAPPING_NODE);
    yaml_node_t *node;
    size_t n;

    if (index == 0)
        return NULL;
    node = node_of(s, index);
    if (node->type == YAML_SEQUENCE_NODE) {
        n = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
        return n == 0 ? NULL : &node->data.sequence.items.start[dice_below(s->m->dice, n)];
    }
    n = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return n == 0 ? NULL : &node->data.mapping.pairs.start[dice_below(s->m->dice, n)].value;
}

/** Any value becomes another: a part of this file (then it is an alias, or a cycle), or a new one.
 */
static void replace(struct sheet *s)
{
    int other = dice_one_in(s->m->dice, 3)   ? new_tree(s, dice_one_in(s->m->dice, 10) ? 40 : 0)
                : dice_one_in(s->m->dice, 2) ? any_node(s)
                                             : new_scalar(s, mutate_word(s->m));
    int *place = any_place(s);

    if (place != NULL)
        *place = other;
}

static void swap(struct sheet *s)
{
    int *a = any_place(s), *b = any_place(s), held;

    if (a == NULL || b == NULL)
        return;
    held = *a;
    *a = *b;
    *b = held;
}

static void delete (struct sheet *s)
{
    int index = any_of_type(s, dice_one_in(s->m->dice, 3) ? YAML_SEQUENCE_NODE : YAML_MAPPING_NODE);
    yaml_node_t *node = index != 0 ? node_of(s, index) : NULL;

    if (node != NULL && node->type == YAML_SEQUENCE_NODE &&
        node->data.sequence.items.top > node->data.sequence.items.start) {
        yaml_node_item_t *items = node->data.sequence.items.start;
        size_t n = (size_t)(node->data.sequence.items.top-- - items);

        items[dice_below(s->m->dice, n)] = items[n - 1];
    } else if (node != NULL && node->type == YAML_MAPPING_NODE &&
               node->data.mapping.pairs.top > node->data.mapping.pairs.start) {
        yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
        size_t n = (size_t)(node->data.mapping.pairs.top-- - pairs), at = dice_below(s->m->dice, n);

        memmove(&pairs[at], &pairs[at + 1], (n - at - 1) * sizeof(*pairs));
    }
}

/** An item or a pair once more; of a pair, perhaps with another value or key. */
static void duplicate(struct sheet *s)
{
    int index = any_of_type(s, dice_one_in(s->m->dice, 2) ? YAML_SEQUENCE_NODE : YAML_MAPPING_NODE);
    int *place = any_place(s);
    yaml_node_t *node = index != 0 ? node_of(s, index) : NULL;

    if (node == NULL || place == NULL)
        return;
    if (node->type == YAML_SEQUENCE_NODE) {
        size_t n = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
        int item = n > 0 && !dice_one_in(s->m->dice, 4)
                       ? node->data.sequence.items.start[dice_below(s->m->dice, n)]
                       : *place;

        (void)yaml_document_append_sequence_item(&s->doc, index, item);
    } else {
        int value = *place, key = new_scalar(s, mutate_word(s->m)); /* may move the nodes */
        size_t n;

        node = node_of(s, index);
        n = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
        if (n > 0 && !dice_one_in(s->m->dice, 3))
            key = node->data.mapping.pairs.start[dice_below(s->m->dice, n)].key;
        (void)yaml_document_append_mapping_pair(&s->doc, index, key, value);
    }
}

static const char *text_of(struct sheet *s, int index)
{
    const yaml_node_t *node = node_of(s, index);

    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

/** A value that is a word: one of its parameter's range where its key is one, else anything. */
static void revalue(struct sheet *s)
{
    int index = any_of_type(s, YAML_MAPPING_NODE);
    yaml_node_pair_t *pairs;
    const struct seed_param *param;
    size_t n, at;
    int value;

    if (index == 0)
        return;
    pairs = node_of(s, index)->data.mapping.pairs.start;
    n = (size_t)(node_of(s, index)->data.mapping.pairs.top - pairs);
    if (n == 0)
        return;
    at = dice_below(s->m->dice, n);
    param = seeds_param(s->m->seeds, s->m->dice, text_of(s, pairs[at].key));
    if (param == NULL && s->m->polite)
        return;
    value = new_scalar(s, param != NULL && (s->m->polite || !dice_one_in(s->m->dice, 4))
                              ? mutate_param_value(s->m, param)
                              : mutate_word(s->m));
    node_of(s, index)->data.mapping.pairs.start[at].value = value;
}

static void reword(struct sheet *s)
{
    int index = any_of_type(s, YAML_SCALAR_NODE);
    const char *text;
    size_t n;

    if (index == 0)
        return;
    text = text_of(s, index);
    if (dice_one_in(s->m->dice, 2))
        set_text(node_of(s, index), mutate_word(s->m));
    else
        set_text(node_of(s, index), mutate_bytes(s->m, text, strlen(text), &n));
}

static void change(struct sheet *s)
{
    static void (*const changes[])(struct sheet * s) = { revalue, revalue, revalue, reword,
                                                         reword,  reword,  delete,  duplicate,
                                                         replace, swap };

    if (s->m->polite && !dice_one_in(s->m->dice, 4))
        revalue(s);
    else
        changes[dice_below(s->m->dice, sizeof(changes) / sizeof(changes[0]))](s);
}

/* What makes an experiment long, and what it is made. */
static const struct {
    const char *key, *values[4];
} cut[] = {
    { "bytes", { "8", "64", "4096", "1000" } },
    { "rounds", { "1", "1", "2", "3" } },
    { "repeats", { "1", "1", "1", "2" } },
    { "warmup", { "0", "0", "1", "1" } },
    { "class", { "S", "S", "S", "S" } },
    { "iterations", { "1", "1", "1", "2" } },
    { "count", { "1", "2", "4", "255" } },
    { "nodes", { "2", "2", "4", "1" } },
    { "n", { "2", "4", "8", "8" } },
    { "hops", { "1", "1", "2", "3" } },
};

static void cut_pair(struct sheet *s, int map, size_t at)
{
    const char *key = text_of(s, node_of(s, map)->data.mapping.pairs.start[at].key);

    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++)
        if (strcmp(key, cut[i].key) == 0) {
            int value = new_scalar(s, cut[i].values[dice_below(s->m->dice, 4)]);

            node_of(s, map)->data.mapping.pairs.start[at].value = value;
            return;
        }
}

/** Two series at most, and short ones. */
static void cut_down(struct sheet *s)
{
    for (int i = 1, n = nodes_of(&s->doc); i <= n; i++) {
        yaml_node_t *node = node_of(s, i);

        if (node->type == YAML_MAPPING_NODE)
            for (size_t at = 0; at < (size_t)(node_of(s, i)->data.mapping.pairs.top -
                                              node_of(s, i)->data.mapping.pairs.start);
                 at++)
                cut_pair(s, i, at);
        else if (node->type == YAML_SEQUENCE_NODE)
            while (node->data.sequence.items.top - node->data.sequence.items.start > 2) {
                size_t items =
                    (size_t)(node->data.sequence.items.top-- - node->data.sequence.items.start);

                node->data.sequence.items.start[dice_below(s->m->dice, items)] =
                    node->data.sequence.items.start[items - 1];
            }
    }
}

/** Takes the document. */
static const char *emit(struct sheet *s, size_t *n_p)
{
    unsigned char *text = load_alloc(s->m->arena, TEXT_MAX);
    yaml_emitter_t emitter;
    bool done;

    if (!yaml_emitter_initialize(&emitter))
        abort();
    yaml_emitter_set_output_string(&emitter, text, TEXT_MAX, n_p);
    yaml_emitter_set_width(&emitter, -1);
    yaml_emitter_set_unicode(&emitter, 1);
    done = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, &s->doc) &&
           yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    return done ? (const char *)text : NULL;
}

const char *mutate_tree(const struct mutator *m, const char *bytes, size_t n, unsigned times,
                        bool small, size_t *n_p)
{
    struct sheet s = { .m = m };
    yaml_parser_t parser;
    bool good;

    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, n);
    good = yaml_parser_load(&parser, &s.doc) != 0;
    yaml_parser_delete(&parser);
    if (!good)
        return NULL;
    if (nodes_of(&s.doc) == 0) {
        yaml_document_delete(&s.doc);
        return NULL;
    }
    if (small)
        cut_down(&s);
    for (unsigned i = 0; i < times; i++)
        change(&s);
    return emit(&s, n_p);
}
