/* So many operations open at once as the specification wants, of each kind: 65535. */
#include "common.h"

#define MANY 65535u

static gasnet_handle_t handles[MANY + 1];
static uint64_t words[MANY + 1];

static uint8_t *word_of(unsigned node, unsigned i)
{
    return segment_of(node) + 8 * (size_t)i;
}

static uint64_t expected(unsigned from, unsigned i)
{
    return (uint64_t)(from + 1) << 32 | i;
}

static void check_words(unsigned from)
{
    unsigned good = 0;

    for (unsigned i = 0; i < MANY; i++)
        good += words[i] == expected(from, i);
    CHECK(good == MANY);
    memset(words, 0, sizeof(words));
}

int main(int argc, char **argv)
{
    unsigned next, prev, left = MANY;

    begin(&argc, &argv, NULL, 0);
    next = (me + 1) % nodes;
    prev = (me + nodes - 1) % nodes;

    for (unsigned i = 0; i < MANY; i++)
        handles[i] = gasnet_put_nb_val(next, word_of(next, i), expected(me, i), 8);
    gasnet_wait_syncnb_all(handles, MANY);
    all_here();

    for (unsigned i = 0; i < MANY; i++)
        handles[i] = gasnet_get_nb(&words[i], next, word_of(next, i), 8);
    while (left > 0) {
        gasnet_wait_syncnb_some(handles + MANY - left, left);
        while (left > 0 && handles[MANY - left] == GASNET_INVALID_HANDLE)
            left--;
    }
    check_words(me);
    all_here();

    gasnet_begin_nbi_accessregion();
    for (unsigned i = 0; i < MANY; i++) {
        words[i] = expected(me + 7, i);
        gasnet_put_nbi(next, word_of(next, i), &words[i], 8);
        words[i] = 0;
    }
    gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
    all_here();

    for (unsigned i = 0; i < MANY; i++)
        gasnet_get_nbi_bulk(&words[i], me, word_of(me, i), 8);
    while (gasnet_try_syncnbi_gets() != GASNET_OK)
        ;
    check_words(prev + 7);
    all_here();
    for (unsigned i = 0; i < MANY; i++)
        gasnet_memset_nbi(next, word_of(next, i), (int)i, 1);
    gasnet_wait_syncnbi_all();
    all_here();
    gasnet_get(words, me, segment_of(me), 8 * MANY);
    for (unsigned i = 0; i < MANY; i++)
        left += (words[i] & 255) != (i & 255);
    CHECK(left == 0);
    return end("many");
}
