/*
 * The control network: between any two hosts a pipe with a latency, and at each
 * host one transmitter that puts out so many bytes a microsecond, messages in
 * the order of their sending. Receivers and the fabric between are never busy.
 * A message crosses in segments; a receiver hands over whole messages.
 */
#include "node/host/internal.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENT_BYTES 4096u

struct net_record {
    uint32_t from;
    uint32_t size;   /* of the message */
    uint32_t offset; /* of this segment in it */
    uint32_t bytes;
    uint8_t data[];
};

void node_net_set_receiver(struct node_host *host, node_net_fn fn, void *arg)
{
    host->net.receive = fn;
    host->net.arg = arg;
}

/** Puts `bytes` more through the transmitter. @return when the last of them is out. */
static sim_time_t transmit(struct node_net *net, uint32_t bytes)
{
    sim_time_t now = sim_now(net->host->dom);

    if (net->bytes_per_us == 0)
        return now;
    if (net->epoch + net->epoch_bytes * SIM_US / net->bytes_per_us <= now) {
        net->epoch = now;
        net->epoch_bytes = 0;
    }
    /* Counted since the epoch and rounded once, so that errors do not add up. */
    net->epoch_bytes += bytes;
    return net->epoch + net->epoch_bytes * SIM_US / net->bytes_per_us;
}

void node_net_send(struct node_host *host, unsigned to, const void *bytes, uint32_t size)
{
    struct sim_channel *ch;
    uint32_t offset = 0;

    SIM_ASSERT(to < host->net.npeers && host->net.peers[to].out != NULL);
    SIM_ASSERT(size <= 1u << 31);
    ch = host->net.peers[to].out;
    do {
        uint32_t n = size - offset < SEGMENT_BYTES ? size - offset : SEGMENT_BYTES;
        struct net_record *rec = sim_channel_reserve(ch, (uint32_t)sizeof(*rec) + n);

        rec->from = host->node;
        rec->size = size;
        rec->offset = offset;
        rec->bytes = n;
        if (n != 0)
            memcpy(rec->data, (const uint8_t *)bytes + offset, n);
        sim_channel_send(ch, transmit(&host->net, n));
        offset += n;
    } while (offset < size);
}

/** A segment arrives; the last one makes the message ready for the receiver. */
static void segment_arrived(void *arg, const void *record, uint32_t bytes)
{
    struct node_host *host = arg;
    const struct net_record *rec = record;
    struct net_peer *peer = &host->net.peers[rec->from];
    struct net_message *msg = peer->arriving;

    SIM_ASSERT(bytes == sizeof(*rec) + rec->bytes);
    if (msg == NULL) {
        msg = malloc(sizeof(*msg) + rec->size);
        SIM_ASSERT(msg != NULL);
        msg->next = NULL;
        msg->size = rec->size;
        msg->filled = 0;
        peer->arriving = msg;
    }
    SIM_ASSERT(rec->offset == msg->filled && msg->size == rec->size);
    memcpy(msg->bytes + rec->offset, rec->data, rec->bytes);
    msg->filled += rec->bytes;
    if (msg->filled < msg->size)
        return;
    peer->arriving = NULL;
    if (peer->last != NULL)
        peer->last->next = msg;
    else
        peer->first = msg;
    peer->last = msg;
    sim_schedule_by(host->dom, &host->net.hand_over, sim_now(host->dom), SIM_CLOCK);
}

/** All messages of one instant, in the order of their senders' numbers. */
static void hand_over(struct sim_event *ev)
{
    struct node_net *net = SIM_CONTAINER_OF(ev, struct node_net, hand_over);
    struct node_host *host = net->host;

    for (unsigned from = 0; from < net->npeers; from++) {
        struct net_peer *peer = &net->peers[from];

        while (peer->first != NULL) {
            struct net_message *msg = peer->first;

            peer->first = msg->next;
            if (peer->first == NULL)
                peer->last = NULL;
            if (sim_fingerprint_on(host->dom))
                sim_visible(host->dom, host->ram_where ^ (from + UINT64_C(1)),
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

static int join_one_way(struct node_host *from, struct node_host *to, sim_time_t wire_ps,
                        struct sim_error *err)
{
    struct sim_channel_config cfg = { .from = from->dom,
                                      .to = to->dom,
                                      .latency_ps = wire_ps + from->cfg.net.latency_ps,
                                      .deliver = segment_arrived,
                                      .arg = to };

    if (!peers_grow(&from->net, to->node + 1) || !peers_grow(&to->net, from->node + 1))
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", from->path);
    if (from->net.peers[to->node].out != NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s and %s are joined twice", from->path,
                             to->path);
    from->net.peers[to->node].out = sim_channel_create(&cfg, err);
    return from->net.peers[to->node].out != NULL ? SIM_OK : SIM_ERR_CONFIG;
}

int node_net_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err)
{
    int code = join_one_way(a, b, wire_ps, err);

    return code != SIM_OK ? code : join_one_way(b, a, wire_ps, err);
}

void node_net_init(struct node_net *net, struct node_host *host, uint64_t fabric_bytes_per_us)
{
    net->host = host;
    net->bytes_per_us = host->cfg.net.bytes_per_us;
    if (fabric_bytes_per_us != 0 &&
        (net->bytes_per_us == 0 || fabric_bytes_per_us < net->bytes_per_us))
        net->bytes_per_us = fabric_bytes_per_us;
    sim_event_init(&net->hand_over, hand_over);
}

static void messages_free(struct net_message *msg)
{
    while (msg != NULL) {
        struct net_message *next = msg->next;

        free(msg);
        msg = next;
    }
}

void node_net_fini(struct node_net *net)
{
    for (unsigned i = 0; i < net->npeers; i++) {
        messages_free(net->peers[i].first);
        messages_free(net->peers[i].arriving);
    }
    free(net->peers);
}
