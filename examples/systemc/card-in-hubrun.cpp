/*
 * The card in a machine that `hubrun` runs: this file, linked with hubrun, makes systemc_hubrun.
 *
 *   systemc_hubrun --allow-errors -m card.yaml ./poke          poke also reads where nothing is
 */
#include <memory>
#include <vector>

#include "card.h"
#include "device.h"

namespace
{
std::vector<std::unique_ptr<Card>> cards;

void plug_in(const std::string &, hubsim::Bridge &bridge)
{
    cards.push_back(std::make_unique<Card>(("card" + std::to_string(cards.size())).c_str()));
    bridge.initiator.bind(cards.back()->registers);
    cards.back()->bus.bind(bridge.target);
}

const bool plugged = (hubsim::set_builder(plug_in), true);
} // namespace
