/*
 * Transport over the control network of the machine, a pipe that buffers all messages: nothing
 * ever waits for room, and all messages are sent eagerly, as there is nothing to be gained by
 * anything else. With requests, which are off here unless the user wants them, the kernel that
 * receives a write puts the data where they belong, in one copy, as it does with those of a FIFO.
 */
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/transport.h"

/* Instead of a FIFO: */
#define NET_WORD  UINT16_MAX       /* a rank's word to itself; see net_poll() */
#define NET_WRITE (UINT16_MAX - 1) /* a remote write */

struct net_header {
    uint16_t fifo;
    uint16_t head_bytes; /* of the entry, or of the note: what comes after them is data */
};

/** What precedes the note of a write: which exposed memory, and where in it. Addresses themselves
 * would differ from run to run. */
struct net_place {
    uint64_t slot, offset;
};

/** Taken from the kernel, and not yet asked for. */
struct net_kept {
    struct net_kept *next;
    unsigned source;
    uint32_t size;
    uint8_t bytes[];
};

struct net {
    struct transport t;
    bool holds, polling; /* an entry that has not been released; a word is on its way */
    enum transport_fifo fifo;
    unsigned source;
    struct transport_taken entry;
    uint8_t *packet;
    size_t room;
    uint8_t *gathered; /* data of a write that were not in one piece */
    /* With requests all that has come is looked at, as a sender wants the requests of one rank. */
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

static struct transport *net_create(struct host *h, char *why)
{
    struct net *net = calloc(1, sizeof(*net));

    (void)h;
    (void)why;
    if (net == NULL)
        return NULL;
    net->t.caps = (struct transport_caps){
        .write_strided = true,
        .gpu = true, /* the kernel copies from wherever it is */
        .fifo_bytes = TRANSPORT_BYTES_MAX + TRANSPORT_HEAD_BYTES,
        .eager_bytes = TRANSPORT_BYTES_MAX,
    };
    return &net->t;
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
    free(to_net(t)->packet);
    free(to_net(t)->gathered);
    free(to_net(t)->exposed);
    free(t);
}

static uint8_t *packet_of(struct net *net, size_t bytes)
{
    uint8_t *more;

    if (bytes <= net->room)
        return net->packet;
    more = realloc(net->packet, bytes);
    if (more == NULL)
        return NULL;
    net->packet = more;
    net->room = bytes;
    return more;
}

static bool net_send(struct transport *t, unsigned dest, struct net_header hdr,
                     const struct net_place *place, const void *head, const void *data,
                     uint32_t bytes)
{
    size_t place_bytes = place != NULL ? sizeof(*place) : 0;
    size_t size = sizeof(hdr) + place_bytes + hdr.head_bytes + bytes;
    uint8_t *packet, *at;

    transport_spend_copy(t->host, bytes);
    packet = packet_of(to_net(t), size);
    if (packet == NULL)
        return false;
    at = packet;
    memcpy(at, &hdr, sizeof(hdr));
    at += sizeof(hdr);
    if (place != NULL)
        memcpy(at, place, sizeof(*place));
    at += place_bytes;
    memcpy(at, head, hdr.head_bytes);
    at += hdr.head_bytes;
    if (bytes > 0)
        memcpy(at, data, bytes);
    t->host->net->send(t->host, dest, packet, (uint32_t)size);
    return true;
}

static bool net_append(struct transport *t, unsigned dest, enum transport_fifo fifo,
                       const void *head, uint32_t head_bytes, const void *data, uint32_t bytes)
{
    return net_send(t, dest, (struct net_header){ (uint16_t)fifo, (uint16_t)head_bytes }, NULL,
                    head, data, bytes);
}

/* Data to where they belong. @return whether there is a note, in net->entry. */
static bool written(struct net *net, const struct host_message *msg, struct net_header hdr)
{
    const uint8_t *note = msg->data + sizeof(hdr) + sizeof(struct net_place);
    uint32_t bytes =
        msg->bytes - (uint32_t)(sizeof(hdr) + sizeof(struct net_place)) - hdr.head_bytes;
    struct net_place place;

    memcpy(&place, msg->data + sizeof(hdr), sizeof(place));
    if (bytes > 0)
        memcpy((uint8_t *)net->exposed[place.slot] + place.offset, note + hdr.head_bytes, bytes);
    transport_spend_copy(net->t.host, bytes);
    net->entry = (struct transport_taken){ note, hdr.head_bytes };
    net->fifo = TRANSPORT_MESSAGE;
    return hdr.head_bytes > 0;
}

/* The next message. @return false: it was the rank's own word. */
static bool receive(struct net *net)
{
    struct host *h = net->t.host;
    struct host_message msg;
    struct net_header hdr;

    h->net->receive(h, &msg);
    net->received++;
    memcpy(&hdr, msg.data, sizeof(hdr));
    if (hdr.fifo == NET_WORD) {
        net->polling = false;
        return false;
    }
    net->source = msg.from;
    if (hdr.fifo == NET_WRITE) {
        net->holds = written(net, &msg, hdr);
        return true;
    }
    net->entry =
        (struct transport_taken){ msg.data + sizeof(hdr), msg.bytes - (uint32_t)sizeof(hdr) };
    net->fifo = (enum transport_fifo)hdr.fifo;
    net->holds = true;
    transport_spend_copy(h, net->entry.size - hdr.head_bytes);
    return true;
}

/* ---- all that has come, with requests ---------------------------------------------------- */

static struct net_kept **find(struct net *net, enum transport_fifo fifo, unsigned source)
{
    struct net_kept **at = &net->kept[fifo];

