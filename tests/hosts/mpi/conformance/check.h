/*
 * Checks of the conformance suite: plain C programs, one for each chapter of the standard, that any
 * MPI library should pass.
 *
 *   int main(int argc, char **argv)
 *   {
 *       check_begin(&argc, &argv, "types");
 *       CHECK(size == 8, "4.1.5 size of MPI_DOUBLE");
 *       CHECK_ERROR(MPI_ERR_COUNT, MPI_Send(...), "3.2.2 negative count");
 *       return check_end();
 *   }
 *
 * A check that fails is printed at once; the last line has the counts of all ranks.
 */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_rank, check_size;
static int check_counts[2]; /* passed, failed */
static const char *check_chapter;

static inline int check_at(int passed, const char *file, int line, const char *format, ...)
{
    va_list args;

    check_counts[!passed]++;
    if (passed || check_counts[1] > 20) /* enough to see what is wrong */
        return passed;
    printf("%s:%d: rank %d of %d: FAILED ", file, line, check_rank, check_size);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    return passed;
}
#define CHECK(condition, ...) check_at(!!(condition), __FILE__, __LINE__, __VA_ARGS__)

static inline void check_class(int want, int code, const char *file, int line, const char *text)
{
    int class = -1;

    MPI_Error_class(code, &class);
    check_at(class == want, file, line, "%s: error class %d, expected %d", text, class, want);
}
/** The call's code belongs to this error class. */
#define CHECK_ERROR(class, call, text) check_class((class), (call), __FILE__, __LINE__, (text))
#define CHECK_OK(call, text)           CHECK_ERROR(MPI_SUCCESS, call, text)

static inline void check_begin(int *argc, char ***argv, const char *chapter)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_chapter = chapter;
}

/** Collects the counts with the simplest calls there are. @return what main() shall. */
static inline int check_end(void)
{
    int counts[2];

    if (check_rank > 0) {
        MPI_Send(check_counts, 2, MPI_INT, 0, 32767, MPI_COMM_WORLD);
    } else {
        for (int r = 1; r < check_size; r++) {
            MPI_Recv(counts, 2, MPI_INT, r, 32767, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check_counts[0] += counts[0];
            check_counts[1] += counts[1];
        }
        printf("%s: %d checks passed, %d failed on %d ranks\n", check_chapter, check_counts[0],
               check_counts[1], check_size);
    }
    MPI_Finalize();
    return check_counts[1] != 0;
}

#endif /* CHECK_H */
