/*
 * The rank as a process: its end, and lines for the user who runs it.
 */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

struct host;

struct host_process_ops {
    /** From now on what the rank computes is (no longer) a library's, which spends what it costs:
     * the run may give the program's own computing a time, not that of a library. While a handler
     * of a signal runs, and after it has jumped, it is the program's.
     * @return what it was before */
    bool (*library)(struct host *h, bool inside);
    /** Ends the calling rank; does not return. */
    void (*exit)(struct host *h, int code);
    /** Ends all ranks, at once; does not return. An interrupt handler does it, and prints, in the
     * name of the first rank of its node. */
    void (*abort)(struct host *h, int code);
    /** Likewise, with a line on the rank's stderr that says why. Several ranks may do it, as all
     * make the mistake that is in their program: the first one's line alone is printed. */
    void (*fail)(struct host *h, int code, const char *line);
    /** Writes a line to the rank's stderr. */
    void (*print)(struct host *h, const char *line);
    /** A line to the user who runs the program, which is no output of the rank. */
    void (*remark)(struct host *h, const char *line);
    /** Likewise: why a call of the rank was refused. */
    void (*refused)(struct host *h, const char *line);
    /** A check (enum host_check) has found a mistake, after which the run does not end well. The
     * line names rank, node and time; NULL: it has none. Lines beyond the first LAUNCH_FOUND_MAX
     * are dropped. */
    void (*found)(struct host *h, const char *line);
    /** Such a line for mistakes without one, which have been counted. */
    void (*found_more)(struct host *h, const char *line);
    /** " at PROGRAM+0x123" for the call in the program that returns to `from`, or nothing when that
     * is not in the program. */
    void (*place)(struct host *h, const void *from, char *text, size_t room);
};

#endif /* HOST_PROCESS_H */
