/*
 * A timer ends during each kind of operation of a core. The handler has to run before the
 * program goes on, and at once where the rank sleeps or polls. Each line has the kind and when it
 * ran.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "hosts/driver/driver.h"

#define US_PS        UINT64_C(1000000)
#define BLOCK_BYTES  4096u
#define GPU_BYTES    (1u << 20)
#define NEAR_PS      (US_PS / 10) /* what the handler itself computes takes less */
#define COMPUTE_TURN 100000       /* at least as many basic blocks, of a nanosecond each */

static struct host *h;
static volatile int count;
static volatile uint64_t handled;
static uint64_t *memory;
static volatile uint64_t sum;

static void seen(int sig)
{
    (void)sig;
    handled = h->cpu->time_ps(h);
    count++;
}

static uint64_t timer_start(unsigned us)
{
    const struct itimerval value = { { 0, 0 }, { 0, us } };

    count = 0;
    setitimer(ITIMER_REAL, &value, NULL);
    return h->cpu->time_ps(h) + us * US_PS;
}

static void compute(int turns)
{
    for (int i = 0; i < turns; i++)
        sum += (uint64_t)i;
}

static void store(void)
{
    struct driver *d = driver_of(h);
    uint64_t word = 1;

    h->bus->store(h, &d->window, driver_window(d, d->slot, 0, 0) - d->window_bus, &word, 8);
}

static void store_block(void)
{
    struct driver *d = driver_of(h);

    h->bus->store_block(h, &d->window, driver_window(d, d->slot, 0, 0) - d->window_bus, memory,
                        BLOCK_BYTES);
}

static void load(void)
{
    struct driver *d = driver_of(h);

    (void)h->bus->load(h, &d->gpus[0].bar, d->gpus[0].flush_offset, 4);
}

static void load_block(void)
{
    struct driver *d = driver_of(h);

    h->bus->load_block(h, &d->gpus[0].bar, d->gpus[0].flush_offset, memory, 64);
}

static void fence(void)
{
    store_block();
    h->bus->fence(h);
}

static void spend(void)
{
    h->cpu->spend(h, 3 * US_PS);
}

static void timer(void)
{
    (void)h->cpu->tsc(h);
}

static void computing(void)
{
    compute(COMPUTE_TURN);
    (void)h->cpu->time_ps(h);
}

static void sleeping(void)
{
    (void)h->cpu->sleep(h, HOST_NEVER);
}

static void computing_before_sleeping(void)
{
    compute(COMPUTE_TURN);
    (void)h->cpu->sleep(h, HOST_NEVER);
}

static void polling(void)
{
    h->bus->wait_write(h, memory, 8);
}

static void computing_before_polling(void)
{
    compute(COMPUTE_TURN);
    h->bus->wait_write(h, memory, 8);
}

static void copying(void)
{
    struct host_copy_end to = { .device = true },
                         from = { .addr = h->memory->pointer(h, memory).offset };

    h->gpus->wait(h, 0, h->gpus->copy(h, 0, to, from, GPU_BYTES, 0));
}

static void receiving(void)
{
    struct host_message msg;

    h->net->receive(h, 0, &msg);
}

static const struct {
    const char *name;
    void (*operation)(void);
} kinds[] = {
    { "store", store },        { "store_block", store_block },
    { "load", load },          { "load_block", load_block },
    { "fence", fence },        { "spend", spend },
    { "tsc", timer },          { "computing", computing },
    { "sleep", sleeping },     { "computing and sleep", computing_before_sleeping },
    { "wait_write", polling }, { "computing and wait_write", computing_before_polling },
    { "gpu_wait", copying },   { "net_receive", receiving },
};

/* At least once, and until the timer has ended. */
static void interrupt(unsigned kind)
{
    uint64_t due = timer_start(20), now;
    int before;

    do {
        kinds[kind].operation();
        before = count;
        now = h->cpu->time_ps(h);
    } while (before == 0 && now <= due + NEAR_PS);
    printf("%s: %s\n", kinds[kind].name,
           before == 0                ? "too late"
           : handled <= due + NEAR_PS ? "at once"
                                      : "at its end");
}

int main(void)
{
    h = host_self();
    memory = h->memory->alloc(h, GPU_BYTES, 4096);
    signal(SIGALRM, seen);
    if (h->rank == 1) { /* the message that rank 0 waits for */
        h->cpu->sleep(h, 100000 * US_PS);
        h->net->send(h, 0, 0, "", 1);
        return 0;
    }
    for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        interrupt(kind);
    return 0;
}
