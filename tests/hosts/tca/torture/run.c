#include "torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ledger { /* notifications that have to come and were not collected */
    int due[RANKS_MAX][SLOTS][TAGS];
};

enum task_kind { TASK_COLLECT, TASK_CHANNEL, TASK_PIO };

struct task { /* one thing to wait for */
    enum task_kind kind;
    int src, slot, tag; /* a channel stands in slot */
};

struct tasks {
    struct task *task;
    size_t n, room;
};

struct work { /* of this rank in a phase */
    struct random r;
    struct ledger ledger;
    tcaDesc *desc[CHANNELS][LISTS];
    struct older older[CHANNELS][LISTS];
    int next; /* free position in the board's memory */
    int appended[CHANNELS][LISTS], ran[CHANNELS];
    tcaPIOHandle pio;
    int pio_calls;
};

static void count_put(struct torture *t, int src, int channel, const struct put *p, void *arg)
{
    struct ledger *ledger = arg;

    (void)channel;
    if (p->dst == t->me && (p->flags & tcaDMANotify) != 0)
        ledger->due[src][p->slot][p->tag]++;
    if (src == t->me && (p->flags & tcaDMANotifySelf) != 0)
        ledger->due[src][p->slot][p->tag]++;
    if (src == t->me) {
        t->count.puts++;
        t->count.bytes += p->width * p->count;
    }
}

/* Any handle of the node that notifies will do. */
static void collect(struct torture *t, struct work *w, int src, int slot, int tag)
{
    tcaHandle handle = *memory_handle(t, src, (enum buffer)random_below(&w->r, BUFFERS));

    doing(t, "waiting for slot %d tag %d (0x%x) from rank %d", slot, tag,
          (unsigned)plan_tag(t, tag), src);
    TCA(t, tcaWaitDMARecvDesc(&handle, slot, plan_tag(t, tag)));
    w->ledger.due[src][slot][tag]--;
    t->count.notifications++;
}

static void wait_channel(struct torture *t, int ch)
{
    doing(t, "waiting for channel %d", ch);
    TCA(t, tcaWaitDMAC(ch));
}

/* The handles given are gone when the list runs: a library has to take what it needs. */
static void append(struct torture *t, tcaDesc *desc, const struct put *p)
{
    tcaHandle dst = *memory_handle(t, p->dst, p->to), src = *memory_handle(t, t->me, p->from);
    int tag = plan_tag(t, p->tag);

    if (p->rows)
        TCA(t,
            tcaDescSetMemcpy2D(desc, &dst, (off_t)p->dst_off, p->dst_pitch, &src, (off_t)p->src_off,
                               p->src_pitch, p->width, p->count, p->flags, p->slot, tag));
    else
        TCA(t, tcaDescSetMemcpy(desc, &dst, (off_t)p->dst_off, &src, (off_t)p->src_off, p->width,
                                p->flags, p->slot, tag));
    memset(&dst, 0xee, sizeof(dst));
    memset(&src, 0xee, sizeof(src));
}

static void start(struct torture *t, struct work *w, int ch, const struct run *run)
{
    const struct list *list = &t->plan.script[t->me][ch].list[run->list];
    const struct put *last = &list->put[run->upto - 1];

    doing(t, "starting channel %d", ch);
    TCA(t, tcaStartDMADesc(ch));
    if (run->wait == WAIT_CHANNEL)
        wait_channel(t, ch);
    else if (run->wait == WAIT_SELF)
        collect(t, w, t->me, last->slot, last->tag);
}

static void set_desc(struct torture *t, struct work *w, int ch, const struct run *run)
{
    struct script *s = &t->plan.script[t->me][ch];
    tcaDesc **desc = &w->desc[ch][run->list];
    int *appended = &w->appended[ch][run->list];

    if (*desc == NULL)
        *desc = tcaDescNew();
    for (; *appended < run->upto; (*appended)++) {
        doing(t, "appending put %d to list %d of channel %d", *appended, run->list, ch);
        append(t, *desc, &s->list[run->list].put[*appended]);
        if (random_one_in(&w->r, 4))
            refuse_some(t, &w->r, *desc);
    }
    doing(t, "setting list %d on channel %d", run->list, ch);
    TCA(t, tcaDescSet(*desc, ch));
}

static void run_next(struct torture *t, struct work *w, int ch)
{
    struct script *s = &t->plan.script[t->me][ch];
    const struct run *run = &s->run[w->ran[ch]++];

    if (t->plan.family == FAMILY_DESC)
        set_desc(t, w, ch, run);
    else
        older_set(t, &w->older[ch][run->list], ch, &s->list[run->list], &w->next);
    for (int i = 0; i < run->starts; i++)
        start(t, w, ch, run);
}

static void send_pio(struct torture *t, struct work *w)
{
    const struct pio *pio = &t->plan.pio[t->me];
    const struct pio_call *call = &pio->call[w->pio_calls];
    bool last = w->pio_calls == pio->ncalls - 1;
    unsigned char data[PIO_SECTION];

    doing(t, "PIO call %d to rank %d, %zu bytes at %zu", w->pio_calls, pio->dst, call->n,
          call->off);
    if (w->pio_calls++ == 0)
        TCA(t, tcaSetPIORegion(&w->pio, memory_handle(t, pio->dst, PIO_BUF),
                               (off_t)t->me * PIO_SECTION, pio->region));
    if (call->commit || random_one_in(&w->r, 4))
        (void)tcaSendPIOCommit();
    memory_pio_data(t, t->me, call, last, data);
    TCA(t, tcaSendPIO(&w->pio, call->off, data, call->n));
    if (last)
        (void)tcaSendPIOCommit();
    t->count.pio++;
}

