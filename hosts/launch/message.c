#include "hosts/launch/message.h"

#include "hosts/launch/helper.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/signal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct launch_message {
    struct launch_message *next;
    sim_time_t due; /* when it leaves its sender's queue */
    uint64_t bytes; /* of data */
    /* what goes over the network */
    uint32_t to; /* ranks */
    uint16_t from, user;
    uint8_t data[];
};

#define PACKET_AT    offsetof(struct launch_message, to)
#define HEADER_BYTES (sizeof(struct launch_message) - PACKET_AT)

/* Ranks of one instant have all sent by the next one, when the transmitter looks. */
#define NET_NEXT_INSTANT_PS 1u

/* Messages within a node are there before those that the network hands over at the same time. */
static const enum sim_phase phases[] = { [LAUNCH_LOCAL] = SIM_ARRIVE, [LAUNCH_NET] = SIM_CLOCK };

static struct launch_message *new_message(uint64_t bytes)
{
    struct launch_message *msg = malloc(sizeof(*msg) + bytes);

    SIM_ASSERT(msg != NULL); /* there is no call that could report it */
    return msg;
}

static void put_message(struct launch_mail *mail, struct launch_message *msg)
{
    msg->next = NULL;
    *mail->end = msg;
    mail->end = &msg->next;
}

static struct launch_message *take_message(struct launch_mail *mail)
{
    struct launch_message *msg = mail->first;

    mail->first = msg->next;
    if (mail->first == NULL)
        mail->end = &mail->first;
    return msg;
}

static void deliver_message(struct launch *run, struct launch_message *msg)
{
    struct launch_thread *rank = &run->ranks[msg->to];

    put_message(&rank->mail[LAUNCH_INBOX + msg->user], msg);
    rank->messages[msg->user]++;
    launch_write_word(rank->node, rank->counted[msg->user], rank->messages[msg->user]);
    launch_wake(rank);
    /* A message of a rank to itself does not ring: the rank itself has just sent it. */
    if (msg->from != msg->to)
        launch_ring(rank);
}

static void net_received(void *arg, unsigned from, const void *bytes, uint32_t size)
{
    const struct launch_node *node = arg;
    struct launch_message *msg;

    (void)from;
    SIM_ASSERT(size >= HEADER_BYTES);
    msg = new_message(size - HEADER_BYTES);
    msg->bytes = size - HEADER_BYTES;
    memcpy((uint8_t *)msg + PACKET_AT, bytes, size);
    deliver_message(node->run, msg);
}

static void send_message(struct launch_node *node, enum launch_way way, struct launch_message *msg)
{
    struct launch *run = node->run;

    if (way == LAUNCH_LOCAL) {
        deliver_message(run, msg);
        return;
    }
    node_net_send(node_host_net(node->host), run->ranks[msg->to].node->shared.index,
                  (uint8_t *)msg + PACKET_AT, (uint32_t)(HEADER_BYTES + msg->bytes));
    free(msg);
}

static void send_due(struct launch_node *node, enum launch_way way)
{
    struct launch *run = node->run;
    struct sim_domain *dom = node->dom;

    for (unsigned r = 0; r < run->nranks; r++) {
        struct launch_mail *box = &run->ranks[r].mail[way];

        if (run->ranks[r].node != node)
            continue;
        while (box->first != NULL && box->first->due <= sim_now(dom))
            send_message(node, way, take_message(box));
        if (box->first != NULL)
            sim_schedule_by(dom, &node->send[way], box->first->due, phases[way]);
    }
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
    sim_cancel(node->dom, &node->send[LAUNCH_LOCAL]);
    sim_cancel(node->dom, &node->send[LAUNCH_NET]);
}

static void op_send(struct host *h, unsigned user, unsigned to, const void *bytes, uint32_t size)
{
    struct launch_thread *t = launch_thread_of(h);
    struct launch *run = t->node->run;
    struct launch_message *msg = new_message(size);
    enum launch_way way;

    SIM_ASSERT(to < run->nranks && run->nranks <= UINT16_MAX && user < HOST_USERS);
    way = run->ranks[to].node == t->node ? LAUNCH_LOCAL : LAUNCH_NET;
    (void)launch_begin(h); /* what was computed before comes first */
    *msg = (struct launch_message){
        .due = sim_now(t->dom) +
               (way == LAUNCH_LOCAL ? run->software->local_message_ps : NET_NEXT_INSTANT_PS),
        .bytes = size,
        .to = to,
        .from = (uint16_t)h->rank,
        .user = (uint16_t)user,
    };
    if (size > 0)
        memcpy(msg->data, bytes, size);
    put_message(&t->mail[way], msg);
    sim_schedule_by(t->dom, &t->node->send[way], msg->due, phases[way]);
}

static void op_receive(struct host *h, unsigned user, struct host_message *msg_p)
{
    struct launch_thread *t = launch_thread_of(h);
    struct launch_mail *box = &t->mail[LAUNCH_INBOX + user];
    struct launch_message *msg;

    (void)launch_begin(h);
    while (box->first == NULL) {
        launch_sleep(launch_running(h), SIM_TIME_NEVER, "waiting for a message");
        launch_signals_take(launch_running(h));
    }
    free(t->taken[user]);
    msg = t->taken[user] = take_message(box);
    *msg_p = (struct host_message){ msg->from, (uint32_t)msg->bytes, msg->data };
}

static void op_count(struct host *h, unsigned user, volatile uint64_t *count)
{
    struct launch_thread *t = launch_thread_of(h);

    t->counted[user] = count;
    launch_write_word(t->node, count, t->messages[user]);
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
    for (unsigned way = 0; way < LAUNCH_WAYS; way++)
        t->mail[way].end = &t->mail[way].first;
}

void launch_mail_fini(struct launch_thread *t)
{
    for (unsigned user = 0; user < HOST_USERS; user++)
        free(t->taken[user]);
    for (unsigned way = 0; way < LAUNCH_WAYS; way++)
        while (t->mail[way].first != NULL)
            free(take_message(&t->mail[way]));
}
