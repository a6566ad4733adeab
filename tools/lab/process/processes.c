#define _POSIX_C_SOURCE 200809L
#include "tools/lab/process/processes.h"

#include "parallel/parallel.h"
#include "tools/load/find.h"
#include "tools/load/value.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct parallel *others; /* NULL: this process is alone */

static void leave(void)
{
    (void)fflush(NULL);
    parallel_close(others);
    others = NULL;
}

static void be_silent(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nothing < 0)
        return;
    (void)dup2(nothing, STDOUT_FILENO);
    (void)dup2(nothing, STDERR_FILENO);
    (void)close(nothing);
}

void lab_processes_begin(void)
{
    char folder[900], object[1000];

    if (parallel_processes() == 1 || others != NULL)
        return;
    if (!load_find_self(folder, sizeof(folder)))
        load_raise(SIM_ERR_IO, "/proc/self/exe: cannot be read");
    (void)snprintf(object, sizeof(object), "%s/../lib/hubsim/hubsim_parallel.so", folder);
    others = parallel_open(object, load_error());
    if (others == NULL)
        load_check(load_error()->code);
    (void)atexit(leave);
    if (!lab_processes_first())
        be_silent();
}

bool lab_processes_several(void)
{
    return others != NULL;
}

bool lab_processes_first(void)
{
    return others == NULL || parallel_group(others)->process == 0;
}

void lab_processes_share(struct sim *sim)
{
    const struct sim_group *group;
    uint32_t n = sim_domains(sim), *owner;

    if (others == NULL)
        return;
    group = parallel_group(others);
    owner = calloc(n + 1u, sizeof(*owner));
    SIM_ASSERT(owner != NULL);
    parallel_blocks(n, group->nprocesses, owner);
    load_check(sim_join(sim, group, owner));
    free(owner);
}
