/*
 * What crosses the sockets between two modules: the packets of a PCI Express link, at the time when
 * they come to the connector. A transaction is one TLP, or the DLLPs that are sent together.
 *
 * It is a protocol with its own types (LinkTypes), so a socket of the base protocol cannot be bound
 * to it. BEGIN_REQ on the forward path is answered with TLM_COMPLETED, always. No other phase is
 * needed, since credits, which are DLLPs, keep a link from overflow. The annotated delay is the
 * time that the cable takes. The extension Packet is mandatory. A TLP with data has command
 * (write), address, data and length in the generic payload. One without data, and DLLPs, have
 * TLM_IGNORE_COMMAND and a length of 0.
 *
 * Before time begins each end reads by transport_dbg what the other one shows: extension Shown.
 */
#ifndef TLM_LINK_H
#define TLM_LINK_H

#include <memory>
#include <vector>

#include <tlm>

#include "pcie/port/outside.h"

namespace hubsim
{

struct LinkTypes {
    typedef tlm::tlm_generic_payload tlm_payload_type;
    typedef tlm::tlm_phase tlm_phase_type;
};

/** A TLP with its sequence number, or DLLPs. */
struct Packet : tlm::tlm_extension<Packet> {
    bool is_tlp = false;
    wire_tlp tlp = {};    /* no payload: that is the transaction's data */
    wire_dllp dllps = {}; /* ACK and credits */
    std::vector<unsigned char> data;

    tlm::tlm_extension_base *clone() const override { return new Packet(*this); }
    void copy_from(const tlm::tlm_extension_base &from) override
    {
        *this = static_cast<const Packet &>(from);
    }
};

/** The asking end, and, in the answer, the other one. */
struct Shown : tlm::tlm_extension<Shown> {
    pcie_outside_end asks = {}, answers = {};

    tlm::tlm_extension_base *clone() const override { return new Shown(*this); }
    void copy_from(const tlm::tlm_extension_base &from) override
    {
        *this = static_cast<const Shown &>(from);
    }
};

/** Transactions with a Packet, used again when their last user has released them. */
class Transactions : public tlm::tlm_mm_interface
{
  public:
    tlm::tlm_generic_payload *allocate()
    {
        tlm::tlm_generic_payload *trans;

        if (idle.empty()) {
            all.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
            trans = all.back().get();
            trans->set_extension(new Packet); /* which the transaction owns */
        } else {
            trans = idle.back();
            idle.pop_back();
        }
        clear(*trans);
        trans->acquire();
        return trans;
    }
    void free(tlm::tlm_generic_payload *trans) override
    {
        trans->reset();
        idle.push_back(trans);
    }

  private:
    /* reset() clears extensions, and leaves the attributes as they were. */
    static void clear(tlm::tlm_generic_payload &trans)
    {
        trans.set_command(tlm::TLM_IGNORE_COMMAND);
        trans.set_address(0);
        trans.set_data_ptr(nullptr);
        trans.set_data_length(0);
        trans.set_byte_enable_ptr(nullptr);
        trans.set_byte_enable_length(0);
        trans.set_streaming_width(0);
        trans.set_dmi_allowed(false);
        trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }

    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all;
    std::vector<tlm::tlm_generic_payload *> idle;
};

} // namespace hubsim
#endif /* TLM_LINK_H */
