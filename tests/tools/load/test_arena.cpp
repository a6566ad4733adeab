/* Errors that are raised, and what arenas give back on the way. */
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/attempt.h"

namespace
{

using Order = std::vector<int>;

class Arena : public testing::Test
{
  protected:
    struct Thing {
        Order *ended;
        int number;
    };
    /** It is in `ended` when the arena has ended. */
    void own(load_arena *arena, int number)
    {
        ASSERT_LT((size_t)number, std::size(things));
        things[number] = { &ended, number };
        EXPECT_EQ(&things[number], load_own(arena, undo, &things[number]));
    }
    static void undo(void *thing)
    {
        const Thing *t = static_cast<Thing *>(thing);

        t->ended->push_back(t->number);
    }
    Thing things[10];
    Order ended;
    sim_error err = {};
};

using Raise = Arena;

TEST_F(Raise, LeavesItsCodeAndItsMessage)
{
    bool after = false;

    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] {
                  load_raise(SIM_ERR_IO, "%s: %u", "disk", 7u);
                  after = true;
              }));
    EXPECT_FALSE(after);
    EXPECT_EQ(SIM_ERR_IO, err.code);
    EXPECT_STREQ("disk: 7", err.text);
    EXPECT_EQ(SIM_ERR_CONFIG, attempt(nullptr, [] { load_raise(SIM_ERR_CONFIG, "unread"); }));
}

TEST_F(Raise, IsNotNeeded)
{
    int done = 0;

    EXPECT_EQ(SIM_OK, attempt(&err, [&] { done++; }));
    EXPECT_EQ(1, done);
    EXPECT_EQ(SIM_OK, err.code);
}

TEST_F(Raise, LeavesNestedAttemptsOneByOne)
{
    sim_error inner = {};
    int code = SIM_OK;

    EXPECT_EQ(SIM_ERR_CONFIG, attempt(&err, [&] {
                  code = attempt(&inner, [] { load_raise(SIM_ERR_IO, "inner"); });
                  EXPECT_EQ(SIM_OK, load_error()->code);
                  load_raise(SIM_ERR_CONFIG, "outer");
              }));
    EXPECT_EQ(SIM_ERR_IO, code);
    EXPECT_STREQ("inner", inner.text);
    EXPECT_STREQ("outer", err.text);
}

TEST_F(Raise, GoesToTheOuterAttemptWhenTheInnerOneHasEnded)
{
    int after = 0;

    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] {
                  EXPECT_EQ(SIM_OK, attempt(nullptr, [] {}));
                  after++;
                  load_raise(SIM_ERR_IO, "outer");
              }));
    EXPECT_EQ(1, after);
}

/* Something is always to be done after a step, which may fail as well. */
TEST_F(Raise, KeepsTheFirstMessage)
{
    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [] {
                  int code = attempt(load_error(), [] { load_raise(SIM_ERR_IO, "first"); });

                  EXPECT_EQ(SIM_ERR_IO, code);
                  load_raise(SIM_ERR_CONFIG, "second");
              }));
    EXPECT_EQ(SIM_ERR_IO, err.code);
    EXPECT_STREQ("first", err.text);
}

TEST_F(Raise, HasRoomForOneMessage)
{
    const std::string longer(2 * sizeof(err.text), 'x');

    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] { load_raise(SIM_ERR_IO, "%s", longer.c_str()); }));
    EXPECT_EQ(longer.substr(0, sizeof(err.text) - 1), err.text);
}

TEST_F(Raise, StaysInItsThread)
{
    load_arena arena = {};

    EXPECT_EQ(SIM_OK, attempt(&err, [&] {
                  own(&arena, 0);
                  std::thread other([this] {
                      sim_error there = {};

                      EXPECT_EQ(SIM_ERR_IO, attempt(&there, [this] {
                                    load_arena inside = {};

                                    own(&inside, 1);
                                    load_raise(SIM_ERR_IO, "there");
                                }));
                      EXPECT_STREQ("there", there.text);
                  });
                  other.join();
                  EXPECT_EQ(Order{ 1 }, ended);
              }));
    EXPECT_EQ(SIM_OK, err.code);
    load_arena_fini(&arena);
}

