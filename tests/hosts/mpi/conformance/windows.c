/* Chapter 11, one-sided communications: windows, and epochs of all or of groups of ranks. */
#include "check.h"

#include <stdint.h>

#define N 2000

static int left, right;

static void describe(void)
{
    static double memory[8];
    MPI_Win win;
    MPI_Group group, world;
    void *base = NULL;
    MPI_Aint *size = NULL;
    int *number = NULL, flag = 0, result = -1, length;
    char name[MPI_MAX_OBJECT_NAME];

    CHECK_OK(MPI_Win_create(memory, sizeof(memory), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
             "11.2.1 create");
    CHECK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag) == MPI_SUCCESS && flag &&
              base == memory,
          "11.2.6 MPI_WIN_BASE");
    CHECK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag) == MPI_SUCCESS && flag &&
              *size == sizeof(memory),
          "11.2.6 MPI_WIN_SIZE");
    CHECK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag) == MPI_SUCCESS && *number == 8,
          "11.2.6 MPI_WIN_DISP_UNIT");
    CHECK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag) == MPI_SUCCESS &&
              *number == MPI_WIN_FLAVOR_CREATE,
          "11.2.6 MPI_WIN_CREATE_FLAVOR");
    CHECK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag) == MPI_SUCCESS &&
              (*number == MPI_WIN_UNIFIED || *number == MPI_WIN_SEPARATE),
          "11.2.6 MPI_WIN_MODEL");
    MPI_Win_get_group(win, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &result);
    CHECK(result == MPI_IDENT, "11.2.6 group");
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_set_name(win, "mine");
    CHECK(MPI_Win_get_name(win, name, &length) == MPI_SUCCESS && strcmp(name, "mine") == 0 &&
              length == 4,
          "6.8 name of a window");
    CHECK_OK(MPI_Win_free(&win), "11.2.5 free");
    CHECK(win == MPI_WIN_NULL, "11.2.5 free sets the handle");
}

static const char *hint(MPI_Win win, const char *key)
{
    static char value[64];
    MPI_Info info;
    int flag = 0;

    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, key, sizeof(value) - 1, value, &flag);
    MPI_Info_free(&info);
    return flag ? value : "none";
}

static void hints(void)
{
    MPI_Info info;
    MPI_Win win;
    int *base;

    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK(strcmp(hint(win, "accumulate_ordering"), "rar,raw,war,waw") == 0, "11.7.2 default");
    CHECK(strcmp(hint(win, "accumulate_ops"), "same_op_no_op") == 0, "11.2.1 default");
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ops", "same_op");
    MPI_Info_set(info, "of_nobody", "true");
    MPI_Win_set_info(win, info);
    MPI_Info_delete(info, "accumulate_ops");
    MPI_Info_set(info, "no_locks", "true");
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    CHECK(strcmp(hint(win, "accumulate_ops"), "same_op") == 0, "11.2.7 stays");
    CHECK(strcmp(hint(win, "no_locks"), "true") == 0, "11.2.7 set");
    CHECK(strcmp(hint(win, "of_nobody"), "none") == 0, "11.2.7 what is no hint is ignored");
    MPI_Win_free(&win);
}

