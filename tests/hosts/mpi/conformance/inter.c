/* Inter-communicators: 6.6 of MPI-3.1, and what chapter 5 says of collectives on them. */
#include "check.h"

static MPI_Comm local, inter;
static int low, rank, size, far_size; /* low: of the lower group */

static void make(void)
{
    int half = check_size / 2;

    low = check_rank < half;
    MPI_Comm_split(MPI_COMM_WORLD, low, check_rank, &local);
    MPI_Comm_rank(local, &rank);
    MPI_Comm_size(local, &size);
    far_size = check_size - size;
    /* the leaders are the last of the low and the first of the high ones */
    CHECK_OK(MPI_Intercomm_create(local, low ? size - 1 : 0, MPI_COMM_WORLD, low ? half : half - 1,
                                  12, &inter),
             "6.6.2 create");
}

static void inquire(void)
{
    int flag = 0, n = -1, r = -1, result = -1;
    MPI_Group own, far, world, both;
    MPI_Comm twin, self;
    MPI_Request rq;

    CHECK_OK(MPI_Comm_test_inter(inter, &flag), "6.6.1 test");
    CHECK(flag, "6.6.1 of two groups");
    CHECK_OK(MPI_Comm_size(inter, &n), "6.6.1 size");
    CHECK_OK(MPI_Comm_rank(inter, &r), "6.6.1 rank");
    CHECK(n == size && r == rank, "6.6.1 they are of the local group");
    CHECK_OK(MPI_Comm_remote_size(inter, &n), "6.6.1 remote size");
    CHECK(n == far_size, "6.6.1 is the other group's");
    MPI_Comm_group(inter, &own);
    CHECK_OK(MPI_Comm_remote_group(inter, &far), "6.6.1 remote group");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_union(low ? own : far, low ? far : own, &both);
    MPI_Group_compare(both, world, &result);
    CHECK(result == MPI_IDENT, "6.6.1 both groups are the world");
    MPI_Group_free(&own);
    MPI_Group_free(&far);
    MPI_Group_free(&both);
    MPI_Group_free(&world);
    CHECK_OK(MPI_Comm_dup(inter, &twin), "6.4.2 dup");
    MPI_Comm_compare(inter, twin, &result);
    CHECK(result == MPI_CONGRUENT, "6.4.1 congruent");
    MPI_Comm_compare(inter, local, &result);
    CHECK(result == MPI_UNEQUAL, "6.4.1 not the same as one of one group");
    MPI_Comm_free(&twin);
    CHECK_OK(MPI_Comm_idup(inter, &twin, &rq), "6.4.2 idup");
    CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "6.4.2 it ends");
    CHECK_OK(MPI_Barrier(twin), "6.4.2 it works");
    MPI_Comm_free(&twin);
    CHECK_ERROR(MPI_ERR_COMM, MPI_Scan(&n, &r, 1, MPI_INT, MPI_SUM, inter), "5.11 not for scan");
    CHECK_ERROR(MPI_ERR_COMM, MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 1, &self),
                "6.6.2 from one of one group");
    CHECK_ERROR(MPI_ERR_COMM, MPI_Intercomm_merge(local, 0, &self), "6.6.2 merge needs two");
}

static void point_to_point(void)
{
    int pairs = size < far_size ? size : far_size, in = -1, out = check_rank;
    MPI_Status st;
    MPI_Request rq;

    if (rank >= pairs)
        return;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, &rq);
    CHECK_OK(MPI_Send(&out, 1, MPI_INT, rank, 4, inter), "6.6 send to the other group");
    MPI_Wait(&rq, &st);
    CHECK(in == (low ? check_rank + size : check_rank - far_size), "6.6 from the same rank there");
    CHECK(st.MPI_SOURCE == rank, "6.6 the source is a rank of the other group");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(&out, 1, MPI_INT, far_size, 4, inter), "6.6 no such rank");
}

static int root_for(int of_low, int r)
{
    if (low != of_low)
        return r; /* the root is on the other side */
    return rank == r ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(int of_low)
{
    int roots = of_low == low ? size : far_size;

    for (int r = 0; r < roots; r++) {
        int root = root_for(of_low, r), all[64], own = 10 * check_rank, got = -1, sum = 0, bad = 0;
        int first = of_low ? check_size / 2 : 0; /* in the world, of the other group */

        int value = root == MPI_ROOT ? 500 + r : -1;
        CHECK_OK(MPI_Bcast(&value, 1, MPI_INT, root, inter), "5.4 broadcast");
        CHECK(value == (low != of_low || root == MPI_ROOT ? 500 + r : -1),
              "5.4 the other group has it");
        CHECK_OK(MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, root, inter), "5.5 gather");
        for (int i = 0; root == MPI_ROOT && i < far_size; i++) {
            bad += all[i] != 10 * (first + i);
            sum += 10 * (first + i);
            all[i] = 70 + i;
        }
        CHECK(bad == 0, "5.5 the root has all of the other group");
        CHECK_OK(MPI_Scatter(all, 1, MPI_INT, &got, 1, MPI_INT, root, inter), "5.6 scatter");
        CHECK(got == (root >= 0 ? 70 + rank : -1), "5.6 the others have theirs");
        got = -1;
        CHECK_OK(MPI_Reduce(&own, &got, 1, MPI_INT, MPI_SUM, root, inter), "5.9 reduce");
        CHECK(got == (root == MPI_ROOT ? sum : -1), "5.9 the root has the other group's sum");
    }
    CHECK_ERROR(MPI_ERR_ROOT, MPI_Bcast(&roots, 1, MPI_INT, -7, inter), "5.4 no such root");
}

