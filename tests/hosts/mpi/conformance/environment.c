/* Section 6.7 and chapters 8 and 9: attributes, error handlers, environment, Info. */
#include "check.h"

#include <stdint.h>

static void predefined(void)
{
    int *value = NULL, flag = 0;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *value >= 32767, "8.1.2 MPI_TAG_UB");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    CHECK(!flag || *value == MPI_PROC_NULL || (*value >= 0 && *value < check_size),
          "8.1.2 MPI_HOST");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    CHECK(!flag || *value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL || *value < check_size,
          "8.1.2 MPI_IO");
    MPI_Attr_get(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    CHECK(!flag || *value == 0 || *value == 1, "8.1.2 MPI_WTIME_IS_GLOBAL");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    CHECK(!flag || *value >= check_size, "10.5.1 MPI_UNIVERSE_SIZE");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    CHECK(!flag || *value >= 0, "10.5.3 MPI_APPNUM");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    CHECK(flag && *value >= MPI_ERR_LASTCODE, "8.5 MPI_LASTUSEDCODE");
}

/* ---- attributes ---- */

static int copies, deletions, order[8], refuses;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    CHECK(state == &copies, "6.7.2 extra_state of the copy function");
    copies++;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int never(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)state;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete_(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)state;
    order[deletions++ % 8] = (int)(intptr_t)value;
    return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void *number(int n)
{
    return (void *)(intptr_t)n;
}

static void attributes(void)
{
    int a, b, c, d, flag = -1, gone;
    void *value = NULL;
    MPI_Comm comm, other;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Comm_create_keyval(copy, delete_, &a, &copies), "6.7.2 create_keyval");
    CHECK_OK(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &b, NULL), "MPI-1 Keyval_create");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_, &c, NULL);
    MPI_Comm_create_keyval(never, delete_, &d, NULL);
    CHECK(MPI_Comm_get_attr(comm, a, &value, &flag) == MPI_SUCCESS && !flag, "6.7.2 not there");
    CHECK_OK(MPI_Comm_set_attr(comm, a, number(10)), "6.7.2 set");
    CHECK_OK(MPI_Attr_put(comm, b, number(20)), "MPI-1 Attr_put");
    MPI_Comm_set_attr(comm, c, number(30));
    MPI_Comm_set_attr(comm, d, number(40));
    CHECK(MPI_Attr_get(comm, a, &value, &flag) == MPI_SUCCESS && flag && value == number(10),
          "6.7.2 get");
    MPI_Comm_set_attr(comm, a, number(11));
    CHECK(deletions == 1 && order[0] == 10, "6.7.2 setting again deletes");
    CHECK_OK(MPI_Comm_dup(comm, &other), "6.7.2 dup");
    CHECK(copies == 1, "6.7.2 dup copies");
    MPI_Comm_get_attr(other, a, &value, &flag);
    CHECK(flag && value == number(12), "6.7.2 the copy function's value");
    MPI_Comm_get_attr(other, b, &value, &flag);
    CHECK(flag && value == number(20), "6.7.2 MPI_DUP_FN");
    MPI_Comm_get_attr(other, c, &value, &flag);
    CHECK(!flag, "6.7.2 MPI_NULL_COPY_FN");
    MPI_Comm_get_attr(other, d, &value, &flag);
    CHECK(!flag, "6.7.2 a copy function that clears its flag");
    gone = a;
    CHECK_OK(MPI_Comm_free_keyval(&a), "6.7.2 free_keyval");
    CHECK(a == MPI_KEYVAL_INVALID, "6.7.2 free_keyval sets it");
    CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Comm_set_attr(other, MPI_KEYVAL_INVALID, NULL),
                "6.7.2 no keyval");
    deletions = 0;
    MPI_Comm_free(&other);
    CHECK(deletions == 1 && order[0] == 12, "6.7.2 deleted though its keyval is free");
    (void)gone;
    refuses = 1;
    CHECK(MPI_Comm_dup(comm, &other) != MPI_SUCCESS, "6.7.2 a copy function that fails");
    CHECK(MPI_Comm_delete_attr(comm, c) != MPI_SUCCESS, "6.7.2 a delete function that fails");
    MPI_Comm_get_attr(comm, c, &value, &flag);
    CHECK(flag, "6.7.2 then it stays");
    refuses = 0;
    CHECK_OK(MPI_Attr_delete(comm, c), "6.7.2 delete");
    MPI_Comm_get_attr(comm, c, &value, &flag);
    CHECK(!flag, "6.7.2 deleted");
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&b);
    MPI_Comm_free_keyval(&c);
    MPI_Comm_free_keyval(&d);
}

