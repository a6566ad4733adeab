/*
 * A host as a SystemC module: cores, DRAM and root complex in C, and on them the driver of the
 * project and a program of the user, which are SystemC processes. The program calls peach2.h, as it
 * does under `hubrun`, and takes as long: what a library asks of its host is done by the module's
 * cores, and the process waits until they may go on.
 *
 * There are no GPUs, no adapters but the hub, and no control network, and so there is no MPI.
 */
#ifndef TLM_HOST_H
#define TLM_HOST_H

#include <functional>

#include "part.h"

struct node_host;

namespace hubsim
{

struct Thread;
class Host;

/** The ranks of a program: they begin together, when each node has booted. */
class Program
{
  public:
    /** `main` runs once for each host, with the number of its node. It returns when its rank ends.
     */
    explicit Program(std::function<void(unsigned rank)> main_of_rank)
        : main(std::move(main_of_rank))
    {
    }
    bool ended() const { return running == 0; }

  private:
    friend class Host;
    std::function<void(unsigned rank)> main;
    unsigned booting = 0, running = 0;
    sim_time_t start = 0;
    sc_core::sc_event booted;
};

class Host : public Part
{
  public:
    /** With the values of node `node`'s components `component`, of kind host, and `software`.
     * `program` must outlive the module. Throws Error. */
    Host(sc_core::sc_module_name name, const Machine &machine, unsigned node, Program &program,
         const std::string &component = "host");
    ~Host() override;

  private:
    friend struct Thread;
    void begin() override;
    void boot_and_run();
    void interrupts();

    struct Memory;
    struct Software;

    void *component = nullptr;
    Program &program;
    std::unique_ptr<Memory> memory;
    std::unique_ptr<Software> software;
};

} // namespace hubsim
#endif /* TLM_HOST_H */
