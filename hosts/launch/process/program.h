/*
 * Programs as shared objects, one copy for each rank: the object is written to a
 * memory file of its own that stays open, and loaded from there, so that the
 * dynamic loader takes the copies for different libraries with separate globals.
 * (It knows libraries by name and inode; hard links or a closed file would give
 * the same copy again.)
 */
#ifndef LAUNCH_PROGRAM_H
#define LAUNCH_PROGRAM_H

#include "core/sim.h"
#include "hosts/launch/shim/program.h"

SIM_BEGIN_DECLS

struct program_file; /* the object's bytes, read once */
struct program;      /* one loaded copy */

/** `path` must outlive the file and its copies. */
int program_file_open(const char *path, struct program_file **file_p, struct sim_error *err);
void program_file_close(struct program_file *file);

/** `hooks` is copied into the object. */
int program_load(const struct program_file *file, unsigned rank,
                 const struct hub_program_hooks *hooks, struct program **program_p,
                 struct sim_error *err);
/** `stays`: the copy does until the process ends, as threads may run in it. */
void program_unload(struct program *p, bool stays);
typedef int (*program_main_fn)(int argc, char **argv);
program_main_fn program_main(const struct program *p);
/** The object's own exit(): what the return of main() means. */
typedef void (*program_exit_fn)(int code);
program_exit_fn program_exit(const struct program *p);
/** How many of its blocks the copy has run, if it counts them. */
const uint64_t *program_blocks(const struct program *p);
/** Does it name a function of the board's libraries, and so drives the hubs by itself? */
bool program_drives_hubs(const struct program *p);
/** Is it an address in the copy's code? Safe in a signal handler. *offset_p: in the file, as
 * addr2line and nm count. */
bool program_offset(const struct program *p, uint64_t addr, uint64_t *offset_p);
/** " at PROGRAM+0x123", or nothing when that is not in the program. NULL: there is none. */
void program_place(const struct program *p, uint64_t addr, char *text, size_t room);

SIM_END_DECLS
#endif /* LAUNCH_PROGRAM_H */
