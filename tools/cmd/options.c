#include "tools/cmd/options.h"

#include "tools/load/value.h"

#include <limits.h>
#include <string.h>

#define ROWS_MAX 64u /* the longest list of options, with those of all its groups */

/* argp's keys of options without a letter begin here. */
#define KEY_FIRST 256

struct parsing {
    const struct cmd_usage *usage;
    char *options;
    unsigned n;
    const struct cmd_option *rows[ROWS_MAX];
    void *to[ROWS_MAX];
    struct argp_option argp[ROWS_MAX + 2];
};

void cmd_take_flag(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    (void)state;
    (void)o;
    (void)text;
    *(bool *)to = true;
}

void cmd_take_text(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    (void)state;
    (void)o;
    *(const char **)to = text;
}

void cmd_take_number(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    if (!load_number(text, false, to))
        argp_error(state, "--%s %s: expected a whole number", o->name, text);
}

void cmd_take_unsigned(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    uint64_t value = 0;

    cmd_take_number(state, o, &value, text);
    if (value >= UINT_MAX) /* which stands for none */
        argp_error(state, "--%s %s: expected less than %u", o->name, text, UINT_MAX);
    *(unsigned *)to = (unsigned)value;
}

void cmd_take_bytes(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    if (!load_number(text, true, to))
        argp_error(state, "--%s %s: expected a number of bytes, such as 4096 or 4KiB", o->name,
                   text);
}

void cmd_take_time(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    static const struct {
        const char *name;
        sim_time_t ps;
    } units[] = {
        { "ps", 1 }, { "ns", SIM_NS }, { "us", SIM_US }, { "ms", SIM_MS }, { "s", 1000 * SIM_MS }
    };
    size_t digits = strspn(text, "0123456789_");
    char number[32] = { 0 };
    uint64_t value = 0;

    if (digits < sizeof(number))
        memcpy(number, text, digits);
    for (size_t i = 0; i < SIM_COUNT(units); i++) {
        if (strcmp(text + digits, units[i].name) != 0 || !load_number(number, false, &value) ||
            value == 0 || value > (SIM_TIME_NEVER - 1) / units[i].ps)
            continue;
        *(sim_time_t *)to = value * units[i].ps;
        return;
    }
    argp_error(state, "--%s %s: expected a number and ps, ns, us, ms or s, such as 10ms", o->name,
               text);
}

void cmd_take_value(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    (void)state;
    (void)text;
    *(int *)to = o->value;
}

void cmd_take_choice(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    size_t n = strlen(text);

    *(const char **)to = text;
    for (const char *at = o->choices; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, text, n) == 0 && (at[n] == '|' || at[n] == '\0'))
            return;
    }
    argp_error(state, "--%s %s: expected %s", o->name, text, o->choices);
}

void cmd_take_svg(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    const char *slash = strrchr(text, '/'), *name = slash != NULL ? slash + 1 : text;
    const char *ending = strrchr(name, '.');

    *(const char **)to = text;
    if (ending != NULL && strcmp(ending, ".svg") != 0)
        argp_error(state, "--%s %s: expected a name that ends in .svg", o->name, text);
}

static void take_word(const struct parsing *p, struct argp_state *state, char *word)
{
    const struct cmd_usage *usage = p->usage;
    const char **words = (const char **)(p->options + usage->words_at);
    unsigned n = 0;

    while (n < usage->max && words[n] != NULL)
        n++;
    if (n == usage->max)
        argp_error(state, usage->too_many, word);
    words[n] = word;
    if (usage->nwords_at != 0)
        *(unsigned *)(p->options + usage->nwords_at) = n + 1;
}

static void take_option(const struct parsing *p, struct argp_state *state, unsigned i, char *text)
{
    const struct cmd_option *o = p->rows[i];

    /* It is a shell's variable that is not set, most often. */
    if (text != NULL && *text == '\0' && (o->flags & CMD_OPTION_EMPTY) == 0)
        argp_error(state, "--%s: expected %s, not an empty word", o->name, o->word);
    if (o->take != NULL)
        o->take(state, o, p->to[i], text);
}

static void check_end(const struct parsing *p, struct argp_state *state)
{
    const struct cmd_usage *usage = p->usage;
    const char **words = (const char **)(p->options + usage->words_at);

    if (usage->none != NULL && words[0] == NULL)
        argp_error(state, "%s", usage->none);
    if (usage->check != NULL)
        usage->check(state, p->options);
}

static error_t parse_key(int key, char *text, struct argp_state *state)
{
    struct parsing *p = state->input;

    if (key == ARGP_KEY_ARG && p->usage->rest != NULL) {
        p->usage->rest(p->options, state->argc - state->next + 1, state->argv + state->next - 1);
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_ARG && p->usage->max > 0) {
        take_word(p, state, text);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        check_end(p, state);
        return 0;
    }
    if (key == 'h') {
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    }
    for (unsigned i = 0; i < p->n; i++) {
        if (p->argp[i].key != key)
            continue;
        take_option(p, state, i, text);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

void cmd_parse_options(const struct cmd_usage *usage, int argc, char **argv, void *options)
{
    struct parsing p = { .usage = usage, .options = options };
    const struct argp argp = {
        .options = p.argp, .parser = parse_key, .args_doc = usage->words, .doc = usage->about
    };

    for (unsigned g = 0; g < CMD_GROUPS_MAX && usage->options[g].rows != NULL; g++) {
        const struct cmd_option *o = usage->options[g].rows;

        for (; o->name != NULL || o->letter != 0; o++, p.n++) {
            SIM_ASSERT(p.n < ROWS_MAX);
            p.rows[p.n] = o;
            p.to[p.n] = p.options + usage->options[g].at + o->at;
            p.argp[p.n] = (struct argp_option){
                .name = o->name,
                .key = o->letter != 0 ? o->letter : KEY_FIRST + (int)p.n,
                .arg = o->word,
                .flags = o->flags & ~CMD_OPTION_EMPTY,
                .doc = o->help,
                .group = o->group,
            };
        }
    }
    p.argp[p.n] = (struct argp_option){ .key = 'h', .flags = OPTION_HIDDEN, .doc = "As --help" };
    (void)argp_parse(&argp, argc, argv, usage->flags, NULL, &p);
}
