/* One mistake a run, by its number; see ../mistakes, and mistakes.txt for the line of each. */
#include <gasnet.h>
#include <gasnet_coll.h>

#define FLAGS         (GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL)
#define ALL           GASNET_TEAM_ALL
#define WITHOUT(flag) (FLAGS & ~(flag))

static int here[8], there[8];

static void add(void *results, size_t n, const void *left, size_t nleft, const void *right,
                size_t size, int flags, int arg)
{
    (void)nleft;
    (void)size;
    (void)flags;
    (void)arg;
    for (size_t i = 0; i < n; i++)
        ((int *)results)[i] = ((const int *)left)[i] + ((const int *)right)[i];
}

static void early(int number)
{
    gasnet_image_t none[] = { 1, 0 }, two[] = { 1, 2 };

    switch (number) {
    case 1:
        gasnet_coll_broadcast(ALL, there, 0, here, 4, FLAGS);
        break;
    case 2:
        gasnet_coll_init(none, 0, NULL, 0, 0);
        break;
    case 3:
        gasnet_coll_init(two, 1, NULL, 0, 0);
        break;
    default:
        break;
    }
}

static void late(int number, gasnet_team_handle_t own)
{
    gasnet_coll_handle_t h;

    switch (number) {
    case 4:
        gasnet_coll_init(NULL, 0, NULL, 0, 0);
        break;
    case 5:
        gasnet_coll_broadcast(ALL, there, 0, here, 4, WITHOUT(GASNET_COLL_IN_MYSYNC));
        break;
    case 6:
        gasnet_coll_gather_all(ALL, there, here, 4, WITHOUT(GASNET_COLL_OUT_MYSYNC));
        break;
    case 7:
        gasnet_coll_exchange(ALL, there, here, 4, FLAGS | GASNET_COLL_SINGLE);
        break;
    case 8:
        gasnet_coll_gather(ALL, 2, there, here, 4, FLAGS);
        break;
    case 9:
        gasnet_coll_reduce(ALL, 0, there, here, 0, 0, 4, 1, 1, 0, FLAGS);
        break;
    case 10:
        gasnet_coll_scan(ALL, there, 0, 0, here, 0, 0, 4, 1, 0, 0, FLAGS);
        break;
    case 11:
        gasnet_barrier_notify(0, 0);
        gasnet_coll_broadcast(ALL, there, 0, here, 4, FLAGS);
        break;
    case 12:
        gasnet_coll_barrier_notify(ALL, 0, 0);
        gasnet_coll_broadcast(ALL, there, 0, here, 4, FLAGS);
        break;
    case 13:
        gasnet_coll_barrier_notify(ALL, 0, 0);
        gasnet_coll_barrier_notify(ALL, 0, 0);
        break;
    case 14:
        gasnet_coll_barrier_wait(ALL, 0, 0);
        break;
    case 15:
        h = gasnet_coll_gather_all_nb(own, there, here, 4, FLAGS);
        gasnet_coll_wait_sync(h);
        gasnet_coll_wait_sync(h);
        break;
    case 16:
        gasnet_coll_broadcast((gasnet_team_handle_t)99, there, 0, here, 4, FLAGS);
        break;
    case 17:
        gasnet_coll_broadcast(ALL, there, 0, here, 4, FLAGS | GASNET_COLL_AGGREGATE);
        break;
    case 18:
        gasnet_coll_broadcast(ALL, there, 0, here, 4, FLAGS | GASNET_COLL_DST_IN_SEGMENT);
        break;
    case 19:
        gasnet_coll_reduce(ALL, 0, there, here, 4, 0, 4, 1, 0, 0, FLAGS);
        break;
    case 20:
        (void)gasnet_coll_team_rank2node(ALL, 2);
        break;
    case 21:
        gasnet_coll_gather_all(ALL, there, here, 4, FLAGS); /* the other one is at a barrier */
        break;
    default:
        break;
    }
}

int main(int argc, char **argv)
{
    gasnet_coll_fn_entry_t table[] = { { add, 0 } };
    int number;

    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
    number = gasnet_mynode() == 0 ? atoi(argv[1]) : 0;
    early(number);
    gasnet_coll_init(NULL, 0, table, 1, 0);
    late(number, gasnet_coll_team_split(ALL, gasnet_mynode(), 0, NULL));
    gasnet_coll_barrier(ALL, 0, 0);
    return 0;
}
