/* getopt() and getopt_long() on this copy's variables: libc's are one set for all ranks. They
 * behave as glibc's: options may stand behind other arguments, unless `options` begins with '+'
 * (the first other argument is the end) or '-' (it is an option 1). */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
char *optarg;
int optind = 1, opterr = 1, optopt;

static int place; /* within a group of options such as -ab; 0: at the next argument */

struct call {
    int argc;
    char **argv;
    const char *options;
    const struct option *names; /* long ones, or NULL */
    int *index;
    int one_dash; /* getopt_long_only() */
    int quiet;
    int missing; /* returned for an option that lacks its argument */
};

/* Moves the `n` arguments from `from` on to the front of those that are no options. */
static void move_front(char **argv, int from, int n)
{
    for (; n > 0; n--, from++, optind++) {
        char *arg = argv[from];

        memmove(&argv[optind + 1], &argv[optind], (size_t)(from - optind) * sizeof(*argv));
        argv[optind] = arg;
    }
}

/* An option of `n` arguments, itself among them, was found at `at`. */
static int take_option(const struct call *c, int at, int n, int result)
{
    place = 0;
    move_front(c->argv, at, n);
    return result;
}

/* `result` is what getopt() returns then. */
static int report_wrong(const struct call *c, int at, const char *what, const char *name,
                        size_t len, int result)
{
    if (!c->quiet)
        fprintf(stderr, "%s: %s '%.*s'\n", c->argv[0], what, (int)len, name);
    return take_option(c, at, 1, result);
}

/* It is that of option `code`. */
static int report_missing(const struct call *c, int at, int code, const char *name, size_t len)
{
    optopt = code;
    return report_wrong(c, at, "option requires an argument --", name, len, c->missing);
}

/* The option of that name, or the only one that begins so; *many_p when several do. */
static const struct option *find_name(const struct call *c, const char *name, size_t len,
                                      int *many_p)
{
    const struct option *found = NULL;

    for (const struct option *o = c->names; o != NULL && o->name != NULL; o++) {
        if (strncmp(o->name, name, len) != 0)
            continue;
        if (strlen(o->name) == len) {
            *many_p = 0;
            return o;
        }
        if (found != NULL && (found->val != o->val || found->flag != o->flag))
            *many_p = 1;
        found = o;
    }
    return found;
}

static int long_option(const struct call *c, int at, char *name)
{
    size_t len = strcspn(name, "=");
    int many = 0, n = 1;
    const struct option *o = find_name(c, name, len, &many);

    optopt = 0;
    if (o == NULL || many)
        return report_wrong(c, at, many ? "ambiguous option" : "unrecognized option", name, len,
                            '?');
    if (name[len] == '=')
        optarg = &name[len + 1];
    if (o->has_arg == no_argument && optarg != NULL) {
        optopt = o->val;
        optarg = NULL;
        return report_wrong(c, at, "option takes no argument", name, len, '?');
    }
    if (o->has_arg == required_argument && optarg == NULL) {
        if (at + 1 >= c->argc)
            return report_missing(c, at, o->val, name, len);
        optarg = c->argv[at + 1];
        n = 2;
    }
    if (c->index != NULL)
        *c->index = (int)(o - c->names);
    if (o->flag != NULL)
        *o->flag = o->val;
    return take_option(c, at, n, o->flag != NULL ? 0 : o->val);
}

static int short_option(const struct call *c, int at)
{
    char *arg = c->argv[at];
    char letter = arg[place++];
    int code = (unsigned char)letter, last = arg[place] == '\0';
    const char *found = letter == ':' || letter == ';' ? NULL : strchr(c->options, letter);

    if (found == NULL) {
        optopt = code;
        if (!c->quiet)
            fprintf(stderr, "%s: invalid option -- '%c'\n", c->argv[0], letter);
        code = '?';
    } else if (found[1] == ':' && !last) {
        optarg = &arg[place];
        last = 1;
    } else if (found[1] == ':' && found[2] != ':') {
        if (at + 1 >= c->argc)
            return report_missing(c, at, code, &letter, 1);
        optarg = c->argv[at + 1];
        return take_option(c, at, 2, code);
    }
    return last ? take_option(c, at, 1, code) : code;
}

/* Is what follows one dash a short option where it may be a long one as well? */
static int is_short(const struct call *c, const char *text)
{
    int many = 0;

    return strchr(c->options, text[0]) != NULL &&
           find_name(c, text, strcspn(text, "="), &many) == NULL;
}

static int next_option(struct call *c)
{
    static int at; /* in the group that is being taken apart */
    char order = c->options[0];

    c->options += order == '+' || order == '-';
    c->missing = c->options[0] == ':' ? ':' : '?';
    c->quiet = opterr == 0 || c->options[0] == ':';
    optarg = NULL;
    if (optind == 0) { /* glibc's way to start over */
        optind = 1;
        place = 0;
    }
    if (place != 0)
        return short_option(c, at);
    for (at = optind; at < c->argc && (c->argv[at][0] != '-' || c->argv[at][1] == '\0'); at++)
        if (order == '+')
            return -1;
        else if (order == '-') {
            optarg = c->argv[optind++];
            return 1;
        }
    if (at >= c->argc)
        return -1;
    if (strcmp(c->argv[at], "--") == 0) {
        move_front(c->argv, at, 1);
        return -1;
    }
    if (c->names != NULL && c->argv[at][1] == '-')
        return long_option(c, at, &c->argv[at][2]);
    if (c->one_dash && !is_short(c, &c->argv[at][1]))
        return long_option(c, at, &c->argv[at][1]);
    place = 1;
    return short_option(c, at);
}

/* The order of arguments is changed all the same, as glibc does. */
static char **arguments(char *const argv[])
{
    return (char **)(uintptr_t)argv;
}

int getopt(int argc, char *const argv[], const char *options)
{
    return next_option(&(struct call){ .argc = argc, .argv = arguments(argv), .options = options });
}

int getopt_long(int argc, char *const argv[], const char *options, const struct option *names,
                int *index)
{
    return next_option(&(struct call){ argc, arguments(argv), options, names, index, 0, 0, 0 });
}

int getopt_long_only(int argc, char *const argv[], const char *options, const struct option *names,
                     int *index)
{
    return next_option(&(struct call){ argc, arguments(argv), options, names, index, 1, 0, 0 });
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
