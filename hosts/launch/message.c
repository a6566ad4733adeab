/*
 * Messages between ranks, within a node and over the control network. A sender
 * puts them into its own queue; the node takes out what is due, in the order of
 * ranks: which of several sends of one instant comes first must not depend on
 * the event queue.
 */
#include "hosts/launch/internal.h"

#include <stdlib.h>
#include <string.h>

/* Ranks of one instant have all sent by the next one, when the transmitter looks. */
#define NET_NEXT_INSTANT_PS 1u

/* Messages within a node are there before those that the network hands over at the same time. */
static const enum sim_phase phases[LAUNCH_WAYS] = {
    [LAUNCH_LOCAL] = SIM_ARRIVE, [LAUNCH_NET] = SIM_CLOCK
};

/** What precedes the bytes of a message. */
struct wire_header {
    uint32_t to, from; /* ranks */
};

void launch_count(struct launch_thread *t)
{
    uint64_t bus;

    if (t->counted != NULL && launch_bus_of(t->node, t->counted, &bus))
        mem_ram_write(t->node->ram, bus, &t->messages, sizeof(t->messages), NULL);
}

static void deliver(struct launch *run, const uint8_t *packet, uint32_t size)
{
    struct wire_header hdr;
    struct launch_thread *rank;
    struct launch_message *msg;

    SIM_ASSERT(size >= sizeof(hdr));
    memcpy(&hdr, packet, sizeof(hdr));
    size -= (uint32_t)sizeof(hdr);
    rank = &run->ranks[hdr.to];
    msg = malloc(sizeof(*msg) + size);
    SIM_ASSERT(msg != NULL); /* nobody is there who could be told */
    msg->next = NULL;
    msg->from = hdr.from;
    msg->bytes = size;
    memcpy(msg->data, packet + sizeof(hdr), size);
    *rank->end = msg;
    rank->end = &msg->next;
    rank->messages++;
    launch_count(rank);
    launch_wake(rank);
    /* A message of a rank to itself does not ring: the rank itself has just sent it. */
    if (hdr.from != hdr.to)
        launch_ring(rank);
}

static void net_received(void *arg, unsigned from, const void *bytes, uint32_t size)
{
    const struct launch_node *node = arg;

    (void)from;
    deliver(node->run, bytes, size);
}

static struct launch_outgoing *take_due(struct launch_outbox *box, sim_time_t now)
{
    struct launch_outgoing *msg = box->first;

    if (msg == NULL || msg->due > now)
        return NULL;
    box->first = msg->next;
    if (box->first == NULL)
        box->end = &box->first;
    return msg;
}

static void send_due(struct launch_node *node, enum launch_way way)
{
    struct launch *run = node->run;
    struct sim_domain *dom = node_host_domain(node->host);
    sim_time_t next = SIM_TIME_NEVER;

    for (unsigned r = 0; r < run->nranks; r++) {
        struct launch_outbox *box = &run->ranks[r].out_box[way];
        struct launch_outgoing *msg;

        if (run->ranks[r].node != node)
            continue;
        while ((msg = take_due(box, sim_now(dom))) != NULL) {
            if (way == LAUNCH_LOCAL)
                deliver(run, msg->packet, msg->bytes);
            else
                node_net_send(node_host_net(node->host), msg->node, msg->packet, msg->bytes);
            free(msg);
        }
        if (box->first != NULL && box->first->due < next)
            next = box->first->due;
    }
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(dom, &node->send[way], next, phases[way]);
}

static void local_event(struct sim_event *ev)
{
    send_due(SIM_CONTAINER_OF(ev, struct launch_node, send[LAUNCH_LOCAL]), LAUNCH_LOCAL);
}

static void net_event(struct sim_event *ev)
{
    send_due(SIM_CONTAINER_OF(ev, struct launch_node, send[LAUNCH_NET]), LAUNCH_NET);
}

void launch_messages_init(struct launch_node *node)
{
    sim_event_init(&node->send[LAUNCH_LOCAL], local_event);
    sim_event_init(&node->send[LAUNCH_NET], net_event);
    node_net_set_receiver(node_host_net(node->host), net_received, node);
}

void launch_messages_cancel(struct launch_node *node)
{
    for (unsigned way = 0; way < LAUNCH_WAYS; way++)
        sim_cancel(node_host_domain(node->host), &node->send[way]);
}

void launch_send(struct launch_thread *t, unsigned to, const void *bytes, uint32_t size)
{
    const struct launch_node *far = t->node->run->ranks[to].node;
    enum launch_way way = far == t->node ? LAUNCH_LOCAL : LAUNCH_NET;
    struct launch_outbox *box = &t->out_box[way];
    struct wire_header hdr = { to, t->host.rank };
    struct launch_outgoing *msg = malloc(sizeof(*msg) + sizeof(hdr) + size);

    SIM_ASSERT(msg != NULL);
    msg->next = NULL;
    msg->due =
        sim_now(launch_domain(t)) +
        (way == LAUNCH_LOCAL ? t->node->run->software->local_message_ps : NET_NEXT_INSTANT_PS);
    msg->node = far->shared.index;
    msg->bytes = (uint32_t)sizeof(hdr) + size;
    memcpy(msg->packet, &hdr, sizeof(hdr));
    if (size > 0)
        memcpy(msg->packet + sizeof(hdr), bytes, size);
    *box->end = msg;
    box->end = &msg->next;
    sim_schedule_by(launch_domain(t), &t->node->send[way], msg->due, phases[way]);
}

void launch_outboxes_init(struct launch_thread *t)
{
    for (unsigned way = 0; way < LAUNCH_WAYS; way++)
        t->out_box[way].end = &t->out_box[way].first;
}

void launch_messages_free(struct launch_thread *t)
{
    free(t->taken);
    while (t->first != NULL) {
        struct launch_message *msg = t->first;

        t->first = msg->next;
        free(msg);
    }
    for (unsigned way = 0; way < LAUNCH_WAYS; way++) {
        struct launch_outgoing *msg;

        while ((msg = take_due(&t->out_box[way], SIM_TIME_NEVER)) != NULL)
            free(msg);
    }
}
