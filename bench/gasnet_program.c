/* bench_gasnet's program: gasnet_program ROUNDS [short|barrier|nothing|alone] [SEGMENT_BYTES].
 * Shorts of rank 0 that rank 1 answers, barriers of all ranks, or nothing but a segment; alone: no
 * GASNet, but all programs at once. */
#include <gasnet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUEST = 200, REPLY };

static volatile int asked, answered;

static void on_request(gasnet_token_t token)
{
    asked++;
    gasnet_AMReplyShort0(token, REPLY);
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    answered++;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void shorts(int rounds)
{
    if (gasnet_mynode() == 1)
        GASNET_BLOCKUNTIL(asked == rounds);
    for (int i = 0; i < rounds && gasnet_mynode() == 0; i++) {
        gasnet_AMRequestShort0(1, REQUEST);
        GASNET_BLOCKUNTIL(answered == i + 1);
    }
}

int main(int argc, char **argv)
{
    const gasnet_handlerentry_t table[] = { { REQUEST, (void (*)())on_request },
                                            { REPLY, (void (*)())on_reply } };
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    const char *what = argc > 2 ? argv[2] : "short";
    uintptr_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 65536;

    if (what[0] == 'a') {
        sleep(1); /* simulated: the others begin meanwhile */
        return 0;
    }
    gasnet_init(&argc, &argv);
    gasnet_attach((gasnet_handlerentry_t *)table, 2, bytes, 0);
    barrier();
    if (what[0] == 's')
        shorts(rounds);
    for (int i = 0; i < rounds && what[0] == 'b'; i++)
        barrier();
    barrier();
    gasnet_exit(0);
}