TEST_F(Raise, NeedsAnAttempt)
{
    EXPECT_DEATH(load_raise(SIM_ERR_IO, "nobody"), "innermost != NULL");
    EXPECT_EQ(SIM_OK, attempt(nullptr, [] {}));
    EXPECT_DEATH(load_raise(SIM_ERR_IO, "nobody"), "innermost != NULL");
}

/* ---- functions of the simulator ---- */

using Check = Arena;

int fail(sim_error *err)
{
    return sim_error_set(err, SIM_ERR_LIMIT, "too many");
}

TEST_F(Check, LetsSuccessPass)
{
    int done = 0;

    EXPECT_EQ(SIM_OK, attempt(&err, [&] {
                  load_check(SIM_OK);
                  done++;
              }));
    EXPECT_EQ(1, done);
}

TEST_F(Check, LeavesWithTheMessageThatTheFunctionLeft)
{
    bool after = false;

    EXPECT_EQ(SIM_ERR_LIMIT, attempt(&err, [&] {
                  load_check(fail(load_error()));
                  after = true;
              }));
    EXPECT_FALSE(after);
    EXPECT_EQ(SIM_ERR_LIMIT, err.code);
    EXPECT_STREQ("too many", err.text);
    EXPECT_EQ(SIM_ERR_LIMIT, attempt(nullptr, [] { load_check(fail(load_error())); }));
}

TEST_F(Check, LeavesWithItsCodeWhereNoMessageWasLeft)
{
    EXPECT_EQ(SIM_ERR_NOMEM, attempt(&err, [] { load_check(SIM_ERR_NOMEM); }));
    EXPECT_EQ(SIM_ERR_NOMEM, err.code);
    EXPECT_STRNE("", err.text);
}

TEST_F(Check, LeavesTheInnermostAttempt)
{
    sim_error inner = {};

    EXPECT_EQ(SIM_OK, attempt(&err, [&] {
                  EXPECT_EQ(SIM_ERR_LIMIT, attempt(&inner, [] { load_check(fail(load_error())); }));
              }));
    EXPECT_STREQ("too many", inner.text);
    EXPECT_EQ(SIM_OK, err.code);
}

/* ---- arenas ---- */

TEST_F(Arena, GivesBackTheLastThingFirst)
{
    load_arena arena = {};

    for (int i = 0; i < 4; i++) {
        own(&arena, i);
        EXPECT_NE(nullptr, load_alloc(&arena, 100));
    }
    EXPECT_EQ(Order{}, ended);
    load_arena_fini(&arena);
    EXPECT_EQ((Order{ 3, 2, 1, 0 }), ended);
    load_arena_fini(&arena);
    EXPECT_EQ(4u, ended.size());
}

TEST_F(Arena, GivesBackInTheSameOrderAfterAnError)
{
    EXPECT_EQ(SIM_ERR_IO, attempt(nullptr, [this] {
                  load_arena first = {}, second = {};

                  own(&first, 0);
                  own(&second, 1);
                  own(&first, 2);
                  own(&second, 3);
                  load_raise(SIM_ERR_IO, "x");
              }));
    EXPECT_EQ((Order{ 3, 1, 2, 0 }), ended) << "the arena that began last is the first";
}

TEST_F(Arena, EndsWithTheAttemptThatItBeganIn)
{
    load_arena outside = {}, middle = {};

    own(&outside, 0);
    EXPECT_EQ(SIM_ERR_CONFIG, attempt(nullptr, [&] {
                  own(&middle, 1);
                  EXPECT_EQ(SIM_ERR_IO, attempt(nullptr, [&] {
                                load_arena inside = {};

                                own(&inside, 2);
                                own(&middle, 3);
                                own(&outside, 4);
                                load_raise(SIM_ERR_IO, "x");
                            }));
                  EXPECT_EQ(Order{ 2 }, ended);
                  own(&middle, 5);
                  load_raise(SIM_ERR_CONFIG, "y");
              }));
    EXPECT_EQ((Order{ 2, 5, 3, 1 }), ended);
    own(&outside, 6);
    load_arena_fini(&outside);
    EXPECT_EQ((Order{ 2, 5, 3, 1, 6, 4, 0 }), ended);
}

