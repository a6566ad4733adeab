/* One mistake a run, by its number; see ../mistakes, and mistakes.txt for the line of each. */
#include <gasnet.h>
#include <gasnet_vis.h>

static char here[256];

int main(int argc, char **argv)
{
    gasnet_seginfo_t s[2];
    size_t three[] = { 3 }, four[] = { 4 }, counts[] = { 4, 2 };
    void *far_list[2], *here_list[2] = { here, here + 2 };
    char *far;

    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
    gasnet_getSegmentInfo(s, 2);
    far = s[1].addr;
    far_list[0] = far;
    far_list[1] = far + 2;
    gasnet_memvec_t far_8[] = { { far, 8 } }, here_8[] = { { here, 8 } };
    gasnet_memvec_t far_twice[] = { { far + 4, 4 }, { far, 5 } }, here_9[] = { { here, 9 } };
    gasnet_memvec_t outside[] = { { far + GASNET_PAGESIZE - 4, 8 } };

    switch (gasnet_mynode() == 0 ? atoi(argv[1]) : 0) {
    case 1:
        gasnet_putv_bulk(1, 2, far_twice, 1, here_9);
        break;
    case 2:
        gasnet_putv_bulk(1, 1, far_8, 1, here_9);
        break;
    case 3:
        here_list[0] = here + 2;
        here_list[1] = here;
        gasnet_geti_bulk(2, here_list, 3, 1, 2, far_list, 3);
        break;
    case 4:
        gasnet_puti_nbi_bulk(1, 2, far_list, 3, 2, here_list, 2);
        break;
    case 5:
        gasnet_puts_bulk(1, far, three, here, four, counts, 1);
        break;
    case 6:
        gasnet_wait_syncnb(gasnet_getv_nb_bulk(1, here_8, 1, 1, outside));
        break;
    case 7:
        gasnet_puts_bulk(1, far + GASNET_PAGESIZE - 7, four, here, four, counts, 1);
        break;
    case 8:
        gasnet_putv_bulk(2, 1, far_8, 1, here_8);
        break;
    case 9: {
        gasnet_handle_t h = gasnet_putv_nb_bulk(1, 1, far_8, 1, here_8);

        gasnet_wait_syncnb(h);
        gasnet_wait_syncnb(h);
    } break;
    case 10: /* 2^64 bytes, which are none in 64 bits */
        gasnet_puts_bulk(1, far, four, here, four, (size_t[]){ 4, (size_t)1 << 62 }, 1);
        break;
    case 11: /* the last byte lies before the first one, in 64 bits */
        gasnet_puts_bulk(1, far, (size_t[]){ (size_t)1 << 63 }, here, four, (size_t[]){ 4, 3 }, 1);
        break;
    default:
        gasnet_barrier_notify(0, 0);
        gasnet_barrier_wait(0, 0);
        break;
    }
    return 0;
}
