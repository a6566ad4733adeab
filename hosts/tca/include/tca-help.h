/* TCA_SAFE_CALL(call): evaluates once; an error is printed on stderr and ends the program. */
#ifndef TCA_HELP_H
#define TCA_HELP_H

#include <stdio.h>
#include <stdlib.h>

#include <tca-api.h>

#ifndef TCA_SAFE_CALL
#define TCA_SAFE_CALL(...)                                                                         \
    do {                                                                                           \
        tcaresult tca_safe_code_ = (__VA_ARGS__);                                                  \
        if (tca_safe_code_ != TCA_SUCCESS) {                                                       \
            fprintf(stderr, "%s:%d: TCA error: %s\n", __FILE__, __LINE__,                          \
                    tcaGetErrorString(tca_safe_code_));                                            \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)
#endif

#ifdef __cplusplus
extern "C" {
#endif
/** Collective over MPI_COMM_WORLD: *list[r] describes the `byte` bytes at rank r's GPU pointer
 * `ptr`. The caller frees *list. Ends the program on an error. */
void tcaCreateHandleList(tcaHandle **list, int num_proc, double *ptr, size_t byte);
#ifdef __cplusplus
}
#endif
#endif /* TCA_HELP_H */
