#define _POSIX_C_SOURCE 200809L /* isatty */
#include "tools/cmd/session.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int progress_width; /* letters that stand there */

void cmd_show_progress(const char *format, ...)
{
    va_list args;
    int n;

    if (isatty(STDERR_FILENO) == 0)
        return;
    fputc('\r', stderr);
    va_start(args, format);
    n = vfprintf(stderr, format, args);
    va_end(args);
    if (n < progress_width) /* what is left of the one before */
        fprintf(stderr, "%*s\r", progress_width - n, "");
    progress_width = n;
    fflush(stderr);
}

static void show_progress(void *arg, unsigned done, unsigned total)
{
    (void)arg;
    if (done < total)
        cmd_show_progress("%u of %u simulations", done, total);
    else
        cmd_show_progress("%s", "");
}

static void init_session(struct cmd_session *session, const struct cmd_common *common)
{
    struct lab_pool_config pool = { .workers = common->jobs,
                                    .execute = lab_simulate,
                                    .execute_arg = &session->site,
                                    .progress = show_progress };

    lab_site_init(&session->site);
    session->site.roots = common->roots;
    session->ev = (struct lab_evaluator){
        .pool = lab_pool_create(&pool),
        .protocol = lab_protocol_short,
        .sets = common->sets,
        .nsets = common->nsets,
        .faults = common->faults,
        .nfaults = common->nfaults,
        .seed = common->seed,
        .arena = &session->arena,
    };
}

void cmd_begin_result(const char *dir, const struct lab_out *out)
{
    lab_out_try_words(out->words, out->nwords);
    lab_out_try_folder(dir);
    cmd_remark_replaced("hubsim", dir, out, "--out DIR");
}

struct call {
    const struct cmd_command *command;
    int argc;
    char **argv;
    int status;
};

static void run_command(void *arg)
{
    struct call *call = arg;
    const struct cmd_command *command = call->command;
    struct cmd_session session = { .status = CMD_OK };

    session.options = load_alloc(&session.arena, command->size);
    if (command->defaults != NULL)
        memcpy(session.options, command->defaults, command->size);
    cmd_parse(&command->usage, call->argc, call->argv, session.options);
    init_session(&session, session.options);
    command->run(&session);
    lab_pool_destroy(session.ev.pool);
    call->status = session.status;
    load_arena_fini(&session.arena);
}

int cmd_execute(const struct cmd_command *command, int argc, char **argv, int failure)
{
    struct call call = { command, argc, argv, failure };
    struct sim_error err = { 0 };

    if (load_attempt(run_command, &call, &err) != SIM_OK)
        cmd_fail(&err);
    return call.status;
}

static void print_prints(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct load_arena *arena = arg;

    printf("%016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %s\n", result->print.visible,
           result->print.wire, result->print.edge, lab_run_text(run, arena));
}

void cmd_print_prints(struct cmd_session *session)
{
    lab_pool_each(session->ev.pool, print_prints, &session->arena);
}

void cmd_check_samples(const struct lab_samples *samples)
{
    for (unsigned i = 0; i < samples->n; i++) {
        const struct lab_sample *s = &samples->samples[i];

        if (s->failure != NULL)
            load_raise(SIM_ERR_IO, "%s, %s = %s: %s", s->series->name, s->series->key, s->x,
                       s->failure);
    }
}

bool cmd_is_experiment(const struct load_tree *tree)
{
    static const char *const keys[] = { "series", "workload", "program", "setup" };
    bool found = false;

    for (size_t i = 0; i < SIM_COUNT(keys); i++)
        found |= load_tree_get(tree, keys[i]) != NULL;
    return found && load_tree_get(tree, "nodes") == NULL;
}
