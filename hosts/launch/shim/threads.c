/* OpenMP's functions in a rank, which is one thread: hubcc leaves its directives out. */
#include "hosts/launch/shim/parts.h"

/* gfortran's names have an underscore at the end, and get addresses. */
#define VALUE(type, name, value)                                                                   \
    type name(void)                                                                                \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    type name##_(void)                                                                             \
    {                                                                                              \
        return value;                                                                              \
    }
#define NOTHING(name) VALUE(void, name, )

VALUE(int, omp_get_thread_num, 0)
VALUE(int, omp_get_num_threads, 1)
VALUE(int, omp_get_max_threads, 1)
VALUE(int, omp_get_num_procs, 1)
VALUE(int, omp_get_thread_limit, 1)
VALUE(int, omp_in_parallel, 0)
VALUE(int, omp_get_dynamic, 0)
VALUE(int, omp_get_nested, 0)
VALUE(int, omp_get_level, 0)
VALUE(int, omp_test_lock, 1)
NOTHING(omp_set_num_threads)
NOTHING(omp_set_dynamic)
NOTHING(omp_set_nested)
NOTHING(omp_set_schedule)
NOTHING(omp_init_lock)
NOTHING(omp_destroy_lock)
NOTHING(omp_set_lock)
NOTHING(omp_unset_lock)
VALUE(double, omp_get_wtime, (double)hub_hooks.time_ps() * 1e-12)
VALUE(double, omp_get_wtick, 1e-9)
