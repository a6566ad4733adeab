#include "tools/load/value.h"

#include "tools/load/nearest.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KEY_MAX 160u

static bool byte_suffix(const char *text, unsigned *shift_p)
{
    static const char *const suffixes[] = { "KiB", "MiB", "GiB", "TiB" };

    while (*text == ' ')
        text++;
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(text, suffixes[i]) == 0) {
            *shift_p = 10 * (i + 1);
            return true;
        }
    }
    return false;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool load_number(const char *text, bool bytes, uint64_t *value_p)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    uint64_t base = hex ? 16 : 10, value = 0;
    unsigned shift = 0;
    const char *p = hex ? text + 2 : text;

    if ((uint64_t)digit_of(*p) >= base)
        return false;
    for (; (uint64_t)digit_of(*p) < base || (*p == '_' && p[-1] != '_'); p++) {
        uint64_t digit;

        if (*p == '_')
            continue;
        digit = (uint64_t)digit_of(*p);
        if (value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    if (p[-1] == '_' || (*p != '\0' && !(bytes && !hex && byte_suffix(p, &shift))))
        return false;
    if (value > UINT64_MAX >> shift)
        return false;
    *value_p = value << shift;
    return true;
}

const char *load_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/** The index of a name in "uc|wc". */
static bool choice_index(const char *choices, const char *text, uint64_t *index_p)
{
    size_t n = strlen(text);
    uint64_t index = 0;

    for (const char *p = choices; *p != '\0'; index++) {
        size_t len = strcspn(p, "|");

        if (len == n && strncmp(p, text, n) == 0) {
            *index_p = index;
            return true;
        }
        p += len + (p[len] == '|');
    }
    return false;
}

bool load_value_parse(const struct machine_param *param, const char *text, uint64_t *value_p)
{
    uint64_t value;

    if (param->choices != NULL)
        return choice_index(param->choices, text, value_p);
    if (!load_number(text, strcmp(param->unit, "bytes") == 0, &value))
        return false;
    if (value < param->min || value > param->max)
        return false;
    *value_p = value;
    return true;
}

/** What stands between a range and its unit. */
static const char *words_before(const char *unit)
{
    if (strcmp(unit, "1") == 0)
        return "";
    return isdigit((unsigned char)unit[0]) ? ", in units of " : " "; /* "16 bytes" */
}

const char *load_value_expected(const struct machine_param *param, char *text, size_t size)
{
    if (param->choices != NULL) {
        size_t n = (size_t)snprintf(text, size, "expected ");

        for (const char *p = param->choices; *p != '\0' && n + 5 < size; p++)
            n += (size_t)snprintf(text + n, size - n, *p == '|' ? " or " : "%c", *p);
        return text;
    }
    snprintf(text, size, "expected a whole number, %" PRIu64 " .. %" PRIu64 "%s%s%s", param->min,
             param->max, words_before(param->unit),
             strcmp(param->unit, "1") != 0 ? param->unit : "",
             strcmp(param->unit, "bytes") == 0 ? " (or KiB, MiB, GiB)" : "");
    return text;
}

const char *load_value_print(const struct machine_param *param, uint64_t value, char *text,
                             size_t size)
{
    const char *p = param->choices;

    if (p == NULL) {
        snprintf(text, size, "%" PRIu64, value);
        return text;
    }
    for (; value > 0 && strchr(p, '|') != NULL; value--)
        p = strchr(p, '|') + 1;
    snprintf(text, size, "%.*s", (int)strcspn(p, "|"), p);
    return text;
}

void load_values_init(struct load_values *v, const struct machine_param *params,
                      struct load_arena *arena)
{
    for (v->n = 0; params[v->n].key != NULL;)
        v->n++;
    v->values = load_alloc(arena, (v->n + 1) * sizeof(*v->values));
    for (unsigned i = 0; i < v->n; i++)
        v->values[i] = (struct machine_value){ .param = &params[i], .value = params[i].def };
}

/* ---- one value ------------------------------------------------------------ */

static void annotate_value(struct machine_value *value, const struct load_tree *map,
                           const struct load_layer *layer)
{
    static const char *const keys[] = { "value", "source", "calibrated", NULL };
    const struct load_tree *rows = load_tree_get(map, "calibrated");
    const char **ids;

    load_tree_only(map, keys);
    load_tree_text(map, "source", &value->source);
    if (rows == NULL)
        return;
    if (rows->type != LOAD_LIST || rows->n == 0)
        load_fail(rows, NULL, "expected a list of row ids");
    ids = load_alloc(layer->arena, (rows->n + 1) * sizeof(*ids));
    for (unsigned i = 0; i < rows->n; i++) {
        if (rows->items[i].type != LOAD_SCALAR)
            load_fail(&rows->items[i], NULL, "expected a row id");
        ids[i] = rows->items[i].text;
    }
    value->calibrated = ids;
    value->ncalibrated = rows->n;
}

/** `item` is a scalar, or a map with the key `value`. */
static void assign_one(struct machine_value *value, const struct load_tree *item,
                       const struct load_layer *layer)
{
    struct machine_value next = { .param = value->param, .file = item->file, .line = item->line };
    const struct load_tree *scalar = item->type == LOAD_MAP ? load_tree_get(item, "value") : item;
    const char *key = value->param->key;
    char text[256];

    if (scalar == NULL || scalar->type != LOAD_SCALAR)
        load_fail(item, key, "%s", load_value_expected(value->param, text, sizeof(text)));
    if (!load_value_parse(value->param, scalar->text, &next.value))
        load_fail(scalar, key, "%s", load_value_expected(value->param, text, sizeof(text)));
    if (item->type == LOAD_MAP) {
        annotate_value(&next, item, layer);
    }
    *value = next;
}

/* ---- a map of values ------------------------------------------------------ */

struct assignment {
    struct load_values *v;
    const struct load_layer *layer;
    const struct load_tree **given; /* for each row the item of this layer that set it */
};

static bool is_group(const struct load_values *v, const char *key)
{
    size_t n = strlen(key);

    for (unsigned i = 0; i < v->n; i++)
        if (strncmp(v->values[i].param->key, key, n) == 0 && v->values[i].param->key[n] == '.')
            return true;
    return false;
}

static bool in_list(const char *const *list, const char *text)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp(*list, text) == 0)
            return true;
    return false;
}

