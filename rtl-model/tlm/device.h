/*
 * Kind `systemc`: modules of SystemC at a port of a machine that hubsim runs. The simulation leads:
 * SystemC's kernel is started for as long as the time of the component's domain has advanced. There
 * is one kernel in a process, and so all such components are in one node, and a process makes one
 * machine that has them.
 */
#ifndef TLM_DEVICE_H
#define TLM_DEVICE_H

#include "bridge.h"
#include "machine/kind.h"

namespace hubsim
{

extern const machine_kind systemc_kind;

/** Makes the modules behind a component and binds them to its bridge; `path` is "node0.timer". What
 * it makes has to stay until the machine ends. */
using Builder = std::function<void(const std::string &path, Bridge &bridge)>;

/** Called for each component of kind `systemc` of a machine that is made later. Without one, their
 * bridges answer that nothing is there. */
void set_builder(Builder builder);

} // namespace hubsim
#endif /* TLM_DEVICE_H */
