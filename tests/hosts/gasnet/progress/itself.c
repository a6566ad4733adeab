/*
 * What messages of a rank to itself take: the software of both ends, and no network.
 *
 *   hubrun --gasnet=tca,entry_ps=1000000 itself 1000
 */
#define _GNU_SOURCE
#include "../extended/common.h"

#include <stdlib.h>
#include <time.h>

enum { ON_REQUEST = 200, ON_DATA, ON_ASK };

#define TIMES 10

static unsigned came;

static void on_request(gasnet_token_t token)
{
    (void)token;
    came++;
}

static void on_data(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token, (void)data;
    came += bytes == 0;
}

static void on_ask(gasnet_token_t token)
{
    came++;
    gasnet_AMReplyShort0(token, ON_REQUEST);
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void one(unsigned kind)
{
    switch (kind) {
    case 0:
        gasnet_AMRequestShort0(me, ON_REQUEST);
        break;
    case 1:
        gasnet_AMRequestMedium0(me, ON_DATA, NULL, 0);
        break;
    case 2:
        gasnet_AMRequestLong0(me, ON_DATA, NULL, 0, segment_of(me));
        break;
    default:
        gasnet_AMRequestShort0(me, ON_ASK);
    }
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { ON_REQUEST, (void (*)())on_request },
                                      { ON_DATA, (void (*)())on_data },
                                      { ON_ASK, (void (*)())on_ask } };
    int64_t entry_ns = argc > 1 ? atol(argv[1]) : 0, clock_ns, start;

    begin(&argc, &argv, table, 3);
    start = now_ns();
    clock_ns = now_ns() - start;
    for (unsigned kind = 0; kind < 4; kind++) {
        int64_t took, entries = kind == 3 ? 4 : 2; /* one is made and one looked at, each way */

        came = 0;
        start = now_ns();
        for (unsigned i = 0; i < TIMES; i++)
            one(kind);
        took = now_ns() - start - clock_ns;
        CHECK(came == TIMES * entries / 2);
        if (!CHECK(llabs((long long)(took - TIMES * entries * entry_ns)) <=
                   2)) /* two clocks, cut off */
            printf("kind %u: %lld ns\n", kind, (long long)took);
    }
    return end("messages of a rank to itself");
}
