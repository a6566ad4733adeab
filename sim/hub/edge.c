#include "hub/edge.h"

int hub_edge_create(struct hub_edge *edge, struct sim_domain *dom, struct mem_pool *pool,
                    const char *path, enum hub_role role, const struct pcie_port_config *link,
                    const struct pcie_port_user *core, struct sim_error *err)
{
    int rc = pcie_port_create(dom, pool, path, link, core, &edge->pcie, err);

    if (rc != SIM_OK)
        return rc;
    edge->role = (uint8_t)role;
    pcie_port_set_facing(edge->pcie, role == HUB_ROOT ? PCIE_ROOT_END : PCIE_ENDPOINT_END);
    pcie_port_set_function(edge->pcie, &edge->function);
    return SIM_OK;
}

void hub_edge_destroy(struct hub_edge *edge)
{
    if (edge->pcie != NULL)
        pcie_port_destroy(edge->pcie);
}

static int join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err)
{
    return pcie_link_connect(a, b, wire_ps, err);
}

struct machine_port hub_edge_plug(struct hub_edge *edge)
{
    return (struct machine_port){ "pcie", edge->pcie, join };
}

bool hub_edge_up(const struct hub_edge *edge)
{
    return (edge->role == HUB_ROOT || pcie_function_memory_enabled(&edge->function)) &&
           pcie_port_is_up(edge->pcie);
}

struct pcie_tlp hub_edge_completion(const struct hub_edge *edge, const struct pcie_tlp *request,
                                    enum pcie_cpl_status status)
{
    return (struct pcie_tlp){
        .kind = PCIE_CPL,
        .tc = request->tc,
        .attr = request->attr,
        .tag = request->tag,
        .status = (uint8_t)status,
        .requester_id = request->requester_id,
        .completer_id = edge->function.id,
        .byte_count = pcie_tlp_byte_count(request),
        .trace_id = request->trace_id,
    };
}

struct pcie_tlp hub_edge_configure(struct hub_edge *edge, struct mem_pool *pool,
                                   const struct pcie_tlp *request)
{
    struct pcie_function *fn = &edge->function;
    struct pcie_tlp cpl;
    uint32_t value;

    if (request->kind == PCIE_CFGWR0) {
        const uint8_t *d = request->payload->data;

        value = d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
        fn->id = request->completer_id; /* 2.2.6.2: a function captures its ID from writes */
        pcie_function_write(fn, (uint32_t)request->addr, value, request->first_be);
        return hub_edge_completion(edge, request, PCIE_CPL_SC);
    }
    value = pcie_function_read(fn, (uint32_t)request->addr);
    cpl = hub_edge_completion(edge, request, PCIE_CPL_SC);
    cpl.kind = PCIE_CPLD;
    cpl.length_dw = 1;
    cpl.payload = mem_payload_alloc(pool, 4);
    for (uint32_t b = 0; b < 4; b++)
        cpl.payload->data[b] = (uint8_t)(value >> (8 * b));
    return cpl;
}
