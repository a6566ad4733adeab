/*
 * An accelerator card in SystemC, as a user would write it: it knows TLM-2.0 and nothing of hubsim.
 *
 *   0x000 .. 0xfff   memory, 80 ns for each access
 *   0x1000           doorbell: 64 bytes at the bus address that is written there are read, each is
 *                    increased by one, and they are written behind those that were read
 */
#ifndef EXAMPLES_CARD_H
#define EXAMPLES_CARD_H

#include <cstdint>
#include <cstring>
#include <deque>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

class Card : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<Card> registers;
    tlm_utils::simple_initiator_socket<Card> bus;

    explicit Card(const sc_core::sc_module_name &name)
        : sc_module(name), registers("registers"), bus("bus")
    {
        SC_HAS_PROCESS(Card);
        registers.register_b_transport(this, &Card::access);
        SC_THREAD(work);
    }

  private:
    static constexpr uint64_t kDoorbell = 0x1000;

    void access(tlm::tlm_generic_payload &trans, sc_core::sc_time &delay)
    {
        uint64_t addr = trans.get_address(), n = trans.get_data_length(), job = 0;

        delay += sc_core::sc_time(80, sc_core::SC_NS);
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
        if (addr + n <= sizeof(memory) && trans.is_write()) {
            memcpy(memory + addr, trans.get_data_ptr(), n);
        } else if (addr + n <= sizeof(memory)) {
            memcpy(trans.get_data_ptr(), memory + addr, n);
        } else if (addr == kDoorbell && n == sizeof(job) && trans.is_write()) {
            memcpy(&job, trans.get_data_ptr(), n);
            jobs.push_back(job);
            rung.notify(delay);
        } else {
            trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
    }

    void transfer(tlm::tlm_command command, uint64_t addr, unsigned char *bytes, unsigned n)
    {
        tlm::tlm_generic_payload trans;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;

        trans.set_command(command);
        trans.set_address(addr);
        trans.set_data_ptr(bytes);
        trans.set_data_length(n);
        trans.set_streaming_width(n);
        bus->b_transport(trans, delay);
        sc_core::wait(delay);
        if (trans.is_response_error())
            SC_REPORT_WARNING("card", trans.get_response_string().c_str());
    }

    void work()
    {
        for (;;) {
            unsigned char bytes[64];
            uint64_t job;

            while (jobs.empty())
                sc_core::wait(rung);
            job = jobs.front();
            jobs.pop_front();
            transfer(tlm::TLM_READ_COMMAND, job, bytes, sizeof(bytes));
            for (unsigned char &byte : bytes)
                byte++;
            transfer(tlm::TLM_WRITE_COMMAND, job + sizeof(bytes), bytes, sizeof(bytes));
        }
    }

    unsigned char memory[4096] = {};
    std::deque<uint64_t> jobs;
    sc_core::sc_event rung;
};

#endif /* EXAMPLES_CARD_H */