static int type_copies;

static int type_copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    type_copies++;
    return MPI_TYPE_DUP_FN(type, keyval, state, in, out, flag);
}

static void of_types(void)
{
    int keyval, flag = -1, comm_keyval;
    void *value = NULL;
    MPI_Datatype type, other;

    MPI_Type_create_keyval(type_copy, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    CHECK_OK(MPI_Type_set_attr(type, keyval, &flag), "6.7.4 set");
    MPI_Type_dup(type, &other);
    CHECK(MPI_Type_get_attr(other, keyval, &value, &flag) == MPI_SUCCESS && flag && value == &flag,
          "6.7.4 dup copies");
    CHECK(type_copies == 1, "6.7.4 once");
    CHECK_OK(MPI_Type_delete_attr(other, keyval), "6.7.4 delete");
    MPI_Type_get_attr(other, keyval, &value, &flag);
    CHECK(!flag, "6.7.4 deleted");
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &comm_keyval, NULL);
    CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Type_set_attr(type, comm_keyval, NULL),
                "6.7 a keyval of communicators");
    MPI_Comm_free_keyval(&comm_keyval);
    MPI_Type_free(&type);
    MPI_Type_free(&other);
    MPI_Type_free_keyval(&keyval);
}

/* ---- errors ---- */

static int handled, handled_on;

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled_on = *comm;
    MPI_Error_class(*code, &handled);
}

static void errors(void)
{
    MPI_Errhandler mine, got = MPI_ERRHANDLER_NULL;
    MPI_Comm comm, other;
    char text[MPI_MAX_ERROR_STRING];
    int length, class, code, size, *last = NULL, flag;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_errhandler(comm, &got);
    CHECK(got == MPI_ERRORS_RETURN, "8.3.1 inherited by dup");
    CHECK_OK(MPI_Comm_create_errhandler(handler, &mine), "8.3.1 create");
    CHECK_OK(MPI_Comm_set_errhandler(comm, mine), "8.3.1 set");
    MPI_Comm_get_errhandler(comm, &got);
    CHECK(got == mine, "8.3.1 get");
    CHECK_OK(MPI_Errhandler_free(&got), "8.3 what get returned is to be freed");
    CHECK_OK(MPI_Errhandler_free(&mine), "8.3 and so is the one created");
    CHECK(mine == MPI_ERRHANDLER_NULL, "8.3.4 free sets the handle");
    CHECK_OK(MPI_Comm_call_errhandler(comm, MPI_ERR_TAG), "8.5 call_errhandler");
    CHECK(handled == MPI_ERR_TAG && handled_on == comm, "8.5 the handler was called");
    handled = 0;
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(&size, 1, MPI_INT, check_size, 0, comm), "8.3 code");
    CHECK(handled == MPI_ERR_RANK, "8.3 the communicator's handler was called");
    handled = 0;
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(&size, 1, MPI_INT, check_size, 0, MPI_COMM_WORLD), "8.3");
    CHECK(handled == 0, "8.3 not that of another communicator");
    MPI_Comm_dup(comm, &other);
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Bcast(&size, -1, MPI_INT, 0, other), "8.3 code");
    CHECK(handled == MPI_ERR_COUNT && handled_on == other, "8.3 a duplicate has the handler");
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &size), "8.3 no communicator");

    for (int i = 0; i <= MPI_ERR_IO; i++) {
        CHECK(MPI_Error_string(i, text, &length) == MPI_SUCCESS && length > 0 &&
                  length == (int)strlen(text),
              "8.4 text of class %d", i);
        CHECK(MPI_Error_class(i, &class) == MPI_SUCCESS && class == i, "8.4 class %d", i);
    }
    CHECK_OK(MPI_Add_error_class(&class), "8.5 add_error_class");
    CHECK(class > MPI_ERR_LASTCODE, "8.5 above MPI_ERR_LASTCODE");
    CHECK_OK(MPI_Add_error_code(class, &code), "8.5 add_error_code");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(*last == code, "8.5 MPI_LASTUSEDCODE");
    CHECK_OK(MPI_Add_error_string(code, "too hot"), "8.5 add_error_string");
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "too hot") == 0 && length == 7, "8.5 its text");
    MPI_Error_string(class, text, &length);
    CHECK(length == 0 && text[0] == '\0', "8.5 no text was given");
    MPI_Error_class(code, &size);
    CHECK(size == class, "8.5 its class");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Add_error_string(MPI_ERR_TAG, "no"), "8.5 not of the standard's");
}

