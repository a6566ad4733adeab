#define _POSIX_C_SOURCE 200809L
#include "tools/cmd/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show_progress(void *arg, unsigned done, unsigned total)
{
    (void)arg;
    if (isatty(STDERR_FILENO) == 0)
        return;
    fprintf(stderr, "\r%u of %u simulations%s", done, total, done == total ? "\r\033[K" : "");
    fflush(stderr);
}

static void init_session(struct cmd_session *session, const struct cmd_common *common)
{
    *session = (struct cmd_session){ .ev.protocol = lab_protocol_short };
    lab_site_init(&session->site);
    session->site.roots = common->roots;
    session->ev.pool = lab_pool_create(&(struct lab_pool_config){ .workers = common->jobs,
                                                                  .execute = lab_simulate,
                                                                  .execute_arg = &session->site,
                                                                  .progress = show_progress });
    session->ev.sets = common->sets;
    session->ev.nsets = common->nsets;
    session->ev.faults = common->faults;
    session->ev.nfaults = common->nfaults;
    session->ev.seed = common->seed;
    session->ev.arena = &session->arena;
}

int cmd_execute(const struct cmd_command *command, int argc, char **argv, int failure)
{
    void *options = calloc(1, command->size);
    struct cmd_session session;
    struct sim_error err = { 0 };
    int status;

    SIM_ASSERT(options != NULL);
    if (command->defaults != NULL)
        memcpy(options, command->defaults, command->size);
    cmd_parse(&command->usage, argc, argv, options);
    init_session(&session, options);
    status = command->run(options, &session, &err);
    lab_pool_destroy(session.ev.pool);
    load_arena_fini(&session.arena);
    free(options);
    if (status >= 0)
        return status;
    cmd_fail(&err);
    return failure;
}

int cmd_check_samples(const struct lab_samples *samples, struct sim_error *err)
{
    for (unsigned i = 0; i < samples->n; i++) {
        const struct lab_sample *s = &samples->samples[i];

        if (s->failure != NULL)
            return sim_error_set(err, SIM_ERR_IO, "%s, %s = %s: %s", s->series->name,
                                 s->series->key, s->x, s->failure);
    }
    return SIM_OK;
}
