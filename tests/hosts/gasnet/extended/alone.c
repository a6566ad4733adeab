/* Puts, or gets, while the far node computes: where devices do them alone, it has no part in them.
 */
#define _GNU_SOURCE
#include "common.h"

#include <time.h>

#define COMPUTES_US 5000.0

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static uint8_t here[65536];

static void check_gets(uint8_t *far)
{
    static const size_t sizes[] = { 1, 8, 1000, 1024, 1025, 65536 };

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        memset(here, 0, sizeof(here));
        gasnet_get(here, 1, far + 3, sizes[i]);
        CHECK(here[0] == 17 && here[sizes[i] - 1] == 17);
        CHECK(sizes[i] == sizeof(here) || here[sizes[i]] == 0);
    }
    for (unsigned i = 0; i < 100; i++) /* more than land at once */
        gasnet_get_nbi(here + 8 * i, 1, far, 8);
    gasnet_wait_syncnbi_gets();
    CHECK(here[0] == 17 && here[799] == 17);
    CHECK(gasnet_get_val(1, far, 3) == 0x111111);
}

static void check_puts(uint8_t *far)
{
    gasnet_handle_t h;

    for (size_t i = 0; i < sizeof(here); i++)
        here[i] = (uint8_t)(i % 251);
    gasnet_put(1, far + 1, here, 8);
    gasnet_put_bulk(1, far + 9, here + 8, 20000);
    h = gasnet_put_nb(1, far + 20009, here + 20008, 5000);
    memset(here + 20008, 0, 5000);
    gasnet_wait_syncnb(h);
    for (size_t i = 25008; i < 26008; i += 10) {
        gasnet_put_nbi(1, far + 1 + i, here + i, 10);
        memset(here + i, 0, 10);
    }
    gasnet_put_val(1, far, 77, 1);
    gasnet_wait_syncnbi_puts();
}

static void check_placed(const uint8_t *own)
{
    size_t bad_bytes = 0;

    for (size_t i = 0; i < 26008; i++)
        bad_bytes += own[1 + i] != (uint8_t)(i % 251);
    CHECK(own[0] == 77 && bad_bytes == 0);
}

int main(int argc, char **argv)
{
    bool puts = argc > 1 && strcmp(argv[1], "puts") == 0;
    double begin_us;

    begin(&argc, &argv, NULL, 0);
    if (me == 1)
        gasnet_memset(1, segment_of(1), 17, 100000);
    all_here();
    begin_us = now_us();
    if (me == 0) {
        (puts ? check_puts : check_gets)(segment_of(1));
        CHECK(now_us() - begin_us < COMPUTES_US);
    } else {
        while (now_us() - begin_us < COMPUTES_US)
            ;
        if (puts)
            check_placed(segment_of(1));
    }
    return end("alone");
}
