#include "hub/edge.h"

int hub_edge_create(struct hub_edge *edge, struct sim_domain *dom, struct mem_pool *pool,
                    const char *path, enum hub_role role, const struct pcie_port_config *link,
                    const struct pcie_port_user *core, struct sim_error *err)
{
    int rc = pcie_port_create(dom, pool, path, link, core, &edge->pcie, err);

    if (rc != SIM_OK)
        return rc;
    edge->role = (uint8_t)role;
    edge->masters = role == HUB_ROOT;
    pcie_port_set_facing(edge->pcie, role == HUB_ROOT ? PCIE_ROOT_END : PCIE_ENDPOINT_END);
    pcie_port_set_function(edge->pcie, &edge->function);
    return SIM_OK;
}

struct machine_port hub_edge_plug(struct hub_edge *edge)
{
    return (struct machine_port){ "pcie", edge->pcie, pcie_link_join };
}

bool hub_edge_up(const struct hub_edge *edge)
{
    return (edge->role == HUB_ROOT || pcie_function_memory_enabled(&edge->function)) &&
           pcie_port_is_up(edge->pcie);
}

struct pcie_tlp hub_edge_completion(const struct hub_edge *edge, const struct pcie_tlp *request,
                                    enum pcie_cpl_status status)
{
    struct pcie_tlp cpl = pcie_tlp_answer(request, status);

    cpl.completer_id = edge->function.id;
    return cpl;
}

struct pcie_tlp hub_edge_configure(struct hub_edge *edge, struct mem_pool *pool,
                                   const struct pcie_tlp *request)
{
    struct pcie_function *fn = &edge->function;
    struct pcie_tlp cpl;

    if (request->kind == PCIE_CFGWR0 && request->poisoned) { /* changes nothing here (2.7.2.2) */
        pcie_port_error(edge->pcie, PCIE_ERR_POISONED, request);
        return hub_edge_completion(edge, request, PCIE_CPL_UR);
    }
    if (request->kind == PCIE_CFGWR0) {
        fn->id = request->completer_id; /* 2.2.6.2: a function captures its ID from writes */
        pcie_function_write(fn, (uint32_t)request->addr, sim_load32(request->payload->data),
                            request->first_be);
        edge->masters = pcie_function_master_enabled(fn);
        return hub_edge_completion(edge, request, PCIE_CPL_SC);
    }
    cpl = hub_edge_completion(edge, request, PCIE_CPL_SC);
    cpl.kind = PCIE_CPLD;
    cpl.length_dw = 1;
    cpl.payload = mem_payload_alloc(pool, 4);
    sim_store(cpl.payload->data, pcie_function_read(fn, (uint32_t)request->addr), 4);
    return cpl;
}
