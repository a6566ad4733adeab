/*
 * Processes of SystemC that a simulation runs: what the library libhubsim_sc.so (rtl-model/tlm) and
 * its user exchange. It is loaded when a process is first wanted, so programs do without SystemC.
 */
#ifndef COSIM_PROCESS_H
#define COSIM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct process;

struct process_ops {
    /** A process that calls `step(arg)` when it is run. The first one of a machine sets its time 0.
     * @return NULL: SystemC has modules, and so a time of its own */
    struct process *(*create)(const char *name, void (*step)(void *arg), void *arg);
    /** Brings SystemC's time to `now_ps` and runs the process. @return false: its time is later */
    bool (*run)(struct process *process, uint64_t now_ps);
    void (*destroy)(struct process *process);
};
#define PROCESS_SYMBOL "hub_process"

#ifdef __cplusplus
}
#endif

#endif
