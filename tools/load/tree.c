#define _POSIX_C_SOURCE 200809L /* PATH_MAX */
#include "tools/load/tree.h"

#include "tools/load/file.h"
#include "tools/load/nearest.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_MAX 32u
#define SHOWN_MAX 80u /* bytes of a value in a message */

struct limits {
    size_t bytes;
    unsigned nodes;
};
static const struct limits by_hand = { LOAD_FILE_BY_HAND, 100000 };
static const struct limits by_hubsim = { LOAD_FILE_BY_HUBSIM, 10000000 };

struct builder {
    yaml_document_t doc;
    const char *file;
    struct load_arena *arena;
    unsigned nodes, nodes_max;
};

static void place_node(struct load_tree *out, const char *file, yaml_mark_t mark)
{
    out->file = file;
    out->line = (unsigned)mark.line + 1;
    out->column = (unsigned)mark.column + 1;
}

void load_fail(const struct load_tree *at, const char *name, const char *fmt, ...)
{
    char text[512], head[PATH_MAX + 32];
    size_t shown = at->text != NULL ? strcspn(at->text, "\n") : 0; /* the first line */
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (shown > SHOWN_MAX)
        shown = SHOWN_MAX;
    if (name == NULL)
        name = at->key;
    /* A place in an option is of use only with the option. */
    load_error()->located = strncmp(at->file, "--", 2) != 0;
    (void)snprintf(head, sizeof(head), "%s:%u:%u", at->file, at->line, at->column);
    load_raise_behind(SIM_ERR_CONFIG, head, "%s%s%.*s%s%s", name != NULL ? name : "",
                      name != NULL && at->text != NULL ? " = " : "", (int)shown,
                      at->text != NULL ? at->text : "",
                      name != NULL || at->text != NULL ? ": " : "", text);
}

/** A copy without bytes that would break a one-line message. A literal block (key: |) keeps its
 * lines, which its author counts; all else is one line. */
static const char *copy_line(struct builder *b, const yaml_node_t *node)
{
    bool lines = node->data.scalar.style == YAML_LITERAL_SCALAR_STYLE;
    size_t n = node->data.scalar.length;
    char *text = load_alloc(b->arena, n + 1);

    for (size_t i = 0; i < n; i++) {
        unsigned char c = node->data.scalar.value[i];

        text[i] = (char)((c < 0x20 && !(lines && c == '\n')) || c == 0x7f ? ' ' : c);
    }
    return text;
}

/** @return `line`, where that is the same */
static const char *copy_exact(struct builder *b, const yaml_node_t *node, const char *line)
{
    const char *bytes = (const char *)node->data.scalar.value;

    return strcmp(bytes, line) == 0 ? line : load_text(b->arena, "%s", bytes);
}

static void build_node(struct builder *b, int index, unsigned depth, struct load_tree *out);

static void build_list(struct builder *b, const yaml_node_t *node, unsigned depth,
                       struct load_tree *out)
{
    const yaml_node_item_t *item = node->data.sequence.items.start;

    out->type = LOAD_LIST;
    out->n = (unsigned)(node->data.sequence.items.top - item);
    out->items = load_alloc(b->arena, out->n * sizeof(*out->items));
    for (unsigned i = 0; i < out->n; i++)
        build_node(b, item[i], depth + 1, &out->items[i]);
}

static void add_pair(struct builder *b, const yaml_node_pair_t *pair, unsigned depth,
                     struct load_tree *map, struct load_tree *out)
{
    const yaml_node_t *key = yaml_document_get_node(&b->doc, pair->key);
    const struct load_tree *same;

    place_node(out, b->file, key->start_mark);
    if (key->type != YAML_SCALAR_NODE || key->data.scalar.length == 0)
        load_fail(out, NULL, "expected a key of plain text");
    out->key = copy_line(b, key);
    same = load_tree_get(map, out->key);
    if (same != NULL)
        load_fail(out, NULL, "expected each key once; it is also in line %u", same->line);
    build_node(b, pair->value, depth + 1, out);
    place_node(out, b->file, key->start_mark);
}

