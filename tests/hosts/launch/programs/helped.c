/*
 * What the helper of rank 0 does, by name: "alarm" has the rank ended by a timer meanwhile, "exit"
 * ends it, "poll" looks at memory that a device may write. Rank 1 rings it, and goes on for longer
 * than rank 0 could.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "hosts/driver/driver.h"

#define US_PS UINT64_C(1000000)

static struct host *h;
static volatile uint64_t *word;

static bool wanted(void *arg)
{
    (void)arg;
    return true;
}

static void work_and_exit(void *arg)
{
    (void)arg;
    h->cpu->spend(h, 100 * US_PS);
    exit(3);
}

static void look_and_exit(void *arg)
{
    int turns = 0;

    (void)arg;
    while (turns < 1000 && *word == 0)
        turns++;
    exit(turns == 1000 ? 4 : 5);
}

static const struct {
    const char *name;
    void (*run)(void *arg);
    unsigned alarm_us;
} kinds[] = {
    { "alarm", work_and_exit, 70 },
    { "exit", work_and_exit, 0 },
    { "poll", look_and_exit, 0 },
};

static int helped(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct host_helper helper = { wanted, kinds[i].run, NULL };
        const struct itimerval value = { { 0, 0 }, { 0, kinds[i].alarm_us } };

        if (strcmp(name, kinds[i].name) != 0)
            continue;
        h->cpu->set_helper(h, &helper);
        setitimer(ITIMER_REAL, &value, NULL);
        h->cpu->spend(h, 1000 * US_PS);
    }
    return 1;
}

int main(int argc, char **argv)
{
    h = host_self();
    word = h->memory->alloc(h, sizeof(*word), sizeof(*word));
    *word = 0;
    if (h->rank == 0)
        return helped(argc > 1 ? argv[1] : "");
    h->cpu->spend(h, 20 * US_PS);
    h->net->send(h, 0, 0, "", 1);
    h->cpu->spend(h, 2000 * US_PS);
    puts("after rank 0");
    return 0;
}
