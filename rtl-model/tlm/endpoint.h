/*
 * Modules of SystemC at the end of a link between modules: a bridge with a simulation of its own.
 */
#ifndef TLM_ENDPOINT_H
#define TLM_ENDPOINT_H

#include "bridge.h"
#include "part.h"

namespace hubsim
{

/** Its plug is "link". */
class Endpoint : public Part
{
  public:
    /** With the values of node `node`'s component `component`, of kind `systemc`. Throws Error. */
    Endpoint(sc_core::sc_module_name name, const Machine &machine, unsigned node,
             const std::string &component);

    Bridge bridge;

  private:
    void begin() override { bridge.start(); }
};

} // namespace hubsim
#endif /* TLM_ENDPOINT_H */
