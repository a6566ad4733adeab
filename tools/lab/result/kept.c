#define _POSIX_C_SOURCE 200809L
#include "tools/lab/result/kept.h"

#include "tools/lab/format/table.h"
#include "tools/lab/result/write.h"
#include "tools/load/value.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES_MAX 1024u /* as of a machine file */

/* ---- values of a tree ------------------------------------------------------------ */

struct reader {
    struct load_arena *arena;
    struct lab_manifest m; /* as far as it has been read */
};

/** @param name of the map in messages, which must have only these keys */
static void check_map(const struct load_tree *map, const char *name, const char *const *keys)
{
    if (map->type != LOAD_MAP)
        load_fail(map, name, "expected a mapping");
    load_tree_only(map, keys);
}

static const char *need_text(const struct load_tree *map, const char *key)
{
    return load_tree_need(map, key, LOAD_SCALAR)->text;
}

/** @param name of the item in messages; NULL: its key */
static uint64_t to_number(const struct load_tree *item, const char *name, uint64_t min,
                          uint64_t max)
{
    uint64_t value;

    if (item->type == LOAD_SCALAR && load_number(item->text, false, &value) && value >= min &&
        value <= max)
        return value;
    if (max == UINT64_MAX)
        load_fail(item, name, "expected a whole number");
    load_fail(item, name, "expected a whole number, %llu .. %llu", (unsigned long long)min,
              (unsigned long long)max);
}

static uint64_t need_number(const struct load_tree *map, const char *key, uint64_t min,
                            uint64_t max)
{
    return to_number(load_tree_need(map, key, LOAD_SCALAR), NULL, min, max);
}

static const char *need_hash(const struct load_tree *map, const char *key)
{
    const struct load_tree *item = load_tree_need(map, key, LOAD_SCALAR);

    if (strlen(item->text) != 16 || strspn(item->text, "0123456789abcdef") != 16)
        load_fail(item, NULL, "expected 16 digits of a hash");
    return item->text;
}

/** The items of a list, one by one; `name` is that of the list. */
typedef void (*item_fn)(struct reader *r, const struct load_tree *item, const char *name,
                        void *out);
static void *need_items(struct reader *r, const struct load_tree *map, const char *key, size_t size,
                        item_fn fn, unsigned *n_p)
{
    const struct load_tree *list = load_tree_need(map, key, LOAD_LIST);
    char *items = load_alloc(r->arena, (list->n + 1) * size);

    for (unsigned i = 0; i < list->n; i++)
        fn(r, &list->items[i], key, items + i * size);
    *n_p = list->n;
    return items;
}

static const char *to_text(const struct load_tree *item, const char *name)
{
    if (item->type != LOAD_SCALAR)
        load_fail(item, name, "expected a single value");
    return item->text;
}

static void read_text(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    (void)r;
    *(const char **)out = to_text(item, name);
}

static void read_exact(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    (void)r;
    (void)to_text(item, name);
    *(const char **)out = item->exact;
}

static void check_format(const struct load_tree *root, const char *expected)
{
    const struct load_tree *item = load_tree_need(root, "format", LOAD_SCALAR);

    if (strcmp(item->text, expected) != 0)
        load_fail(item, NULL, "expected %s: hubsim " HUBSIM_VERSION " reads no other", expected);
}

/* ---- the manifest ---------------------------------------------------------------- */

static void read_machine(struct reader *r, const struct load_tree *item, const char *name,
                         void *out)
{
    static const char *const keys[] = {
        "machine", "platform", "nodes", "hash", "parameters", NULL
    };
    struct lab_kept_machine *machine = out;
    const struct load_tree *params;
    struct lab_kept_value *values;

    check_map(item, name, keys);
    machine->name = need_text(item, "machine");
    load_tree_text(item, "platform", &machine->platform);
    machine->nnodes = (unsigned)need_number(item, "nodes", 1, NODES_MAX);
    machine->hash = need_hash(item, "hash");
    params = load_tree_need(item, "parameters", LOAD_MAP);
    machine->nparams = params->n;
    machine->params = values = load_alloc(r->arena, (params->n + 1) * sizeof(*values));
    for (unsigned i = 0; i < params->n; i++)
        values[i] =
            (struct lab_kept_value){ params->items[i].key, to_text(&params->items[i], NULL) };
}