static void fences(void)
{
    int *memory = NULL, from[N], got[N], ok = 1;
    MPI_Win win;

    CHECK_OK(MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                              &win),
             "11.2.2 allocate");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int n = 1; n <= N; n = n == 1 ? 37 : n == 37 ? N : N + 1) {
        for (int i = 0; i < N; i++) {
            memory[i] = -1;
            from[i] = 1000 * check_rank + i;
            got[i] = -2;
        }
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), "11.5.1 fence");
        CHECK_OK(MPI_Put(from, n, MPI_INT, right, N - n, n, MPI_INT, win), "11.3.1 put");
        CHECK_OK(MPI_Win_fence(0, win), "11.5.1 fence");
        for (int i = 0; i < N; i++)
            ok &= memory[i] == (i < N - n ? -1 : 1000 * left + i - (N - n));
        CHECK(ok, "11.3.1 put of %d", n);
        CHECK_OK(MPI_Get(got, n, MPI_INT, left, N - n, n, MPI_INT, win), "11.3.2 get");
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), "11.5.1 fence");
        ok = 1;
        for (int i = 0; i < n; i++)
            ok &= got[i] == 1000 * ((left + check_size - 1) % check_size) + i;
        CHECK(ok, "11.3.2 get of %d", n);
    }
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Put(from, 1, MPI_INT, right, 0, 1, MPI_INT, win),
                "11.5 put without an epoch");
    CHECK_OK(MPI_Win_fence(0, win), "11.5.1 fence");
    CHECK_OK(MPI_Put(from, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win), "11.3 nobody");
    CHECK_OK(MPI_Put(from, 0, MPI_INT, right, 0, 0, MPI_INT, win), "11.3 nothing");
    CHECK_ERROR(MPI_ERR_RMA_RANGE, MPI_Put(from, 2, MPI_INT, right, N - 1, 2, MPI_INT, win),
                "11.6.2 beyond the window");
    CHECK_ERROR(MPI_ERR_DISP, MPI_Put(from, 1, MPI_INT, right, -1, 1, MPI_INT, win),
                "11.6.2 negative displacement");
    CHECK_ERROR(MPI_ERR_DISP, MPI_Put(from, 1, MPI_INT, right, (MPI_Aint)1 << 62, 1, MPI_INT, win),
                "11.6.2 a displacement whose bytes overflow");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Get(from, 1, MPI_DATATYPE_NULL, right, 0, 1, MPI_INT, win),
                "11.3.2 without a type");
    CHECK_ERROR(MPI_ERR_TYPE,
                MPI_Get_accumulate(from, 1, MPI_INT, from, 1, MPI_DATATYPE_NULL, right, 0, 1,
                                   MPI_INT, MPI_SUM, win),
                "11.3.4 without a type of the result");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Put(from, 1, MPI_INT, check_size, 0, 1, MPI_INT, win),
                "11.6.2 no such rank");
    CHECK_ERROR(MPI_ERR_OP,
                MPI_Accumulate(from, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_OP_NULL, win),
                "11.6.2 no operation");
    MPI_Win_fence(0, win);
    CHECK_OK(MPI_Win_free(&win), "11.2.5 free");
}

