/* The settings of what programs compute. */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include "hosts/host/param.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What loops of programs take. */
extern const struct host_param work_params[];

#ifdef __cplusplus
}
#endif
#endif /* WORK_WORK_H */
