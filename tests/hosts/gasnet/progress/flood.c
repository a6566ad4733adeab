/*
 * No rank waits for ever, however few entries a ring has: all ranks flood all others with requests
 * of each category that the largest Mediums answer, and no rank polls before it has sent its last
 * one. Then two ranks send to each other alone.
 *
 *   hubrun --gasnet=tca,ring_entries=2 -n 16 flood [REQUESTS]
 */
#include "../extended/common.h"

#include <stdint.h>
#include <stdlib.h>

enum { ON_SHORT = 200, ON_MEDIUM, ON_LONG, ON_ANSWER };

#define PLACE 64u /* bytes of a Long; those of different ranks and numbers do not overlap */

static volatile unsigned came, answered;
static uint8_t *own;
static size_t most;

static uint8_t value(unsigned from, unsigned number, size_t i)
{
    return (uint8_t)((i * 2654435761u + (from * 977 + number) * 40503u) >> 11);
}

static void fill(uint8_t *p, size_t bytes, unsigned from, unsigned number)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = value(from, number, i);
}

static bool same(const uint8_t *p, size_t bytes, unsigned from, unsigned number)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != value(from, number, i))
            return false;
    return true;
}

static void answer(gasnet_token_t token, gasnet_handlerarg_t number)
{
    came++;
    fill(own, most, me, (unsigned)number);
    gasnet_AMReplyMedium2(token, ON_ANSWER, own, most, (gasnet_handlerarg_t)me, number);
}

static void on_short(gasnet_token_t token, gasnet_handlerarg_t number)
{
    answer(token, number);
}

static void on_data(gasnet_token_t token, void *data, size_t bytes, gasnet_handlerarg_t number)
{
    gasnet_node_t from = 0;
    uint8_t seen[PLACE];

    gasnet_AMGetMsgSource(token, &from);
    if (bytes == PLACE && cudaMemcpy(seen, data, bytes, cudaMemcpyDefault) == cudaSuccess)
        data = seen; /* a Long, perhaps in the memory of a GPU */
    CHECK(same(data, bytes, from, (unsigned)number));
    answer(token, number);
}

static void on_answer(gasnet_token_t token, void *data, size_t bytes, gasnet_handlerarg_t from,
                      gasnet_handlerarg_t number)
{
    (void)token;
    CHECK(bytes == most && same(data, bytes, (unsigned)from, (unsigned)number));
    answered++;
}

/* The number says the category, so that each comes to each rank. */
static void request(unsigned to, unsigned number)
{
    static uint8_t out[1u << 16];
    size_t bytes = number % 6 == 1 ? most : 8;

    if (number % 3 == 0) {
        gasnet_AMRequestShort1(to, ON_SHORT, (gasnet_handlerarg_t)number);
    } else if (number % 3 == 1) {
        fill(out, bytes, me, number);
        gasnet_AMRequestMedium1(to, ON_MEDIUM, out, bytes, (gasnet_handlerarg_t)number);
    } else {
        fill(out, PLACE, me, number);
        gasnet_AMRequestLong1(to, ON_LONG, out, PLACE,
                              segment_of(to) + ((size_t)me * 256 + number % 256) * PLACE,
                              (gasnet_handlerarg_t)number);
    }
}

static void begin_flood(void)
{
    all_here();
    came = answered = 0;
    all_here();
}

static void end_flood(unsigned expected)
{
    GASNET_BLOCKUNTIL(came >= expected && answered >= expected);
    all_here();
    CHECK(came == expected && answered == expected);
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = { { ON_SHORT, (void (*)())on_short },
                                                   { ON_MEDIUM, (void (*)())on_data },
                                                   { ON_LONG, (void (*)())on_data },
                                                   { ON_ANSWER, (void (*)())on_answer } };
    unsigned requests = argc > 1 ? (unsigned)atoi(argv[1]) : 8, other;

    begin(&argc, &argv, table, 4);
    most = gasnet_AMMaxMedium() < 4000 ? gasnet_AMMaxMedium() : 4000;
    own = malloc(most);
    other = me ^ 1;
    begin_flood();
    for (unsigned i = 0; i < requests; i++)
        for (unsigned k = 1; k < nodes; k++)
            request((me + k) % nodes, i);
    end_flood(requests * (nodes - 1));
    begin_flood();
    for (unsigned i = 0; i < 8 * requests && other < nodes; i++)
        request(other, i);
    end_flood(other < nodes ? 8 * requests : 0);
    return end("flood");
}
