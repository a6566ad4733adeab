/* Queue lengths and credits of a port for an observer of levels. Called only where one is attached.
 */
#include "pcie/port/tap.h"

#define CLASS_SIGNALS(cls, name)                                                                   \
    [PCIE_##cls] = {                                                                               \
        { "tx." name ".queue", 13, NULL, SIM_SIGNAL_PLAIN, "TLPs that wait for the link" },        \
        { "tx." name ".ready", 1, NULL, SIM_SIGNAL_PLAIN,                                          \
          "the transmit queue has room for one more" },                                            \
        { "tx." name ".hdr_credits", 8, NULL, SIM_SIGNAL_PLAIN,                                    \
          "header credits left; all ones: infinite" },                                             \
        { "tx." name ".data_credits", 12, NULL, SIM_SIGNAL_PLAIN,                                  \
          "data credits left; all ones: infinite" },                                               \
    }

enum { QUEUE, READY, HDR_CREDITS, DATA_CREDITS, CLASS_SIGNAL_COUNT };

static const struct sim_signal signals[PCIE_CLASSES][CLASS_SIGNAL_COUNT] = {
    CLASS_SIGNALS(POSTED, "p"), CLASS_SIGNALS(NONPOSTED, "np"), CLASS_SIGNALS(COMPLETION, "cpl"),
    CLASS_SIGNALS(POSTED_VC1, "p1")
};
static const struct sim_signal replay = { "tx.replay", 11, NULL, SIM_SIGNAL_PLAIN,
                                          "TLPs sent and not yet acknowledged" };

static const char *const link_states[] = { [PCIE_LINK_DOWN] = "down",
                                           [PCIE_LINK_RETRAIN] = "retrain",
                                           [PCIE_LINK_REPLAY] = "replay",
                                           [PCIE_LINK_UP] = "up",
                                           [PCIE_LINK_UP + 1] = NULL };
static const struct sim_signal link_state = { "link.state", 2, link_states, SIM_SIGNAL_LINK,
                                              "whether TLPs can be sent for the first time" };

static enum pcie_link_state state_of(const struct pcie_port *p)
{
    if (p->up)
        return PCIE_LINK_UP;
    return p->lossy != NULL ? p->lossy_ops->state(p) : PCIE_LINK_DOWN;
}

static void show_level(const struct pcie_port *p, const struct sim_signal *signal, uint64_t value)
{
    sim_probe_level(p->tap->probe, signal, p->path, sim_now(p->dom), value);
}

static bool levels_are_watched(const struct pcie_port *p)
{
    return p->tap->probe != NULL && p->tap->probe->level != NULL;
}

bool pcie_tap_levels(const struct pcie_port *p)
{
    if (!levels_are_watched(p))
        return false;
    for (unsigned cls = 0; cls < p->classes; cls++) {
        const struct tx_class *q = &p->tx[cls];

        show_level(p, &signals[cls][QUEUE], q->count);
        show_level(p, &signals[cls][READY], q->count < p->queue_tlps);
        show_level(p, &signals[cls][HDR_CREDITS], q->hdr_avail & 0xffu);
        show_level(p, &signals[cls][DATA_CREDITS], q->data_avail & 0xfffu);
    }
    show_level(p, &replay, p->replay_count);
    show_level(p, &link_state, state_of(p));
    return true;
}

void pcie_tap_resumes(const struct pcie_port *p, sim_time_t at)
{
    const struct sim_level then = { &link_state, p->path, sim_now(p->dom), at, state_of(p) };

    if (!levels_are_watched(p))
        return;
    show_level(p, &link_state, pcie_port_is_up(p) ? PCIE_LINK_RETRAIN : PCIE_LINK_DOWN);
    p->tap->probe->level(p->tap->probe->arg, &then);
}
