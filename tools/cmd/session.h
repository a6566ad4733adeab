/* A command of hubsim, and what it holds while it runs: where things are, workers, memory. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include "tools/cmd/cmd.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/rows/experiment.h"
#include "tools/lab/run/simulate.h"

struct cmd_session {
    void *options; /* those that the command has parsed */
    struct lab_site site;
    struct load_arena arena;
    struct lab_evaluator ev;
    int status; /* exit status, where nothing is raised */
};

struct cmd_command {
    struct cmd_usage usage;
    const void *defaults; /* options when nothing is said; NULL: all zero */
    size_t size;          /* bytes of the options, which begin with struct cmd_common */
    void (*run)(struct cmd_session *session);
};
extern const struct cmd_command cmd_list, cmd_params, cmd_run, cmd_check, cmd_diff, cmd_score,
    cmd_figure, cmd_explain, cmd_capture, cmd_topology, cmd_sweep, cmd_tune, cmd_fit;

struct lab_out;
/** Before the work for a result, which will be in `dir`: raises where that cannot be written, and
 * says which result of another command will be replaced. */
void cmd_begin_result(const char *dir, const struct lab_out *out);

/** From its command line to its exit status, which is `failure` after an error, which is printed.
 */
int cmd_execute(const struct cmd_command *command, int argc, char **argv, int failure);
/** The simulation of number `which`, from 1 on (0: the first that has failed, or else the first),
 * that the session has made of `file`, once more and observed: the same, since nothing depends on
 * observers. Prints which one on stderr. */
void cmd_observe(struct cmd_session *session, const struct lab_watch_options *watch,
                 const char *file, uint64_t which);
/** Shows a line of text in the place of the one before; "": none, the next output stands there. No
 * effect where stderr is no terminal. It is drawn without escape codes, so terminals of any kind
 * and NO_COLOR have no say in it. */
void cmd_show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** A line for each simulation: fingerprints of what software saw, of the wires and of the edges. */
void cmd_print_prints(struct cmd_session *session);
/** Whether a file is an experiment or a sweep. A machine has none of their keys; it may lack what
 * it needs, too. */
bool cmd_is_experiment(const struct load_tree *tree);
/** Raises the first point without a value. */
void cmd_check_samples(const struct lab_samples *samples);

#endif /* CMD_SESSION_H */
