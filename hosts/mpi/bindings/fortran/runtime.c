/*
 * What a Fortran program's copy of libgfortran needs, which is linked into it so that each rank has
 * its own units. The functions here stand for one file of the archive, asynchronous transfers
 * in threads. It cannot be part of a shared object, as it has thread-local data at a fixed place.
 * libgfortran does without where no unit has them, as if it were built without threads.
 */
#define _GNU_SOURCE /* __environ */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libgfortran's names */
#define NOTHING(name)                                                                              \
    int _gfortrani_##name(void);                                                                   \
    int _gfortrani_##name(void)                                                                    \
    {                                                                                              \
        return 0;                                                                                  \
    }
NOTHING(async_close)
NOTHING(async_wait)
NOTHING(async_wait_id)
NOTHING(collect_async_errors)
NOTHING(enqueue_close)
NOTHING(enqueue_data_transfer_init)
NOTHING(enqueue_done)
NOTHING(enqueue_done_id)
NOTHING(enqueue_transfer)
NOTHING(init_async_unit)

char **environ; /* which the archive expects in the same object */

/* libgfortran would take a crash for itself, which hubrun reports with its place and those of all
 * ranks. */
void (*signal(int number, void (*handler)(int)))(int)
{
    (void)number, (void)handler;
    return SIG_DFL;
}

void _gfortrani_close_units(void);

/* Its own end comes when the object is unloaded, and the rank has ended long before. */
__attribute__((constructor)) static void begin(void)
{
    environ = __environ;
    (void)atexit(_gfortrani_close_units);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */
