/*
 * Section 6.7: delete functions that use the attributes of the very object which they are called
 * for: they delete others, set new ones, free keyvals and the object itself, at random. Each value
 * that was set is deleted once, whatever they do.
 */
#include "check.h"

#include <stdint.h>

#define KEYVALS 6
#define VALUES  4096
#define ROUNDS  300

static uint32_t state = 4711;
static int alive[VALUES]; /* values that an object has */
static int next, budget;  /* values used; what delete functions may still do */
static int keyvals[KEYVALS];
static int may_fail, freed; /* the object is, by a delete function */

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

/* Each of communicators, datatypes and windows has such functions. */
#define ATTRIBUTES(KIND, Handle, no_copy, in_function)                                             \
    static void KIND##_set(Handle object)                                                          \
    {                                                                                              \
        int value = next++;                                                                        \
                                                                                                   \
        if (value < VALUES)                                                                        \
            alive[value] = MPI_##KIND##_set_attr(object, keyvals[below(KEYVALS)],                  \
                                                 &alive[value]) == MPI_SUCCESS;                    \
    }                                                                                              \
                                                                                                   \
    static void KIND##_act(Handle object)                                                          \
    {                                                                                              \
        void *value = NULL;                                                                        \
        int flag = 0, k = below(KEYVALS);                                                          \
                                                                                                   \
        switch (below(5)) {                                                                        \
        case 0:                                                                                    \
            KIND##_set(object);                                                                    \
            break;                                                                                 \
        case 1:                                                                                    \
            if (!freed) {                                                                          \
                MPI_##KIND##_get_attr(object, keyvals[k], &value, &flag);                          \
                CHECK(!flag || *(int *)value == 1, "6.7 an attribute that is there");              \
            }                                                                                      \
            break;                                                                                 \
        case 2:                                                                                    \
            if (!freed && below(8) == 0)                                                           \
                in_function(object);                                                               \
            break;                                                                                 \
        default:                                                                                   \
            MPI_##KIND##_delete_attr(object, keyvals[k]);                                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static int KIND##_deleted(Handle object, int keyval, void *value, void *unused)                \
    {                                                                                              \
        int same = keyval;                                                                         \
                                                                                                   \
        (void)unused;                                                                              \
        if (may_fail && below(8) == 0)                                                             \
            return MPI_ERR_OTHER;                                                                  \
        CHECK(*(int *)value == 1, "6.7 a value is deleted once");                                  \
        *(int *)value = 0;                                                                         \
        if (below(8) == 0)                                                                         \
            MPI_##KIND##_free_keyval(&same);                                                       \
        while (budget > 0 && below(3) > 0) {                                                       \
            budget--;                                                                              \
            KIND##_act(object);                                                                    \
        }                                                                                          \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
                                                                                                   \
    static void KIND##_round(Handle *object)                                                       \
    {                                                                                              \
        int left = 0;                                                                              \
                                                                                                   \
        memset(alive, 0, sizeof(alive));                                                           \
        next = freed = 0;                                                                          \
        budget = 20;                                                                               \
        for (int i = 0; i < KEYVALS; i++)                                                          \
            MPI_##KIND##_create_keyval(no_copy, KIND##_deleted, &keyvals[i], NULL);                \
        may_fail = below(2);                                                                       \
        for (int i = below(20); i > 0 && !freed; i--)                                              \
            KIND##_set(*object);                                                                   \
        for (int i = below(4); i > 0 && !freed; i--)                                               \
            MPI_##KIND##_delete_attr(*object, keyvals[below(KEYVALS)]);                            \
        if (!freed && may_fail && MPI_##KIND##_free(object) == MPI_SUCCESS)                        \
            freed = 1;                                                                             \
        may_fail = 0;                                                                              \
        if (!freed)                                                                                \
            CHECK_OK(MPI_##KIND##_free(object), "6.7 freed with its attributes");                  \
        for (int i = 0; i < next && i < VALUES; i++)                                               \
            left += alive[i];                                                                      \
        CHECK(left == 0, "6.7 %d values are left of " #KIND, left);                                \
        for (int i = 0; i < KEYVALS; i++)                                                          \
            MPI_##KIND##_free_keyval(&keyvals[i]);                                                 \
    }

static void free_comm(MPI_Comm comm)
{
    freed = MPI_Comm_free(&comm) == MPI_SUCCESS;
}

static void free_type(MPI_Datatype type)
{
    freed = MPI_Type_free(&type) == MPI_SUCCESS;
}

/* Since that waits for all ranks, it is an error here. */
static void free_win(MPI_Win win)
{
    CHECK_ERROR(MPI_ERR_WIN, MPI_Win_free(&win), "11.2.5 freed in a delete function");
}

ATTRIBUTES(Comm, MPI_Comm, MPI_COMM_NULL_COPY_FN, free_comm)
ATTRIBUTES(Type, MPI_Datatype, MPI_TYPE_NULL_COPY_FN, free_type)
ATTRIBUTES(Win, MPI_Win, MPI_WIN_NULL_COPY_FN, free_win)

/* One delete function deletes all others of its communicator. */
static int others[3];

static int delete_others(MPI_Comm comm, int keyval, void *value, void *unused)
{
    (void)unused;
    ++*(int *)value;
    for (int i = 0; i < 3; i++)
        if (others[i] != keyval)
            MPI_Comm_delete_attr(comm, others[i]);
    return MPI_SUCCESS;
}

static void all_by_one(void)
{
    int values[3] = { 0 };
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_others, &others[i], NULL);
        MPI_Comm_set_attr(comm, others[i], &values[i]);
    }
    CHECK_OK(MPI_Comm_free(&comm), "6.7.2 freed with attributes that delete each other");
    for (int i = 0; i < 3; i++) {
        CHECK(values[i] == 1, "6.7.2 attribute %d was deleted %d times", i, values[i]);
        MPI_Comm_free_keyval(&others[i]);
    }
}

/* A copy function that deletes what is to be copied next. */
static int copies, copied;

static int copy_first(MPI_Comm comm, int keyval, void *unused, void *in, void *out, int *flag)
{
    (void)unused;
    copies++;
    for (int i = 0; i < 3; i++)
        if (others[i] != keyval)
            MPI_Comm_delete_attr(comm, others[i]);
    copied = *(int *)in;
    memcpy(out, &in, sizeof(in));
    *flag = 1;
    return MPI_SUCCESS;
}

static void copy_of_the_first(void)
{
    int values[3] = { 1, 2, 3 }, *value = NULL, flag = 0, found = 0;
    MPI_Comm comm, other;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(copy_first, MPI_COMM_NULL_DELETE_FN, &others[i], NULL);
        MPI_Comm_set_attr(comm, others[i], &values[i]);
    }
    CHECK_OK(MPI_Comm_dup(comm, &other), "6.7.2 a copy function deletes others");
    for (int i = 0; i < 3; i++) {
        MPI_Comm_get_attr(other, others[i], &value, &flag);
        found += flag;
        CHECK(!flag || *value == copied, "6.7.2 the copied value");
    }
    CHECK(copies == 1 && found == 1, "6.7.2 %d copied, %d there", copies, found);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free_keyval(&others[i]);
}

int main(int argc, char **argv)
{
    static int memory[4];

    check_begin(&argc, &argv, "attributes");
    all_by_one();
    copy_of_the_first();
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm comm;
        MPI_Datatype type;
        MPI_Win win;

        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        Comm_round(&comm);
        MPI_Type_contiguous(2, MPI_INT, &type);
        Type_round(&type);
        MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        Win_round(&win);
    }
    return check_end();
}
