/*
 * The adapter's way to the bus. Reads are cut into requests, as many in flight as
 * there are tags; those of work requests and commands go before data. Writes leave
 * in the order in which they were made, so an entry of a completion queue comes
 * behind the data that it announces. A read for the far side leaves behind all
 * writes made before it, since those may have been acknowledged. A read of a
 * queue pair does not pass its writes. Reads for the adapter's own requests may
 * pass what waits.
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

static unsigned free_place(const struct ib_hca *hca)
{
    unsigned at = 0;

    while (hca->reads[at].job != NULL)
        at++;
    return at;
}

/** A read that was given up may still be answered: the next one in its place has another tag, as
 * far as there are enough. */
static uint8_t tag_of(const struct ib_hca *hca, unsigned at)
{
    unsigned tags = (unsigned)hca->cfg.read_tags, sets = IB_TAGS_MAX / tags;

    return (uint8_t)(hca->reads[at].turn % sets * tags + at);
}

/** The read that a completion answers, or NULL. */
static struct ib_read *read_of(struct ib_hca *hca, const struct pcie_tlp *cpl)
{
    unsigned at = cpl->tag % (unsigned)hca->cfg.read_tags;
    struct ib_read *r = &hca->reads[at];

    if (r->job == NULL || cpl->requester_id != hca->fn.id || cpl->tag != tag_of(hca, at))
        return NULL;
    return r;
}

/** `n` bytes of the job wait for their answer in a free place. @return their tag. */
static uint8_t begin_read(struct ib_hca *hca, struct ib_job *job, uint32_t n)
{
    sim_time_t wait = hca->cfg.completion_timeout_ps;
    unsigned at = free_place(hca);
    struct ib_read *r = &hca->reads[at];

    r->job = job;
    r->at = job->asked;
    r->left = n;
    r->deadline_ps = wait != 0 ? sim_now(hca->dom) + wait : SIM_TIME_NEVER;
    if (hca->busy_tags++ == 0 && wait != 0)
        sim_schedule_at(hca->dom, &hca->timeout, r->deadline_ps, SIM_CLOCK);
    return tag_of(hca, at);
}

/** The next `n` bytes of a read are there, or have failed. */
static void advance_read(struct ib_hca *hca, struct ib_read *r, uint32_t n)
{
    struct ib_job *job = r->job;

    r->at += n;
    r->left -= n;
    job->left -= n;
    if (r->left != 0)
        return;
    r->job = NULL;
    if (--hca->busy_tags == 0)
        sim_cancel(hca->dom, &hca->timeout);
    if (job->left == 0)
        job->done(hca, job);
}

/** The next request of a job. */
static void send_read(struct ib_hca *hca, struct ib_job *job)
{
    uint32_t mrrs = pcie_function_mrrs(&hca->fn);
    uint32_t max = (uint32_t)sim_min(hca->cfg.read_bytes, mrrs);
    uint64_t bus = job->bus + job->asked;
    uint32_t n = pcie_split_completion(bus, job->bytes - job->asked, max);
    struct pcie_tlp tlp = { .kind = PCIE_MRD, .requester_id = hca->fn.id };

    tlp.tag = begin_read(hca, job, n);
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
        if (hca->busy_tags == hca->cfg.read_tags || job->behind > hca->writes_sent ||
            !pcie_port_can_send(hca->pcie, PCIE_NONPOSTED))
            return false;
        send_read(hca, job);
        if (job->asked == job->bytes)
            (void)sim_list_pop(list);
    }
    return true;
}

void ib_completed(struct ib_hca *hca, const struct pcie_tlp *cpl)
{
    struct ib_read *r = read_of(hca, cpl);
    bool data = cpl->payload != NULL && cpl->status == PCIE_CPL_SC;
    uint32_t skip = cpl->lower_addr & 3u, n = cpl->length_dw * 4u - skip;

    if (r == NULL) {
        pcie_port_advisory(hca->pcie, PCIE_ERR_UNEXPECTED, cpl);
        return;
    }
    pcie_port_answered(hca->pcie, cpl);
    if (!data || n > r->left)
        n = r->left;
    if (data && cpl->poisoned == 0)
        memcpy(r->job->to + r->at, cpl->payload->data + skip, n);
    else
        r->job->failed = true;
    advance_read(hca, r, n);
}

/* ---- reads that are not answered (PCI Express Base 2.8) ------------------------------ */

/* The work of this time has to take in what comes now, whichever event is the first. */
static void deadline_comes(struct sim_event *ev)
{
    struct ib_hca *hca = SIM_CONTAINER_OF(ev, struct ib_hca, timeout);

    hca->overdue = true;
    ib_wake_now(hca);
}

void ib_timeout_init(struct ib_hca *hca)
{
    sim_event_init(&hca->timeout, deadline_comes);
}

static void give_up(struct ib_hca *hca, struct ib_read *r)
{
    pcie_port_error(hca->pcie, PCIE_ERR_TIMEOUT, NULL);
    hca->stat.read_timeouts++;
    r->turn++;
    r->job->failed = true;
    advance_read(hca, r, r->left);
}

void ib_timeout_run(struct ib_hca *hca)
{
    sim_time_t now = sim_now(hca->dom), next = SIM_TIME_NEVER;

    if (!hca->overdue)
        return;
    hca->overdue = false;
    for (unsigned at = 0; at < hca->cfg.read_tags; at++) {
        struct ib_read *r = &hca->reads[at];

        if (r->job != NULL && r->deadline_ps <= now)
            give_up(hca, r);
        else if (r->job != NULL)
            ib_sooner(&next, r->deadline_ps);
    }
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(hca->dom, &hca->timeout, next, SIM_CLOCK);
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
        hca->writes_made++;
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
        hca->writes_sent++;
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
