/* The end of a job: by gasnet_exit(), by exit() or by a return from main(). */
#include "hosts/gasnet/core/exit.h"

#include "hosts/gasnet/core/message.h"
#include "hosts/gasnet/core/settings.h"

/* Each microsecond: about what a message takes, so that few looks are in vain and none is late. */
#define EXIT_LOOK_PS UINT64_C(1000000)

static void note_exit(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                      uint32_t bytes, const int32_t *args, unsigned nargs)
{
    (void)token;
    (void)data;
    (void)bytes;
    (void)args;
    (void)nargs;
    gr->exited++;
}

static uint64_t now_ps(struct gasnet_rank *gr)
{
    return gr->host->cpu->time_ps(gr->host);
}

static bool has_time(struct gasnet_rank *gr)
{
    return now_ps(gr) < gr->exit_end_ps;
}

static void sleep_a_look(struct gasnet_rank *gr)
{
    gr->host->cpu->sleep(gr->host, now_ps(gr) + EXIT_LOOK_PS);
}

static _Noreturn void end_all(struct gasnet_rank *gr)
{
    for (;;)
        gr->host->process->abort(gr->host, gr->exit_code); /* does not return */
}

/* There may be more than the last time has taken. */
static void look_before_exit(struct gasnet_rank *gr, bool sleeps)
{
    (void)gr->transport->ops->poll(gr->transport);
    gasnet_take(gr);
    if (sleeps)
        sleep_a_look(gr);
}

/* A wait for the transport would last until the other rank does something, which it may never do.
 */
void gasnet_exit_pause(struct gasnet_rank *gr, bool idle)
{
    if (!has_time(gr))
        end_all(gr);
    if (!idle)
        return;
    (void)gr->transport->ops->poll(gr->transport);
    sleep_a_look(gr);
}

/* Others may never look, so nothing is waited for but their own exit, and that not for long. */
static bool all_exit(struct gasnet_rank *gr)
{
    const struct gasnet_head head = { .category = GASNET_SHORT, .handler = GASNET_SYS_EXIT };
    const struct transport_entry entry = { .fifo = TRANSPORT_REQUEST,
                                           .head = &head,
                                           .head_bytes = offsetof(struct gasnet_head, args) };
    struct transport *t = gr->transport;
    struct host *h = gr->host;
    unsigned others = h->size - 1, mine = h->rank == 0 ? others : 1, announced = 0;

    gr->exit_end_ps = now_ps(gr) + gr->exit_wait_ps;
    while (announced < mine && has_time(gr)) {
        /* Rank 0 says so when all others have said it. */
        bool ready = h->rank != 0 || gr->exited == others;

        while (ready && announced < mine &&
               t->ops->append(t, h->rank == 0 ? announced + 1 : 0, &entry))
            announced++;
        gasnet_hand_over(gr);
        look_before_exit(gr, announced < mine);
    }
    while (h->rank != 0 && gr->exited == 0 && has_time(gr))
        look_before_exit(gr, true);
    return announced == mine && (h->rank == 0 || gr->exited > 0);
}

/* @return whether the rank may end by itself: all others do. */
static bool leave_job(struct gasnet_rank *gr, int code)
{
    bool all = gr->phase == GASNET_IS_ATTACHED && gr->level == GASNET_IN_PROGRAM;

    gr->phase = GASNET_IS_EXITING;
    gr->exit_code = code;
    return all && all_exit(gr);
}

void gasneti_exit(int code, void (*end)(int))
{
    struct gasnet_visit v =
        gasnet_enter("gasnet_exit", __builtin_return_address(0), GASNET_NEEDS_INIT);
    bool all = leave_job(v.gr, code);

    gasnet_leave(&v);
    if (all)
        end(code); /* the program's exit(), which does not return */
    end_all(v.gr);
}

void gasneti_ended(int code)
{
    struct gasnet_rank *gr = gasnet_self();
    struct gasnet_visit v;
    bool all;

    if (gr == NULL || gr->phase == GASNET_IS_EXITING)
        return;
    v = gasnet_enter("exit", NULL, GASNET_NEEDS_INIT);
    all = leave_job(gr, code);
    gasnet_leave(&v);
    if (!all)
        end_all(gr);
}

void gasnet_exit_init(struct gasnet_rank *gr)
{
    gr->exit_wait_ps = gasnet_environment_exit_ps(gr);
    gasnet_system_set(gr, GASNET_SYS_EXIT, note_exit);
}
