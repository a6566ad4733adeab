/*
 * Programs as shared objects, one copy for each rank. The object is written to a
 * memory file of its own that stays open, and loaded from there. The dynamic loader
 * then takes the copies for different libraries with separate globals.
 * (It knows libraries by name and inode; hard links or a closed file would give
 * the same copy again.)
 */
#ifndef LAUNCH_PROGRAM_H
#define LAUNCH_PROGRAM_H

#include "core/sim.h"
#include "hosts/launch/shim/program.h"

SIM_BEGIN_DECLS

struct program_file {
    const char *path;
    int fd;
    size_t bytes;
};

/** One loaded copy. */
struct program {
    const char *path;
    int fd;
    void *handle;
    uintptr_t base, text, text_end; /* where it was loaded; its code */
    int (*main)(int argc, char **argv);
    void (*exit)(int code); /* the object's own exit(): what the return of main() means */
    const uint64_t *blocks; /* how many of its blocks it has run; NULL: it does not count them */
    bool announces;         /* all of its loads and stores: hubcc --races */
    bool drives_hubs;       /* by itself: it names a function of the board's libraries */
};

/** `path` must outlive the file and its copies. */
int program_file_open(const char *path, struct program_file *file_p, struct sim_error *err);
void program_file_close(const struct program_file *file);

/** `hooks` is copied into the object. */
int program_load(const struct program_file *file, unsigned rank,
                 const struct hub_program_hooks *hooks, struct program **program_p,
                 struct sim_error *err);
/** `stays`: the copy does until the process ends, as threads may run in it. */
void program_unload(struct program *p, bool stays);
#define PROGRAM_CALLS 3u

/** Addresses in a program's code: where it is, and the calls that led there, the innermost first.
 */
struct program_calls {
    uint64_t at[PROGRAM_CALLS]; /* 0: no more */
};

/** Is it an address in the copy's code? Safe in a signal handler. *offset_p: in the file, as
 * addr2line and nm count. */
bool program_offset(const struct program *p, uint64_t addr, uint64_t *offset_p);
/** " at PROGRAM+0x123", or nothing when that is not in the program. NULL: there is none. */
void program_place(const struct program *p, uint64_t addr, char *text, size_t room);
/** The caller's place in the program, or in a signal's handler that of what was interrupted. With a
 * call's address in `from`, what that has called is left out. */
void program_calls(const struct program *p, uint64_t from, struct program_calls *calls_p);
/** As program_place(), and the calls in brackets. */
void program_calls_place(const struct program *p, const struct program_calls *calls, char *text,
                         size_t room);

SIM_END_DECLS
#endif /* LAUNCH_PROGRAM_H */
