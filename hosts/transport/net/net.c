/*
 * Transport over the control network of the machine, a pipe that buffers all messages: nothing
 * ever waits for room, and all messages are sent eagerly, as there is nothing to be gained by
 * anything else. Requests are off here unless the user wants them. With them, and for a library
 * that writes to exposed memory by itself, the kernel that receives a write puts the data where
 * they belong, in one copy, as it does with those of a FIFO.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/transport.h"

/* Instead of a FIFO: */
#define NET_WORD  UINT16_MAX  /* a rank's word to itself; see net_poll() */
#define NET_WRITE UINT16_C(8) /* a remote write, and the FIFO of its note */
_Static_assert(TRANSPORT_FIFOS <= NET_WRITE && NET_WRITE + TRANSPORT_FIFOS <= NET_WORD,
               "each of them is no FIFO, and the word is no write");

struct net_header {
    uint16_t fifo;
    uint16_t head_bytes; /* header of the entry, or the note; what comes after them is data */
};

/** Precedes the note of a write. A key is the number of a slot: the addresses of exposed memory
 * would differ from run to run. */
struct net_place {
    uint64_t slot, at;
};

/** An entry that was taken from the kernel, until it is released. */
struct net_kept {
    struct net_kept *next;
    unsigned source;
    struct transport_taken entry;
    uint8_t copy[]; /* of it, where it may outlive the next message */
};

struct net {
    struct transport t;
    bool holds, polling; /* an entry has come since the last look; a word is on its way */
    struct transport_buffer packet;
    /* One entry at most without requests. With them all that has come is looked at, as a sender
     * wants the requests of one rank. */
    struct net_kept *kept[TRANSPORT_FIFOS];
    volatile uint64_t *come; /* messages so far, from the kernel */
    uint64_t received;
    void **exposed; /* by slot; NULL: free */
    uint64_t nexposed;
};

static struct net *to_net(struct transport *t)
{
    return (struct net *)t;
}

static bool net_connect(struct transport *t, char *why)
{
    (void)why;
    t->caps = (struct transport_caps){
        .write_strided = true,
        .gpu = true, /* the kernel copies from wherever it is */
        .fifo_bytes = TRANSPORT_BYTES_MAX + TRANSPORT_HEAD_BYTES,
        .eager_bytes = TRANSPORT_BYTES_MAX,
    };
    return true;
}

static void net_destroy(struct transport *t)
{
    for (unsigned fifo = 0; fifo < TRANSPORT_FIFOS; fifo++) {
        while (to_net(t)->kept[fifo] != NULL) {
            struct net_kept *k = to_net(t)->kept[fifo];

            to_net(t)->kept[fifo] = k->next;
            free(k);
        }
    }
    free(to_net(t)->packet.bytes);
    free(to_net(t)->exposed);
    free(t);
}

static void put_data(uint8_t *to, const struct transport_write *w)
{
    const struct transport_strides all = { (uint32_t)w->bytes, w->bytes > 0, 0, 0 };
    const struct transport_strides *s = w->strides != NULL ? w->strides : &all;

    for (uint32_t i = 0; i < s->nblocks; i++)
        memcpy(to + (uint64_t)i * s->block, (const uint8_t *)w->from + (int64_t)i * s->from_step,
               s->block);
}

/* A write, or an entry: that is one without a key. */
static bool send_packet(struct net *net, unsigned dest, const struct transport_write *w,
                        struct net_header hdr)
{
    struct net_place place = { .at = w->at };
    size_t place_bytes = w->key != NULL ? sizeof(place) : 0;
    size_t size = sizeof(hdr) + place_bytes + hdr.head_bytes + w->bytes;
    uint8_t *packet, *at;

