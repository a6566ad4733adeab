#include "hosts/launch/message.h"

#include "hosts/launch/helper.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/signal.h"

#include <stdlib.h>
#include <string.h>

struct launch_message {
    struct launch_message *next;
    unsigned from;
    uint32_t bytes;
    uint8_t data[];
};

/** Sent, and still in its sender's queue. */
struct launch_outgoing {
    struct launch_outgoing *next;
    sim_time_t due;
    unsigned node; /* the receiver's */
    uint32_t bytes;
    uint8_t packet[];
};

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

static void deliver_message(struct launch *run, const uint8_t *packet, uint32_t size)
{
    struct wire_header hdr;
    struct launch_thread *rank;
    struct launch_message *msg;

    SIM_ASSERT(size >= sizeof(hdr));
    memcpy(&hdr, packet, sizeof(hdr));
    size -= (uint32_t)sizeof(hdr);
    rank = &run->ranks[hdr.to];
    msg = malloc(sizeof(*msg) + size);
    SIM_ASSERT(msg != NULL); /* there is no call that could report it */
    msg->next = NULL;
    msg->from = hdr.from;
    msg->bytes = size;
    memcpy(msg->data, packet + sizeof(hdr), size);
    *rank->end = msg;
    rank->end = &msg->next;
    rank->messages++;
    launch_write_word(rank->node, rank->counted, rank->messages);
    launch_wake(rank);
    /* A message of a rank to itself does not ring: the rank itself has just sent it. */
    if (hdr.from != hdr.to)
        launch_ring(rank);
}

static void net_received(void *arg, unsigned from, const void *bytes, uint32_t size)
{
    const struct launch_node *node = arg;

    (void)from;
    deliver_message(node->run, bytes, size);
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
    struct sim_domain *dom = node->dom;
    sim_time_t next = SIM_TIME_NEVER;

    for (unsigned r = 0; r < run->nranks; r++) {
        struct launch_outbox *box = &run->ranks[r].out_box[way];
        struct launch_outgoing *msg;

        if (run->ranks[r].node != node)
            continue;
        while ((msg = take_due(box, sim_now(dom))) != NULL) {
            if (way == LAUNCH_LOCAL)
                deliver_message(run, msg->packet, msg->bytes);
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
        sim_cancel(node->dom, &node->send[way]);
}

static const struct launch_node *node_of(const struct launch_thread *t, unsigned rank)
{
    SIM_ASSERT(rank < t->host.size);
    return t->node->run->ranks[rank].node;
}

static void op_send(struct host *h, unsigned to, const void *bytes, uint32_t size)
{
    struct launch_thread *t = launch_thread_of(h);
    const struct launch_node *far = node_of(t, to);
    enum launch_way way = far == t->node ? LAUNCH_LOCAL : LAUNCH_NET;
    struct launch_outbox *box = &t->out_box[way];
    struct wire_header hdr = { to, t->host.rank };
    struct launch_outgoing *msg = malloc(sizeof(*msg) + sizeof(hdr) + size);

    SIM_ASSERT(msg != NULL);
    (void)launch_begin(h); /* what was computed before comes first */
    msg->next = NULL;
    msg->due = sim_now(t->dom) + (way == LAUNCH_LOCAL ? t->node->run->software->local_message_ps
                                                      : NET_NEXT_INSTANT_PS);
    msg->node = far->shared.index;
    msg->bytes = (uint32_t)sizeof(hdr) + size;
    memcpy(msg->packet, &hdr, sizeof(hdr));
    if (size > 0)
        memcpy(msg->packet + sizeof(hdr), bytes, size);
    *box->end = msg;
    box->end = &msg->next;
    sim_schedule_by(t->dom, &t->node->send[way], msg->due, phases[way]);
}

static void op_receive(struct host *h, struct host_message *msg_p)
{
    struct launch_thread *t = launch_thread_of(h);
    struct launch_message *msg;

    (void)launch_begin(h);
    while (t->first == NULL) {
        launch_sleep(launch_running(h), SIM_TIME_NEVER, "waiting for a message");
        launch_signals_take(launch_running(h));
    }
    msg = t->first;
    t->first = msg->next;
    if (t->first == NULL)
        t->end = &t->first;
    free(t->taken);
    t->taken = msg;
    *msg_p = (struct host_message){ msg->from, msg->bytes, msg->data };
}

static void op_count(struct host *h, volatile uint64_t *count)
{
    struct launch_thread *t = launch_thread_of(h);

    t->counted = count;
    launch_write_word(t->node, count, t->messages);
}

/* What is measured on the hubs by a program that drives them must not meet MPI's packets there: as
 * on the real machine, they have another way. Functions of tests may be such programs. */
static enum host_network op_fastest(struct host *h)
{
    const struct launch_thread *t = launch_running(h);
    enum host_network network = launch_network(t->node->run->m);

    if (network == HOST_NETWORK_HUBS && (t->program == NULL || t->program->drives_hubs))
        return HOST_NETWORK_CONTROL;
    return network;
}

const struct host_net_ops launch_net_ops = {
    .fastest = op_fastest,
    .send = op_send,
    .receive = op_receive,
    .count = op_count,
};

void launch_mail_init(struct launch_thread *t)
{
    t->end = &t->first;
    for (unsigned way = 0; way < LAUNCH_WAYS; way++)
        t->out_box[way].end = &t->out_box[way].first;
}

void launch_mail_fini(struct launch_thread *t)
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