static int keeps(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)state;
    CHECK(MPI_Comm_free_keyval(&keyval) == MPI_SUCCESS, "6.7.2 free again in a delete function");
    ++*(int *)value;
    return MPI_SUCCESS;
}

static int copies_not(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)state;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static int copies_no_type(MPI_Datatype type, int keyval, void *state, void *in, void *out,
                          int *flag)
{
    return copies_not(MPI_COMM_NULL, type + keyval, state, in, out, flag);
}

/* A keyval that is freed lives on in its attributes, by its handle. */
static void freed_keyvals(void)
{
    MPI_Comm a, b = MPI_COMM_SELF;
    MPI_Datatype t, u = MPI_INT;
    int key = MPI_KEYVAL_INVALID, same, other, gone = 0, flag = 0;
    int *got = NULL;

    MPI_Comm_dup(MPI_COMM_SELF, &a);
    MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, keeps, &key, NULL);
    same = key;
    MPI_Comm_set_attr(a, key, &gone);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
    CHECK(other != same, "6.7.2 the handle is not used again");
    CHECK_OK(MPI_Comm_get_attr(a, same, &got, &flag), "6.7.2 get by a freed keyval");
    CHECK(flag && got == &gone, "6.7.2 its attribute");
    CHECK_OK(MPI_Comm_dup(a, &b), "6.7.2 dup");
    MPI_Comm_free(&b);
    CHECK(gone == 1, "6.7.2 the copy is deleted");
    CHECK_OK(MPI_Comm_delete_attr(a, same), "6.7.2 delete by a freed keyval");
    CHECK(gone == 2, "6.7.2 deleted");
    CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(a, same), "6.7.2 the last one has gone");
    MPI_Comm_free_keyval(&other);
    MPI_Comm_create_keyval(copies_not, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(a, key, NULL);
    CHECK(MPI_Comm_dup(a, &b) != MPI_SUCCESS && b == MPI_COMM_NULL, "6.4.2 no duplicate");
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&a);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_create_keyval(copies_no_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_set_attr(t, key, NULL);
    CHECK(MPI_Type_dup(t, &u) != MPI_SUCCESS && u == MPI_DATATYPE_NULL, "4.1.10 no duplicate");
    MPI_Type_free_keyval(&key);
    MPI_Type_free(&t);
}

/* ---- Info ---- */

static void info(void)
{
    MPI_Info a, b;
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    char text[MPI_MAX_INFO_KEY + 2];
    int flag = -1, n = -1;

    CHECK_OK(MPI_Info_create(&a), "9 create");
    CHECK(MPI_Info_get_nkeys(a, &n) == MPI_SUCCESS && n == 0, "9 no keys");
    CHECK_OK(MPI_Info_set(a, "one", "first"), "9 set");
    MPI_Info_set(a, "two", "second");
    MPI_Info_set(a, "one", "changed");
    CHECK(MPI_Info_get_nkeys(a, &n) == MPI_SUCCESS && n == 2, "9 two keys");
    CHECK(MPI_Info_get(a, "one", 100, value, &flag) == MPI_SUCCESS && flag &&
              strcmp(value, "changed") == 0,
          "9 get");
    MPI_Info_get(a, "one", 3, value, &flag);
    CHECK(strcmp(value, "cha") == 0, "9 get cuts the value");
    MPI_Info_get(a, "three", 3, value, &flag);
    CHECK(!flag, "9 not there");
    CHECK(MPI_Info_get_valuelen(a, "two", &n, &flag) == MPI_SUCCESS && flag && n == 6,
          "9 valuelen");
    MPI_Info_get_nthkey(a, 0, key);
    MPI_Info_get_nthkey(a, 1, value);
    CHECK((strcmp(key, "one") == 0 && strcmp(value, "two") == 0) ||
              (strcmp(key, "two") == 0 && strcmp(value, "one") == 0),
          "9 nthkey");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Info_get_nthkey(a, 2, key), "9 no third key");
    CHECK_OK(MPI_Info_dup(a, &b), "9 dup");
    CHECK_OK(MPI_Info_delete(a, "one"), "9 delete");
    CHECK_ERROR(MPI_ERR_INFO_NOKEY, MPI_Info_delete(a, "one"), "9 delete again");
    MPI_Info_get(b, "one", 100, value, &flag);
    CHECK(flag, "9 the duplicate is another one");
    memset(text, 'k', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    CHECK_ERROR(MPI_ERR_INFO_KEY, MPI_Info_set(a, text, "x"), "9 a long key");
    CHECK_ERROR(MPI_ERR_INFO_VALUE, MPI_Info_set(a, "x", ""), "9 an empty value");
    CHECK_OK(MPI_Info_free(&a), "9 free");
    CHECK(a == MPI_INFO_NULL, "9 free sets the handle");
    CHECK_ERROR(MPI_ERR_INFO, MPI_Info_get_nkeys(a, &n), "9 none");
    MPI_Comm_set_info(MPI_COMM_WORLD, b);
    MPI_Info_free(&b);
    CHECK_OK(MPI_Comm_get_info(MPI_COMM_WORLD, &b), "6.4.4 get_info");
    MPI_Info_get(b, "one", 100, value, &flag);
    CHECK(!flag, "6.4.4 what is no hint is ignored");
    MPI_Info_free(&b);
}

