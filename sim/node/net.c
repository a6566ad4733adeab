/*
 * The control network: between any two hosts a pipe with a latency, and at each
 * host one transmitter that puts out so many bytes a microsecond, messages in
 * the order of their sending. Receivers and the fabric between are never busy.
 * A message crosses in segments; a receiver hands over whole messages.
 */
#include "node/net.h"

#include "core/list.h"

#include <string.h>

#define SEGMENT_BYTES 4096u

/** A segment as it crosses a channel. */
struct net_record {
    uint32_t from;
    uint32_t size;   /* the whole message's */
    uint32_t offset; /* of this segment in it */
    uint32_t bytes;
    uint8_t data[];
};

struct net_message {
    struct sim_link link;
    uint32_t size, filled;
    uint8_t bytes[]; /* at a multiple of 8 */
};

struct net_peer {
    struct sim_channel *out; /* to this node */
    struct net_message *arriving;
    struct sim_list complete; /* struct net_message: not yet handed over */
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
    struct sim_channel *ch;
    uint32_t offset = 0;

    SIM_ASSERT(to < net->npeers && net->peers[to].out != NULL);
    SIM_ASSERT(size <= 1u << 31);
    ch = net->peers[to].out;
    do {
        uint32_t n = size - offset < SEGMENT_BYTES ? size - offset : SEGMENT_BYTES;
        struct net_record *rec = sim_channel_reserve(ch, (uint32_t)sizeof(*rec) + n);

        *rec = (struct net_record){ net->cfg.node, size, offset, n };
        if (n != 0)
            memcpy(rec->data, (const uint8_t *)bytes + offset, n);
        sim_channel_send(ch, transmit_bytes(net, n));
        offset += n;
    } while (offset < size);
}

/** A segment arrives; the last one makes the message ready for the receiver. */
static void segment_arrived(void *arg, const void *record, uint32_t bytes)
{
    struct node_net *net = arg;
    const struct net_record *rec = record;
    struct net_peer *peer = &net->peers[rec->from];
    struct net_message *msg = peer->arriving;

    SIM_ASSERT(bytes == sizeof(*rec) + rec->bytes);
    if (msg == NULL) {
        msg = malloc(sizeof(*msg) + rec->size);
        SIM_ASSERT(msg != NULL);
        *msg = (struct net_message){ .size = rec->size };
        peer->arriving = msg;
    }
    SIM_ASSERT(rec->offset == msg->filled && msg->size == rec->size);
    memcpy(msg->bytes + rec->offset, rec->data, rec->bytes);
    msg->filled += rec->bytes;
    if (msg->filled < msg->size)
        return;
    peer->arriving = NULL;
    sim_list_push(&peer->complete, &msg->link);
    sim_schedule_by(net->cfg.dom, &net->hand_over, sim_now(net->cfg.dom), SIM_CLOCK);
}

/** All messages of one instant, in the order of their senders' numbers. */
static void hand_over(struct sim_event *ev)
{
    struct node_net *net = SIM_CONTAINER_OF(ev, struct node_net, hand_over);
    struct sim_domain *dom = net->cfg.dom;

    for (unsigned from = 0; from < net->npeers; from++) {
        struct net_message *msg;

        while ((msg = sim_list_pop(&net->peers[from].complete)) != NULL) {
            if (sim_fingerprint_on(dom))
                sim_visible(dom, net->cfg.where ^ (from + UINT64_C(1)),
                            sim_hash_bytes(msg->size, msg->bytes, msg->size));
            if (net->receive != NULL)
                net->receive(net->arg, from, msg->bytes, msg->size);
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
                                      .deliver = segment_arrived,
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
    for (unsigned i = 0; i < net->npeers; i++) {
        sim_list_free(&net->peers[i].complete);
        free(net->peers[i].arriving);
    }
    free(net->peers);
}
