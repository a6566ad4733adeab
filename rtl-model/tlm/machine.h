/*
 * The values of a machine, from the same files as those of `hubsim run`, for the modules of a
 * SystemC program: what each component is set to. Which plugs cables join, the program says.
 */
#ifndef TLM_MACHINE_H
#define TLM_MACHINE_H

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hosts/launch/launch.h"
#include "machine/machine.h"

struct load_machine;

namespace hubsim
{

/** What a user gave that cannot be; what() is the located line. */
struct Error : std::runtime_error {
    explicit Error(const std::string &text) : runtime_error(text)
    {
        (void)sim_error_set(&about, SIM_ERR_CONFIG, "%s", what());
    }
    explicit Error(const sim_error &err) : runtime_error(err.text), about(err) {}

    sim_error about = {};
};
/** Throws what a function of the simulator has left; `code` SIM_OK: nothing. */
void check(int code, const sim_error &err);

class Machine
{
  public:
    /** `name`: a path, or a name in configs/machines; `sets`: "node*.hub.clock_khz=200000". Throws
     * Error. */
    explicit Machine(const std::string &name, const std::vector<std::string> &sets = {});
    ~Machine();
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    uint64_t seed = 1;        /* of every random stream; before modules are made, */
    bool fingerprint = false; /* as this: compute them */

    const machine_desc &desc() const;
    /** The component of this name; Error where the node has none, or one of another kind. Makes of
     * one device, which have one table of parameters, are one kind here. */
    const machine_component_desc &component(unsigned node, const std::string &name,
                                            const machine_kind &kind) const;
    /** What software costs on a node. */
    launch_software software(unsigned node) const;

  private:
    load_machine *loaded = nullptr;
};

} // namespace hubsim
#endif /* TLM_MACHINE_H */
