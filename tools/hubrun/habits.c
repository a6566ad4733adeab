#define _POSIX_C_SOURCE 200809L
#include "tools/hubrun/habits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *next_word(struct argp_state *state, const char *after)
{
    if (state->next >= state->argc)
        argp_error(state, "%s: expected a word after it", after);
    return state->argv[state->next++];
}

/* For a result, which is run again by the same words. @return false: there is no room */
static bool keep_setting(struct habits *habits, const char *option, const char *name,
                         const char *value)
{
    if (habits->nsettings == HABITS_SETTINGS_MAX)
        return false;
    habits->settings[habits->nsettings++] = (struct habits_setting){ option, name, value };
    return true;
}

static void take_setting(struct argp_state *state, struct habits *habits, const char *option,
                         const char *name, const char *value)
{
    if (!keep_setting(habits, option, name, value))
        argp_error(state, "%s %s: expected at most %u of -x, -genv, -env, --mca and -wdir", option,
                   name, HABITS_SETTINGS_MAX);
}

static void take_unset(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    (void)o;
    if (unsetenv(text) != 0)
        argp_error(state, "--unset %s: expected the name of a variable", text);
    take_setting(state, to, "--unset", text, NULL);
}

/* What has no value is there already, or is not set: the ranks have hubrun's environment. A check
 * of the result may have another one, so either is kept.
 */
static void take_export(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    const char *value = strchr(text, '=');
    char *name;

    (void)o;
    if (value == NULL) {
        if (text[0] == '\0')
            argp_error(state, "-x: expected NAME or NAME=VALUE");
        value = getenv(text);
        take_setting(state, to, value != NULL ? "-genv" : "--unset", text, value);
        return;
    }
    take_setting(state, to, "-x", text, NULL);
    name = strndup(text, (size_t)(value - text));
    if (name == NULL || setenv(name, value + 1, 1) != 0)
        argp_error(state, "-x %s: expected NAME=VALUE", text);
    free(name);
}

static void take_variable(struct argp_state *state, const struct cmd_option *o, void *to,
                          char *text)
{
    const char *value = next_word(state, text);

    (void)o;
    if (setenv(text, value, 1) != 0)
        argp_error(state, "-genv %s: expected a name and a value", text);
    take_setting(state, to, "-genv", text, value);
}

static void take_folder(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    (void)o;
    if (chdir(text) != 0)
        argp_error(state, "-wdir %s: %s", text, strerror(errno));
    take_setting(state, to, "-wdir", text, NULL);
}

/* What says where ranks run. */
static void leave_place(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    const char letter[] = { (char)o->letter, '\0' };

    (void)state;
    (void)to;
    fprintf(stderr, "hubrun: %s%s %s: not used: -m names the machine, --place the nodes\n",
            o->name != NULL ? "--" : "-", o->name != NULL ? o->name : letter, text);
}

/* Open MPI has its parameters in the environment, too. */
static void take_parameter(struct argp_state *state, const struct cmd_option *o, void *to,
                           char *text)
{
    const char *value = next_word(state, text);
    char name[256];

    (void)o;
    if (snprintf(name, sizeof(name), "OMPI_MCA_%s", text) >= (int)sizeof(name))
        argp_error(state, "--mca %s: expected a name of less than %zu bytes", text,
                   sizeof(name) - strlen("OMPI_MCA_"));
    if (setenv(name, value, 1) != 0)
        argp_error(state, "--mca %s: expected a name and a value", text);
    take_setting(state, to, "--mca", text, value);
}

#define HABIT(name, letter, word, ...)                                                             \
    {                                                                                              \
        name, letter, word, NULL, 0, __VA_ARGS__, .flags = OPTION_HIDDEN | CMD_OPTION_EMPTY        \
    }
#define AT(member) .at = offsetof(struct habits, member)

