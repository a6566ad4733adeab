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

    /** Before modules are made for `path`. Modules that are `passive` never wait for time, so those
     * of several domains may be there, as long as domains keep step. Throws Error. */
    void attach(const std::string &path, bool passive);
    void detach() { users--; }

    /** To the present time, not earlier than the last one. */
    void advance(sim_time_t now);
    /** A module has called sc_stop(): nothing is due any more. */
    bool stopped() const;
    /** What is due now. @return when something is due next */
    sim_time_t run();

  private:
    unsigned users = 0;
    bool is_passive = false;
};

} // namespace hubsim
#endif /* TLM_KERNEL_H */
