/*
 * A transport of one's own: messages of MPI are stores of the core into mailboxes in the memory of
 * other nodes, through the hubs. Its contract is hosts/transport/transport.h.
 *
 * Each rank has an inbox of pinned memory, which its hub's window shows to all other nodes, with a
 * struct mailbox for each of them. A message is stored into the next box of the receiver, and its
 * label behind it. Stores of one core do not pass each other, so a message is there when its label
 * is.
 */
#include "hosts/driver/driver.h"
#include "hosts/transport/transport.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOXES 64u

struct mailbox {
    volatile uint64_t taken; /* messages to the other rank that it has taken out of its boxes */
    struct box {
        volatile uint64_t label; /* number << 32 | FIFO << 16 | size; numbers begin with 1 */
        uint8_t bytes[TRANSPORT_ENTRY_LEAST];
    } boxes[BOXES]; /* from the other rank, used in turn */
};

struct own {
    struct transport t; /* first: what the library has a pointer to */
    struct driver *d;   /* the kernel's part, which has mapped the window */
    uint32_t boxes;     /* in use */
    struct mailbox *inbox;
    struct peer {
        uint64_t inbox;       /* in the window: where the other rank has its mailbox for this one */
        uint64_t sent, taken; /* to it and from it */
    } * peers;
    uint64_t taken_seen; /* of all ranks together */
};

static const struct host_param params[] = {
    { "mpi.boxes", "1", 1, BOXES, 8, "mailbox: messages under way between two ranks", NULL, 0 },
    HOST_PARAM_END,
};

static void mailbox_destroy(struct transport *t)
{
    free(((struct own *)t)->peers);
    free(t); /* the inbox belongs to the machine */
}

/** Each rank sends all others over the control network where in the window its inbox is. */
static bool exchange_addresses(struct own *own, uint64_t inbox, char *why)
{
    struct host *h = own->t.host;
    struct host_message msg;

    for (unsigned r = 0; r < h->size; r++)
        if (r != h->rank)
            transport_send(&own->t, r, &inbox, sizeof(inbox));
    for (unsigned i = 1; i < h->size; i++) {
        transport_receive(&own->t, &msg);
        memcpy(&inbox, msg.data, sizeof(inbox));
        if (inbox / own->d->part_bytes == own->d->slot) {
            (void)snprintf(why, TRANSPORT_WHY_BYTES, "mailbox: rank %u is on the same node",
                           msg.from);
            return false;
        }
        own->peers[msg.from].inbox = inbox + h->rank * sizeof(struct mailbox);
    }
    return true;
}

static bool mailbox_connect(struct transport *t, char *why)
{
    struct own *own = (struct own *)t;
    struct host *h = t->host;
    uint64_t bytes = h->size * sizeof(struct mailbox), bus, offset;
    unsigned area;

    own->d = driver_of(h);
    own->boxes = (uint32_t)transport_number(t, "boxes", 8);
    t->caps = (struct transport_caps){
        .fifo_bytes = TRANSPORT_ENTRY_LEAST, /* a longer message takes several boxes, */
        .eager_bytes = TRANSPORT_BYTES_MAX,  /* and none waits until its receiver asks for it */
        .copy_kb_ps = h->cpu->cost_ps(h, HOST_COST_COPY_KB),
        .entry_ps = h->cpu->cost_ps(h, HOST_COST_CALL),
    };
    if (h->net->fastest(h) != HOST_NETWORK_HUBS) {
        (void)snprintf(why, TRANSPORT_WHY_BYTES, "mailbox: expected nodes that hubs alone join");
        return false;
    }
    own->peers = calloc(h->size, sizeof(*own->peers));
    own->inbox = h->memory->alloc(h, bytes, HOST_PAGE);
    if (own->peers == NULL || own->inbox == NULL ||
        driver_address(h, own->inbox, bytes, &bus, &area, &offset) != DRIVER_OK)
        return false; /* `why` says that there is no memory */
    memset(own->inbox, 0, bytes);
    offset = driver_window(own->d, own->d->slot, HUB_AREA_HOST, offset) - own->d->window_bus;
    return exchange_addresses(own, offset, why);
}