const struct cmd_option habits_options[] = {
    HABIT("np", 0, "N", cmd_take_text, AT(ranks)),
    HABIT("ppn", 0, "N", cmd_take_text, AT(per_node)),
    HABIT("perhost", 0, "N", cmd_take_text, AT(per_node)),
    HABIT("npernode", 0, "N", cmd_take_text, AT(per_node)),
    HABIT("ntasks-per-node", 0, "N", cmd_take_text, AT(per_node)),
    HABIT("prepend-rank", 0, NULL, cmd_take_flag, AT(label)),
    HABIT("tag-output", 0, NULL, cmd_take_flag, AT(label)),
    HABIT(NULL, 'l', NULL, cmd_take_flag, AT(label)),
    HABIT(NULL, 'x', "NAME=VALUE", take_export),
    HABIT("genv", 0, "NAME", take_variable),
    HABIT("env", 0, "NAME", take_variable),
    HABIT("unset", 0, "NAME", take_unset),
    HABIT("mca", 0, "KEY", take_parameter),
    HABIT("wdir", 0, "DIR", take_folder),
    HABIT("wd", 0, "DIR", take_folder),
    HABIT("hostfile", 0, "FILE", leave_place),
    HABIT("machinefile", 0, "FILE", leave_place),
    HABIT(NULL, 'f', "FILE", leave_place),
    HABIT("hosts", 0, "LIST", leave_place),
    HABIT("host", 0, "LIST", leave_place),
    HABIT(NULL, 'H', "LIST", leave_place),
    HABIT("map-by", 0, "WHAT", leave_place),
    HABIT("rank-by", 0, "WHAT", leave_place),
    HABIT("bind-to", 0, "WHAT", NULL), /* these could change nothing */
    HABIT("launcher", 0, "WHAT", NULL),
    HABIT("genvlist", 0, "LIST", NULL),
    HABIT("genvall", 0, NULL, NULL),
    HABIT("bind-to-core", 0, NULL, NULL),
    HABIT("oversubscribe", 0, NULL, NULL),
    HABIT("allow-run-as-root", 0, NULL, NULL),
    HABIT("report-bindings", 0, NULL, NULL),
    { 0 },
};

unsigned habits_words(const struct habits *habits, const char **words, unsigned n)
{
    for (unsigned i = 0; i < habits->nsettings; i++) {
        const struct habits_setting *setting = &habits->settings[i];

        words[n++] = setting->option;
        words[n++] = setting->name;
        if (setting->value != NULL)
            words[n++] = setting->value;
    }
    return n;
}

int habits_variables(int argc, char **argv, struct habits *habits)
{
    int n = 0;

    for (; n + 1 < argc; n++) {
        size_t name = strcspn(argv[n], "=/");

        if (name == 0 || argv[n][name] != '=')
            break;
        argv[n][name] = '\0';
        if (!keep_setting(habits, "-genv", argv[n], argv[n] + name + 1))
            load_raise(SIM_ERR_CONFIG, "%s=%s: expected at most %u variables", argv[n],
                       argv[n] + name + 1, HABITS_SETTINGS_MAX);
        (void)setenv(argv[n], argv[n] + name + 1, 1);
    }
    return n;
}

/* libtool leaves a script in the place of a program whose libraries are not installed yet; the
 * program is in a folder .libs beside it. */
static const char *behind_script(const char *name, struct load_arena *arena)
{
    const char *slash = strrchr(name, '/');
    int folder = slash != NULL ? (int)(slash + 1 - name) : 0;
    const char *path = load_text(arena, "%.*s.libs/%s", folder, name, name + folder);
    char mark[2] = { 0 };
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0) {
        (void)!read(fd, mark, sizeof(mark));
        (void)close(fd);
    }
    return mark[0] == '#' && mark[1] == '!' && access(path, R_OK) == 0 ? path : name;
}

const char *habits_find(const char *name, struct load_arena *arena)
{
    const char *at = getenv("PATH");

    if (strchr(name, '/') != NULL || access(name, R_OK) == 0)
        return behind_script(name, arena);
    while (at != NULL && *at != '\0') {
        int n = (int)strcspn(at, ":");
        const char *path = load_text(arena, "%.*s/%s", n, at, name);

        if (n > 0 && access(path, R_OK | X_OK) == 0)
            return path;
        at += n + (at[n] == ':');
    }
    return name;
}

void habits_examine(const char *program)
{
    struct stat s;
    bool bad = stat(program, &s) != 0 || access(program, R_OK) != 0;

    if (bad || !S_ISREG(s.st_mode))
        load_raise(SIM_ERR_CONFIG, "%s: cannot read the program: %s", program,
                   bad ? strerror(errno) : "expected a regular file");
}
