/* What the workloads that use GASNet share. */
#ifndef WORKLOADS_GASNET_COMMON_H
#define WORKLOADS_GASNET_COMMON_H

#define GASNET_SEQ 1
#include <gasnet.h>

#include "mpi-common.h"

/** gasnet_init(), for programs that ask for ranks before gasnet_start(). */
void gasnet_open(int *argc, char ***argv);
/** gasnet_open() unless it was called, and gasnet_attach(), with segments of at least so many
 * bytes. @return the own one
 */
uint8_t *gasnet_start(int *argc, char ***argv, gasnet_handlerentry_t *handlers, int n,
                      uint64_t bytes);
/** The segment of a node, behind gasnet_start(). */
uint8_t *gasnet_segment_of(unsigned node);
/** Ends the program unless there are two nodes. */
void gasnet_pair(void);
void gasnet_all(void); /* a barrier */
double gasnet_seconds(void);

#endif /* WORKLOADS_GASNET_COMMON_H */