static void read_run(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    static const char *const keys[] = { "run", "machine", "visible", "wire", "edge", NULL };
    struct lab_kept_run *run = out;

    check_map(item, name, keys);
    run->text = need_text(item, "run");
    if (r->m.nmachines == 0)
        load_fail(item, name, "expected none, there are no machines");
    run->machine = (unsigned)need_number(item, "machine", 0, r->m.nmachines - 1);
    run->print.visible = strtoull(need_hash(item, "visible"), NULL, 16);
    run->print.wire = strtoull(need_hash(item, "wire"), NULL, 16);
    run->print.edge = strtoull(need_hash(item, "edge"), NULL, 16);
}

static void read_run_number(struct reader *r, const struct load_tree *item, const char *name,
                            void *out)
{
    if (r->m.nruns == 0)
        load_fail(item, name, "expected none, there are no runs");
    *(unsigned *)out = (unsigned)to_number(item, name, 0, r->m.nruns - 1);
}

static void read_point(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    static const char *const keys[] = { "point", "runs", NULL };
    struct lab_kept_point *point = out;

    check_map(item, name, keys);
    point->name = need_text(item, "point");
    point->runs = need_items(r, item, "runs", sizeof(unsigned), read_run_number, &point->nruns);
}

bool lab_manifest_is_name(const char *text)
{
    return text[0] != '\0' && text[0] != '.' && strchr(text, '/') == NULL;
}

/** What makes a kind of results. */
struct maker {
    const char *kind, *command;
    const char *word;     /* the first one; NULL: any */
    unsigned nwords;      /* at least */
    const char *expected; /* the words */
};

static const struct maker makers[] = {
    { "experiment", "hubsim", "run", 2, "run and a file" },
    { "machine", "hubsim", "run", 2, "run and a file" },
    { "program", "hubrun", NULL, 1, "a program" },
    { "score", "hubsim", "score", 2, "score and a system" },
};

static const struct maker *need_maker(const struct load_tree *root, const char *kind)
{
    for (size_t i = 0; i < SIM_COUNT(makers); i++)
        if (strcmp(kind, makers[i].kind) == 0)
            return &makers[i];
    load_fail(load_tree_get(root, "kind"), NULL, "expected experiment, machine, program or score");
}

/** A check runs the command and writes to a folder of this name. */
static void check_what(const struct load_tree *root, const struct lab_manifest *m)
{
    const struct maker *maker = need_maker(root, m->kind);

    if (!lab_manifest_is_name(m->name))
        load_fail(load_tree_get(root, "name"), NULL, "expected the name of a folder");
    if (strcmp(m->command, maker->command) != 0)
        load_fail(load_tree_get(root, "command"), NULL, "expected %s", maker->command);
    if (m->nwords < maker->nwords || (maker->word != NULL && strcmp(m->words[0], maker->word) != 0))
        load_fail(load_tree_get(root, "arguments"), NULL, "expected %s", maker->expected);
}

struct lab_manifest lab_manifest_from(const struct load_tree *root, struct load_arena *arena)
{
    static const char *const keys[] = { "format", "hubsim",      "commit",    "kind",
                                        "name",   "command",     "arguments", "seed",
                                        "set",    "description", "machines",  "runs",
                                        "points", "keys",        "program",   NULL };
    struct reader r = { .arena = arena };
    struct lab_manifest *m = &r.m;
    const struct {
        const char *key, **text_p;
    } texts[] = { { "hubsim", &m->hubsim },   { "commit", &m->commit },
                  { "kind", &m->kind },       { "name", &m->name },
                  { "command", &m->command }, { "description", &m->description } };

    check_format(root, LAB_OUT_FORMAT);
    check_map(root, NULL, keys);
    for (unsigned i = 0; i < SIM_COUNT(texts); i++)
        *texts[i].text_p = need_text(root, texts[i].key);
    m->folder = load_tree_get(root, "name")->exact;
    m->words = need_items(&r, root, "arguments", sizeof(*m->words), read_exact, &m->nwords);
    m->program = load_tree_get(root, "program") != NULL ? need_hash(root, "program") : "";
    check_what(root, m);
    m->seed = need_number(root, "seed", 0, UINT64_MAX);
    m->sets = need_items(&r, root, "set", sizeof(*m->sets), read_text, &m->nsets);
    m->nkeys = (unsigned)need_number(root, "keys", 1, UINT32_MAX);
    m->machines =
        need_items(&r, root, "machines", sizeof(*m->machines), read_machine, &m->nmachines);
    m->runs = need_items(&r, root, "runs", sizeof(*m->runs), read_run, &m->nruns);
    m->points = need_items(&r, root, "points", sizeof(*m->points), read_point, &m->npoints);
    return *m;
}

/* ---- statistics ------------------------------------------------------------------ */