static void build_map(struct builder *b, const yaml_node_t *node, unsigned depth,
                      struct load_tree *out)
{
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    unsigned n = (unsigned)(node->data.mapping.pairs.top - pairs);

    out->type = LOAD_MAP;
    out->items = load_alloc(b->arena, n * sizeof(*out->items));
    for (unsigned i = 0; i < n; i++) {
        add_pair(b, &pairs[i], depth, out, &out->items[i]);
        out->n = i + 1;
    }
}

static void build_node(struct builder *b, int index, unsigned depth, struct load_tree *out)
{
    const yaml_node_t *node = yaml_document_get_node(&b->doc, index);

    place_node(out, b->file, node->start_mark);
    if (depth > DEPTH_MAX)
        load_fail(out, NULL, "expected at most %u levels", DEPTH_MAX);
    if (++b->nodes > b->nodes_max)
        load_fail(out, NULL, "expected at most %u values", b->nodes_max);
    switch (node->type) {
    case YAML_SEQUENCE_NODE:
        build_list(b, node, depth, out);
        break;
    case YAML_MAPPING_NODE:
        build_map(b, node, depth, out);
        break;
    default:
        out->type = LOAD_SCALAR;
        out->text = copy_line(b, node);
        out->exact = copy_exact(b, node, out->text);
    }
}

/** What to do about what the parser did not like: it names tokens, which no author sees. */
static const char *advice_on(const char *problem)
{
    static const struct {
        const char *words, *expected;
    } known[] = {
        { "tab character", "spaces, no tab" },
        { "cannot start any token", "spaces, no tab, and quotes around a text that begins so" },
        { "mapping values are not allowed",
          "keys of one mapping in one column, and quotes around a text with a colon" },
        { "did not find expected key", "keys of one mapping in one column" },
        { "did not find expected '-' indicator", "items of one list in one column" },
        { "undefined alias", "quotes around a text that begins with *" },
        { "alphabetic or numeric character", "quotes around a text that begins with * or &" },
        { "',' or '}'", "a comma between the keys in braces, and the brace that closes them" },
        { "',' or ']'", "a comma between the items in brackets, and the bracket that closes them" },
        { "could not find expected ':'", "key: value, and quotes around a text of several lines" },
        { "unexpected end of stream", "the quote that closes the text" },
    };

    for (size_t i = 0; i < SIM_COUNT(known); i++)
        if (strstr(problem, known[i].words) != NULL)
            return known[i].expected;
    return "YAML";
}

static _Noreturn void refuse_syntax(const char *file, const yaml_parser_t *parser)
{
    const char *problem = parser->problem != NULL ? parser->problem : "not readable as YAML";
    bool marked = parser->error != YAML_READER_ERROR;

    load_error()->located = true;
    load_raise(SIM_ERR_CONFIG, "%s:%u:%u: %s: expected %s", file,
               marked ? (unsigned)parser->problem_mark.line + 1 : 1,
               marked ? (unsigned)parser->problem_mark.column + 1 : 1, problem, advice_on(problem));
}

static void delete_parser(void *parser)
{
    yaml_parser_delete(parser);
}

static void delete_document(void *doc)
{
    yaml_document_delete(doc);
}

/** Its author means what stands behind the first document, but nothing would read it. */
static void refuse_second(const char *file, yaml_parser_t *parser)
{
    struct load_tree at = { .type = LOAD_MAP };
    yaml_document_t doc;
    bool more;

    if (yaml_parser_load(parser, &doc) == 0)
        refuse_syntax(file, parser);
    place_node(&at, file, doc.start_mark);
    more = yaml_document_get_root_node(&doc) != NULL;
    yaml_document_delete(&doc);
    if (more)
        load_fail(&at, NULL, "expected one document: a second one begins here");
}