static void varying(void)
{
    int counts[64], displs[64], all[512], own[16], at = 0, bad = 0, root = root_for(1, 0);

    for (int i = 0; i < far_size; i++) {
        counts[i] = i % 3;
        displs[i] = at;
        at += i % 3 + 1;
    }
    for (int i = 0; i < 16; i++)
        own[i] = 100 * rank + i;
    CHECK_OK(MPI_Gatherv(own, rank % 3, MPI_INT, all, counts, displs, MPI_INT, root, inter),
             "5.5 gatherv");
    for (int i = 0; root == MPI_ROOT && i < far_size; i++)
        for (int k = 0; k < i % 3; k++)
            bad += all[displs[i] + k] != 100 * i + k;
    CHECK(bad == 0, "5.5 blocks of different sizes");
    CHECK_OK(MPI_Allgatherv(own, rank % 3, MPI_INT, all, counts, displs, MPI_INT, inter),
             "5.7 allgatherv");
    for (int i = 0; i < far_size; i++)
        for (int k = 0; k < i % 3; k++)
            bad += all[displs[i] + k] != 100 * i + k;
    CHECK(bad == 0, "5.7 blocks of the other group");
}

static void all_to_all(void)
{
    int out[64], in[64], bad = 0, sum = 0, first = low ? check_size / 2 : 0, mine = 10 * check_rank;

    CHECK_OK(MPI_Barrier(inter), "5.3 barrier");
    CHECK_OK(MPI_Allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, inter), "5.7 allgather");
    for (int i = 0; i < far_size; i++) {
        bad += in[i] != 10 * (first + i);
        sum += 10 * (first + i);
        out[i] = 100 * check_rank + i;
    }
    CHECK(bad == 0, "5.7 what the other group gave");
    CHECK_OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter), "5.8 all to all");
    for (int i = 0; i < far_size; i++)
        bad += in[i] != 100 * (first + i) + rank;
    CHECK(bad == 0, "5.8 a block from each of the others");
    CHECK_OK(MPI_Allreduce(&mine, in, 1, MPI_INT, MPI_SUM, inter), "5.9 allreduce");
    CHECK(in[0] == sum, "5.9 the sum of the other group");
    if (size == far_size) {
        MPI_Request rq;
        for (int i = 0; i < size; i++)
            out[i] = i + check_rank;
        CHECK_OK(MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, inter), "5.10 blocks");
        sum = 0;
        for (int i = 0; i < far_size; i++)
            sum += rank + first + i;
        CHECK(in[0] == sum, "5.10 the own block of the others' sum");
        in[0] = -1;
        CHECK_OK(MPI_Ireduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, inter, &rq),
                 "5.12 blocks");
        CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "5.12 it ends");
        CHECK(in[0] == sum, "5.12 the same");
    }
}

static void merge_and_split(void)
{
    MPI_Comm merged, part;
    int r = -1, n = -1, color = rank % 2, flag = 0;

    CHECK_OK(MPI_Intercomm_merge(inter, low, &merged), "6.6.2 merge");
    MPI_Comm_rank(merged, &r);
    MPI_Comm_size(merged, &n);
    CHECK(n == check_size, "6.6.2 both groups");
    CHECK(r == (low ? far_size + rank : rank), "6.6.2 the high group comes last");
    MPI_Comm_free(&merged);
    CHECK_OK(MPI_Intercomm_merge(inter, 1, &merged), "6.6.2 merge, no order asked for");
    MPI_Comm_rank(merged, &r);
    n = 1;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, merged);
    CHECK(n == check_size, "6.6.2 it works");
    MPI_Comm_free(&merged);
    CHECK_OK(MPI_Comm_split(inter, color, -rank, &part), "6.4.2 split of two groups");
    /* the other side may have no odd rank */
    CHECK((part == MPI_COMM_NULL) == (color == 1 && far_size < 2), "6.4.2 null without the others");
    if (part != MPI_COMM_NULL) {
        MPI_Comm_test_inter(part, &flag);
        CHECK(flag, "6.4.2 it has two groups");
        MPI_Comm_size(part, &n);
        CHECK(n == (size + 1 - color) / 2, "6.4.2 those of the colour");
        MPI_Comm_remote_size(part, &n);
        CHECK(n == (far_size + 1 - color) / 2, "6.4.2 and of the other side");
        n = check_rank;
        MPI_Allreduce(&check_rank, &n, 1, MPI_INT, MPI_MAX, part);
        CHECK(low ? n >= size : n < far_size, "6.4.2 it works");
        MPI_Comm_free(&part);
    }
}

static void create(void)
{
    MPI_Group g, first;
    MPI_Comm c;
    int zero = 0, n = -1;

    MPI_Comm_group(inter, &g);
    MPI_Group_incl(g, 1, &zero, &first);
    CHECK_OK(MPI_Comm_create(inter, first, &c), "6.4.2 create of two groups");
    CHECK((c == MPI_COMM_NULL) == (rank > 0), "6.4.2 null outside of the groups");
    if (c != MPI_COMM_NULL) {
        MPI_Comm_remote_size(c, &n);
        CHECK(n == 1, "6.4.2 one on each side");
        MPI_Comm_free(&c);
    }
    MPI_Group_free(&g);
    MPI_Group_free(&first);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "inter");
    if (check_size > 1) {
        make();
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
        inquire();
        point_to_point();
        rooted(0);
        rooted(1);
        varying();
        all_to_all();
        merge_and_split();
        create();
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    return check_end();
}
