/*
 * Names that programs for releases of GASNet 1 use beside the specification's, by gasnet.h and
 * gasnet_tools.h alone: requests and replies that count their arguments, teams, words of a
 * configuration.
 */
#include "common.h"

#include <gasnet_tools.h>

enum { ON_NONE = 200, ON_MANY, ON_DATA, ON_REPLY, ON_ANSWER };

static GASNETI_UNUSED int unused;
static volatile unsigned replies, sums;
static volatile size_t got;

static void on_none(gasnet_token_t token)
{
    gasnet_AMReplyShort(token, ON_REPLY, 2, 3, 4);
}

#define ELEVEN                                                                                     \
    gasnet_handlerarg_t a1, gasnet_handlerarg_t a2, gasnet_handlerarg_t a3,                        \
        gasnet_handlerarg_t a4, gasnet_handlerarg_t a5, gasnet_handlerarg_t a6,                    \
        gasnet_handlerarg_t a7, gasnet_handlerarg_t a8, gasnet_handlerarg_t a9,                    \
        gasnet_handlerarg_t a10, gasnet_handlerarg_t a11

static void on_many(gasnet_token_t token, gasnet_handlerarg_t a0, ELEVEN, gasnet_handlerarg_t a12,
                    gasnet_handlerarg_t a13, gasnet_handlerarg_t a14, gasnet_handlerarg_t a15)
{
    const gasnet_handlerarg_t all[] = { a0, a1, a2,  a3,  a4,  a5,  a6,  a7,
                                        a8, a9, a10, a11, a12, a13, a14, a15 };

    for (int i = 0; i < 16; i++)
        CHECK(all[i] == i * i);
    gasnet_AMReplyShort(token, ON_REPLY, 1 + 1, 3, 4);
}

static void on_data(gasnet_token_t token, void *data, size_t bytes, gasnet_handlerarg_t a)
{
    CHECK(bytes == 8 && a == 7 && memcmp(data, "bytes...", 8) == 0);
    gasnet_AMReplyMedium(token, ON_ANSWER, data, bytes, 0);
}

static void on_reply(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b)
{
    (void)token;
    sums += (unsigned)(a + b);
    replies++;
}

static void on_answer(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    CHECK(memcmp(data, "bytes...", bytes) == 0);
    got += bytes;
    replies++;
}

static uint64_t value_at(const void *p, size_t bytes)
{
    GASNETT_VALUE_RETURN(p, bytes);
}

static void messages(unsigned next)
{
    static char text[] = "bytes...";
    void *far = segment_of(next);

    gasnet_AMRequestShort(next, ON_NONE, 0);
    gasnet_AMRequestShort(next, ON_MANY, 16, 0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169,
                          196, 225);
    gasnet_AMRequestMedium(next, ON_DATA, text, 8, 1, 7);
    gasnet_AMRequestLong(next, ON_DATA, text, 8, far, 1, 7);
    GASNET_BLOCKUNTIL(replies == 4);
    gasnet_AMRequestLongAsync(next, ON_DATA, text, 8, far, 1, 7);
    GASNET_BLOCKUNTIL(replies == 5);
    CHECK(sums == 14 && got == 24);
}

static void tools(void)
{
    uint64_t value = 0, before = gasnett_gettimeofday_us();

    GASNETT_VALUE_ASSIGN(&value, 0x1234567, 2);
    CHECK(value == 0x4567 && value_at(&value, 1) == 0x67);
    GASNETT_FAST_ALIGNED_MEMCPY(&value, &before, sizeof(value));
    CHECK(value == before);
    GASNETT_FAST_UNALIGNED_MEMCPY((char *)&value + 1, &before, 1);
    CHECK(value_at((char *)&value + 1, 1) == (before & 0xff));
    CHECK(gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);
    CHECK(gasnett_gettimeofday_us() >= before);
    CHECK(strcmp(_STRINGIFY(GASNETT_PTR_CONFIG), "64bit") == 0);
    CHECK(GASNETT_MAX_THREADS >= 1 && HAVE_PTHREAD_H && HAVE_MMAP);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { ON_NONE, (void (*)())on_none },
                                      { ON_MANY, (void (*)())on_many },
                                      { ON_DATA, (void (*)())on_data },
                                      { ON_REPLY, (void (*)())on_reply },
                                      { ON_ANSWER, (void (*)())on_answer } };
    gasnet_team_handle_t team;

    begin(&argc, &argv, table, 5);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    all_here();
    messages((me + 1) % nodes);
    team = gasnet_coll_team_split(GASNET_TEAM_ALL, me % 2, me / 2, &segments[me]);
    gasnete_coll_teambarrier_notify(team);
    gasnete_coll_teambarrier_wait(team);
    gasnete_coll_teambarrier(team);
    tools();
    return end("names of releases");
}
