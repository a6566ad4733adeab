#include "tools/hubrun/unused.h"

#include <stdio.h>

static void remark(bool used, const char *option, const char *text, const char *begins)
{
    if (!used && text != NULL)
        fprintf(stderr, "hubrun: --%s %s: not used: the program has not called %s\n", option, text,
                begins);
}

void unused_remark(const struct options *opt, const struct launch_result *result)
{
    remark(result->uses_mpi, "mpi", opt->mpi, "MPI_Init()");
    remark(result->uses_mpi, "algorithm", opt->algorithm, "MPI_Init()");
    remark(result->uses_mpi, "variables", opt->variables, "MPI_Init()");
    remark(result->uses_gasnet, "gasnet", opt->gasnet, "gasnet_init()");
}