static void read_number(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    (void)r;
    *(uint64_t *)out = to_number(item, name, 0, UINT64_MAX);
}

static void read_stat(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    static const char *const keys[] = { "path", "unit", "values", NULL };
    struct lab_kept_stat *stat = out;
    const struct load_tree *list;
    unsigned n;

    check_map(item, name, keys);
    stat->path = need_text(item, "path");
    stat->unit = need_text(item, "unit");
    list = load_tree_need(item, "values", LOAD_LIST);
    if (list->n != r->m.nruns)
        load_fail(list, NULL, "expected %u, one for each run, not %u", r->m.nruns, list->n);
    stat->values = need_items(r, item, "values", sizeof(uint64_t), read_number, &n);
}

void lab_statistics_from(const struct load_tree *root, unsigned nruns, struct load_arena *arena,
                         struct lab_kept *kept)
{
    static const char *const keys[] = { "format", "runs", "statistics", NULL };
    struct reader r = { .arena = arena, .m.nruns = nruns };

    check_format(root, LAB_OUT_STATISTICS);
    check_map(root, NULL, keys);
    (void)need_number(root, "runs", nruns, nruns);
    kept->stats =
        need_items(&r, root, "statistics", sizeof(*kept->stats), read_stat, &kept->nstats);
}

/* ---- what checks have found ------------------------------------------------------ */

const char *lab_accesses_word(enum lab_accesses accesses)
{
    static const char *const words[LAB_ACCESSES_KINDS] = {
        [LAB_ACCESSES_NONE] = "none", [LAB_ACCESSES_CALLS] = "calls", [LAB_ACCESSES_ALL] = "all"
    };

    return words[accesses];
}

static enum lab_accesses need_accesses(const struct load_tree *root)
{
    const char *word = need_text(root, "accesses");

    for (unsigned i = 0; i < LAB_ACCESSES_KINDS; i++)
        if (strcmp(word, lab_accesses_word((enum lab_accesses)i)) == 0)
            return (enum lab_accesses)i;
    load_fail(load_tree_get(root, "accesses"), NULL, "expected none, calls or all");
}

struct lab_checks lab_checks_from(const struct load_tree *root, struct load_arena *arena)
{
    static const char *const keys[] = { "format", "accesses", "found", "mistakes", NULL };
    struct reader r = { .arena = arena };
    struct lab_checks checks;

    check_format(root, LAB_OUT_CHECKS);
    check_map(root, NULL, keys);
    checks.accesses = need_accesses(root);
    checks.mistakes =
        need_items(&r, root, "mistakes", sizeof(*checks.mistakes), read_text, &checks.n);
    checks.found = need_number(root, "found", 0, UINT64_MAX);
    if (checks.found < checks.n)
        load_fail(load_tree_get(root, "found"), NULL, "expected %u or more, as mistakes has",
                  checks.n);
    return checks;
}

static const struct lab_checks *read_checks(const char *path, struct load_arena *arena)
{
    struct lab_checks *checks;

    if (access(path, F_OK) != 0)
        return NULL;
    checks = load_alloc(arena, sizeof(*checks));
    *checks = lab_checks_from(load_tree_read_data(path, arena), arena);
    return checks;
}

/* ---- the folder ------------------------------------------------------------------ */

static void check_table(const struct lab_kept *kept)
{
    const struct lab_csv *t = &kept->table;

    if (t->nrows != kept->manifest.npoints)
        load_raise(SIM_ERR_CONFIG,
                   "%s:%u: %u row%s: expected %u, one for each point of manifest.json", t->file,
                   t->nrows > 0 ? t->row_lines[t->nrows - 1] : 1, t->nrows, load_plural(t->nrows),
                   kept->manifest.npoints);
    if (t->ncolumns <= kept->manifest.nkeys)
        load_raise(SIM_ERR_CONFIG,
                   "%s:1: %u column%s: expected values behind the %u that name a point", t->file,
                   t->ncolumns, load_plural(t->ncolumns), kept->manifest.nkeys);
}

static void free_glob(void *found)
{
    globfree(found);
}

/** @return a folder of results in `dir`, which is none itself, or NULL */
static const char *find_below(const char *dir, struct load_arena *arena)
{
    glob_t *found = load_alloc(arena, sizeof(*found));
    const char *path;

    if (glob(load_text(arena, "%s/%s/manifest.json", dir, "*"), 0, NULL, found) != 0)
        return NULL;
    path = load_text(arena, "%s", found->gl_pathv[0]);
    (void)load_own(arena, free_glob, found);
    return load_text(arena, "%.*s", (int)(strrchr(path, '/') - path), path);
}

