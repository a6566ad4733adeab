/*
 * Requests and replies that count their arguments: gasnet_AMRequestShort(node, handler, n, ...),
 * as releases of GASNet 1 have them beside gasnet_AMRequestShort0() and its kin. `n` is how many
 * follow, which has to be right.
 */
#ifndef GASNET_AM_COUNTED_H
#define GASNET_AM_COUNTED_H

#include <gasnet.h>

#define GASNETI_JOIN(a, b)       GASNETI_JOIN_AGAIN(a, b)
#define GASNETI_JOIN_AGAIN(a, b) a##b
/* The 18th: how many stand behind `n`; whether any does. */
#define GASNETI_18TH(n, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, it,  \
                     ...)                                                                          \
    it
#define GASNETI_BEHIND(...)                                                                        \
    GASNETI_18TH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define GASNETI_ANY(...)                                                                           \
    GASNETI_18TH(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, )
#define GASNETI_REST0(n)
#define GASNETI_REST1(n, ...) , __VA_ARGS__
#define GASNETI_REST(...)     GASNETI_JOIN(GASNETI_REST, GASNETI_ANY(__VA_ARGS__))(__VA_ARGS__)
#define GASNETI_SAID(n, ...)  (n)
#define GASNETI_CALL(name, to, handler, ...)                                                       \
    GASNETI_JOIN(name, GASNETI_BEHIND(__VA_ARGS__))                                                \
    (to, gasneti_counted(#name, handler, GASNETI_SAID(__VA_ARGS__, ), GASNETI_BEHIND(__VA_ARGS__)) \
             GASNETI_REST(__VA_ARGS__))
/* Data stand between the handler and the arguments. */
#define GASNETI_CALL_WITH(name, to, handler, data, ...)                                            \
    GASNETI_JOIN(name, GASNETI_BEHIND(__VA_ARGS__))                                                \
    (to,                                                                                           \
     gasneti_counted(#name, handler, GASNETI_SAID(__VA_ARGS__, ), GASNETI_BEHIND(__VA_ARGS__)),    \
     GASNETI_DATA data GASNETI_REST(__VA_ARGS__))
#define GASNETI_DATA(...) __VA_ARGS__

#ifdef __cplusplus
extern "C" {
#endif
/** @return `handler`, if so many arguments are `given` as were `said` */
gasnet_handler_t gasneti_counted(const char *call, gasnet_handler_t handler, int said, int given);
#ifdef __cplusplus
}
#endif

#define gasnet_AMRequestShort(node, handler, ...)                                                  \
    GASNETI_CALL(gasnet_AMRequestShort, node, handler, __VA_ARGS__)
#define gasnet_AMRequestMedium(node, handler, from, bytes, ...)                                    \
    GASNETI_CALL_WITH(gasnet_AMRequestMedium, node, handler, (from, bytes), __VA_ARGS__)
#define gasnet_AMRequestLong(node, handler, from, bytes, dest, ...)                                \
    GASNETI_CALL_WITH(gasnet_AMRequestLong, node, handler, (from, bytes, dest), __VA_ARGS__)
#define gasnet_AMRequestLongAsync(node, handler, from, bytes, dest, ...)                           \
    GASNETI_CALL_WITH(gasnet_AMRequestLongAsync, node, handler, (from, bytes, dest), __VA_ARGS__)
#define gasnet_AMReplyShort(token, handler, ...)                                                   \
    GASNETI_CALL(gasnet_AMReplyShort, token, handler, __VA_ARGS__)
#define gasnet_AMReplyMedium(token, handler, from, bytes, ...)                                     \
    GASNETI_CALL_WITH(gasnet_AMReplyMedium, token, handler, (from, bytes), __VA_ARGS__)
#define gasnet_AMReplyLong(token, handler, from, bytes, dest, ...)                                 \
    GASNETI_CALL_WITH(gasnet_AMReplyLong, token, handler, (from, bytes, dest), __VA_ARGS__)

#endif /* GASNET_AM_COUNTED_H */
