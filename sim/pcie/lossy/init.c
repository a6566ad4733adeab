/*
 * Flow-control initialisation where DLLPs can be lost (PCI Express Base
 * Specification 3.0, 3.3): InitFC1 until the partner's credits of each class are
 * known, InitFC2 until it is seen to have passed that stage too.
 *
 * The specification repeats what may be lost for ever (UpdateFC each 30 us, say).
 * A repetition of what has arrived changes nothing. Here the sender knows what
 * the wire did to its packets, and repeats, at the same times, what did not
 * arrive; so a link that has nothing to send comes to rest.
 */
#include "pcie/lossy/lossy_impl.h"

bool pcie_init_announce(struct pcie_port *p, struct wire_dllp *d, sim_time_t now)
{
    struct pcie_lossy *l = p->lossy;

    if (now < l->init_at || (l->stage == INIT_DONE && !l->init_lost))
        return false;
    pcie_dll_write_init(p, l->stage == INIT_FC1 ? 1 : 2, d);
    l->init_at = now + PCIE_INIT_REPEAT;
    return true;
}

static void activate_link(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    l->stage = INIT_DONE;
    pcie_lossy_update_up(p);
    if (l->known_down) {
        l->known_down = false;
        if (p->user.link != NULL)
            p->user.link(p->user.user, true);
    }
    pcie_port_work_by(p, sim_now(p->dom) + 1);
}

void pcie_init_receive(struct pcie_port *p, unsigned cls, unsigned stage, uint32_t hdr,
                       uint32_t data)
{
    struct pcie_lossy *l = p->lossy;

    if ((l->got_init >> cls & 1) == 0) {
        pcie_dll_take_init(&p->tx[cls], hdr, data);
        l->got_init |= (uint8_t)(1u << cls);
    }
    if (l->stage == INIT_FC1 && l->got_init == (1u << p->classes) - 1) {
        l->stage = INIT_FC2;
        l->init_lost = true;
        l->init_at = sim_now(p->dom) + 1;
        pcie_dll_due(p, l->init_at);
    }
    if (l->stage == INIT_FC2 && stage == 2)
        activate_link(p);
}

void pcie_init_partner_active(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    l->partner_active = true;
    if (l->stage == INIT_FC2)
        activate_link(p);
}

uint32_t pcie_lossy_stuck(const struct pcie_lossy *l, sim_time_t now, sim_time_t *until_p)
{
    uint32_t classes = 0;

    *until_p = SIM_TIME_NEVER;
    for (size_t i = 0; i < l->wire.stuck_count; i++) {
        const struct pcie_fault_stuck *s = &l->wire.stuck[i];

        if (now < s->at_ps || now - s->at_ps >= s->duration_ps)
            continue;
        classes |= 1u << s->cls;
        if (s->duration_ps != SIM_TIME_NEVER && s->at_ps + s->duration_ps < *until_p)
            *until_p = s->at_ps + s->duration_ps;
    }
    return classes;
}
