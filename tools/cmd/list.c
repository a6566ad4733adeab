#include "tools/cmd/session.h"

enum { KIND, NAME, DESCRIPTION };

struct listing {
    struct lab_table table;
    const char *kind;
};

struct file {
    const char *path, *description;
    struct load_arena arena;
};

static void read_description(void *arg)
{
    struct file *file = arg;

    load_tree_text(load_tree_read(file->path, &file->arena), "description", &file->description);
}

/** A file that cannot be read is listed too: its error is reported when it is used. */
static void add_file(void *arg, const char *name, const char *path)
{
    struct listing *listing = arg;
    struct file file = { path, "", { NULL } };

    load_arena_begin(&file.arena);
    (void)load_attempt(read_description, &file, NULL);
    lab_table_set(&listing->table, lab_table_add(&listing->table), KIND, "%s\t%s\t%s",
                  listing->kind, name, file.description);
    load_arena_fini(&file.arena);
}

static void list(struct cmd_session *session)
{
    static const char *const kinds[][2] = {
        { "experiment", "experiments" },
        { "figure", "figures" },
        { "machine", "machines" },
        { "platform", "platforms" },
        { "sweep", "sweeps" },
        { "faults", "faults" },
        { "library", "mpi" },
        { "library", "gasnet" },
    };
    const struct cmd_common *common = session->options;
    struct listing listing;

    lab_table_begin(&listing.table, "kind, name, description");
    for (unsigned i = 0; i < SIM_COUNT(kinds); i++) {
        listing.kind = kinds[i][0];
        load_find_each(&common->roots, kinds[i][1], add_file, &listing);
    }
    cmd_print_table(&listing.table, common->format);
}

const struct cmd_command cmd_list = {
    .usage = {
            .about = "Lists experiments, figures, machines, platforms, sweeps, faults and libraries.",
            .options = { { cmd_format_options, 0 } },
    },
    .size = sizeof(struct cmd_common),
    .run = list,
};
