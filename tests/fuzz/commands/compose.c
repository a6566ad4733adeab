#include "compose.h"

#include "options.h"

#include <string.h>

struct composer {
    struct mutator m;
    struct dice dice;
    struct fuzz_case *c;
};

static const char *one_of(struct composer *k, const char *const *words, size_t n)
{
    return words[dice_below(&k->dice, n)];
}

/** Most files are changed once or twice as documents, some as bytes, some not at all. */
static void add_changed(struct composer *k, const struct seed_file *file, const char *path,
                        bool small)
{
    unsigned times = (unsigned)dice_below(&k->dice, k->m.polite ? 3 : 4);
    size_t n = file->n;
    const char *bytes = mutate_tree(&k->m, file->bytes, file->n, times, small, &n);

    if (bytes == NULL) {
        bytes = file->bytes;
        n = file->n;
    }
    if (!k->m.polite && dice_one_in(&k->dice, 4))
        bytes = mutate_bytes(&k->m, bytes, n, &n);
    case_add_file(k->c, load_text(k->m.arena, "%s", path), bytes, n);
}

/** Files that a platform may include, some of them changed. */
static void add_included(struct composer *k)
{
    static const char *const folders[] = { "hubs", "hosts", "adapters" };

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const struct seed_file *file = seeds_pick(k->m.seeds, &k->dice, folders[i]);
        const char *path;

        if (file == NULL)
            continue;
        path = load_text(k->m.arena, "%s/%s", file->folder, file->name);
        if (dice_one_in(&k->dice, 4))
            add_changed(k, file, path, false);
        else
            case_add_file(k->c, path, file->bytes, file->n);
    }
}

/** The text with `word` replaced where it stands alone first. */
static const char *replaced(struct composer *k, const char *text, const char *word, const char *by)
{
    const char *at = strstr(text, word);

    if (at == NULL)
        return text;
    return load_text(k->m.arena, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word));
}

/** A platform of the case's own in place of the one that the file `path` names. */
static void own_platform(struct composer *k, const char *path)
{
    static const char *const names[] = {
        "hapacs-tca-sandybridge", "hapacs-tca",  "mbcf-sunos", "mbcf",
        "switching-hub",          "repeater-hub"
    };
    const struct case_file *file = case_find(k->c, path);
    size_t which = dice_below(&k->dice, 6);
    const char *text;

    if (file == NULL || strlen(file->bytes) != file->n)
        return;
    for (size_t i = 0; i < 6; i++, which = (which + 1) % 6) {
        const char *word = load_text(k->m.arena, ": %s", names[which]);
        const struct seed_file *platform;

        if (strstr(file->bytes, word) == NULL)
            continue;
        platform =
            seeds_find(k->m.seeds, "platforms", load_text(k->m.arena, "%s.yaml", names[which]));
        text = replaced(k, file->bytes, word, ": p");
        case_add_file(k->c, path, text, strlen(text));
        if (platform != NULL)
            add_changed(k, platform, "platforms/p.yaml", false);
        add_included(k);
        return;
    }
}

static const char *add_machine(struct composer *k)
{
    static const char *const names[] = { "two-node", "two-node",   "ring4",        "ring4",
                                         "line3",    "one-node",   "mbcf-hub",     "mbcf-switch",
                                         "ring8",    "dual-ring8", "up-down-ring8" };
    const struct seed_file *file;

    if (dice_one_in(&k->dice, 4))
        return one_of(k, names, sizeof(names) / sizeof(names[0]));
    if (dice_one_in(&k->dice, 5))
        file = seeds_pick(k->m.seeds, &k->dice,
                          k->m.polite || dice_one_in(&k->dice, 2) ? "platforms" : "machine");
    else
        file = seeds_pick(k->m.seeds, &k->dice, "machines");
    add_changed(k, file, "machines/m.yaml", false);
    if (dice_one_in(&k->dice, 2))
        own_platform(k, "machines/m.yaml");
    if (strcmp(file->folder, "platforms") == 0)
        add_included(k);
    return "machines/m.yaml";
}

static const char *add_experiment(struct composer *k, const char *folder, const char *path)
{
    const struct seed_file *file = seeds_pick(k->m.seeds, &k->dice, folder);

    add_changed(k, file, path, true);
    if (dice_one_in(&k->dice, 4))
        own_platform(k, path);
    return path;
}

static void compose_run(struct composer *k)
{
    case_add_arg(k->c, dice_one_in(&k->dice, 4)
                           ? add_machine(k)
                           : add_experiment(k, "experiments", "experiments/x.yaml"));
    case_add_arg(k->c, "--jobs=1");
}

static void compose_machine(struct composer *k)
{
    case_add_arg(k->c, add_machine(k));
}

