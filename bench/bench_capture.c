#define _POSIX_C_SOURCE 200809L /* mkstemp */
/*
 * What a capture of all links costs: a run that moves 1 MB each way between two nodes by DMA,
 * alone and with --pcap. One operation is one such run.
 */
#include "bench.h"
#include "tools/lab/run/simulate.h"

#include <stdlib.h>
#include <unistd.h>

struct scenario {
    struct lab_site site;
    struct lab_run run;
    FILE *out;
};

static void run_once(void *arg)
{
    struct scenario *s = arg;

    rewind(s->out);
    lab_simulate(&s->site, &s->run, s->out);
}

static uint64_t simulate(void *arg)
{
    struct sim_error err = { 0 };

    if (load_attempt(run_once, arg, &err) != SIM_OK) {
        fprintf(stderr, "bench_capture: %s\n", err.text);
        exit(1);
    }
    return 1;
}

int main(int argc, char **argv)
{
    bool smoke = bench_smoke(argc, argv);
    char path[] = "/tmp/bench_capture_XXXXXX";
    int file = mkstemp(path);
    struct scenario off = { .run = { .machine = "two-node",
                                     .platform = "hapacs-tca",
                                     .program = "streams",
                                     .nargs = 5,
                                     .args = { smoke ? "bytes=4096" : "bytes=1048576",
                                               "mode=dma-chain-internal", "channels=4",
                                               "both_ways=on", "repeats=4" },
                                     .nranks = 2,
                                     .nodes = { 0, 1 },
                                     .seed = 1 },
                            .out = tmpfile() };
    struct scenario on;
    struct bench_case cases[] = { { .name = "off", .run = simulate, .arg = &off },
                                  { .name = "--pcap", .run = simulate, .arg = &on } };
    long bytes;

    if (file < 0 || off.out == NULL)
        return 1;
    lab_site_init(&off.site);
    on = off;
    on.site.watch.pcap = path;
    bench_compare(cases, 2, smoke ? 1 : 15);
    bytes = lseek(file, 0, SEEK_END);
    for (unsigned i = 0; i < 2; i++)
        printf("%-8s %10.3f ms %6.2f\n", cases[i].name, cases[i].ns / 1e6, cases[i].ratio);
    printf("%ld bytes\n", bytes);
    (void)close(file);
    (void)unlink(path);
    (void)fclose(off.out);
    return 0;
}