static void statuses_of_fortran(void)
{
    MPI_Status status = { .MPI_SOURCE = 3, .MPI_TAG = 5, .MPI_ERROR = MPI_ERR_TAG }, back;
    MPI_F08_status modern, again;
    MPI_Fint old[MPI_STATUS_SIZE];
    int count = 0;

    MPI_Status_set_elements(&status, MPI_INT, 7);
    CHECK(MPI_Status_c2f08(&status, &modern) == MPI_SUCCESS && modern.MPI_SOURCE == 3,
          "17.2.5 status_c2f08");
    CHECK(MPI_Status_f082f(&modern, old) == MPI_SUCCESS && old[MPI_F_TAG] == 5,
          "17.2.5 status_f082f");
    CHECK(MPI_Status_f2f08(old, &again) == MPI_SUCCESS && again.MPI_ERROR == MPI_ERR_TAG,
          "17.2.5 status_f2f08");
    CHECK(MPI_Status_f082c(&again, &back) == MPI_SUCCESS &&
              MPI_Get_count(&back, MPI_INT, &count) == MPI_SUCCESS && count == 7,
          "17.2.5 status_f082c");
}

static void environment(void)
{
    int version = -1, sub = -1, length = -1, flag = -1, level = -1;
    char name[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING];
    double *memory = NULL, before = MPI_Wtime();

    MPI_Get_version(&version, &sub);
    CHECK(version == MPI_VERSION && sub == MPI_SUBVERSION, "8.1.1 version");
    MPI_Get_library_version(library, &length);
    CHECK(length == (int)strlen(library) && length > 0, "8.1.1 library version");
    MPI_Get_processor_name(name, &length);
    CHECK(length == (int)strlen(name) && length > 0, "8.1.2 processor name");
    CHECK_OK(MPI_Alloc_mem(800, MPI_INFO_NULL, &memory), "8.2 alloc_mem");
    memory[99] = 1;
    CHECK_OK(MPI_Free_mem(memory), "8.2 free_mem");
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag, "8.7 initialized");
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && !flag, "8.7 not finalized");
    CHECK(MPI_Query_thread(&level) == MPI_SUCCESS && level >= MPI_THREAD_SINGLE &&
              level <= MPI_THREAD_MULTIPLE,
          "12.4.3 query_thread");
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag, "12.4.3 is_thread_main");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Wtime() >= before && MPI_Wtick() > 0 && MPI_Wtick() < 1, "8.6 timers");
    CHECK_OK(MPI_Pcontrol(1, "anything", 3), "14.2.4 Pcontrol");
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD &&
              MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE &&
              MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM,
          "17.2.4 handles of Fortran");
    statuses_of_fortran();
}

static int last_words, last_order[2];

