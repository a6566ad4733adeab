/*
 * Options of a command as a table: a row says the name, the help, where the value goes and how it
 * is taken. Groups of options that commands share are tables, too.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sim.h"

SIM_BEGIN_DECLS

/* In the order in which a row is read.
 * NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct cmd_option {
    const char *name; /* NULL: a letter alone */
    int letter;       /* 0: none */
    const char *word; /* what comes after it, for --help; NULL: nothing */
    const char *help;
    int group; /* in --help, one below the other */
    /** Stores at `to` what `text` says, or argp_error(). NULL: left out. */
    void (*take)(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
    size_t at;           /* of `to` in the structure that the table is for */
    int flags;           /* argp's, and */
    int value;           /* for cmd_take_value() */
    const char *choices; /* "a|b|c", for cmd_take_choice() */
};

/** Its own message says what is wrong with an empty word. */
#define CMD_OPTION_EMPTY 0x100
/** The last of a row: a member of struct options. */
#define CMD_AT(member) .at = offsetof(struct options, member)

/* A bool, a const char *, an unsigned, a uint64_t, a uint64_t of bytes (KiB, MiB, GiB and TiB may
 * follow the number), and a sim_time_t above 0 of a number with ps, ns, us, ms or s. */
void cmd_take_flag(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
void cmd_take_text(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
void cmd_take_unsigned(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
void cmd_take_number(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
void cmd_take_bytes(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
void cmd_take_time(struct argp_state *state, const struct cmd_option *o, void *to, char *text);

/** The row's value, into an enum. */
void cmd_take_value(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
/** A const char *, the name of a picture in SVG. The ending of another kind is refused; a name
 * without one may be a device or a pipe. */
void cmd_take_svg(struct argp_state *state, const struct cmd_option *o, void *to, char *text);
/** A const char *, one of the row's choices. */
void cmd_take_choice(struct argp_state *state, const struct cmd_option *o, void *to, char *text);

/** A table, and where the structure that it is for lies in that of the command. */
struct cmd_options {
    const struct cmd_option *rows; /* one without name and letter ends it */
    size_t at;
};

#define CMD_GROUPS_MAX 6u

/** Words of a command that has one. */
#define CMD_ONE_WORD(word, member)                                                                 \
    .words_at = offsetof(struct options, member), .max = 1, .too_many = "%s: expected one " word

struct cmd_usage {
    const char *words, *about; /* for --help */
    struct cmd_options options[CMD_GROUPS_MAX];
    /* Words that are no options: const char *[max] and an unsigned in the command's structure; NULL
     * for the message: there may be none. */
    size_t words_at, nwords_at;
    unsigned max;
    const char *too_many; /* "%s: expected one FILE" */
    const char *none;     /* "expected a machine" */
    /** Instead: the first word and all behind it. */
    void (*rest)(void *options, int argc, char **argv);
    /** At the end; NULL: nothing is to be checked. */
    void (*check)(struct argp_state *state, void *options);
    unsigned flags; /* of argp_parse() */
};

/** Into *options, or a message and exit. */
void cmd_parse_options(const struct cmd_usage *usage, int argc, char **argv, void *options);

SIM_END_DECLS
#endif /* CMD_OPTIONS_H */