/** Arrives behind all that the core has stored before; buffers for combining have no order. */
static void store_word(struct own *own, uint64_t at, uint64_t word)
{
    struct host *h = own->t.host;

    h->bus->fence(h);
    h->bus->store(h, &own->d->window, at, &word, sizeof(word));
    h->bus->fence(h);
}

static bool mailbox_append(struct transport *t, unsigned dest, const struct transport_entry *e)
{
    struct own *own = (struct own *)t;
    struct peer *p = &own->peers[dest];
    uint64_t at =
        p->inbox + offsetof(struct mailbox, boxes) + p->sent % own->boxes * sizeof(struct box);
    uint32_t size = e->head_bytes + e->bytes;
    uint8_t message[TRANSPORT_ENTRY_LEAST];

    if (p->sent - own->inbox[dest].taken == own->boxes)
        return false; /* the library takes in what has come, waits, and tries again */
    memcpy(message, e->head, e->head_bytes);
    if (e->bytes > 0)
        memcpy(message + e->head_bytes, e->data, e->bytes);
    t->host->bus->store_block(t->host, &own->d->window, at + offsetof(struct box, bytes), message,
                              size);
    store_word(own, at, ++p->sent << 32 | (uint64_t)e->fifo << 16 | size);
    return true;
}

static bool mailbox_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                         struct transport_taken *taken_p)
{
    const struct own *own = (struct own *)t;
    uint64_t taken = own->peers[source].taken;
    const struct box *box = &own->inbox[source].boxes[taken % own->boxes];

    if (box->label >> 16 != ((taken + 1) << 16 | (uint64_t)fifo))
        return false;
    *taken_p = (struct transport_taken){ box->bytes, (uint16_t)box->label };
    return true;
}

static unsigned mailbox_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    struct transport_taken taken;

    while (from < t->host->size && !mailbox_take(t, fifo, from, &taken))
        from++;
    return from;
}

static void mailbox_release(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct peer *p = &((struct own *)t)->peers[source];

    (void)fifo;
    store_word((struct own *)t, p->inbox + offsetof(struct mailbox, taken), ++p->taken);
}

/** Have messages come, or has room been made since the last look? All software of an instant finds
 * what has reached memory at that instant, so the order of events does not matter. */
static bool has_news(struct transport *t)
{
    struct own *own = (struct own *)t;
    uint64_t before = own->taken_seen;

    own->taken_seen = 0;
    for (unsigned r = 0; r < t->host->size; r++)
        own->taken_seen += own->inbox[r].taken;
    return own->taken_seen != before || mailbox_next(t, TRANSPORT_MESSAGE, 0) < t->host->size ||
           mailbox_next(t, TRANSPORT_REQUEST, 0) < t->host->size;
}

static void mailbox_wait(struct transport *t)
{
    struct own *own = (struct own *)t;

    if (!has_news(t))
        t->host->bus->wait_write(t->host, own->inbox, t->host->size * sizeof(*own->inbox));
}

static bool mailbox_poll(struct transport *t)
{
    host_spend_cost(t->host, HOST_COST_CALL);
    return has_news(t);
}

/** `transport_` and the name of the file: what hubsim looks for in mailbox.so. */
const struct transport_ops transport_mailbox = {
    .name = "mailbox",
    .network = HOST_NETWORK_HUBS,
    .params = { params },
    .bytes = sizeof(struct own),
    .connect = mailbox_connect,
    .destroy = mailbox_destroy,
    .append = mailbox_append,
    .next = mailbox_next,
    .take = mailbox_take,
    .release = mailbox_release,
    .wait = mailbox_wait,
    .poll = mailbox_poll,
};
