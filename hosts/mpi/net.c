/*
 * Transport over the control network of the machine, a pipe that buffers all messages: nothing
 * ever waits for room, all messages are sent eagerly.
 */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/transport.h"

#define NET_WORD UINT16_MAX /* instead of a FIFO: a rank's word to itself; see net_poll() */

struct net_header {
    uint16_t fifo;
    uint16_t head_bytes; /* of the entry: what comes after them is data */
};

struct net {
    struct mpi_transport t;
    bool holds, polling; /* an entry that has not been released; a word is on its way */
    enum mpi_fifo fifo;
    unsigned source;
    struct mpi_taken entry;
    uint8_t *packet;
    size_t room;
};

static struct net *to_net(struct mpi_transport *t)
{
    return (struct net *)t;
}

static struct mpi_transport *net_create(struct host *h, char *why)
{
    struct net *net = calloc(1, sizeof(*net));

    (void)h;
    (void)why;
    if (net == NULL)
        return NULL;
    net->t.caps = (struct mpi_transport_caps){
        .gpu = true, /* the kernel copies from wherever it is */
        .fifo_bytes = MPI_NO_LIMIT + MPI_HEAD_BYTES,
        .eager_bytes = MPI_NO_LIMIT,
    };
    return &net->t;
}

static void net_destroy(struct mpi_transport *t)
{
    free(to_net(t)->packet);
    free(t);
}

/* The kernel copies the message once on its way out and once on its way in. */
static void spend_copy(struct host *h, uint64_t bytes)
{
    h->ops->spend(h, h->ops->cost_ps(h, HOST_COST_SYSCALL) +
                         h->ops->cost_ps(h, HOST_COST_COPY_KB) * bytes / 1024);
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

static bool net_append(struct mpi_transport *t, unsigned dest, enum mpi_fifo fifo, const void *head,
                       uint32_t head_bytes, const void *data, uint32_t bytes)
{
    struct net_header hdr = { (uint16_t)fifo, (uint16_t)head_bytes };
    size_t size = sizeof(hdr) + head_bytes + bytes;
    uint8_t *packet;

    spend_copy(t->host, bytes);
    packet = packet_of(to_net(t), size);
    if (packet == NULL)
        return false;
    memcpy(packet, &hdr, sizeof(hdr));
    memcpy(packet + sizeof(hdr), head, head_bytes);
    if (bytes > 0)
        memcpy(packet + sizeof(hdr) + head_bytes, data, bytes);
    t->host->ops->net_send(t->host, dest, packet, (uint32_t)size);
    return true;
}

static unsigned net_next(struct mpi_transport *t, enum mpi_fifo fifo, unsigned from)
{
    const struct net *net = to_net(t);

    return net->holds && net->fifo == fifo && net->source >= from ? net->source : t->host->size;
}

static bool net_take(struct mpi_transport *t, enum mpi_fifo fifo, unsigned source,
                     struct mpi_taken *taken_p)
{
    const struct net *net = to_net(t);

    if (!net->holds || net->fifo != fifo || net->source != source)
        return false;
    *taken_p = net->entry;
    return true;
}

static void net_release(struct mpi_transport *t, enum mpi_fifo fifo, unsigned source)
{
    (void)fifo;
    (void)source;
    to_net(t)->holds = false;
}

/* The next message. @return false: it was the rank's own word. */
static bool receive(struct net *net)
{
    struct host *h = net->t.host;
    struct host_message msg;
    struct net_header hdr;

    h->ops->net_receive(h, &msg);
    memcpy(&hdr, msg.data, sizeof(hdr));
    if (hdr.fifo == NET_WORD) {
        net->polling = false;
        return false;
    }
    net->entry = (struct mpi_taken){ msg.data + sizeof(hdr), msg.bytes - (uint32_t)sizeof(hdr) };
    net->fifo = (enum mpi_fifo)hdr.fifo;
    net->source = msg.from;
    net->holds = true;
    spend_copy(h, net->entry.size - hdr.head_bytes);
    return true;
}

static void net_wait(struct mpi_transport *t)
{
    struct net *net = to_net(t);

    if (!net->holds)
        (void)receive(net);
}

/*
 * A word to oneself, through the kernel like any message: what is before it in the queue has come.
 * A look at the queue alone would see a message of the same instant or not by the order of events;
 * the word has its place before those that the network hands over at its time.
 */
static bool net_poll(struct mpi_transport *t)
{
    const struct net_header word[4] = { { NET_WORD, 0 } };
    struct net *net = to_net(t);
    struct host *h = t->host;

    if (net->holds)
        return true;
    if (!net->polling) {
        spend_copy(h, 0);
        h->ops->net_send(h, h->rank, word, sizeof(word));
        net->polling = true;
    }
    return receive(net);
}

/* Remote writes: the network has none, so the protocols, which see that nothing can be exposed,
 * send all data through FIFOs. */
static bool net_expose(struct mpi_transport *t, void *p, uint64_t bytes, struct mpi_key *key_p)
{
    (void)t;
    (void)p;
    (void)bytes;
    (void)key_p;
    return false;
}

static void net_hide(struct mpi_transport *t, const struct mpi_key *key)
{
    (void)t;
    (void)key;
}

static bool net_write(struct mpi_transport *t, unsigned dest, const struct mpi_key *key,
                      uint64_t offset, const void *from, uint64_t bytes, const void *note,
                      uint32_t note_bytes, mpi_ticket *ticket_p)
{
    (void)t;
    (void)dest;
    (void)key;
    (void)offset;
    (void)from;
    (void)bytes;
    (void)note;
    (void)note_bytes;
    (void)ticket_p;
    return false;
}

static bool net_done(struct mpi_transport *t, mpi_ticket ticket)
{
    (void)t;
    (void)ticket;
    return true;
}

const struct mpi_transport_ops mpi_transport_net = {
    .name = "net",
    .create = net_create,
    .destroy = net_destroy,
    .append = net_append,
    .next = net_next,
    .take = net_take,
    .release = net_release,
    .expose = net_expose,
    .hide = net_hide,
    .write = net_write,
    .done = net_done,
    .wait = net_wait,
    .poll = net_poll,
};