static int at_end(MPI_Comm comm, int keyval, void *value, void *state)
{
    int flag = 1;

    (void)comm;
    (void)keyval;
    MPI_Finalized(&flag);
    if (!flag && last_words < 2)
        last_order[last_words++] = (int)(intptr_t)value;
    return state == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* ---- NULL ---- */

#define CHECK_NULL(call) CHECK_ERROR(MPI_ERR_ARG, call, "8.3 NULL: " #call)

static void null_of_messages(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    char byte = 0;
    int n = 0;
    MPI_Status status;
    MPI_Message message;

    CHECK_NULL(MPI_Isend(&byte, 1, MPI_CHAR, 0, 0, world, NULL));
    CHECK_NULL(MPI_Irecv(&byte, 1, MPI_CHAR, 0, 0, world, NULL));
    CHECK_NULL(MPI_Send_init(&byte, 1, MPI_CHAR, 0, 0, world, NULL));
    CHECK_NULL(MPI_Wait(NULL, &status));
    CHECK_NULL(MPI_Test(NULL, &n, &status));
    CHECK_NULL(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE), "3.7.5 no requests");
    CHECK_NULL(MPI_Start(NULL));
    CHECK_NULL(MPI_Request_free(NULL));
    CHECK_NULL(MPI_Iprobe(0, 0, world, NULL, &status));
    CHECK_NULL(MPI_Improbe(0, 0, world, NULL, &message, &status));
    CHECK_NULL(MPI_Mprobe(0, 0, world, NULL, &status));
    CHECK_OK(MPI_Sendrecv(&byte, 1, MPI_CHAR, check_rank, 0, &byte, 1, MPI_CHAR, check_rank, 0,
                          world, &status),
             "3.10 a message to itself");
    CHECK_NULL(MPI_Get_count(&status, MPI_CHAR, NULL));
    CHECK_NULL(MPI_Get_count(MPI_STATUS_IGNORE, MPI_CHAR, &n));
    CHECK_NULL(MPI_Get_elements(&status, MPI_CHAR, NULL));
    CHECK_NULL(MPI_Get_elements_x(&status, MPI_CHAR, NULL));
    CHECK_NULL(MPI_Test_cancelled(&status, NULL));
    CHECK_NULL(MPI_Status_set_cancelled(NULL, 1));
    CHECK_NULL(MPI_Ibarrier(world, NULL));
    CHECK_NULL(MPI_Pack_size(1, MPI_CHAR, world, NULL));
}

static void null_of_objects(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Group group;
    MPI_Win win;
    int n = 0, *value = NULL, flag;
    char text[MPI_MAX_ERROR_STRING];

    CHECK_NULL(MPI_Comm_rank(world, NULL));
    CHECK_NULL(MPI_Comm_size(MPI_COMM_SELF, NULL));
    CHECK_NULL(MPI_Comm_dup(world, NULL));
    CHECK_NULL(MPI_Comm_split(world, 0, 0, NULL));
    CHECK_NULL(MPI_Comm_free(NULL));
    CHECK_NULL(MPI_Comm_get_name(world, text, NULL));
    CHECK_NULL(MPI_Comm_get_attr(world, MPI_TAG_UB, NULL, &flag));
    CHECK_NULL(MPI_Comm_get_attr(world, MPI_TAG_UB, &value, NULL));
    CHECK_NULL(MPI_Comm_group(world, NULL));
    MPI_Comm_group(world, &group);
    CHECK_NULL(MPI_Group_rank(group, NULL));
    MPI_Group_free(&group);
    CHECK_NULL(MPI_Type_commit(NULL));
    CHECK_NULL(MPI_Type_contiguous(1, MPI_INT, NULL));
    CHECK_NULL(MPI_Type_get_extent(MPI_INT, NULL, NULL));
    CHECK_NULL(MPI_Get_address(&n, NULL));
    CHECK_NULL(MPI_Cart_create(world, 1, &check_size, &n, 0, NULL));
    CHECK_NULL(MPI_Topo_test(world, NULL));
    CHECK_NULL(MPI_Op_free(NULL));
    CHECK_NULL(MPI_Info_create(NULL));
    CHECK_NULL(MPI_Error_class(MPI_ERR_ARG, NULL));
    CHECK_NULL(MPI_Error_string(MPI_ERR_ARG, NULL, &n));
    CHECK_NULL(MPI_Get_processor_name(text, NULL));
    CHECK_NULL(MPI_Initialized(NULL));
    CHECK_NULL(MPI_Win_create(&n, sizeof(n), 1, MPI_INFO_NULL, world, NULL));
    MPI_Win_create(&n, sizeof(n), 1, MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_NULL(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, NULL));
    MPI_Win_free(&win);
    CHECK_NULL(MPI_File_open(MPI_COMM_SELF, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, NULL));
}

int main(int argc, char **argv)
{
    int first, second, flag = 0, code;

    MPI_Initialized(&flag);
    if (flag)
        return 1;
    check_begin(&argc, &argv, "environment");
    predefined();
    attributes();
    of_types();
    errors();
    freed_keyvals();
    info();
    null_of_messages();
    null_of_objects();
    environment();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &first, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &second, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, first, number(1));
    MPI_Comm_set_attr(MPI_COMM_SELF, second, number(2));
    code = check_end();
    MPI_Finalized(&flag);
    if (!flag || last_words != 2 || last_order[0] != 2 || last_order[1] != 1) {
        printf("rank %d: FAILED 8.7.1 attributes of MPI_COMM_SELF at the end\n", check_rank);
        return 1;
    }
    return code;
}