static void poll_pio(struct torture *t, int src)
{
    const struct pio *pio = &t->plan.pio[src];
    const struct pio_call *last = &pio->call[pio->ncalls - 1];
    const volatile uint64_t *mark =
        (const volatile uint64_t *)(t->base[PIO_BUF] + t->shift[t->me][PIO_BUF] +
                                    (size_t)src * PIO_SECTION + last->off + last->n - 8);
    uint64_t value = memory_pio_mark(t, src);

    doing(t, "waiting for the PIO mark of rank %d", src);
    while (*mark != value)
        ;
}

/* Ranks drift apart, so that what comes early or late differs. */
static void linger(struct random *r)
{
    double end = MPI_Wtime() + 1e-6 * (double)random_below(r, 30);

    while (MPI_Wtime() < end)
        ;
}

static void run_scripts(struct torture *t, struct work *w)
{
    const struct pio *pio = &t->plan.pio[t->me];
    bool more = true;

    while (more) {
        size_t ch = random_below(&w->r, CHANNELS + 1);

        if (ch < CHANNELS && w->ran[ch] < t->plan.script[t->me][ch].nruns)
            run_next(t, w, (int)ch);
        if (ch == CHANNELS && pio->dst >= 0 && w->pio_calls < pio->ncalls)
            send_pio(t, w);
        if (random_one_in(&w->r, 6))
            linger(&w->r);
        if (random_one_in(&w->r, 6))
            refuse_some(t, &w->r, NULL);
        more = pio->dst >= 0 && w->pio_calls < pio->ncalls;
        for (int i = 0; i < CHANNELS; i++)
            more = more || w->ran[i] < t->plan.script[t->me][i].nruns;
    }
}

static void add(struct torture *t, struct tasks *tasks, struct task task)
{
    if (tasks->n == tasks->room) {
        tasks->room = 2 * tasks->room + 16;
        tasks->task = realloc(tasks->task, tasks->room * sizeof(*tasks->task));
        if (tasks->task == NULL)
            fail(t, "out of memory");
    }
    tasks->task[tasks->n++] = task;
}

static void add_collections(struct torture *t, struct work *w, struct tasks *tasks)
{
    for (int src = 0; src < t->ranks; src++) {
        for (int slot = 0; slot < SLOTS; slot++) {
            for (int tag = 0; tag < TAGS; tag++) {
                int due = w->ledger.due[src][slot][tag];
                int wanted = tag < TAGS_SURE ? due : (int)random_below(&w->r, (size_t)due + 1);

                t->count.stale += (unsigned)(due - wanted);
                for (int i = 0; i < wanted; i++)
                    add(t, tasks, (struct task){ TASK_COLLECT, src, slot, tag });
            }
        }
    }
}

/* Everything that ends this round, in any order. */
static void wait_for_all(struct torture *t, struct work *w)
{
    struct tasks tasks = { NULL, 0, 0 };

    add_collections(t, w, &tasks);
    for (int ch = 0; ch < CHANNELS; ch++)
        add(t, &tasks, (struct task){ TASK_CHANNEL, 0, ch, 0 });
    for (int src = 0; src < t->ranks && t->round == 0; src++)
        if (t->plan.pio[src].dst == t->me)
            add(t, &tasks, (struct task){ TASK_PIO, src, 0, 0 });
    for (; tasks.n > 0; tasks.n--) {
        size_t pick = random_below(&w->r, tasks.n);
        struct task task = tasks.task[pick];

        tasks.task[pick] = tasks.task[tasks.n - 1];
        if (task.kind == TASK_COLLECT)
            collect(t, w, task.src, task.slot, task.tag);
        else if (task.kind == TASK_CHANNEL)
            wait_channel(t, task.slot);
        else
            poll_pio(t, task.src);
    }
    free(tasks.task);
}

/* What is installed runs again, with new data in host memory, without a new Set. */
static void restart(struct torture *t, struct work *w)
{
    for (int ch = 0; ch < CHANNELS; ch++) {
        if (t->plan.script[t->me][ch].nruns == 0)
            continue;
        doing(t, "restarting channel %d", ch);
        TCA(t, tcaStartDMADesc(ch));
    }
    if (random_one_in(&w->r, 2))
        refuse_some(t, &w->r, NULL);
}

static void round_of(struct torture *t, struct work *w)
{
    memset(&w->ledger, 0, sizeof(w->ledger));
    plan_walk(t, count_put, &w->ledger);
    memory_expect(t);
    if (t->round == 0)
        run_scripts(t, w);
    else
        restart(t, w);
    wait_for_all(t, w);
    memory_check(t);
    doing(t, "barrier");
    MPI_Barrier(MPI_COMM_WORLD);
}

void run_phase(struct torture *t)
{
    struct work w = { .r = random_key(t->seed, (uint64_t)t->phase, 100 + (uint64_t)t->me) };
    struct random shared = random_key(t->seed, (uint64_t)t->phase, 3);

    t->round = 0;
    doing(t, "between phases");
    if (t->phase == 0 || random_one_in(&shared, 4))
        memory_renew(t);
    if (random_one_in(&shared, 4))
        memory_refill(t, SRC_GPU, (uint64_t)t->phase * 8);
    plan_make(t);
    for (; t->round <= t->plan.restarts; t->round++) {
        memory_refill(t, SRC_CPU, (uint64_t)t->phase * 8 + (uint64_t)t->round);
        round_of(t, &w);
    }
    for (int ch = 0; ch < CHANNELS; ch++) {
        for (int l = 0; l < LISTS; l++) {
            if (w.desc[ch][l] != NULL)
                TCA(t, tcaDescFree(w.desc[ch][l]));
            older_free(t, &w.older[ch][l]);
        }
    }
    TCA(t, tcaDescFree(tcaDescNew()));
}
