#include "tools/cmd/session.h"

enum { KIND, NAME, DESCRIPTION };

struct listing {
    struct lab_table table;
    const char *kind;
};

/** A file that cannot be read is listed too: its error is reported when it is used. */
static void add_file(void *arg, const char *name, const char *path)
{
    struct listing *listing = arg;
    struct load_arena arena = { 0 };
    struct load_tree *tree;
    const char *description = "";
    unsigned row = lab_table_add(&listing->table);

    if (load_tree_read(path, &arena, &tree, NULL) == SIM_OK)
        (void)load_tree_text(tree, "description", &description, NULL);
    lab_table_set(&listing->table, row, KIND, "%s\t%s\t%s", listing->kind, name, description);
    load_arena_fini(&arena);
}

static int list(void *arg, struct cmd_session *session, struct sim_error *err)
{
    static const char *const kinds[][2] = {
        { "experiment", "experiments" }, { "figure", "figures" }, { "machine", "machines" },
        { "platform", "platforms" },     { "sweep", "sweeps" },   { "faults", "faults" }
    };
    const struct cmd_common *common = arg;
    struct listing listing;

    (void)session;
    (void)err;
    lab_table_begin(&listing.table, "kind, name, description");
    for (unsigned i = 0; i < LOAD_COUNT(kinds); i++) {
        listing.kind = kinds[i][0];
        load_find_each(&common->roots, kinds[i][1], add_file, &listing);
    }
    cmd_print_table(&listing.table, common->format);
    return CMD_OK;
}

const struct cmd_command cmd_list = {
    .usage = {
            .about = "Lists experiments, figures, machines, platforms, sweeps and files of faults.",
            .options = { { cmd_format_options, 0 } },
    },
    .size = sizeof(struct cmd_common),
    .run = list,
};
