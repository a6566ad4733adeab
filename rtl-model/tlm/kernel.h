/*
 * SystemC's kernel, advanced by the time of a simulation. There is one in a process, and it cannot
 * begin anew.
 */
#ifndef TLM_KERNEL_H
#define TLM_KERNEL_H

#include <string>

#include <systemc>

#include "core/sim.h"

namespace hubsim
{

class Kernel
{
  public:
    static Kernel &get();

    /** Before modules are made for `path`. Throws Error. */
    void attach(const std::string &path);

    /** To the present time, not earlier than the last one. */
    void advance(sim_time_t now);
    /** A module has called sc_stop(): nothing is due any more. */
    bool stopped() const;
    /** What is due now. @return when something is due next */
    sim_time_t run();
};

} // namespace hubsim
#endif /* TLM_KERNEL_H */
