/*
 * What is left to a sender whose put or Long has completed: nothing. It sleeps, and its data, or
 * the handler of its message, come long before it wakes. Its sources are in memory of the host and,
 * where there is one, of a GPU.
 */
#define _DEFAULT_SOURCE /* usleep() */
#include "../extended/common.h"

#include <gasnet_tools.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { ON_LONG = 200 };
enum way { PUT, PUT_BULK, PUT_NB, PUT_NBI, LONG, WAYS };

#define SLEEP_US 400000u
#define BYTES    700000u /* beyond what a library takes out of a GPU in one piece */

static volatile unsigned came;
static uint8_t *host_source, *gpu_source, *seen;

static void on_long(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token, (void)data, (void)bytes;
    came++;
}

static void send(enum way way, unsigned to, const uint8_t *from, size_t bytes)
{
    void *at = segment_of(to);

    if (way == PUT)
        gasnet_put(to, at, (void *)from, bytes);
    else if (way == PUT_BULK)
        gasnet_put_bulk(to, at, (void *)from, bytes);
    else if (way == PUT_NB)
        gasnet_wait_syncnb(gasnet_put_nb_bulk(to, at, (void *)from, bytes));
    else if (way == PUT_NBI)
        gasnet_put_nbi_bulk(to, at, (void *)from, bytes);
    else
        gasnet_AMRequestLong0(to, ON_LONG, (void *)from, bytes, at);
    if (way == PUT_NBI)
        gasnet_wait_syncnbi_puts();
}

/* The last byte comes last, or with the others. */
static bool is_there(size_t bytes, uint8_t last)
{
    uint8_t byte;

    gasnet_get(&byte, me, (uint8_t *)segment_of(me) + bytes - 1, 1);
    gasnet_AMPoll();
    return byte == last;
}

static void receive(enum way way, size_t bytes, const uint8_t *expected)
{
    gasnett_tick_t begin = gasnett_ticks_now();

    if (way == LONG)
        GASNET_BLOCKUNTIL(came == 1);
    else
        while (!is_there(bytes, expected[bytes - 1]))
            ;
    CHECK(gasnett_ticks_to_us(gasnett_ticks_now() - begin) < SLEEP_US / 2);
    gasnet_get(seen, me, segment_of(me), bytes);
    CHECK(memcmp(seen, expected, bytes) == 0);
}

static void once(enum way way, bool of_gpu, size_t bytes)
{
    static unsigned times;
    uint8_t *from = of_gpu ? gpu_source : host_source;

    times++;
    for (size_t i = 0; i < bytes; i++)
        host_source[i] = (uint8_t)(times + i * 7 + (i >> 8) * 3);
    if (of_gpu)
        cudaMemcpy(gpu_source, host_source, bytes, cudaMemcpyHostToDevice);
    if (me == 1)
        gasnet_memset(me, segment_of(me), (uint8_t)~host_source[bytes - 1], bytes);
    came = 0;
    all_here();
    if (me == 0) {
        send(way, 1, from, bytes);
        usleep(SLEEP_US);
    } else if (me == 1) {
        receive(way, bytes, host_source);
    }
    all_here();
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 1, 8, 200, 5000, 70000, BYTES };
    static const gasnet_handlerentry_t table[] = { { ON_LONG, (void (*)())on_long } };

    begin(&argc, &argv, table, 1);
    host_source = malloc(BYTES);
    seen = malloc(BYTES);
    if (cudaMalloc((void **)&gpu_source, BYTES) != cudaSuccess)
        gpu_source = NULL;
    for (int of_gpu = 0; of_gpu <= (gpu_source != NULL); of_gpu++)
        for (enum way way = PUT; way < WAYS; way++)
            for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                once(way, of_gpu, sizes[i]);
    return end("asleep");
}
