#include "hosts/gasnet/core/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct host_param gasnet_params[] = {
    HOST_PARAM_CHOICE("gasnet.segment", 0, "host|gpu|gpu0|gpu1|gpu2|gpu3|gpu4|gpu5|gpu6|gpu7", 9,
                      "the memory of segments: of the host, or of a GPU; gpu = the one beside the "
                      "adapter that GASNet uses"),
    { "gasnet.max_segment_bytes", "bytes", 0, UINT64_C(16) << 30, 0,
      "most that a rank may attach; 0 = what memory there is", NULL, 0 },
    HOST_PARAM_BYTES("gasnet.packed_bytes", 0,
                     "longest Long that travels in one entry with its header and is copied at its "
                     "target; 0 = none"),
    HOST_PARAM_END
};

/* ---- the program's environment ---------------------------------------------------------- */

/* getenv() is the program's, which keeps an environment for each rank. */
const char *gasnet_environment(struct gasnet_rank *gr, const char *name)
{
    bool library = gasnet_program_begin(gr);
    const char *value = gr->environment(name);

    gasnet_program_end(gr, library);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/** 1024 to the power that a letter stands for; 0: there is none. */
static double unit_of(const char *text)
{
    static const char letters[] = "KMGT";
    const char *found;
    double unit = 1024;

    if (text[0] == '\0' || strcasecmp(text, "B") == 0)
        return 1;
    found = strchr(letters, text[0] & ~0x20); /* small ones, too */
    if (found == NULL || (text[1] != '\0' && strcasecmp(text + 1, "B") != 0))
        return 0;
    for (const char *at = letters; at < found; at++)
        unit *= 1024;
    return unit;
}

uint64_t gasnet_environment_bytes(struct gasnet_rank *gr, const char *name, uint64_t own)
{
    const char *text = gasnet_environment(gr, name);
    char *end;
    double n;

    if (text == NULL)
        return own;
    n = strtod(text, &end);
    if (end == text || !isfinite(n) || n < 0 || unit_of(end) == 0 || n * unit_of(end) >= 0x1p63)
        gasnet_fail(gr, "%s=%s: expected a number of bytes, perhaps with K, M, G or T behind it",
                    name, text);
    return (uint64_t)(n * unit_of(end));
}

static void check_bytes(struct gasnet_rank *gr, const char *name)
{
    (void)gasnet_environment_bytes(gr, name, 0);
}

/* A time that the user gives as a fraction of a second, to the next picosecond. */
static uint64_t seconds_ps(struct gasnet_rank *gr, const char *name, const char *text)
{
    char *end;
    double s = strtod(text, &end);

    if (end == text || *end != '\0' || !(s >= 0 && s <= 1e6))
        gasnet_fail(gr, "%s=%s: expected 0 .. 1000000 seconds", name, text);
    return (uint64_t)(s * 1e12 + 0.5);
}

static void check_seconds(struct gasnet_rank *gr, const char *name)
{
    const char *text = gasnet_environment(gr, name);

    if (text != NULL)
        (void)seconds_ps(gr, name, text);
}

/* Here all of them are the dissemination over active messages. */
static void check_barrier(struct gasnet_rank *gr, const char *name)
{
    static const char *const known[] = { "DISSEM", "AMDISSEM", "RDMADISSEM", "AMCENTRAL" };
    const char *text = gasnet_environment(gr, name);
    unsigned i = 0;

    while (text != NULL && i < sizeof(known) / sizeof(known[0]) && strcasecmp(text, known[i]) != 0)
        i++;
    if (i == sizeof(known) / sizeof(known[0]))
        gasnet_fail(gr, "%s=%s: expected DISSEM, AMDISSEM, RDMADISSEM or AMCENTRAL", name, text);
}

enum { SEGSIZE, EXIT, EXIT_MAX, EXIT_MIN, EXIT_FACTOR, BARRIER };

/* Nodes of a run that leave together are microseconds apart, those of a cluster milliseconds: times
 * of exit are a thousandth of what the InfiniBand conduit of GASNet 1.29 has, 360, 2 and 0.25 s. */
static const struct {
    const char *name, *own; /* own: what it is where it is not set; NULL: that is computed */
    void (*check)(struct gasnet_rank *gr, const char *name);
} variables[] = {
    [SEGSIZE] = { "GASNET_MAX_SEGSIZE", "what the settings of hubrun say", check_bytes },
    [EXIT] = { "GASNET_EXITTIMEOUT", NULL, check_seconds },
    [EXIT_MAX] = { "GASNET_EXITTIMEOUT_MAX", "0.36", check_seconds },
    [EXIT_MIN] = { "GASNET_EXITTIMEOUT_MIN", "0.002", check_seconds },
    [EXIT_FACTOR] = { "GASNET_EXITTIMEOUT_FACTOR", "0.00025", check_seconds },
    [BARRIER] = { "GASNET_BARRIER", "DISSEM", check_barrier },
};

static uint64_t variable_ps(struct gasnet_rank *gr, unsigned i)
{
    const char *text = gasnet_environment(gr, variables[i].name);

    return seconds_ps(gr, variables[i].name, text != NULL ? text : variables[i].own);
}

/* As GASNet 1.29 computes it: min(MAX, MIN + FACTOR * nodes). */
uint64_t gasnet_environment_exit_ps(struct gasnet_rank *gr)
{
    uint64_t most, least, each;

    if (gasnet_environment(gr, variables[EXIT].name) != NULL)
        return variable_ps(gr, EXIT);
    most = variable_ps(gr, EXIT_MAX);
    least = variable_ps(gr, EXIT_MIN);
    each = variable_ps(gr, EXIT_FACTOR);
    if (least >= most || each > (most - least) / gr->host->size)
        return most;
    return least + each * gr->host->size;
}

static void report(struct gasnet_rank *gr, unsigned i)
{
    const char *value = gasnet_environment(gr, variables[i].name), *shown = value;
    char line[256], number[32];

    if (shown == NULL)
        shown = variables[i].own;
    if (shown == NULL) {
        (void)snprintf(number, sizeof(number), "%g",
                       (double)gasnet_environment_exit_ps(gr) * 1e-12);
        shown = number;
    }
    (void)snprintf(line, sizeof(line), "ENV parameter: %s = %s%s", variables[i].name, shown,
                   value != NULL ? "" : " (default)");
    gr->host->process->print(gr->host, line);
}

void gasnet_environment_check(struct gasnet_rank *gr)
{
    bool reports = gr->host->rank == 0 && gasnet_environment(gr, "GASNET_VERBOSEENV") != NULL;
    unsigned n = sizeof(variables) / sizeof(variables[0]);

    for (unsigned i = 0; i < n; i++)
        variables[i].check(gr, variables[i].name);
    for (unsigned i = 0; reports && i < n; i++)
        report(gr, i);
}
