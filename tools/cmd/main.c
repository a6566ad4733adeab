/* hubsim: a cycle-level simulator of a PCI Express communication hub and its clusters. */
#define _POSIX_C_SOURCE 200809L
#include "parallel/parallel.h"
#include "tools/cmd/session.h"

#include "tools/lab/format/out.h"
#include "tools/lab/format/version.h"
#include "tools/lab/run/stop.h"
#include "tools/load/nearest.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *arguments, *summary;
    const struct cmd_command *command;
    int failure; /* its exit status when it could not do its work */
} commands[] = {
    { "list", "", "experiments, figures, machines, platforms", &cmd_list, CMD_FAILED },
    { "params", "FILE", "every key with value, unit, range and source", &cmd_params, CMD_FAILED },
    { "run", "FILE", "an experiment, or a machine alone: table with bounds", &cmd_run, CMD_FAILED },
    { "check", "RESULT", "a kept result once more: what differs, for CI too", &cmd_check,
      CMD_USAGE },
    { "diff", "A B", "what has changed between two results, and by how much", &cmd_diff,
      CMD_USAGE },
    { "score", "SYSTEM", "published hardware against simulation", &cmd_score, CMD_FAILED },
    { "fit", "SYSTEM", "parameter values from measured rows", &cmd_fit, CMD_FAILED },
    { "figure", "NAME", "picture, SVG and CSV, with the published points", &cmd_figure,
      CMD_FAILED },
    { "sweep", "FILE", "many points, resumable: table and figure", &cmd_sweep, CMD_FAILED },
    { "tune", "FILE...", "the fastest algorithm of a collective at each size", &cmd_tune,
      CMD_FAILED },
    { "explain", "MACHINE", "where each nanosecond of a message went", &cmd_explain, CMD_FAILED },
    { "capture", "FILE", "what a capture of packets (--pcap) holds", &cmd_capture, CMD_FAILED },
    { "topology", "FILE", "hops, bisection, link loads and cycles of a machine", &cmd_topology,
      CMD_FAILED },
};
#define NCOMMANDS SIM_COUNT(commands)

static void print_help(FILE *out)
{
    char tag[32];

    fputs("Usage: hubsim COMMAND [OPTION...] [ARGUMENT]\n"
          "Simulates PCI Express as a network: hubs, cables, hosts, and the programs that\n"
          "run on these.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < NCOMMANDS; i++) {
        snprintf(tag, sizeof(tag), "%s %s", commands[i].name, commands[i].arguments);
        fprintf(out, "  %-15s  %s\n", tag, commands[i].summary);
    }
    fputs("\n`hubsim COMMAND --help` says more. Programs of your own are made by `hubcc`\n"
          "and run by `hubrun`, which have a --help too. Names are looked for in\n"
          "share/hubsim/configs beside bin/, then in HUBSIM_PATH. Pages to read are in\n"
          "share/hubsim/docs.\n",
          out);
}

/** With the commands that there are, unless one of them is near. */
static int refuse_command(const char *name)
{
    struct load_nearest near;

    load_nearest_init(&near, name, false);
    for (size_t i = 0; i < NCOMMANDS; i++)
        load_nearest_offer(&near, commands[i].name);
    fprintf(stderr, "hubsim: %s: unknown command%s", name, near.hint);
    if (near.hint[0] == '\0')
        for (size_t i = 0; i < NCOMMANDS; i++)
            fprintf(stderr, "%s%s", i == 0 ? ": expected " : ", ", commands[i].name);
    fputc('\n', stderr);
    return CMD_USAGE;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int failure_status = CMD_FAILED; /* the exit status of the command that runs */

static void close_standard(void *arg)
{
    (void)arg;
    lab_out_close_standard();
}

/** Whatever the command was, and where it ended: argp exits by itself after --help. */
static void close_output(void)
{
    struct sim_error err = { 0 };

    if (load_attempt(close_standard, NULL, &err) == SIM_OK)
        return;
    cmd_fail(&err);
    _exit(failure_status);
}

/** By the signal that has stopped it, so that a loop of the shell ends as well. */
static int end_as(int status)
{
    int number = lab_stop_signal();

    if (number != 0) {
        (void)fflush(stdout);
        (void)raise(number); /* its default action is back */
    }
    return status;
}

int main(int argc, char **argv)
{
    char name[32];

    lab_out_prepare();
    if (atexit(close_output) != 0)
        return CMD_FAILED;
    argp_err_exit_status = CMD_USAGE;
    if (argc < 2) {
        print_help(stderr);
        return CMD_USAGE;
    }
    if (parallel_processes() > 1) {
        fprintf(stderr,
                "hubsim: %u processes of mpirun: expected one, or hubrun, which divides the "
                "nodes of a machine among them\n",
                parallel_processes());
        return CMD_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h", "help") || strcmp(argv[1], "-?") == 0) {
        print_help(stdout);
        return CMD_OK;
    }
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        printf("hubsim " HUBSIM_VERSION " (%s)\n", hubsim_commit);
        return CMD_OK;
    }
    for (size_t i = 0; i < NCOMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        snprintf(name, sizeof(name), "hubsim %s", commands[i].name);
        argv[1] = name; /* argp prints it in messages */
        failure_status = commands[i].failure;
        return end_as(cmd_execute(commands[i].command, argc - 1, argv + 1, failure_status));
    }
    return refuse_command(argv[1]);
}