static void compose_sweep(struct composer *k)
{
    case_add_arg(k->c, add_experiment(k, dice_one_in(&k->dice, 3) ? "experiments" : "sweeps",
                                      "sweeps/x.yaml"));
    case_add_arg(k->c, "--jobs=1");
}

static void compose_tune(struct composer *k)
{
    case_add_arg(k->c, add_experiment(k, "experiments", "experiments/x.yaml"));
    case_add_arg(k->c, "--jobs=1");
}

static void compose_score(struct composer *k)
{
    static const char *const systems[] = { "peach2", "peach2", "mbcf", "mbcf", "gasnet", "hxb" };
    const char *system = one_of(k, systems, sizeof(systems) / sizeof(systems[0]));
    const struct seed_file *file =
        seeds_find(k->m.seeds, "published", load_text(k->m.arena, "%s.csv", system));
    size_t n;
    const char *bytes = mutate_csv(&k->m, file->bytes, (unsigned)dice_below(&k->dice, 4), &n);

    if (dice_one_in(&k->dice, 8))
        bytes = mutate_bytes(&k->m, bytes, n, &n);
    case_add_file(k->c, "rows.csv", bytes, n);
    case_add_arg(k->c, system);
    case_add_arg(k->c, "--rows=rows.csv");
    case_add_arg(k->c, "--jobs=1");
}

static void compose_figure(struct composer *k)
{
    static const char points[] = "series,x,y\nmine,8,1.5\nmine,64,2.5\nother,8,3\n";
    size_t n;
    const char *bytes = mutate_csv(&k->m, points, (unsigned)dice_below(&k->dice, 3), &n);
    const struct seed_file *file = seeds_pick(k->m.seeds, &k->dice, "figures");
    const struct case_file *figure;

    add_changed(k, file, "figures/x.yaml", false);
    case_add_file(k->c, "points.csv", bytes, n);
    (void)add_experiment(k, "experiments", "experiments/x.yaml");
    figure = case_find(k->c, "figures/x.yaml");
    if (strlen(figure->bytes) == figure->n) { /* its first experiment is the case's own */
        const char *at = strstr(figure->bytes, "experiments: [");

        if (at != NULL)
            bytes = load_text(k->m.arena, "%.*sexperiments: [x%s", (int)(at - figure->bytes),
                              figure->bytes, at + 14 + strcspn(at + 14, ",]"));
        case_add_file(k->c, figure->path, at != NULL ? bytes : figure->bytes,
                      at != NULL ? strlen(bytes) : figure->n);
    }
    case_add_arg(k->c, "figures/x.yaml");
    case_add_arg(k->c, "--points=points.csv");
    case_add_arg(k->c, "--jobs=1");
}

static void compose_capture(struct composer *k)
{
    const struct seed_file *file = seeds_pick(k->m.seeds, &k->dice, k->m.polite ? "." : "capture");
    const char *bytes = file->bytes;
    size_t n = file->n;

    for (size_t i = dice_below(&k->dice, 4); i > 0; i--)
        bytes = mutate_bytes(&k->m, bytes, n, &n);
    case_add_file(k->c, "x.pcapng", bytes, n);
    case_add_arg(k->c, "x.pcapng");
}

static void add_spoilt(struct composer *k, const struct seed_file *file, const char *path)
{
    size_t n;
    const char *bytes = mutate_bytes(&k->m, file->bytes, file->n, &n);

    case_add_file(k->c, path, bytes, n);
}

/** A result that an earlier command has kept, with one of its files changed. */
static const char *add_result(struct composer *k, const char *folder)
{
    static const char *const kept[] = { "kept/single-transfer", "kept/two-node", "kept/matcher" };
    const char *from = one_of(k, kept, sizeof(kept) / sizeof(kept[0]));
    size_t changed = dice_below(&k->dice, 6), number = 0;

    for (size_t i = 0; i < k->m.seeds->nfiles; i++) {
        const struct seed_file *file = &k->m.seeds->files[i];
        const char *path = load_text(k->m.arena, "%s/%s", folder, file->name);

        if (strcmp(file->folder, from) != 0)
            continue;
        if (number++ != changed)
            case_add_file(k->c, path, file->bytes, file->n);
        else if (strstr(file->name, ".csv") == NULL)
            add_changed(k, file, path, false);
        else
            add_spoilt(k, file, path);
    }
    return folder;
}

static void compose_check(struct composer *k)
{
    case_add_arg(k->c, add_result(k, "a"));
    case_add_arg(k->c, "--jobs=1");
}

static void compose_diff(struct composer *k)
{
    case_add_arg(k->c, add_result(k, "a"));
    case_add_arg(k->c, dice_one_in(&k->dice, 4) ? "a" : add_result(k, "b"));
}

