#define _POSIX_C_SOURCE 200809L
#include "tools/hubrun/habits.h"

#include "tools/load/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPT_RANKS = 512, /* none of hubrun's own */
    OPT_PER_NODE,
    OPT_LABEL,
    OPT_SET,
    OPT_FOLDER,
    OPT_BINDING,   /* left out, as it could change nothing */
    OPT_BINDING_2, /* the same, with two words after it */
    OPT_UNUSED     /* and more: left out, with a word that names it */
};

#define HABIT(name, key, words)                                                                    \
    {                                                                                              \
        name, key, words, OPTION_HIDDEN, NULL, 0                                                   \
    }

static const struct argp_option options[] = {
    HABIT("np", OPT_RANKS, "N"),
    HABIT("ppn", OPT_PER_NODE, "N"),
    HABIT("perhost", OPT_PER_NODE, "N"),
    HABIT("npernode", OPT_PER_NODE, "N"),
    HABIT("ntasks-per-node", OPT_PER_NODE, "N"),
    HABIT("prepend-rank", OPT_LABEL, NULL),
    HABIT("tag-output", OPT_LABEL, NULL),
    HABIT(NULL, 'l', NULL),
    HABIT(NULL, 'x', "NAME=VALUE"),
    HABIT("genv", OPT_SET, "NAME"),
    HABIT("env", OPT_SET, "NAME"),
    HABIT("wdir", OPT_FOLDER, "DIR"),
    HABIT("wd", OPT_FOLDER, "DIR"),
    HABIT("hostfile", OPT_UNUSED, "FILE"),
    HABIT("machinefile", OPT_UNUSED + 1, "FILE"),
    HABIT(NULL, 'f', "FILE"),
    HABIT("hosts", OPT_UNUSED + 2, "LIST"),
    HABIT("host", OPT_UNUSED + 3, "LIST"),
    HABIT(NULL, 'H', "LIST"),
    HABIT("map-by", OPT_UNUSED + 4, "WHAT"),
    HABIT("rank-by", OPT_UNUSED + 5, "WHAT"),
    HABIT("bind-to", OPT_BINDING, "WHAT"),
    HABIT("launcher", OPT_BINDING, "WHAT"),
    HABIT("genvlist", OPT_BINDING, "LIST"),
    HABIT("mca", OPT_BINDING_2, "KEY"),
    HABIT("genvall", OPT_BINDING, NULL),
    HABIT("bind-to-core", OPT_BINDING, NULL),
    HABIT("oversubscribe", OPT_BINDING, NULL),
    HABIT("allow-run-as-root", OPT_BINDING, NULL),
    HABIT("report-bindings", OPT_BINDING, NULL),
    { 0 },
};

static char *next_word(struct argp_state *state, const char *after)
{
    if (state->next >= state->argc)
        argp_error(state, "%s: expected a word after it", after);
    return state->argv[state->next++];
}

/* What has no value is there already: the ranks have hubrun's environment. */
static void export_variable(struct argp_state *state, const char *text)
{
    const char *value = strchr(text, '=');
    char *name;

    if (value == NULL)
        return;
    name = strndup(text, (size_t)(value - text));
    if (name == NULL || setenv(name, value + 1, 1) != 0)
        argp_error(state, "-x %s: expected NAME=VALUE", text);
    free(name);
}

/* What says where ranks run. */
static error_t tell_unused(int key, const char *arg)
{
    const struct argp_option *o = options;
    const char letter[] = { (char)key, '\0' };

    if (key != 'f' && key != 'H' && key < OPT_UNUSED)
        return ARGP_ERR_UNKNOWN;
    while (o->key != 0 && o->key != key)
        o++;
    if (o->key == 0)
        return ARGP_ERR_UNKNOWN;
    (void)fprintf(stderr, "hubrun: %s%s %s: not used: -m names the machine, --place the nodes\n",
                  o->name != NULL ? "--" : "-", o->name != NULL ? o->name : letter, arg);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct habits *habits = state->input;

    switch (key) {
    case OPT_RANKS:
        habits->ranks = arg;
        return 0;
    case OPT_PER_NODE:
        habits->per_node = arg;
        return 0;
    case OPT_LABEL:
    case 'l':
        habits->label = true;
        return 0;
    case 'x':
        export_variable(state, arg);
        return 0;
    case OPT_SET:
        if (setenv(arg, next_word(state, arg), 1) != 0)
            argp_error(state, "-genv %s: expected a name and a value", arg);
        return 0;
    case OPT_FOLDER:
        if (chdir(arg) != 0)
            argp_error(state, "-wdir %s: %s", arg, strerror(errno));
        return 0;
    case OPT_BINDING_2:
        (void)next_word(state, arg);
        return 0;
    case OPT_BINDING:
        return 0;
    default:
        return tell_unused(key, arg);
    }
}

const struct argp habits_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

/* libtool leaves a script in the place of a program whose libraries are not installed yet; the
 * program is in a folder .libs beside it. NULL: it is no such script. */
static char *behind_script(const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - name) : 0;
    char *path = malloc(strlen(name) + sizeof(".libs/"));
    char mark[2] = { 0 };
    int fd;

    if (load_file_open(name, &fd, NULL) == SIM_OK) {
        (void)!read(fd, mark, sizeof(mark));
        (void)close(fd);
    }
    if (path != NULL) {
        memcpy(path, name, folder);
        memcpy(path + folder, ".libs/", strlen(".libs/"));
        memcpy(path + folder + strlen(".libs/"), name + folder, strlen(name + folder) + 1);
    }
    if (path == NULL || mark[0] != '#' || mark[1] != '!' || access(path, R_OK) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

char *habits_find(const char *name)
{
    const char *at = getenv("PATH");

    if (strchr(name, '/') != NULL || access(name, R_OK) == 0) {
        char *path = behind_script(name);

        return path != NULL ? path : strdup(name);
    }
    while (at != NULL && *at != '\0') {
        size_t n = strcspn(at, ":");
        char *path = malloc(n + strlen(name) + 2);

        if (path == NULL)
            return NULL;
        memcpy(path, at, n);
        path[n] = '/';
        memcpy(path + n + 1, name, strlen(name) + 1);
        if (n > 0 && access(path, R_OK | X_OK) == 0)
            return path;
        free(path);
        at += n + (at[n] == ':');
    }
    return strdup(name);
}

int habits_examine(const char *program, struct sim_error *err)
{
    struct stat s;
    bool bad = stat(program, &s) != 0 || access(program, R_OK) != 0;

    if (bad || !S_ISREG(s.st_mode))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: cannot read the program: %s", program,
                             bad ? strerror(errno) : "expected a regular file");
    return SIM_OK;
}
