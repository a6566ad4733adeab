/* Commands of the driver: read from host memory one after the other, carried out, answered. */
#include "ib/internal.h"

#include <stdlib.h>

#define COMMANDS (sizeof(((struct ib_command *)NULL)->queue) / sizeof(uint64_t))

static void command_read(struct ib_hca *hca, struct ib_job *job)
{
    struct ib_command *cmd = &hca->command;

    (void)job;
    cmd->due = sim_now(hca->dom) + hca->cfg.command_ps;
    ib_wake_now(hca);
}

static void fetch_command(struct ib_hca *hca)
{
    struct ib_command *cmd = &hca->command;

    if (cmd->busy || cmd->n == 0)
        return;
    cmd->busy = true;
    cmd->due = SIM_TIME_NEVER;
    cmd->job = (struct ib_job){ .bus = cmd->queue[cmd->first],
                                .bytes = IB_COMMAND_BYTES,
                                .to = (uint8_t *)cmd->words,
                                .done = command_read };
    ib_job_add(&hca->control, &cmd->job);
}

void ib_command_ring(struct ib_hca *hca, uint64_t bus)
{
    struct ib_command *cmd = &hca->command;

    if (cmd->n == COMMANDS || bus % (2 * IB_COMMAND_BYTES) != 0)
        return; /* a driver's mistake: never answered */
    cmd->queue[(cmd->first + cmd->n++) % COMMANDS] = bus;
    fetch_command(hca);
}

/* ---- what they do ------------------------------------------------------------------ */

static uint32_t add_region(struct ib_hca *hca, const uint64_t *w, uint32_t *key_p)
{
    uint32_t i = 0;

    while (i < hca->nregions && hca->regions[i].used)
        i++;
    if (i == hca->regions_room) {
        uint32_t room = hca->regions_room * 2 + 64;
        struct ib_region *more = realloc(hca->regions, room * sizeof(*more));

        if (more == NULL)
            return IB_ERR_COMMAND;
        hca->regions = more;
        hca->regions_room = room;
    }
    hca->regions[i] = (struct ib_region){ true, w[1], w[2], (uint32_t)w[3] };
    if (i == hca->nregions)
        hca->nregions++;
    *key_p = i + 1;
    return IB_OK;
}

static uint32_t free_region(struct ib_hca *hca, uint64_t key)
{
    if (key == 0 || key > hca->nregions || !hca->regions[key - 1].used)
        return IB_ERR_COMMAND;
    hca->regions[key - 1].used = false;
    return IB_OK;
}

static uint32_t add_cq(struct ib_hca *hca, const uint64_t *w, uint32_t *number_p)
{
    if (hca->ncqs == IB_CQS || w[2] > IB_LOG2_MAX)
        return IB_ERR_COMMAND;
    hca->cq[hca->ncqs] = (struct ib_cq){ .bus = w[1], .log2 = (uint32_t)w[2] };
    *number_p = hca->ncqs++;
    return IB_OK;
}

static uint32_t add_events(struct ib_hca *hca, uint64_t cq)
{
    if (cq >= hca->ncqs)
        return IB_ERR_COMMAND;
    hca->cq[cq].events = true;
    return IB_OK;
}

static uint32_t add_qp(struct ib_hca *hca, const uint64_t *w, uint32_t *number_p)
{
    uint32_t sq = w[3] & 0xff, rq = w[3] >> 8 & 0xff, port = w[3] >> 16 & 0xff,
             lane = w[3] >> 24 & 0xff;
    uint32_t send_cq = (uint32_t)w[4], receive_cq = (uint32_t)(w[4] >> 32);
    struct ib_qp *qp;

    if (hca->nqps == IB_QPS || sq > IB_LOG2_MAX || rq > IB_LOG2_MAX || port >= hca->cfg.ports ||
        lane >= hca->cfg.link.vls || send_cq >= hca->ncqs || receive_cq >= hca->ncqs)
        return IB_ERR_COMMAND;
    qp = calloc(1, sizeof(*qp));
    if (qp == NULL)
        return IB_ERR_COMMAND;
    qp->hca = hca;
    qp->number = hca->nqps;
    qp->sq_bus = w[1];
    qp->rq_bus = w[2];
    qp->sq_log2 = sq;
    qp->rq_log2 = rq;
    qp->port = (uint8_t)port;
    qp->lane = (uint8_t)lane;
    qp->send_cq = send_cq;
    qp->receive_cq = receive_cq;
    hca->qp[hca->nqps] = qp;
    *number_p = hca->nqps++;
    return IB_OK;
}

static uint32_t connect_qp(struct ib_hca *hca, const uint64_t *w)
{
    struct ib_qp *qp = ib_qp_of(hca, (uint32_t)w[1]);
    uint32_t lid = (uint32_t)w[2];

    if (qp == NULL || lid == 0 ||
        (lid != hca->lid &&
         (lid > hca->port[qp->port].npeers || hca->port[qp->port].peers[lid - 1] == NULL)))
        return IB_ERR_COMMAND;
    qp->lid = (uint16_t)lid;
    qp->far = (uint32_t)(w[2] >> 32);
    ib_qp_fetch(qp);
    ib_activate(qp);
    return IB_OK;
}

static uint32_t carry_out(struct ib_hca *hca, const uint64_t *w, uint32_t *value_p)
{
    switch (w[0]) {
    case IB_CMD_MR:
        return add_region(hca, w, value_p);
    case IB_CMD_MR_FREE:
        return free_region(hca, w[1]);
    case IB_CMD_CQ:
        return add_cq(hca, w, value_p);
    case IB_CMD_QP:
        return add_qp(hca, w, value_p);
    case IB_CMD_EVENTS:
        return add_events(hca, w[1]);
    case IB_CMD_CONNECT:
        return connect_qp(hca, w);
    default:
        return IB_ERR_COMMAND;
    }
}

void ib_command_run(struct ib_hca *hca, sim_time_t *next)
{
    struct ib_command *cmd = &hca->command;
    uint32_t answer[2] = { 0, 0 };
    uint64_t bus;

    if (!cmd->busy)
        return;
    if (cmd->due > sim_now(hca->dom)) {
        ib_sooner(next, cmd->due);
        return;
    }
    bus = cmd->queue[cmd->first];
    cmd->first = (uint32_t)((cmd->first + 1) % COMMANDS);
    cmd->n--;
    cmd->busy = false;
    hca->stat.commands++;
    answer[0] =
        IB_ANSWERED | (cmd->job.failed ? IB_ERR_COMMAND : carry_out(hca, cmd->words, &answer[1]));
    (void)ib_write_add(hca, bus + IB_COMMAND_BYTES, answer, sizeof(answer), sim_now(hca->dom));
    fetch_command(hca);
}