TEST_F(Arena, GoesOnAfterAnAttemptThatSucceeds)
{
    load_arena arena = {};
    const char *text = nullptr;

    EXPECT_EQ(SIM_OK, attempt(nullptr, [&] {
                  own(&arena, 0);
                  text = load_text(&arena, "%d", 42);
              }));
    EXPECT_EQ(Order{}, ended);
    EXPECT_STREQ("42", text);
    load_arena_fini(&arena);
    EXPECT_EQ(Order{ 0 }, ended);
}

TEST_F(Arena, OfAnAttemptThatSucceedsBelongsToTheOuterOne)
{
    EXPECT_EQ(SIM_ERR_IO, attempt(nullptr, [this] {
                  load_arena arena = {};

                  EXPECT_EQ(SIM_OK, attempt(nullptr, [&] { own(&arena, 0); }));
                  EXPECT_EQ(Order{}, ended);
                  load_raise(SIM_ERR_IO, "x");
              }));
    EXPECT_EQ(Order{ 0 }, ended);
}

TEST_F(Arena, OutlivesAnAttemptThatItHasBegunBefore)
{
    load_arena arena = {};

    load_arena_begin(&arena);
    EXPECT_EQ(SIM_ERR_IO, attempt(nullptr, [&] {
                  own(&arena, 0);
                  load_raise(SIM_ERR_IO, "x");
              }));
    EXPECT_EQ(Order{}, ended);
    EXPECT_STREQ("usable", load_text(&arena, "usable"));
    load_arena_fini(&arena);
    EXPECT_EQ(Order{ 0 }, ended);
}

TEST_F(Arena, ThatHasEndedInsideIsNotEndedAgain)
{
    load_arena arena = {};

    EXPECT_EQ(SIM_ERR_IO, attempt(nullptr, [&] {
                  own(&arena, 0);
                  load_arena_fini(&arena);
                  load_raise(SIM_ERR_IO, "x");
              }));
    EXPECT_EQ(Order{ 0 }, ended);
    load_arena_fini(&arena);
    EXPECT_EQ(1u, ended.size());
}

/* As a machine or a watch, which its caller may end before an error would. */
struct Holder {
    load_arena arena;
};

void end_holder(void *holder)
{
    load_arena_fini(&static_cast<Holder *>(holder)->arena);
}

Holder *hold()
{
    load_arena arena = {};
    Holder *holder = static_cast<Holder *>(load_alloc(&arena, sizeof(Holder)));

    holder->arena = arena;
    return holder;
}

TEST_F(Arena, MayHoldItsOwnStructure)
{
    Holder *holder = hold();

    own(&holder->arena, 0);
    end_holder(holder);
    EXPECT_EQ(Order{ 0 }, ended);
    EXPECT_EQ(SIM_ERR_IO, attempt(nullptr, [this] {
                  own(&hold()->arena, 1);
                  load_raise(SIM_ERR_IO, "x");
              }));
    EXPECT_EQ((Order{ 0, 1 }), ended);
}

TEST_F(Arena, MayOwnAnotherOne)
{
    for (bool error : { false, true }) {
        ended.clear();
        EXPECT_EQ(error ? SIM_ERR_IO : SIM_OK, attempt(nullptr, [&] {
                      load_arena arena = {};
                      load_arena own_one = {};
                      Holder *holder = static_cast<Holder *>(load_alloc(&arena, sizeof(Holder)));

                      own(&own_one, 0);
                      holder->arena = own_one;
                      load_own(&arena, end_holder, holder);
                      own(&arena, 1);
                      if (error)
                          load_raise(SIM_ERR_IO, "x");
                      load_arena_fini(&arena);
                  }));
        EXPECT_EQ(error ? (Order{ 0, 1 }) : (Order{ 1, 0 }), ended);
    }
}

TEST_F(Arena, GrowsWhatItHolds)
{
    load_arena arena = {};
    unsigned room = 0, n = 0;
    int *items = nullptr;

    for (; n < 1000; n++) {
        items = static_cast<int *>(load_grow(&arena, items, n, &room, sizeof(*items)));
        items[n] = (int)n;
    }
    for (unsigned i = 0; i < n; i++)
        EXPECT_EQ((int)i, items[i]);
    load_arena_fini(&arena);
}

} // namespace
