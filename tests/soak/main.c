/* soak [TLPS [SEED [FAULTS...]]]: see soak.h. By default 10^6 packets, seed 1, faults.yaml. */
#include "soak.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAULTS_MAX 8

/* Sums over all ports of what a statistic is called at each of them. */
struct sums {
    unsigned n;
    struct {
        char name[48];
        uint64_t value;
    } sums[128];
};

static void add(void *arg, const char *path, uint64_t value)
{
    struct sums *s = arg;
    const char *dot = strchr(path, '.'), *name = path;
    unsigned i = 0;

    for (; dot != NULL; dot = strchr(dot + 1, '.'))
        if (strncmp(dot, ".tx.", 4) == 0 || strncmp(dot, ".rx.", 4) == 0 ||
            strncmp(dot, ".errors.", 8) == 0 || strcmp(dot, ".retrains") == 0 ||
            strcmp(dot, ".outages") == 0)
            name = dot + 1;
    if (name == path)
        return;
    while (i < s->n && strncmp(s->sums[i].name, name, sizeof(s->sums[i].name) - 1) != 0)
        i++;
    if (i == sizeof(s->sums) / sizeof(s->sums[0]))
        return;
    if (i == s->n)
        (void)snprintf(s->sums[s->n++].name, sizeof(s->sums[i].name), "%s", name);
    s->sums[i].value += value;
}

int main(int argc, char **argv)
{
    static const char *const all[] = { SOAK_FOLDER "/faults.yaml" };
    const struct soak_config cfg = {
        .folder = SOAK_FOLDER,
        .tlps = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000,
        .seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1,
        .faults = argc > 3 ? (const char *const *)argv + 3 : all,
        .nfaults = argc > 3 ? (unsigned)argc - 3 : 1,
    };
    static struct sums sums;
    struct soak_result result = { 0 };
    struct sim_error err = { 0 };
    int rc;

    rc = soak_run(&cfg, &result, add, &sums, &err);
    if (rc != SIM_OK && result.tlps == 0) {
        (void)fprintf(stderr, "soak: %s\n", err.text);
        return 1;
    }
    for (unsigned i = 0; i < sums.n; i++)
        printf("%-28s %16" PRIu64 "\n", sums.sums[i].name, sums.sums[i].value);
    printf("\n%" PRIu64 " TLPs on the links: %" PRIu64 " writes of %" PRIu64 " bytes, %" PRIu64
           " reads, in %.3f ms simulated, %.1f s of processor time\n",
           result.tlps, result.writes, result.bytes, result.reads, (double)result.end_ps * 1e-9,
           (double)clock() / CLOCKS_PER_SEC);
    printf("fingerprint visible=0x%016" PRIx64 " wire=0x%016" PRIx64 " edge=0x%016" PRIx64 "\n",
           result.print.visible, result.print.wire, result.print.edge);
    if (rc != SIM_OK)
        (void)fprintf(stderr, "soak: %s\n", err.text);
    else
        printf("each came once, in order and unchanged\n");
    return rc != SIM_OK;
}