    transport_spend_copy(net->t.host, w->bytes);
    packet = transport_room(&net->packet, size);
    if (packet == NULL)
        return false;
    memcpy(packet, &hdr, sizeof(hdr));
    at = packet + sizeof(hdr);
    if (w->key != NULL)
        memcpy(&place.slot, w->key->bytes, sizeof(place.slot));
    memcpy(at, &place, place_bytes);
    if (hdr.head_bytes > 0)
        memcpy(at + place_bytes, w->note, hdr.head_bytes);
    put_data(at + place_bytes + hdr.head_bytes, w);
    transport_send(&net->t, dest, packet, (uint32_t)size);
    return true;
}

static bool net_append(struct transport *t, unsigned dest, const struct transport_entry *e)
{
    return send_packet(
        to_net(t), dest,
        &(struct transport_write){ .from = e->data, .bytes = e->bytes, .note = e->head },
        (struct net_header){ (uint16_t)e->fifo, (uint16_t)e->head_bytes });
}

static void fail_memory(struct net *net)
{
    struct host *h = net->t.host;
    char line[64];

    (void)snprintf(line, sizeof(line), "%s over net: out of memory", transport_title(&net->t));
    h->process->print(h, line);
    h->process->abort(h, 1);
}

static void keep_entry(struct net *net, enum transport_fifo fifo, unsigned source,
                       const uint8_t *bytes, uint32_t size)
{
    bool copies = net->t.caps.sends_requests;
    struct net_kept **at = &net->kept[fifo], *k = malloc(sizeof(*k) + (copies ? size : 0));

    if (k == NULL) {
        fail_memory(net);
        return; /* it does not come so far */
    }
    *k = (struct net_kept){ NULL, source, { bytes, size } };
    if (copies)
        k->entry.bytes = memcpy(k->copy, bytes, size);
    while (*at != NULL)
        at = &(*at)->next;
    *at = k;
    net->holds = true;
}

/* Data to where they belong; the note, if there is one, is an entry. */
static void take_write(struct net *net, const struct host_message *msg, struct net_header hdr)
{
    const uint8_t *note = msg->data + sizeof(hdr) + sizeof(struct net_place);
    const uint8_t *data = note + hdr.head_bytes;
    uint64_t bytes = (uint64_t)(msg->data + msg->bytes - data);
    struct net_place place;

    memcpy(&place, msg->data + sizeof(hdr), sizeof(place));
    if (bytes > 0)
        memcpy((uint8_t *)net->exposed[place.slot] + place.at, data, bytes);
    transport_spend_copy(net->t.host, bytes);
    if (hdr.head_bytes > 0)
        keep_entry(net, (enum transport_fifo)(hdr.fifo - NET_WRITE), msg->from, note,
                   hdr.head_bytes);
}

/* The next message. @return false: it was the rank's own word. */
static bool receive_message(struct net *net)
{
    struct host *h = net->t.host;
    struct host_message msg;
    struct net_header hdr;
    uint32_t size;

    transport_receive(&net->t, &msg);
    net->received++;
    memcpy(&hdr, msg.data, sizeof(hdr));
    if (hdr.fifo == NET_WORD) {
        net->polling = false;
        return false;
    }
    if (hdr.fifo >= NET_WRITE) {
        take_write(net, &msg, hdr);
        return true;
    }
    size = msg.bytes - (uint32_t)sizeof(hdr);
    transport_spend_copy(h, size - hdr.head_bytes);
    keep_entry(net, (enum transport_fifo)hdr.fifo, msg.from, msg.data + sizeof(hdr), size);
    return true;
}

/* With requests: all that has come. */
static void receive_all(struct net *net)
{
    struct host *h = net->t.host;

    if (!net->t.caps.sends_requests)
        return;
    if (net->come == NULL) {
        net->come = h->memory->alloc(h, sizeof(*net->come), sizeof(*net->come));
        if (net->come == NULL)
            return;
        h->net->count(h, net->t.user, net->come);
    }
    while (net->received < *net->come)
        (void)receive_message(net);
    net->holds = false;
}

