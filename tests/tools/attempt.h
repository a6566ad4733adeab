/* An attempt (tools/load/arena.h) in a test. */
#pragma once
#include <type_traits>

#include "tools/load/arena.h"

/** The code of the error that leaves body(), or SIM_OK. What body() calls in C++ may hold nothing
 * with destructors when an error leaves it: none runs on that way. */
template <class F> int attempt(struct sim_error *err, F &&body)
{
    using body_type = typename std::remove_reference<F>::type;

    return load_attempt([](void *arg) { (*static_cast<body_type *>(arg))(); }, &body, err);
}

/** An arena that may be used in attempts and behind them. */
struct begun_arena : load_arena {
    begun_arena() : load_arena() { load_arena_begin(this); }
};