static void layouts(void)
{
    double memory[64], from[16], got[16];
    int ok = 1, disps[20], lens[20];
    MPI_Datatype column, scattered;
    MPI_Win win;

    for (int i = 0; i < 64; i++)
        memory[i] = -1;
    for (int i = 0; i < 16; i++)
        from[i] = 100 * check_rank + i;
    for (int i = 0; i < 20; i++) {
        disps[i] = i * 3 + i % 3;
        lens[i] = 1;
    }
    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_indexed(16, lens, disps, MPI_DOUBLE, &scattered);
    MPI_Type_commit(&scattered);
    MPI_Win_create(memory, sizeof(memory), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    CHECK_OK(MPI_Put(from, 8, MPI_DOUBLE, right, 3, 1, column, win), "11.3.1 a column");
    MPI_Win_fence(0, win);
    for (int i = 0; i < 64; i++)
        ok &= memory[i] == (i % 8 == 3 ? 100 * left + i / 8 : -1);
    CHECK(ok, "11.3.1 a column at the target");
    CHECK_OK(MPI_Get(got, 8, MPI_DOUBLE, right, 3, 1, column, win), "11.3.2 a column");
    MPI_Win_fence(0, win);
    ok = 1;
    for (int i = 0; i < 8; i++)
        ok &= got[i] == 100 * check_rank + i;
    CHECK(ok, "11.3.2 a column of the target");
    CHECK_OK(MPI_Accumulate(from, 16, MPI_DOUBLE, right, 0, 1, scattered, MPI_REPLACE, win),
             "11.3.4 a scattered type");
    MPI_Win_fence(0, win);
    ok = 1;
    for (int i = 0; i < 16; i++)
        ok &= memory[disps[i]] == 100 * left + i;
    CHECK(ok, "11.3.4 a scattered type, replaced");
    MPI_Barrier(MPI_COMM_WORLD); /* all have looked before the next epoch changes it */
    MPI_Barrier(MPI_COMM_WORLD); /* none goes on before all have looked */
    CHECK_OK(MPI_Accumulate(from, 16, MPI_DOUBLE, right, 0, 1, scattered, MPI_SUM, win),
             "11.3.4 a scattered type");
    MPI_Win_fence(0, win);
    ok = 1;
    for (int i = 0; i < 16; i++)
        ok &= memory[disps[i]] == 2 * (100 * left + i);
    CHECK(ok, "11.3.4 a scattered type, added");
    MPI_Win_free(&win);
    MPI_Type_free(&column);
    MPI_Type_free(&scattered);
}

static void accumulations(void)
{
    int memory[N], one[N], old[N], sum = check_size * (check_size + 1) / 2, ok = 1, bits = sum;
    MPI_Win win;

    for (int i = 0; i < N; i++) {
        memory[i] = 0;
        one[i] = check_rank + 1;
        old[i] = -1;
    }
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int r = 0; r < check_size; r++)
        CHECK_OK(MPI_Accumulate(one, N, MPI_INT, r, 0, N, MPI_INT, MPI_SUM, win), "11.3.4 sum");
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++)
        ok &= memory[i] == sum;
    CHECK(ok, "11.3.4 everybody's sum");
    MPI_Barrier(MPI_COMM_WORLD); /* all have looked before the next epoch changes it */
    CHECK_OK(MPI_Accumulate(one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win), "11.3.4 max");
    CHECK_OK(MPI_Accumulate(one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_BOR, win), "11.3.4 bor");
    MPI_Win_fence(0, win);
    for (int r = 0; r < check_size; r++)
        bits |= r + 1;
    CHECK(check_rank > 0 || memory[0] == (sum > check_size ? sum : check_size), "11.3.4 max");
    CHECK(check_rank > 0 || memory[1] == bits, "11.3.4 bor");
    CHECK_OK(
        MPI_Get_accumulate(one, N, MPI_INT, old, N, MPI_INT, right, 0, N, MPI_INT, MPI_NO_OP, win),
        "11.3.4 get by MPI_NO_OP");
    MPI_Win_fence(0, win);
    CHECK(old[N - 1] == sum, "11.3.4 get by MPI_NO_OP");
    CHECK_OK(
        MPI_Get_accumulate(one, N, MPI_INT, old, N, MPI_INT, right, 0, N, MPI_INT, MPI_SUM, win),
        "11.3.4 get_accumulate");
    MPI_Win_fence(0, win);
    CHECK(old[N - 1] == sum && memory[N - 1] == sum + left + 1, "11.3.4 get_accumulate");
    MPI_Win_free(&win);
}

static void accumulated_pairs(void)
{
    struct {
        double value;
        int index;
    } best = { -1, -1 }, mine = { check_rank % 3, check_rank };
    MPI_Win pairs;
    MPI_Datatype empty;

    MPI_Win_create(&best, sizeof(best), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs);
    MPI_Win_fence(0, pairs);
    CHECK_OK(MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pairs),
             "11.3.4 maxloc");
    MPI_Type_contiguous(0, MPI_DOUBLE_INT, &empty);
    MPI_Type_commit(&empty);
    CHECK_OK(MPI_Accumulate(&mine, 1, empty, 0, 0, 1, empty, MPI_SUM, pairs),
             "11.3.4 a type without data");
    MPI_Type_free(&empty);
    MPI_Win_fence(0, pairs);
    if (check_rank == 0) {
        int index = check_size > 2 ? 2 : check_size - 1;

        CHECK(best.value == index && best.index == index, "11.3.4 maxloc of all");
    }
    MPI_Win_free(&pairs);
}

static void posts(void)
{
    int memory[4] = { -1, -1, -1, -1 }, value = check_rank, flag;
    MPI_Group world, to, from;
    MPI_Win win;

    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &right, &to);
    MPI_Group_incl(world, 1, &left, &from);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(MPI_Win_post(from, 0, win), "11.5.2 post");
        CHECK_OK(MPI_Win_start(to, 0, win), "11.5.2 start");
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, right, i, 1, MPI_INT, win), "11.5.2 put");
        if (check_size > 2)
            CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, left, 0, 1, MPI_INT, win),
                        "11.5.2 to one that is not in the group");
        CHECK_OK(MPI_Win_complete(win), "11.5.2 complete");
        if (i % 2 == 0) {
            CHECK_OK(MPI_Win_wait(win), "11.5.2 wait");
        } else {
            for (flag = 0; !flag;)
                MPI_Win_test(win, &flag);
        }
        CHECK(memory[i] == left, "11.5.2 what came");
    }
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_complete(win), "11.5.2 complete without start");
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_wait(win), "11.5.2 wait without post");
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_free(&win);
}