static void compose_nothing(struct composer *k)
{
    (void)k;
}

static const struct {
    const char *name;
    unsigned weight;
    void (*compose)(struct composer *k);
} commands[] = {
    { "run", 30, compose_run },        { "topology", 12, compose_machine },
    { "params", 10, compose_machine }, { "explain", 14, compose_machine },
    { "sweep", 8, compose_sweep },     { "score", 6, compose_score },
    { "check", 4, compose_check },     { "diff", 4, compose_diff },
    { "figure", 4, compose_figure },   { "capture", 4, compose_capture },
    { "tune", 2, compose_tune },       { "list", 1, compose_nothing },
};

static bool names_mbcf(const struct fuzz_case *c)
{
    for (unsigned i = 0; i < c->nargs; i++)
        if (strstr(c->args[i], "mbcf") != NULL)
            return true;
    for (unsigned i = 0; i < c->nfiles; i++)
        if (strstr(c->files[i].bytes, "mbcf") != NULL)
            return true;
    return false;
}

static void compose_hubsim(struct composer *k)
{
    size_t total = 0, at, i = 0;

    for (size_t j = 0; j < sizeof(commands) / sizeof(commands[0]); j++)
        total += commands[j].weight;
    for (at = dice_below(&k->dice, total); at >= commands[i].weight; i++)
        at -= commands[i].weight;
    case_add_arg(k->c, "hubsim");
    case_add_arg(k->c, commands[i].name);
    commands[i].compose(k);
    k->m.ethernet = names_mbcf(k->c);
    options_add(&k->m, k->c, commands[i].name);
}

static void compose_hubrun(struct composer *k)
{
    static const char *const patterns[] = { "patterns=1", "patterns=2", "patterns=3", "seed=9" };
    static const char *const ranks[] = { "-n2", "-n2", "-n2", "-n3", "-n4", "-n1", "-n5" };

    case_add_arg(k->c, "hubrun");
    if (!dice_one_in(&k->dice, 8))
        case_add_arg(k->c, one_of(k, ranks, sizeof(ranks) / sizeof(ranks[0])));
    if (!dice_one_in(&k->dice, 8))
        case_add_arg(k->c, load_text(k->m.arena, "--machine=%s", add_machine(k)));
    case_add_arg(k->c, "--patience=2");
    k->m.ethernet = names_mbcf(k->c);
    options_add(&k->m, k->c, "hubrun");
    case_add_arg(k->c, dice_one_in(&k->dice, 4) ? "../windows" : "../matcher");
    case_add_arg(k->c, one_of(k, patterns, sizeof(patterns) / sizeof(patterns[0])));
    case_add_arg(k->c, "limits=300,5000");
}

/** No word leads out of the folders of the case, and none names a device. */
static void fence(struct composer *k)
{
    for (unsigned i = 1; i < k->c->nargs; i++) {
        const char *value = strrchr(k->c->args[i], '='), *word = k->c->args[i];
        unsigned ups = 0;

        for (const char *at = word; (at = strstr(at, "..")) != NULL; at++)
            ups++;
        if (word[0] == '/' || (value != NULL && value[1] == '/') ||
            strstr(word, "../../") != NULL ||
            (word[0] == '-' && strchr(word, '/') != NULL && word[2] == '/'))
            k->c->args[i] = "fenced";
        else if (ups > 2 && strlen(word) < 4096 && strchr(word, '/') != NULL)
            k->c->args[i] = "fenced";
    }
}

void compose(const struct seeds *seeds, uint64_t seed, uint64_t number, struct load_arena *arena,
             struct fuzz_case *c)
{
    struct composer k = { .dice = { seed }, .c = c };

    k.dice.state = dice_next(&k.dice) ^ number * UINT64_C(0xd1342543de82ef95);
    k.m = (struct mutator){ seeds, &k.dice, arena, false, !dice_one_in(&k.dice, 3) };
    *c = (struct fuzz_case){ .arena = arena };
    if (dice_one_in(&k.dice, 6))
        compose_hubrun(&k);
    else
        compose_hubsim(&k);
    if (seeds_pick(seeds, &k.dice, "faults") != NULL && case_find(c, "faults/f.yaml") == NULL)
        for (unsigned i = 0; i < c->nargs; i++)
            if (strstr(c->args[i], "faults/f.yaml") != NULL)
                add_changed(&k, seeds_pick(seeds, &k.dice, "faults"), "faults/f.yaml", false);
    for (unsigned i = 0; i < c->nargs; i++)
        if (strcmp(c->args[i], "--traffic=a") == 0)
            (void)add_result(&k, "a");
    while (c->nargs > 2 && !k.m.polite && dice_one_in(&k.dice, 5))
        options_spoil(&k.m, c);
    fence(&k);
}
