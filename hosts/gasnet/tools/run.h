/*
 * Between the tools in a program (program/) and the run that it is loaded in.
 */
#ifndef GASNET_TOOLS_RUN_H
#define GASNET_TOOLS_RUN_H

#include <stdbool.h>

#define GASNETI_LINE_BYTES 1024 /* text of a line */

/** Is the calling rank rank 0? */
bool gasneti_tools_run_is_first(void);
/** "rank 0 on node 0 at 1.5 us: TEXT" on the rank's stderr, and the end of all ranks. */
_Noreturn void gasneti_tools_run_end(const char *text);

/** `place` is " at PROGRAM+0x12". */
typedef void gasneti_tools_run_frame_fn(void *arg, const char *place);
/** Calls frame() for each call of the program that lasts, the innermost first. */
void gasneti_tools_run_frames(gasneti_tools_run_frame_fn *frame, void *arg);

#endif /* GASNET_TOOLS_RUN_H */