static struct load_tree *parse_tree(const char *name, const char *bytes, size_t n,
                                    const struct limits *limits, struct load_arena *arena)
{
    struct builder b = { .file = load_text(arena, "%s", name),
                         .arena = arena,
                         .nodes_max = limits->nodes };
    struct load_tree *root = load_alloc(arena, sizeof(*root));
    struct load_arena scratch = { 0 };
    yaml_parser_t parser;

    SIM_ASSERT(yaml_parser_initialize(&parser) != 0);
    load_own(&scratch, delete_parser, &parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, n);
    if (yaml_parser_load(&parser, &b.doc) == 0)
        refuse_syntax(b.file, &parser);
    load_own(&scratch, delete_document, &b.doc);
    if (yaml_document_get_root_node(&b.doc) == NULL)
        load_raise(SIM_ERR_CONFIG, "%s:1:1: empty: expected a mapping", b.file);
    build_node(&b, 1, 0, root);
    refuse_second(b.file, &parser);
    if (root->type != LOAD_MAP)
        load_fail(root, NULL, "expected a mapping");
    load_arena_fini(&scratch);
    return root;
}

struct load_tree *load_tree_parse(const char *name, const char *bytes, size_t n,
                                  struct load_arena *arena)
{
    return parse_tree(name, bytes, n, &by_hand, arena);
}

static struct load_tree *read_tree(const char *path, const struct limits *limits,
                                   struct load_arena *arena)
{
    struct load_arena scratch = { 0 };
    size_t n;
    const char *bytes = load_file_read(path, limits->bytes, &scratch, &n);
    struct load_tree *root = parse_tree(path, bytes, n, limits, arena);

    load_arena_fini(&scratch);
    return root;
}

struct load_tree *load_tree_read(const char *path, struct load_arena *arena)
{
    return read_tree(path, &by_hand, arena);
}

struct load_tree *load_tree_read_data(const char *path, struct load_arena *arena)
{
    return read_tree(path, &by_hubsim, arena);
}

const struct load_tree *load_tree_get(const struct load_tree *map, const char *key)
{
    for (unsigned i = 0; map->type == LOAD_MAP && i < map->n; i++)
        if (strcmp(map->items[i].key, key) == 0)
            return &map->items[i];
    return NULL;
}

const char *load_tree_keys(const char *const *keys, char *text, size_t room)
{
    size_t at = 0;

    text[0] = '\0';
    for (unsigned k = 0; keys[k] != NULL; k++) {
        const char *before = k > 0 ? ", " : ": expected ";

        if (at + strlen(before) + strlen(keys[k]) + 6 >= room) {
            snprintf(text + at, room - at, ", ...");
            break;
        }
        at += (size_t)snprintf(text + at, room - at, "%s%s", before, keys[k]);
    }
    return text;
}

bool load_tree_is_one(const char *key, const char *const *keys)
{
    while (*keys != NULL && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

void load_tree_only(const struct load_tree *map, const char *const *keys)
{
    for (unsigned i = 0; i < map->n; i++) {
        const struct load_tree *item = &map->items[i];
        struct load_nearest near;
        char known[128];
        unsigned k;

        load_nearest_init(&near, item->key, true);
        for (k = 0; keys[k] != NULL && strcmp(keys[k], item->key) != 0; k++)
            load_nearest_offer(&near, keys[k]);
        if (keys[k] == NULL)
            load_fail(item, NULL, "unknown key%s",
                      near.hint[0] != '\0' ? near.hint
                                           : load_tree_keys(keys, known, sizeof(known)));
    }
}

static const char *const type_names[] = { "a single value", "a list", "a mapping" };

void load_tree_text(const struct load_tree *map, const char *key, const char **text_p)
{
    const struct load_tree *item = load_tree_get(map, key);

    if (item == NULL)
        return;
    if (item->type != LOAD_SCALAR)
        load_fail(item, NULL, "expected %s", type_names[LOAD_SCALAR]);
    *text_p = item->text;
}

const struct load_tree *load_tree_need(const struct load_tree *map, const char *key,
                                       enum load_type type)
{
    const struct load_tree *item = load_tree_get(map, key);

    if (item == NULL)
        load_fail(map, NULL, "expected the key %s", key);
    if (item->type != type)
        load_fail(item, NULL, "expected %s", type_names[type]);
    return item;
}