static _Noreturn void fail_without(const char *dir, struct load_arena *arena)
{
    struct stat status;
    const char *below;

    if (stat(dir, &status) != 0)
        load_raise(SIM_ERR_IO,
                   "%s: %s: expected a folder that `hubsim run FILE` or `hubrun --out DIR PROGRAM` "
                   "makes",
                   dir, errno == ENOENT ? "no such folder" : strerror(errno));
    if (!S_ISDIR(status.st_mode))
        load_raise(SIM_ERR_IO, "%s: a file: expected the folder of a result", dir);
    below = find_below(dir, arena);
    if (below != NULL)
        load_raise(SIM_ERR_IO, "%s: a folder of results: expected one of them, such as %s", dir,
                   below);
    load_raise(SIM_ERR_IO,
               "%s: no manifest.json: expected a folder that `hubsim run FILE` or `hubrun "
               "--out DIR PROGRAM` makes",
               dir);
}

struct lab_kept lab_kept_read(const char *dir, struct load_arena *arena)
{
    struct lab_kept kept = { .dir = dir };
    const char *manifest = load_text(arena, "%s/manifest.json", dir);
    const char *faults = load_text(arena, "%s/faults.csv", dir);
    const struct load_tree *root;

    if (access(manifest, F_OK) != 0)
        fail_without(dir, arena);
    root = load_tree_read_data(manifest, arena);
    kept.manifest = lab_manifest_from(root, arena);
    kept.table = lab_csv_read(load_text(arena, "%s/table.csv", dir), LOAD_FILE_BY_HUBSIM, arena);
    check_table(&kept);
    root = load_tree_read_data(load_text(arena, "%s/statistics.json", dir), arena);
    lab_statistics_from(root, kept.manifest.nruns, arena, &kept);
    if (access(faults, F_OK) == 0)
        kept.faults = lab_csv_read(faults, LOAD_FILE_BY_HUBSIM, arena);
    kept.checks = read_checks(load_text(arena, "%s/checks.json", dir), arena);
    return kept;
}

/* ---- what is to be replaced ------------------------------------------------------ */

static bool has_control(const char *word)
{
    while (*word != '\0' && !iscntrl((unsigned char)*word))
        word++;
    return *word != '\0';
}

/** Between quotes of a shell; a control character needs those that begin with $, for one line. */
static const char *quote(const char *word, struct load_arena *arena)
{
    bool dollar = has_control(word);
    const char *apostrophe = dollar ? "\\'" : "'\\''";
    char *text = load_alloc(arena, 4 * strlen(word) + 4), *at = text;

    at = stpcpy(at, dollar ? "$'" : "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            at = stpcpy(at, apostrophe);
        else if (iscntrl((unsigned char)*word))
            at += sprintf(at, "\\%03o", (unsigned)(unsigned char)*word);
        else if (dollar && *word == '\\')
            at = stpcpy(at, "\\\\");
        else
            *at++ = *word;
    }
    *at = '\'';
    return text;
}

static const char *quote_word(const char *word, struct load_arena *arena)
{
    bool bare = word[0] != '\0' && strpbrk(word, " *?[]{}()$&;|<>\"\\~#'`!") == NULL;

    return bare && !has_control(word) ? word : quote(word, arena);
}

const char *lab_kept_command(const char *command, const char *const *words, unsigned nwords,
                             struct load_arena *arena)
{
    const char *text = command;

    for (unsigned i = 0; i < nwords; i++)
        text = load_text(arena, "%s %s", text, quote_word(words[i], arena));
    return text;
}

struct holder { /* what a folder has in it */
    const char *dir;
    struct load_arena *arena;
    const char *command;
};

static void read_holder(void *arg)
{
    struct holder *holder = arg;
    struct lab_manifest m = lab_manifest_from(
        load_tree_read_data(load_text(holder->arena, "%s/manifest.json", holder->dir),
                            holder->arena),
        holder->arena);

    holder->command = lab_kept_command(m.command, m.words, m.nwords, holder->arena);
}

const char *lab_kept_other(const char *dir, const struct lab_out *out, struct load_arena *arena)
{
    struct holder holder = { .dir = dir, .arena = arena };
    struct sim_error err = { 0 };

    if (load_attempt(read_holder, &holder, &err) != SIM_OK ||
        strcmp(holder.command, lab_kept_command(out->command, out->words, out->nwords, arena)) == 0)
        return NULL;
    return holder.command;
}
