/* What commands that simulate hold: where things are, workers, memory. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include "tools/cmd/cmd.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/rows/experiment.h"
#include "tools/lab/run/simulate.h"

struct cmd_session {
    struct lab_site site;
    struct load_arena arena;
    struct lab_evaluator ev;
};

/** `common` must live as long as the session. */
void cmd_session_init(struct cmd_session *session, const struct cmd_common *common);
void cmd_session_fini(struct cmd_session *session);
/** The simulation of number `which`, from 1 on (0: the first that has failed, or else the first),
 * that the session has made of `file`, once more and observed: the same, since nothing depends on
 * observers. Prints which one on stderr. */
int cmd_observe(struct cmd_session *session, const struct lab_watch_options *watch,
                const char *file, uint64_t which, struct sim_error *err);
/** The first point without a value is an error. */
int cmd_check_samples(const struct lab_samples *samples, struct sim_error *err);

#endif /* CMD_SESSION_H */
