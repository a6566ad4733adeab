/*
 * The control network: between any two hosts a pipe with a latency, and at each
 * host one transmitter that puts out so many bytes a microsecond, messages in
 * the order of their sending. Receivers and the fabric between are never busy.
 * A message arrives as a whole, when its last byte does.
 */
#include "node/net.h"

#include "core/list.h"

#include <string.h>

/** A message as it crosses a channel. */
struct net_record {
    uint64_t from;
    uint8_t data[];
};

struct net_message {
    struct sim_link link;
    uint64_t size;
    uint8_t bytes[]; /* at a multiple of 8 */
};

struct net_peer {
    struct sim_channel *out; /* to this node */
    struct sim_list arrived; /* struct net_message: not yet handed over */
};

void node_net_set_receiver(struct node_net *net, node_net_fn fn, void *arg)
{
    net->receive = fn;
    net->arg = arg;
}

/** Puts `bytes` more through the transmitter. @return when the last of them is out. */
static sim_time_t transmit_bytes(struct node_net *net, uint32_t bytes)
{
    sim_time_t now = sim_now(net->cfg.dom);

    if (net->cfg.bytes_per_us == 0)
        return now;
    if (net->epoch + net->epoch_bytes * SIM_US / net->cfg.bytes_per_us <= now) {
        net->epoch = now;
        net->epoch_bytes = 0;
    }
    /* Counted since the epoch and rounded once, so that errors do not add up. */
    net->epoch_bytes += bytes;
    return net->epoch + net->epoch_bytes * SIM_US / net->cfg.bytes_per_us;
}

void node_net_send(struct node_net *net, unsigned to, const void *bytes, uint32_t size)
{
    struct net_record *rec;

    SIM_ASSERT(to < net->npeers && net->peers[to].out != NULL);
    SIM_ASSERT(size <= 1u << 31);
    rec = sim_channel_reserve(net->peers[to].out, (uint32_t)sizeof(*rec) + size);
    rec->from = net->cfg.node;
    if (size != 0)
        memcpy(rec->data, bytes, size);
    sim_channel_send(net->peers[to].out, transmit_bytes(net, size));
}

static void message_arrived(void *arg, const void *record, uint32_t bytes)
{
    struct node_net *net = arg;
    const struct net_record *rec = record;
    uint64_t size = bytes - sizeof(*rec);
    struct net_message *msg = malloc(sizeof(*msg) + size);

    SIM_ASSERT(msg != NULL);
    msg->size = size;
    memcpy(msg->bytes, rec->data, size);
    sim_list_push(&net->peers[rec->from].arrived, &msg->link);
    sim_schedule_by(net->cfg.dom, &net->hand_over, sim_now(net->cfg.dom), SIM_CLOCK);
}

/** All messages of one instant, in the order of their senders' numbers. */
static void hand_over(struct sim_event *ev)
{
    struct node_net *net = SIM_CONTAINER_OF(ev, struct node_net, hand_over);
    struct sim_domain *dom = net->cfg.dom;

    for (unsigned from = 0; from < net->npeers; from++) {
        struct net_message *msg;

        while ((msg = sim_list_pop(&net->peers[from].arrived)) != NULL) {
            if (sim_fingerprint_on(dom))
                sim_visible(dom, net->cfg.where ^ (from + UINT64_C(1)),
                            sim_hash_bytes(msg->size, msg->bytes, msg->size));
            if (net->receive != NULL)
                net->receive(net->arg, from, msg->bytes, (uint32_t)msg->size);
            free(msg);
        }
    }
}

static bool peers_grow(struct node_net *net, unsigned npeers)
{
    struct net_peer *peers;

    if (npeers <= net->npeers)
        return true;
    peers = realloc(net->peers, npeers * sizeof(*peers));
    if (peers == NULL)
        return false;
    memset(peers + net->npeers, 0, (npeers - net->npeers) * sizeof(*peers));
    net->peers = peers;
    net->npeers = npeers;
    return true;
}

static int join_one_way(struct node_net *from, struct node_net *to, sim_time_t wire_ps,
                        struct sim_error *err)
{
    struct sim_channel_config cfg = { .from = from->cfg.dom,
                                      .to = to->cfg.dom,
                                      .latency_ps = wire_ps + from->cfg.latency_ps,
                                      .deliver = message_arrived,
                                      .arg = to };
    unsigned peer = to->cfg.node;

    if (!peers_grow(from, peer + 1) || !peers_grow(to, from->cfg.node + 1))
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", from->cfg.path);
    if (from->peers[peer].out != NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s and %s are joined twice", from->cfg.path,
                             to->cfg.path);
    from->peers[peer].out = sim_channel_create(&cfg, err);
    return from->peers[peer].out != NULL ? SIM_OK : SIM_ERR_CONFIG;
}

int node_net_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err)
{
    int code = join_one_way(a, b, wire_ps, err);

    return code != SIM_OK ? code : join_one_way(b, a, wire_ps, err);
}

void node_net_init(struct node_net *net, const struct node_net_config *cfg)
{
    net->cfg = *cfg;
    sim_event_init(&net->hand_over, hand_over);
}

void node_net_fini(struct node_net *net)
{
    for (unsigned i = 0; i < net->npeers; i++)
        sim_list_free(&net->peers[i].arrived);
    free(net->peers);
}
