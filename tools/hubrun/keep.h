/* The result of one program: a row for each rank, or for each line `result key=value ...` of it. */
#ifndef HUBRUN_KEEP_H
#define HUBRUN_KEEP_H

#include "hosts/launch/launch.h"
#include "tools/lab/result/write.h"

SIM_BEGIN_DECLS

struct keep;
/** Ends with the arena. @param program its file as it is now; the result has a hash of it */
struct keep *keep_create(struct load_arena *arena, const char *program);

/** One line of a rank, on stdout or stderr. */
void keep_line(struct keep *keep, unsigned rank, bool is_stdout, const char *line);
/** What a check reports of the program. */
void keep_mistake(struct keep *keep, const char *line);
/** How they ended. `checks`: bits of enum host_check that were looked at. */
void keep_ranks(struct keep *keep, const struct launch_result *result, unsigned checks);
/** Where lines of lab_report_prints() and the like are wanted. */
FILE *keep_stream(struct keep *keep);

/** To the folder `dir`. `out` has all but the table, points, checks and the run. */
void keep_write(struct keep *keep, const char *dir, struct lab_out *out);

SIM_END_DECLS
#endif /* HUBRUN_KEEP_H */