    while (*at != NULL && (*at)->source != source)
        at = &(*at)->next;
    return at;
}

static void keep(struct net *net)
{
    struct net_kept **at = &net->kept[net->fifo], *k = malloc(sizeof(*k) + net->entry.size);

    net->holds = false;
    if (k == NULL) {
        net->t.host->process->print(net->t.host, "MPI over net: out of memory");
        net->t.host->process->abort(net->t.host, 1);
        return; /* it does not come so far */
    }
    *k = (struct net_kept){ NULL, net->source, net->entry.size };
    memcpy(k->bytes, net->entry.bytes, net->entry.size);
    while (*at != NULL)
        at = &(*at)->next;
    *at = k;
}

static void look(struct net *net)
{
    struct host *h = net->t.host;

    if (net->come == NULL) {
        net->come = h->memory->alloc(h, sizeof(*net->come), sizeof(*net->come));
        if (net->come == NULL)
            return;
        h->net->count(h, net->come);
    }
    if (net->holds)
        keep(net);
    while (net->received < *net->come)
        if (receive(net) && net->holds)
            keep(net);
}

static unsigned net_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    struct net *net = to_net(t);
    unsigned least = t->host->size;

    if (!t->caps.sends_requests)
        return net->holds && net->fifo == fifo && net->source >= from ? net->source : least;
    look(net);
    for (const struct net_kept *k = net->kept[fifo]; k != NULL; k = k->next)
        if (k->source >= from && k->source < least)
            least = k->source;
    return least;
}

static bool net_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                     struct transport_taken *taken_p)
{
    struct net *net = to_net(t);
    const struct net_kept *k;

    if (!t->caps.sends_requests) {
        if (!net->holds || net->fifo != fifo || net->source != source)
            return false;
        *taken_p = net->entry;
        return true;
    }
    look(net);
    k = *find(net, fifo, source);
    if (k == NULL)
        return false;
    *taken_p = (struct transport_taken){ k->bytes, k->size };
    return true;
}

static void net_release(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct net *net = to_net(t);
    struct net_kept **at, *k;

    if (!t->caps.sends_requests) {
        net->holds = false;
        return;
    }
    at = find(net, fifo, source);
    k = *at;
    if (k == NULL)
        return;
    *at = k->next;
    free(k);
}

static void net_wait(struct transport *t)
{
    struct net *net = to_net(t);

    if (!net->holds && net->kept[TRANSPORT_MESSAGE] == NULL && net->kept[TRANSPORT_REQUEST] == NULL)
        (void)receive(net);
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
        h->net->send(h, h->rank, word, sizeof(word));
        net->polling = true;
    }
    return receive(net);
}

static bool slot_of(struct net *net, uint64_t *slot_p)
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

    if (!t->caps.sends_requests || bytes == 0 || !slot_of(net, &slot))
        return false;
    net->exposed[slot] = p;
    memset(key_p, 0, sizeof(*key_p));
    memcpy(key_p->bytes, &slot, sizeof(slot));
    return true;
}

static void net_hide(struct transport *t, const struct transport_key *key)
{
    uint64_t slot;

    memcpy(&slot, key->bytes, sizeof(slot));
    to_net(t)->exposed[slot] = NULL;
}

static bool net_write(struct transport *t, unsigned dest, const struct transport_key *key,
                      uint64_t offset, const void *from, uint64_t bytes, const void *note,
                      uint32_t note_bytes, transport_ticket *ticket_p)
{
    struct net_place place = { .offset = offset };

    memcpy(&place.slot, key->bytes, sizeof(place.slot));
    *ticket_p = 0;
    return net_send(t, dest, (struct net_header){ NET_WRITE, (uint16_t)note_bytes }, &place, note,
                    from, (uint32_t)bytes);
}

static bool net_write_strided(struct transport *t, unsigned dest, const struct transport_key *key,
                              uint64_t offset, const void *from, const struct transport_strides *s,
                              const void *note, uint32_t note_bytes, transport_ticket *ticket_p)
{
    struct net *net = to_net(t);
    uint64_t bytes = (uint64_t)s->block * s->nblocks;
    uint8_t *more = realloc(net->gathered, bytes);

    if (more == NULL)
        return false;
    net->gathered = more;
    for (uint32_t i = 0; i < s->nblocks; i++)
        memcpy(more + (uint64_t)i * s->block, (const uint8_t *)from + (int64_t)i * s->from_step,
               s->block);
    return net_write(t, dest, key, offset, more, bytes, note, note_bytes, ticket_p);
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
    .create = net_create,
    .destroy = net_destroy,
    .append = net_append,
    .next = net_next,
    .take = net_take,
    .release = net_release,
    .expose = net_expose,
    .hide = net_hide,
    .write = net_write,
    .write_strided = net_write_strided,
    .wait = net_wait,
    .poll = net_poll,
    .ring = net_ring,
};
