/* What made a result, once more: its command as a process of its own, into another folder. */
#ifndef CMD_RERUN_H
#define CMD_RERUN_H

#include "tools/lab/result/kept.h"
#include "tools/lab/run/stop.h"

struct cmd_rerun {
    const char *out; /* folder of the new results; NULL: one that ends with the arena */
    unsigned jobs;
    bool no_races; /* that a program is not to be looked at for them */
    char temporary[1024];
};

/** Until the arena ends, lab_stop_signal() notes what would end the process. */
void cmd_rerun_begin(struct cmd_rerun *rerun, struct load_arena *arena);

/**
 * Its experiment is that of the result, machines and programs are those that have its names now,
 * relative paths from where the command was typed. What `hubrun --check` finds in a program is in
 * the new result. A signal ends the process, and raises. @return its folder.
 */
const char *cmd_rerun(const struct cmd_rerun *rerun, const struct lab_kept *kept,
                      struct load_arena *arena);

#endif /* CMD_RERUN_H */