static unsigned net_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    unsigned least = t->host->size;

    receive_all(to_net(t));
    for (const struct net_kept *k = to_net(t)->kept[fifo]; k != NULL; k = k->next)
        if (k->source >= from && k->source < least)
            least = k->source;
    return least;
}

static struct net_kept **find_kept(struct net *net, enum transport_fifo fifo, unsigned source)
{
    struct net_kept **at = &net->kept[fifo];

    while (*at != NULL && (*at)->source != source)
        at = &(*at)->next;
    return at;
}

static bool net_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                     struct transport_taken *taken_p)
{
    const struct net_kept *k;

    receive_all(to_net(t));
    k = *find_kept(to_net(t), fifo, source);
    if (k == NULL)
        return false;
    *taken_p = k->entry;
    return true;
}

static void net_release(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct net_kept **at = find_kept(to_net(t), fifo, source), *k = *at;

    to_net(t)->holds = false;
    if (k == NULL)
        return;
    *at = k->next;
    free(k);
}

static void net_wait(struct transport *t)
{
    struct net *net = to_net(t);

    if (net->kept[TRANSPORT_MESSAGE] == NULL && net->kept[TRANSPORT_REQUEST] == NULL)
        (void)receive_message(net);
}

/*
 * A word to oneself, through the kernel like any message: what is before it in the queue has come.
 * A look at the queue alone would see a message of the same instant or not by the order of events;
 * the word has its place before those that the network hands over at its time.
 */
static bool net_poll(struct transport *t)
{
    const struct net_header word[4] = { { NET_WORD, 0 } };
    struct net *net = to_net(t);
    struct host *h = t->host;

    if (net->holds)
        return true;
    if (!net->polling) {
        transport_spend_copy(h, 0);
        transport_send(t, h->rank, word, sizeof(word));
        net->polling = true;
    }
    return receive_message(net);
}

static bool find_slot(struct net *net, uint64_t *slot_p)
{
    uint64_t n = net->nexposed != 0 ? 2 * net->nexposed : 8, slot = 0;
    void **more;

    while (slot < net->nexposed && net->exposed[slot] != NULL)
        slot++;
    if (slot == net->nexposed) {
        more = realloc(net->exposed, n * sizeof(*more));
        if (more == NULL)
            return false;
        memset(more + net->nexposed, 0, (n - net->nexposed) * sizeof(*more));
        net->exposed = more;
        net->nexposed = n;
    }
    *slot_p = slot;
    return true;
}

static bool net_expose(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p)
{
    struct net *net = to_net(t);
    uint64_t slot;

    if ((!t->caps.sends_requests && !t->one_sided) || bytes == 0 || !find_slot(net, &slot))
        return false;
    net->exposed[slot] = p;
    memcpy(key_p->bytes, &slot, sizeof(slot));
    return true;
}

static void net_hide(struct transport *t, const struct transport_key *key)
{
    uint64_t slot;

    memcpy(&slot, key->bytes, sizeof(slot));
    to_net(t)->exposed[slot] = NULL;
}

static bool net_write(struct transport *t, unsigned dest, const struct transport_write *w,
                      transport_ticket *ticket_p)
{
    (void)ticket_p;
    return send_packet(
        to_net(t), dest, w,
        (struct net_header){ (uint16_t)(NET_WRITE + w->fifo), (uint16_t)w->note_bytes });
}

/* Each message of the network does. */
static bool net_ring(struct transport *t)
{
    (void)t;
    return true;
}

const struct transport_ops transport_net = {
    .name = "net",
    .network = HOST_NETWORK_CONTROL,
    .bytes = sizeof(struct net),
    .connect = net_connect,
    .destroy = net_destroy,
    .append = net_append,
    .next = net_next,
    .take = net_take,
    .release = net_release,
    .expose = net_expose,
    .hide = net_hide,
    .write = net_write,
    .wait = net_wait,
    .poll = net_poll,
    .ring = net_ring,
};
