/* "Handler-safe locks" and "No-interrupt sections". */
#include "check.h"

enum { ON_COUNT = 128, ON_COUNTED, ON_QUERY };

#define ROUNDS 50

static gasnet_hsl_t fixed = GASNET_HSL_INITIALIZER;
static gasnet_hsl_t made, pair[2];
static volatile int counted, answered, inside;

/* What the lock guards is never seen half done. */
static int first, second;

static void on_count(gasnet_token_t token)
{
    gasnet_hsl_lock(&fixed);
    CHECK(first == second, "gasnet_hsl_lock: a handler sees what another one has completed");
    first++;
    second++;
    gasnet_hsl_unlock(&fixed);
    counted++;
    gasnet_AMReplyShort0(token, ON_COUNTED);
}

static void on_counted(gasnet_token_t token)
{
    (void)token;
    gasnet_hsl_lock(&made);
    answered++;
    gasnet_hsl_unlock(&made);
}

/* What is legal in a handler. */
static void on_query(gasnet_token_t token)
{
    gasnet_node_t from = nodes;

    CHECK(gasnet_mynode() == me && gasnet_nodes() == nodes,
          "Restrictions on handlers: gasnet_mynode and gasnet_nodes are legal");
    gasnet_hold_interrupts();
    gasnet_hold_interrupts(); /* no effect there, so it does not count */
    gasnet_resume_interrupts();
    CHECK(true, "gasnet_hold_interrupts: legal in a handler, without effect");
    gasnet_hsl_lock(&pair[0]);
    CHECK(gasnet_hsl_trylock(&pair[1]) == GASNET_OK, "gasnet_hsl_trylock: in a handler");
    gasnet_hsl_unlock(&pair[1]);
    gasnet_hsl_unlock(&pair[0]);
    CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK && from < nodes,
          "gasnet_AMGetMsgSource: in a handler that does not reply");
    inside++;
}

static void states(void)
{
    gasnet_hsl_init(&made);
    CHECK(gasnet_hsl_trylock(&made) == GASNET_OK, "gasnet_hsl_trylock: a free one is taken");
    CHECK(gasnet_hsl_trylock(&fixed) == GASNET_OK, "GASNET_HSL_INITIALIZER: it is free");
    CHECK(gasnet_hsl_trylock(&made) == GASNET_ERR_NOT_READY,
          "gasnet_hsl_trylock: a taken one is not ready");
    gasnet_hsl_unlock(&fixed);
    gasnet_hsl_unlock(&made);
    CHECK(gasnet_hsl_trylock(&made) == GASNET_OK, "gasnet_hsl_unlock: it is free again");
    gasnet_hsl_unlock(&made);
    gasnet_hsl_destroy(&made);
    gasnet_hsl_init(&made);
    gasnet_hsl_lock(&made);
    gasnet_hsl_unlock(&made);
    CHECK(true, "gasnet_hsl_init: again after gasnet_hsl_destroy()");
    for (int i = 0; i < 2; i++)
        gasnet_hsl_init(&pair[i]);
    for (int i = 0; i < 4; i++) {
        gasnet_hsl_lock(&pair[i % 2]);
        gasnet_hsl_lock(&pair[1 - i % 2]);
        gasnet_hsl_unlock(&pair[1 - i % 2]);
        gasnet_hsl_unlock(&pair[i % 2]);
    }
    CHECK(true, "gasnet_hsl_unlock: in reverse order");
}

static void many(void)
{
    static gasnet_hsl_t hsls[100];

    for (int i = 0; i < 100; i++)
        gasnet_hsl_init(&hsls[i]);
    for (int i = 0; i < 100; i++)
        gasnet_hsl_lock(&hsls[i]);
    for (int i = 99; i >= 0; i--)
        gasnet_hsl_unlock(&hsls[i]);
    for (int i = 0; i < 100; i++)
        gasnet_hsl_destroy(&hsls[i]);
    CHECK(true, "gasnet_hsl_lock: 100 at once");
}

static void shared(void)
{
    counted = answered = 0;
    check_barrier();
    for (int i = 0; i < ROUNDS; i++) {
        gasnet_AMRequestShort0((me + (unsigned)i) % nodes, ON_COUNT);
        gasnet_hsl_lock(&fixed);
        CHECK(first == second, "gasnet_hsl_lock: the program sees what handlers have completed");
        first += 10;
        second += 10;
        gasnet_hsl_unlock(&fixed);
    }
    GASNET_BLOCKUNTIL(answered == ROUNDS);
    check_barrier();
    GASNET_BLOCKUNTIL(counted == ROUNDS);
    CHECK(first == ROUNDS * 11 && second == first, "gasnet_hsl_lock: no count is lost");
}

/* No handler runs in the section, whatever comes, and all do behind it. */
static void sections(void)
{
    int before;

    check_barrier();
    inside = 0;
    check_barrier();
    for (unsigned i = 0; i < nodes; i++)
        if (i != me)
            gasnet_AMRequestShort0(i, ON_QUERY);
    gasnet_hold_interrupts();
    before = inside;
    for (int i = 0; i < 100; i++) {
        gasnet_hsl_lock(&made);
        CHECK(gasnet_mynode() == me && gasnet_nodes() == nodes,
              "No-interrupt sections: gasnet_mynode and gasnet_nodes are legal");
        gasnet_hsl_unlock(&made);
    }
    CHECK(inside == before, "No-interrupt sections: no handler runs");
    gasnet_resume_interrupts();
    GASNET_BLOCKUNTIL(inside == (int)nodes - 1);
    CHECK(inside == (int)nodes - 1, "gasnet_resume_interrupts: handlers run again");
    gasnet_hold_interrupts();
    gasnet_resume_interrupts();
    gasnet_AMRequestShort0(me, ON_QUERY);
    GASNET_BLOCKUNTIL(inside == (int)nodes);
    CHECK(inside == (int)nodes, "gasnet_hold_interrupts: again");
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = { { ON_COUNT, (void (*)())on_count },
                                                   { ON_COUNTED, (void (*)())on_counted },
                                                   { ON_QUERY, (void (*)())on_query } };

    check_begin(&argc, &argv, "6 locks", table, 3);
    states();
    many();
    shared();
    sections();
    return check_end();
}