static void dynamic(void)
{
    static int memory[8];
    MPI_Aint here, there = 0;
    int value = check_rank + 50;
    MPI_Win win;

    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), "11.2.4 dynamic");
    CHECK_OK(MPI_Win_attach(win, memory, sizeof(memory)), "11.2.4 attach");
    MPI_Get_address(memory, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, right, MPI_Aint_add(there, 8), 1, MPI_INT, win),
             "11.2.4 put");
    MPI_Win_fence(0, win);
    CHECK(memory[2] == left + 50, "11.2.4 what came");
    CHECK_OK(MPI_Win_detach(win, memory), "11.2.4 detach");
    MPI_Win_free(&win);
}

static void shared(void)
{
    MPI_Comm node;
    MPI_Info info;
    MPI_Win win;
    MPI_Aint size = -1;
    int *mine = NULL, *theirs = NULL, rank, n, unit = -1;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &n);
    CHECK_OK(
        MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win),
        "11.2.3 allocate_shared");
    for (int i = 0; i < 4; i++)
        mine[i] = 10 * rank + i;
    MPI_Win_fence(0, win);
    for (int r = 0; r < n; r++) {
        CHECK_OK(MPI_Win_shared_query(win, r, &size, &unit, &theirs), "11.2.3 shared_query");
        CHECK(size == 16 && unit == 4 && theirs[3] == 10 * r + 3, "11.2.3 memory of another rank");
    }
    MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &theirs);
    CHECK(theirs[1] == 1, "11.2.3 memory of the first rank");
    CHECK(mine == theirs + 4 * rank, "11.2.3 one block");
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(rank % 2 ? 0 : 12, 4, info, node, &mine, &win);
    MPI_Info_free(&info);
    for (int r = 0; r < n; r++) {
        MPI_Win_shared_query(win, r, &size, &unit, &theirs);
        CHECK(r % 2 ? size == 0 && theirs == NULL : size == 12 && (uintptr_t)theirs % 64 == 0,
              "11.2.3 gaps");
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

static int deleted;

static int on_delete(MPI_Win win, int keyval, void *value, void *state)
{
    (void)win;
    (void)keyval;
    deleted += value == state;
    return MPI_SUCCESS;
}

static int handled;

static void on_error(MPI_Win *win, int *code, ...)
{
    int class;

    (void)win;
    MPI_Error_class(*code, &class);
    handled = class;
}

static void attributes(void)
{
    int memory = 0, keyval, flag = -1;
    void *value = NULL;
    MPI_Errhandler handler, got;
    MPI_Win win;

    MPI_Win_create(&memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, &memory);
    CHECK_OK(MPI_Win_set_attr(win, keyval, &memory), "6.7.3 set");
    CHECK(MPI_Win_get_attr(win, keyval, &value, &flag) == MPI_SUCCESS && flag && value == &memory,
          "6.7.3 get");
    CHECK_OK(MPI_Win_create_errhandler(on_error, &handler), "8.3.2 create");
    CHECK_OK(MPI_Win_set_errhandler(win, handler), "8.3.2 set");
    MPI_Win_get_errhandler(win, &got);
    CHECK(got == handler, "8.3.2 get");
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, win), "8.3.2 the code comes back");
    CHECK(handled == MPI_ERR_RMA_SYNC, "8.3.2 the handler was called");
    CHECK_OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER), "8.3.2 call");
    CHECK(handled == MPI_ERR_OTHER, "8.3.2 the handler was called");
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
    CHECK(deleted == 1, "6.7.3 deleted with the window");
    MPI_Win_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "windows");
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    describe();
    hints();
    attributes();
    fences();
    layouts();
    accumulations();
    accumulated_pairs();
    posts();
    if (argc < 2) /* prints addresses, which are not the same in each run */
        dynamic();
    shared();
    return check_end();
}
