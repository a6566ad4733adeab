/* The settings of what programs compute. */
#ifndef LOOPS_LOOPS_H
#define LOOPS_LOOPS_H

#include "hosts/host/param.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What loops of programs take. */
extern const struct host_param loops_params[];

#ifdef __cplusplus
}
#endif
#endif /* LOOPS_LOOPS_H */
