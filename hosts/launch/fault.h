/*
 * A program that crashes ends its rank, with the exit code that a shell would
 * report, and not the simulator.
 */
#ifndef LAUNCH_FAULT_H
#define LAUNCH_FAULT_H

#ifdef __cplusplus
extern "C" {
#endif

struct fault_guard;

/**
 * Until fault_guard_end(), SIGSEGV and its kin inside a rank end that rank. NULL, and nothing is
 * changed, when memory is exhausted or under AddressSanitizer, whose report says more.
 */
struct fault_guard *fault_guard_begin(void);
void fault_guard_end(struct fault_guard *guard); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif /* LAUNCH_FAULT_H */
