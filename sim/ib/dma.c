/*
 * The adapter's way to the bus. Reads are cut into requests, as many in flight as
 * there are tags; those of work requests and commands go before data. Writes leave
 * in the order in which they were made, so an entry of a completion queue comes
 * behind the data that it announces.
 */
#include "ib/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- reads ------------------------------------------------------------------------ */

void ib_job_add(struct sim_list *list, struct ib_job *job)
{
    SIM_ASSERT(job->bytes > 0);
    job->asked = 0;
    job->left = job->bytes;
    job->failed = false;
    sim_list_push(list, &job->link);
}

static unsigned free_tag(const struct ib_hca *hca)
{
    unsigned tag = 0;

    while (hca->reads[tag].job != NULL)
        tag++;
    return tag;
}

/** The next request of a job. */
static void send_read(struct ib_hca *hca, struct ib_job *job)
{
    uint32_t mrrs = pcie_function_mrrs(&hca->fn);
    uint32_t max = (uint32_t)sim_min(hca->cfg.read_bytes, mrrs);
    uint64_t bus = job->bus + job->asked;
    uint32_t n = pcie_split_completion(bus, job->bytes - job->asked, max);
    unsigned tag = free_tag(hca);
    struct pcie_tlp tlp = { .kind = PCIE_MRD, .requester_id = hca->fn.id, .tag = (uint8_t)tag };

    hca->reads[tag] = (struct ib_read){ job, job->asked, n };
    hca->busy_tags++;
    job->asked += n;
    pcie_tlp_set_range(&tlp, bus, n);
    pcie_port_send(hca->pcie, &tlp);
    hca->stat.read_bytes += n;
}

/** Requests of the jobs of one list, in order. @return false: there is no way out now. */
static bool ask_all(struct ib_hca *hca, struct sim_list *list, sim_time_t *next)
{
    sim_time_t now = sim_now(hca->dom);
    struct ib_job *job;

    while ((job = list->head) != NULL) {
        if (job->due > now) {
            ib_sooner(next, job->due);
            return true;
        }
        if (hca->busy_tags == hca->cfg.read_tags || !pcie_port_can_send(hca->pcie, PCIE_NONPOSTED))
            return false;
        send_read(hca, job);
        if (job->asked == job->bytes)
            (void)sim_list_pop(list);
    }
    return true;
}

void ib_completed(struct ib_hca *hca, const struct pcie_tlp *cpl)
{
    struct ib_read *r = &hca->reads[cpl->tag];
    struct ib_job *job = r->job;
    bool data = cpl->payload != NULL && cpl->status == PCIE_CPL_SC && cpl->poisoned == 0;
    uint32_t skip = cpl->lower_addr & 3u, n = cpl->length_dw * 4u - skip;

    if (job == NULL || cpl->requester_id != hca->fn.id) {
        pcie_port_advisory(hca->pcie, PCIE_ERR_UNEXPECTED, cpl);
        return;
    }
    pcie_port_answered(hca->pcie, cpl);
    if (!data || n > r->left)
        n = r->left;
    if (data)
        memcpy(job->to + r->at, cpl->payload->data + skip, n);
    else
        job->failed = true;
    r->at += n;
    r->left -= n;
    job->left -= n;
    if (r->left != 0)
        return;
    r->job = NULL;
    hca->busy_tags--;
    if (job->left == 0)
        job->done(hca, job);
}

/* ---- writes -------------------------------------------------------------------------- */

static struct ib_write *write_get(struct ib_hca *hca)
{
    struct ib_write *w = sim_list_pop(&hca->free_writes);

    if (w == NULL)
        w = malloc(sizeof(*w));
    SIM_ASSERT(w != NULL);
    *w = (struct ib_write){ .due = 0 };
    return w;
}

struct ib_write *ib_write_add(struct ib_hca *hca, uint64_t bus, const void *bytes, uint32_t n,
                              sim_time_t due)
{
    uint32_t mps = pcie_port_mps(hca->pcie);
    const uint8_t *from = bytes;
    struct ib_write *w = NULL;

    hca->stat.write_bytes += n;
    while (n > 0) {
        uint32_t piece = pcie_split_completion(bus, n, mps);

        w = write_get(hca);
        w->due = due;
        w->tlp = pcie_tlp_write(hca->payloads, hca->fn.id, bus, from, piece);
        sim_list_push(&hca->writes, &w->link);
        hca->nwrites++;
        bus += piece;
        from += piece;
        n -= piece;
    }
    return w;
}

void ib_keep(struct ib_hca *hca, struct sim_list *list, const struct pcie_tlp *tlp)
{
    struct ib_write *w = write_get(hca);

    w->tlp = *tlp;
    sim_list_push(list, &w->link);
}

static void send_answers(struct ib_hca *hca)
{
    while (hca->answers.head != NULL && pcie_port_can_send(hca->pcie, PCIE_COMPLETION)) {
        struct ib_write *w = sim_list_pop(&hca->answers);

        pcie_port_send(hca->pcie, &w->tlp);
        sim_list_push_first(&hca->free_writes, &w->link);
    }
}

static void send_writes(struct ib_hca *hca, sim_time_t *next)
{
    sim_time_t now = sim_now(hca->dom);
    struct ib_write *w;
    bool any = false;

    while ((w = hca->writes.head) != NULL) {
        if (w->due > now) {
            ib_sooner(next, w->due);
            break;
        }
        if (!pcie_port_can_send(hca->pcie, PCIE_POSTED))
            break;
        any = true;
        (void)sim_list_pop(&hca->writes);
        hca->nwrites--;
        pcie_port_send(hca->pcie, &w->tlp);
        ib_room(hca, w->used, w->blocks);
        sim_list_push_first(&hca->free_writes, &w->link);
    }
    if (any)
        ib_wake_now(hca); /* packets may have waited for room */
}

void ib_dma_run(struct ib_hca *hca, sim_time_t *next)
{
    send_answers(hca);
    send_writes(hca, next);
    if (ask_all(hca, &hca->control, next))
        (void)ask_all(hca, &hca->data, next);
}
