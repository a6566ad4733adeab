#include "pcie/port/outside.h"
#include "pcie/port/dll.h"

#include <stdio.h>

void pcie_outside_show(const struct pcie_port *p, struct pcie_outside_end *end_p)
{
    end_p->cfg = p->cfg;
    end_p->facing = p->facing;
    (void)snprintf(end_p->path, sizeof(end_p->path), "%s", p->path);
}

static int check_latency(const struct pcie_port *p, const char *key, uint64_t ps,
                         struct sim_error *err)
{
    char head[PCIE_PATH_BYTES + 8];

    if (ps >= SIM_NS)
        return SIM_OK;
    (void)snprintf(head, sizeof(head), "%s: ", p->path);
    return sim_error_value(err, SIM_ERR_CONFIG, head, key, ps,
                           "expected at least 1000, for a link to another simulation");
}

/* Both directions begin and end in the port's own domain. */
static bool open_half(struct pcie_port *p, struct pcie_outside *o, struct sim_error *err)
{
    struct sim_channel_config cfg = {
        .from = p->dom, .to = p->dom, .latency_ps = p->cfg.tx_latency_ps, .arg = o->arg
    };

    cfg.deliver = o->sent_tlp;
    p->out = sim_channel_create(&cfg, err);
    cfg.deliver = o->sent_dllps;
    p->out_dllp = sim_channel_create(&cfg, err);
    cfg.latency_ps = p->cfg.rx_latency_ps;
    cfg.arg = p;
    cfg.deliver = pcie_dll_receive;
    o->tlps = sim_channel_create(&cfg, err);
    cfg.deliver = pcie_dll_receive_dllps;
    cfg.lazy = true;
    o->dllps = p->in_dllp = sim_channel_create(&cfg, err);
    return p->out != NULL && p->out_dllp != NULL && o->tlps != NULL && o->dllps != NULL;
}

int pcie_outside_connect(struct pcie_port *p, const struct pcie_outside_end *far,
                         struct pcie_outside *o, struct sim_error *err)
{
    int rc = pcie_link_check(p, far->facing, far->path, err);

    if (rc == SIM_OK)
        rc = check_latency(p, "tx_latency_ps", p->cfg.tx_latency_ps, err);
    if (rc == SIM_OK)
        rc = check_latency(p, "rx_latency_ps", p->cfg.rx_latency_ps, err);
    if (rc != SIM_OK)
        return rc;
    if (!open_half(p, o, err))
        return SIM_ERR_NOMEM;
    pcie_link_settle(p, &far->cfg, far->path);
    return SIM_OK;
}