static bool is_allowed(const struct load_layer *layer, const char *key)
{
    if (layer->allow == NULL)
        return true;
    for (const char *const *group = layer->allow; *group != NULL; group++) {
        size_t n = strlen(*group);

        if (strncmp(key, *group, n) == 0 && (key[n] == '\0' || key[n] == '.'))
            return true;
    }
    return false;
}

static _Noreturn void unknown_key(const struct assignment *a, const struct load_tree *item,
                                  const char *key)
{
    struct load_nearest near;
    char keys[KEY_MAX + 32];
    size_t n = strlen(key);

    load_nearest_init(&near, key, true);
    for (unsigned i = 0; i < a->v->n; i++) {
        const char *known = a->v->values[i].param->key;

        if (strncmp(known, key, n) == 0 && known[n] == '_')
            load_fail(item, key, "missing unit: expected %s", known);
        load_nearest_offer(&near, known);
    }
    for (const char *const *skip = a->layer->skip; *skip != NULL; skip++)
        load_nearest_offer(&near, *skip);
    if (near.hint[0] != '\0' || a->layer->skip[0] == NULL)
        load_fail(item, key, "unknown key%s", near.hint);
    load_fail(item, key, "unknown key%s, or one of `hubsim params`",
              load_tree_keys(a->layer->skip, keys, sizeof(keys)));
}

static _Noreturn void refuse_key(const struct assignment *a, const struct load_tree *item,
                                 const char *key)
{
    char groups[KEY_MAX] = "nothing";
    size_t n = 0;

    for (const char *const *g = a->layer->allow; *g != NULL && n < sizeof(groups); g++)
        n += (size_t)snprintf(groups + n, sizeof(groups) - n, "%s%s.*", n > 0 ? " or " : "", *g);
    load_fail(item, key, "expected only %s here, all else is set by %s", groups,
              a->layer->allow_file);
}

static void set_row(const struct assignment *a, unsigned row, const struct load_tree *item,
                    const char *key)
{
    if (a->given[row] != NULL)
        load_fail(item, key, "expected each key once; it is also in line %u", a->given[row]->line);
    if (!is_allowed(a->layer, key))
        refuse_key(a, item, key);
    a->given[row] = item;
    assign_one(&a->v->values[row], item, a->layer);
}

static void assign_map(const struct assignment *a, const char *prefix, const struct load_tree *map)
{
    for (unsigned i = 0; i < map->n; i++) {
        const struct load_tree *item = &map->items[i];
        char key[KEY_MAX];
        unsigned row;

        if (prefix[0] == '\0' && in_list(a->layer->skip, item->key))
            continue;
        snprintf(key, sizeof(key), "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", item->key);
        for (row = 0; row < a->v->n && strcmp(a->v->values[row].param->key, key) != 0;)
            row++;
        if (row < a->v->n)
            set_row(a, row, item, key);
        else if (!is_group(a->v, key))
            unknown_key(a, item, key);
        else if (item->type == LOAD_MAP)
            assign_map(a, key, item);
        else
            load_fail(item, key, "expected a mapping of %s.*", key);
    }
}

void load_values_assign(struct load_values *v, const struct load_layer *layer,
                        const struct load_tree *map)
{
    struct assignment a = { .v = v, .layer = layer };

    a.given = load_alloc(layer->arena, v->n * sizeof(*a.given));
    assign_map(&a, "", map);
}
