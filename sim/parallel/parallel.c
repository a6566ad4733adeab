#define _GNU_SOURCE /* RTLD_DEEPBIND, environ */
#include "parallel/parallel.h"
#include "parallel/back_end.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/* AddressSanitizer refuses RTLD_DEEPBIND. */
#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

struct parallel {
    void *object;
    const struct parallel_back_end *end;
    struct sim_group *group;
};

/* Each process of Open MPI's mpirun has that in its environment (since 1.3). */
unsigned parallel_processes(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_SIZE");
    unsigned long n = text != NULL ? strtoul(text, NULL, 10) : 1;

    return n > 1 && n <= UINT32_MAX ? (unsigned)n : 1;
}

/* The program may have a copy of libc's variable `environ`, which libc uses from then on
 * (R_X86_64_COPY). Objects that look into their own libraries first see the other one. */
static void lend_environment(void *object)
{
    char ***theirs = dlsym(object, "environ");

    if (theirs != NULL && *theirs == NULL)
        *theirs = environ;
}

/* Its symbols are its own, and it sees its own libraries' before those of this program, whose MPI
 * is that of simulated programs. */
static void *load(const char *object, struct sim_error *err)
{
    void *it;

    if (sanitized) {
        (void)sim_error_set(err, SIM_ERR_CONFIG,
                            "%u processes of mpirun: expected a build without sanitizers",
                            parallel_processes());
        return NULL;
    }
    it = dlopen(object, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

    if (it == NULL)
        (void)sim_error_set(err, SIM_ERR_IO,
                            "%u processes of mpirun: %s; expected a build with Open MPI "
                            "(libopenmpi-dev, openmpi-bin)",
                            parallel_processes(), dlerror());
    else
        lend_environment(it);
    return it;
}

struct parallel *parallel_open(const char *object, struct sim_error *err)
{
    struct parallel *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        (void)sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
        return NULL;
    }
    p->object = load(object, err);
    if (p->object == NULL)
        goto err_free;
    p->end = dlsym(p->object, PARALLEL_SYMBOL);
    SIM_ASSERT(p->end != NULL);
    p->group = p->end->join(err);
    if (p->group == NULL)
        goto err_free;
    return p;
err_free:
    free(p);
    return NULL;
}

const struct sim_group *parallel_group(const struct parallel *p)
{
    return p->group;
}

/* The object stays: Open MPI's own threads and handlers at exit may be in it. */
void parallel_close(struct parallel *p)
{
    if (p == NULL)
        return;
    p->end->leave(p->group);
    free(p);
}

void parallel_blocks(uint32_t n, uint32_t nprocesses, uint32_t *owner)
{
    for (uint32_t i = 0; i < n; i++)
        owner[i] = (uint32_t)((uint64_t)i * nprocesses / n);
}
