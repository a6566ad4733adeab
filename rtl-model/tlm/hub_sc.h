/*
 * Kind `hub.sc`: the hub with its core in a process of SystemC, which runs at the edges of the
 * core's clock. All else, and each value, is as in kind hub.c.
 */
#ifndef TLM_HUB_SC_H
#define TLM_HUB_SC_H

#include "machine/kind.h"

namespace hubsim
{

extern const machine_kind hub_sc_kind;

} // namespace hubsim
#endif /* TLM_HUB_SC_H */
