/* The node of a rank, as the tools describe it: a core for each of its ranks. */
#define _GNU_SOURCE /* POSIX beside C11 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hosts/gasnet/include/gasnet_tools.h"

#define MEMORY_BYTES (UINT64_C(64) << 30) /* what a run can give to the ranks of a node */

int gasnett_cpu_count(void)
{
    const char *ranks = getenv("MPI_LOCALNRANKS"); /* which each rank has */
    int n = ranks != NULL ? atoi(ranks) : 1;

    return n > 0 ? n : 1;
}

int gasnett_set_affinity(int core)
{
    (void)core;
    return 0;
}

const char *gasnett_gethostname(void)
{
    static char name[256];

    return gethostname(name, sizeof(name)) == 0 ? name : "unknown";
}

uint64_t gasnett_getPhysMemSz(int failure_is_fatal)
{
    (void)failure_is_fatal;
    return MEMORY_BYTES;
}

int gasnett_maximize_rlimits(void)
{
    return 1;
}

int gasnett_maximize_rlimit(int resource, const char *name)
{
    (void)resource;
    (void)name;
    return 1;
}

const char *gasnett_performance_warning_str(void)
{
    return ""; /* time is simulated */
}

const char *gasnett_release_version_str(void)
{
    return _STRINGIFY(GASNETT_RELEASE_VERSION_MAJOR) "." _STRINGIFY(
        GASNETT_RELEASE_VERSION_MINOR) "." _STRINGIFY(GASNETT_RELEASE_VERSION_PATCH);
}

uint64_t gasnett_release_version(void)
{
    return GASNETT_RELEASE_VERSION_MAJOR * UINT64_C(1000000) +
           GASNETT_RELEASE_VERSION_MINOR * UINT64_C(1000) + GASNETT_RELEASE_VERSION_PATCH;
}

int gasnett_nsleep(uint64_t ns)
{
    const struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

    return ns == 0 ? 0 : nanosleep(&ts, NULL);
}

/* ---- files for a short time ---- */

const char *gasnett_tmpdir(void)
{
    const char *folder = getenv("GASNET_TMPDIR");

    if (folder == NULL || folder[0] == '\0')
        folder = getenv("TMPDIR");
    return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

int gasnett_mkstemp(const char *prefix, char **name_p)
{
    size_t bytes = strlen(gasnett_tmpdir()) + strlen(prefix) + sizeof("/XXXXXX");
    char *name = gasnett_debug_malloc(bytes);
    int fd;

    (void)snprintf(name, bytes, "%s/%sXXXXXX", gasnett_tmpdir(), prefix);
    fd = mkstemp(name);
    if (fd >= 0)
        *name_p = name;
    else
        gasnett_debug_free(name);
    return fd;
}
