/* "gasnet_attach": segments of unequal size, one of no bytes, and a table of as many handlers as
 * there are numbers, some of which the library gives. */
#include "check.h"

#define GIVEN 60 /* numbers that the program chooses, every second one */
#define ANY   63 /* numbers that the library gives: all that are left */

enum { ON_ANSWER = 249 };

static volatile int answers;
static gasnet_handlerentry_t table[GIVEN + ANY + 1];

static void on_answer(gasnet_token_t token, arg number)
{
    (void)token;
    answers += number;
}

#define HANDLER(N)                                                                                 \
    static void handler_##N(gasnet_token_t token)                                                  \
    {                                                                                              \
        gasnet_AMReplyShort1(token, ON_ANSWER, N);                                                 \
    }
HANDLER(1)
HANDLER(2)
HANDLER(3)
HANDLER(4)
static void (*const handlers[])() = { (void (*)())handler_1, (void (*)())handler_2,
                                      (void (*)())handler_3, (void (*)())handler_4 };

static void make_table(void)
{
    for (int i = 0; i < GIVEN; i++)
        table[i] = (gasnet_handlerentry_t){ (gasnet_handler_t)(128 + 2 * i), handlers[i % 4] };
    for (int i = 0; i < ANY; i++)
        table[GIVEN + i] = (gasnet_handlerentry_t){ 0, handlers[(i + 1) % 4] };
    table[GIVEN + ANY] = (gasnet_handlerentry_t){ ON_ANSWER, (void (*)())on_answer };
}

static int expected(int i)
{
    return (i < GIVEN ? i % 4 : (i - GIVEN + 1) % 4) + 1;
}

/* Attaches with this program's own table, into which numbers are written. */
static int attach(uintptr_t bytes)
{
    static gasnet_handlerentry_t all[GIVEN + ANY + 1 + CHECK_HANDLERS];
    static const gasnet_handlerentry_t own[CHECK_HANDLERS] = {
        { CHECK_FIRST, (void (*)())check_on_arrival },
        { CHECK_FIRST + 1, (void (*)())check_on_release },
        { CHECK_FIRST + 2, (void (*)())check_on_ran },
        { CHECK_FIRST + 3, (void (*)())check_on_counts },
    };
    int status;

    memcpy(all, table, sizeof(table));
    memcpy(all + GIVEN + ANY + 1, own, sizeof(own));
    status = gasnet_attach(all, GIVEN + ANY + 1 + CHECK_HANDLERS, bytes, GASNET_PAGESIZE);
    memcpy(table, all, sizeof(table));
    return status;
}

static void numbers(void)
{
    bool used[256] = { false };

    for (int i = 0; i < GIVEN + ANY; i++) {
        int index = table[i].index;

        if (i >= GIVEN)
            CHECK_OF(i, index >= 128, "gasnet_attach: a number of 128 .. 255 for handler %d", i);
        else
            CHECK_OF(i, index == 128 + 2 * i, "gasnet_attach: number %d stays", 128 + 2 * i);
        CHECK_OF(i,
                 !used[index] && (index < CHECK_FIRST || index >= CHECK_FIRST + CHECK_HANDLERS) &&
                     index != ON_ANSWER,
                 "gasnet_attach: number of handler %d is no other's", i);
        used[index] = true;
    }
}

static void calls(void)
{
    for (int i = 0; i < GIVEN + ANY; i++) {
        answers = 0;
        gasnet_AMRequestShort0(next, table[i].index);
        GASNET_BLOCKUNTIL(answers != 0);
        CHECK_OF(i, answers == expected(i), "gasnet_attach: handler %d is called", i);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv, "2 attach");
    make_table();
    CHECK(attach((uintptr_t)me * GASNET_PAGESIZE) == GASNET_OK, "gasnet_attach: its status");
    segments = calloc(nodes, sizeof(*segments));
    gasnet_getSegmentInfo(segments, (int)nodes);
    for (unsigned i = 0; i < nodes; i++)
        CHECK_OF(i, segments[i].size == (uintptr_t)i * GASNET_PAGESIZE,
                 "gasnet_getSegmentInfo: node %u has a segment of its own size", i);
    numbers();
    calls();
    return check_end();
}
