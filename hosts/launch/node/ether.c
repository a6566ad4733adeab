/*
 * The node's network adapter for its kernel, and the interrupts that come with
 * it: of frames and of the kernel's timer. They arrive before all software of
 * their instant; where the node has one core, that is blocked until the
 * handler has ended.
 */
#include "hosts/launch/helper.h"
#include "hosts/launch/node/node.h"

static struct launch_node *node_of(struct host *h)
{
    return launch_thread_of(h)->node;
}

/** The rank that handlers of this node interrupt; NULL: they have a core of their own. */
static struct node_core *shared_core(const struct launch_node *node)
{
    return node_host_cores(node->host) == 1 ? node_host_core(node->host, 0) : NULL;
}

/* What runs above a rank is blocked as well. */
static void shared_core_hold(struct launch_node *node)
{
    node_core_hold(shared_core(node));
    if (node_core_above(shared_core(node)) != NULL)
        node_core_hold(node_core_above(shared_core(node)));
}

static void ether_arrived(struct launch_node *node, enum host_ether_event what)
{
    node->ether.pending |= 1u << what;
    if (!node->ether.handling && shared_core(node) != NULL)
        shared_core_hold(node);
    node->ether.handling = true;
    launch_wake(&node->irq);
}

static void frames_arrived(void *arg)
{
    ether_arrived(arg, HOST_ETHER_FRAMES);
}

static void timer_event(struct sim_event *ev)
{
    ether_arrived(SIM_CONTAINER_OF(ev, struct launch_node, ether.timer), HOST_ETHER_TIMER);
}

/** Those that were woken meanwhile get the core now. */
static void shared_core_let_go(struct launch_node *node)
{
    struct launch *run = node->run;

    node->ether.handling = false;
    if (shared_core(node) == NULL)
        return;
    node_core_release(shared_core(node));
    if (node_core_above(shared_core(node)) != NULL)
        node_core_release(node_core_above(shared_core(node)));
    for (unsigned r = 0; run->ranks != NULL && r < run->nranks; r++) {
        if (run->ranks[r].node != node)
            continue;
        launch_let_go(&run->ranks[r]);
        if (run->ranks[r].helper != NULL)
            launch_let_go(&run->ranks[r].helper->thread);
    }
}

void launch_ether_handle(struct launch_node *node)
{
    while (node->ether.pending != 0) {
        for (unsigned what = 0; what < HOST_ETHER_EVENTS; what++) {
            if ((node->ether.pending & 1u << what) == 0)
                continue;
            node->ether.pending &= ~(1u << what);
            node->ether.fn(&node->irq.host, node->ether.arg, (enum host_ether_event)what);
        }
    }
    if (node->ether.handling)
        shared_core_let_go(node);
}

void launch_ether_init(struct launch_node *node)
{
    sim_event_init(&node->ether.timer, timer_event);
}

void launch_ether_fini(struct launch_node *node)
{
    sim_cancel(node->dom, &node->ether.timer);
    if (node->ether.adapter != NULL)
        ether_adapter_set_irq(node->ether.adapter, NULL, NULL);
}

/* ---- operations -------------------------------------------------------------------- */

static bool op_open(struct host *h, host_ether_fn fn, void *arg)
{
    struct launch_node *node = node_of(h);

    if (node->ether.adapter == NULL)
        return false;
    node->ether.fn = fn;
    node->ether.arg = arg;
    ether_adapter_set_irq(node->ether.adapter, frames_arrived, node);
    ether_adapter_listen(node->ether.adapter);
    return true;
}

static struct ether_adapter *adapter_of(struct host *h)
{
    return node_of(h)->ether.adapter;
}

static bool op_post(struct host *h, const void *frame, uint32_t bytes)
{
    return ether_adapter_post(adapter_of(h), frame, bytes);
}

static bool op_half_duplex(struct host *h)
{
    return ether_adapter_half_duplex(adapter_of(h));
}

static unsigned op_room(struct host *h)
{
    return ether_adapter_room(adapter_of(h));
}

static void op_want_room(struct host *h, unsigned places)
{
    ether_adapter_want_room(adapter_of(h), places);
}

static const uint8_t *op_frame(struct host *h, uint32_t *bytes_p)
{
    return ether_adapter_frame(adapter_of(h), bytes_p);
}

static void op_release(struct host *h)
{
    ether_adapter_release(adapter_of(h));
}

static void op_listen(struct host *h)
{
    ether_adapter_listen(adapter_of(h));
}

static void op_timer(struct host *h, uint64_t time_ps)
{
    struct launch_node *node = node_of(h);
    struct sim_domain *dom = node->dom;

    sim_cancel(dom, &node->ether.timer);
    if (time_ps != HOST_NEVER) /* after this instant: its software may have begun */
        sim_schedule_at(dom, &node->ether.timer,
                        time_ps > sim_now(dom) ? time_ps : sim_now(dom) + 1, SIM_CLOCK);
}

static unsigned op_node_of(struct host *h, unsigned rank)
{
    return node_of(h)->run->ranks[rank].node->shared.index;
}

const struct host_ether_ops launch_ether_ops = {
    .open = op_open,
    .post = op_post,
    .half_duplex = op_half_duplex,
    .room = op_room,
    .want_room = op_want_room,
    .frame = op_frame,
    .release = op_release,
    .listen = op_listen,
    .timer = op_timer,
    .node_of = op_node_of,
};
