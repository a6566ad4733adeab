/* "gasnet_exit": ways to end a job, what its status is then, and what is printed. */
#define _DEFAULT_SOURCE /* raise, setitimer */
#include "cases.h"

#include <signal.h>
#include <sys/time.h>

enum { ON_EXIT = 128, ON_ASK, ON_EXIT_REPLY };

static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;

static void on_exit_request(gasnet_token_t token, arg code)
{
    (void)token;
    gasnet_exit(code);
}

static void on_ask(gasnet_token_t token, arg code)
{
    gasnet_AMReplyShort1(token, ON_EXIT_REPLY, code);
}

static void on_exit_reply(gasnet_token_t token, arg code)
{
    (void)token;
    gasnet_exit(code);
}

static void all_zero(void)
{
    printf("node %u ends", me); /* without a newline, so exit has to print it */
    gasnet_exit(0);
}
static void all_seven(void)
{
    gasnet_exit(7);
}
static void first_while_others_poll(void)
{
    if (me == 0)
        gasnet_exit(5);
    serve();
}
static void last_while_others_block(void)
{
    if (me == nodes - 1)
        gasnet_exit(6);
    GASNET_BLOCKUNTIL(me == nodes);
}
static void first_while_others_compute(void)
{
    volatile unsigned x = 0;

    if (me == 0)
        gasnet_exit(4);
    for (int i = 0; i < 1000; i++)
        x += (unsigned)i;
    check_barrier();
}
static void first_while_others_flood(void)
{
    if (me == 0)
        gasnet_exit(3);
    for (;;)
        gasnet_AMRequestShort2(next, CHECK_FIRST + 3, 0, 0);
}
static void in_request(void)
{
    if (me == 0)
        gasnet_AMRequestShort1(next, ON_EXIT, 8);
    serve();
}
static void in_reply(void)
{
    if (me == 0)
        gasnet_AMRequestShort1(next, ON_ASK, 9);
    serve();
}
static void at_once_by_requests(void)
{
    for (unsigned i = 0; i < nodes; i++)
        gasnet_AMRequestShort1(i, ON_EXIT, 10);
    serve();
}
static void from_main(void) {}
static void by_exit(void)
{
    exit(11);
}
static void in_section(void)
{
    if (me == 0) {
        gasnet_hold_interrupts();
        gasnet_exit(12);
    }
    serve();
}
static void under_lock(void)
{
    if (me == 0) {
        gasnet_hsl_lock(&hsl);
        gasnet_exit(13);
    }
    serve();
}
static void first_returns(void)
{
    if (me == 0)
        exit(14);
    serve();
}
static void by_signal(void)
{
    if (me == nodes - 1)
        raise(SIGSEGV);
    serve();
}
static void by_fault(void)
{
    if (me == nodes - 1)
        *(volatile int *)8 = 1;
    serve();
}
static void by_alarm(void)
{
    const struct itimerval soon = { { 0, 0 }, { 0, 300 } };

    if (me == 0)
        setitimer(ITIMER_REAL, &soon, NULL);
    GASNET_BLOCKUNTIL(me == nodes);
}
static void by_abort(void)
{
    if (me == 0)
        abort();
    serve();
}
static void largest_code(void)
{
    gasnet_exit(255);
}
static void before_attach(void)
{
    check_init(&(int){ 0 }, &(char **){ NULL }, "0");
    gasnet_exit(15);
}
static void one_before_attach(void)
{
    check_init(&(int){ 0 }, &(char **){ NULL }, "0");
    if (me == 0)
        gasnet_exit(16);
    gasnet_attach(NULL, 0, 0, 0);
    serve();
}
static void after_output(void)
{
    printf("printed by %u\n", me);
    fprintf(stderr, "and on stderr");
    if (me == 0)
        gasnet_exit(17);
    serve();
}
static void by_zero_while_others_wait(void) /* any node may end all, and its code is the job's */
{
    if (me == 0)
        gasnet_exit(0);
    check_barrier();
}
/* Without a call, and without time that passes. */
static void spin_but_last(void)
{
    if (me != nodes - 1)
        for (;;)
            ;
}
static void last_while_others_spin(void)
{
    check_barrier();
    spin_but_last();
    gasnet_exit(19);
}
static void last_returns_while_others_spin(void)
{
    check_barrier();
    spin_but_last();
    exit(20);
}
static void of_no_rest(void) /* messages are under way that no rank will ever take */
{
    for (int i = 0; i < 30; i++)
        gasnet_AMRequestShort1(next, ON_EXIT, 18);
    gasnet_exit(18);
}

#define ANY ".*" /* nothing that is looked at */

static const struct one_case all[] = {
    { 1, 1, 0, "node 0 ends", "all, by 0: output is flushed", all_zero, false },
    { 2, 1, 7, ANY, "all, by 7", all_seven, false },
    { 3, 1, 5, ANY, "one, while others poll", first_while_others_poll, false },
    { 4, 1, 6, ANY, "the last one, while others wait for a condition", last_while_others_block,
      false },
    { 5, 1, 4, ANY, "one, while others wait for it", first_while_others_compute, false },
    { 6, 1, 3, ANY, "one, while others flood each other", first_while_others_flood, false },
    { 7, 1, 8, ANY, "in a handler of a request", in_request, false },
    { 8, 1, 9, ANY, "in a handler of a reply", in_reply, false },
    { 9, 1, 10, ANY, "in handlers of all, by all", at_once_by_requests, false },
    { 10, 1, 0, ANY, "return from main", from_main, false },
    { 11, 1, 11, ANY, "exit() of all", by_exit, false },
    { 12, 1, 12, ANY, "in a no-interrupt section", in_section, false },
    { 13, 1, 13, ANY, "under an HSL", under_lock, false },
    { 14, 1, 14, ANY, "exit() of one, while others poll", first_returns, false },
    { 15, 1, 139, ANY, "a crash of one, while others poll", by_signal, false },
    { 16, 1, 134, ANY, "abort() of one, while others poll", by_abort, false },
    { 17, 1, 255, ANY, "the largest code", largest_code, false },
    { 18, 1, 15, ANY, "before gasnet_attach(), all", before_attach, true },
    { 19, 1, 16, ANY, "before gasnet_attach(), one while others attach", one_before_attach, true },
    { 20, 1, 17, "printed by 0", "with output before it", after_output, false },
    { 21, 1, 18, ANY, "with messages under way", of_no_rest, false },
    { 22, 1, 139, "memory access fault", "a memory fault of one, while others poll", by_fault,
      false },
    { 23, 1, 142, ANY, "an alarm of one, while all wait", by_alarm, false },
    { 24, 2, 0, "rank 0 ended all [0-9]+ ranks with status 0 at ",
      "one, by 0, while others wait for it", by_zero_while_others_wait, false },
    { 25, 2, 19, "rank 0 on node 0 at .* us: computes without a call",
      "the last one, while others spin", last_while_others_spin, false },
    { 26, 2, 20, "rank 0 on node 0 at .* us: computes without a call",
      "exit() of the last one, while others spin", last_returns_while_others_spin, false },
};

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = { { ON_EXIT, (void (*)())on_exit_request },
                                                   { ON_ASK, (void (*)())on_ask },
                                                   { ON_EXIT_REPLY, (void (*)())on_exit_reply } };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]), table, 3);
}
