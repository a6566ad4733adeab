/* Gets and values while the far node computes: where devices read, it has no part in them. */
#define _GNU_SOURCE
#include "common.h"

#include <time.h>

#define COMPUTES_US 500.0

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

int main(int argc, char **argv)
{
    double begin_us;

    begin(&argc, &argv, NULL, 0);
    if (me == 1)
        gasnet_memset(1, segment_of(1), 17, 100000);
    all_here();
    begin_us = now_us();
    if (me == 0) {
        check_gets(segment_of(1));
        CHECK(now_us() - begin_us < COMPUTES_US);
    } else {
        while (now_us() - begin_us < COMPUTES_US)
            ;
    }
    return end("alone");
}
