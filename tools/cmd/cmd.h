/*
 * Inside of the command `hubsim`: one file for each sub-command, and what they
 * share. Errors go to stderr in one line; exit status 1, for wrong usage 2.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <sys/types.h> /* pid_t */

#include "tools/cmd/options.h"
#include "tools/lab/figure/figure.h"
#include "tools/lab/watch/watch.h"
#include "tools/load/machine.h"

#define CMD_SETS_MAX 64u
#define CMD_NO_LIMIT UINT32_MAX /* of --limit, where nothing was said */

enum { CMD_OK = 0, CMD_FAILED = 1, CMD_USAGE = 2 };

/** Options that several commands take: the beginning of what each parses. */
struct cmd_common {
    struct load_roots roots;
    enum lab_format format;
    const char *sets[CMD_SETS_MAX];
    unsigned nsets;
    const char *faults[LAB_FAULTS_MAX];
    unsigned nfaults;
    const char *platform;
    uint64_t seed;
    unsigned jobs;
    struct lab_watch_options watch;
};

extern const struct cmd_option cmd_format_options[];  /* --json, --csv */
extern const struct cmd_option cmd_machine_options[]; /* --set, --faults, --platform, --seed */
extern const struct cmd_option cmd_jobs_options[];    /* --jobs, for runs in worker processes */
extern const struct cmd_option cmd_watch_options[];   /* --timeline and what else observes a run */
extern const struct cmd_option cmd_usage_options[];   /* --utilisation, of what keeps a result */
/** Refuses options of cmd_watch_options that change nothing without another. */
void cmd_check_watch(struct argp_state *state, const struct cmd_common *common);

/** `options` begins with struct cmd_common. */
void cmd_parse(const struct cmd_usage *usage, int argc, char **argv, void *options);
#define CMD_WORDS_MAX (2 * (CMD_SETS_MAX + LAB_FAULTS_MAX) + 4)
/** Appends an option and its value, and nothing where that is NULL. @return how many words then */
unsigned cmd_add_option(const char **words, unsigned n, const char *option, const char *value);
/** Appends the options above that change a result, as they would be typed. @return as above */
unsigned cmd_words(const struct cmd_common *common, struct load_arena *arena, const char **words,
                   unsigned n);
/** To stdout; frees the table. */
void cmd_print_table(struct lab_table *table, enum lab_format format);
/** Prints "hubsim: ..." */
void cmd_fail(const struct sim_error *err);
struct lab_out;
/** Says on stderr, as `program`, that `out` will replace the result of another command in `dir`,
 * and which option keeps both. */
void cmd_remark_replaced(const char *program, const char *dir, const struct lab_out *out,
                         const char *option);
/** A machine, or a platform as a machine of one node, by name or path. */
struct load_machine *cmd_load(const struct cmd_common *common, const char *name);

/** What the options name is read: FILE, which `option` names, --platform and --faults. */
void cmd_spare_inputs(const struct cmd_common *common, const char *option, const char *file,
                      const struct lab_claims *claims);

/** bin/`name` beside the running program. Raises. */
const char *cmd_find_program(const char *name, struct load_arena *arena);
/** published/SYSTEM.csv of the first root that has it, in `arena`. */
const char *cmd_find_published(const struct load_roots *roots, const char *system,
                               struct load_arena *arena);

/** Whether all files of a figure can be written, before its numbers are made: raises when not. */
void cmd_try_figure(const char *stem, struct load_arena *arena);
/** STEM.csv and STEM.json, from which scripts/plot.py draws STEM.png and STEM.svg. */
void cmd_write_figure(const struct lab_figure *figure, const struct lab_table *table,
                      const char *stem, struct load_arena *arena);
/** All in one go: starting the interpreter costs more than drawing. */
void cmd_draw(const struct load_roots *roots, const char *const *stems, unsigned n);

/** Until the child has ended. @return its exit status, -1: it was ended, or there is none */
int cmd_wait(pid_t pid);
/** Runs `script` of scripts/ with these words, by scripts/python. @return as cmd_wait() */
int cmd_python(const struct load_roots *roots, const char *script, const char *const *words,
               unsigned n);
/** `script` of scripts/ makes a picture of what `write` writes, on its standard output. */
typedef void (*cmd_write_fn)(void *arg, FILE *out);
void cmd_picture(const struct load_roots *roots, const char *script, const char *path,
                 cmd_write_fn write, void *arg);

#endif /* CMD_CMD_H */
