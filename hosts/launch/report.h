/* What ranks do, in words, for those who ask why a run does not end. */
#ifndef LAUNCH_REPORT_H
#define LAUNCH_REPORT_H

#include "hosts/launch/run.h"

/** Since the last time no rank has done anything but look in vain, nor can anything else happen. */
bool launch_only_looks(struct launch *run);
/** It waits for a message of a collective. */
bool launch_in_collective(const struct launch_thread *t);
/** What the rank does, in words. */
void launch_where(const struct launch_thread *t, char *text, size_t room);
/** Which ranks need which others to go on, and which have ended; all processes call it, and each
 * knows of all. NULL: out of memory. */
struct launch_needs *launch_needs_create(const struct launch *run);
void launch_needs_destroy(struct launch_needs *needs);
/** Ranks that wait for each other's messages, in words; false: there are none. */
bool launch_circle(const struct launch_needs *needs, char *text, size_t room);
/** One that waits for a message of a rank that has ended. */
bool launch_bereft(const struct launch_needs *needs, char *text, size_t room);

#endif /* LAUNCH_REPORT_H */
