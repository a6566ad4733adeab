/* What programs call, and how tasks and nodes come to the facility. */
#include "hosts/mbcf/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- tasks and nodes --------------------------------------------------------------- */

static void node_release(void *node)
{
    struct mbcf_node *n = node;

    free(n->peers);
    free(n->windows);
    free(n);
}

#define PARAM(member, key, unit, least, most, def, choices, meaning)                               \
    { key, unit, least, most, def, meaning, choices, 0 },
const struct host_param mbcf_params[] = { MBCF_SETTINGS(PARAM) HOST_PARAM_END };

static uint64_t setting(const struct host *h, const char *key, uint64_t absent)
{
    const struct host_setting *s = host_setting_of(h, key);

    return s != NULL ? s->number : absent;
}

static void read_costs(struct host *h, struct mbcf_costs *c)
{
#define READ(member, key, unit, least, most, def, choices, meaning)                                \
    c->member = setting(h, key, def);
    MBCF_SETTINGS(READ)
#undef READ
    c->copy_kb = h->cpu->cost_ps(h, HOST_COST_COPY_KB);
}

/* Windows are one block, of which a page is touched when a packet is kept there. */
static bool make_peers(struct mbcf_node *node)
{
    const uint64_t window = node->costs.window;

    if (node->npeers == 0 || window > SIZE_MAX / sizeof(*node->windows) / node->npeers)
        return false;
    node->peers = calloc(node->npeers, sizeof(*node->peers));
    node->windows = calloc(node->npeers * window, sizeof(*node->windows));
    if (node->peers == NULL || node->windows == NULL)
        return false;
    for (unsigned i = 0; i < node->npeers; i++)
        node->peers[i].window = node->windows + i * window;
    return true;
}

/* All nodes that have ranks are peers, which the interrupt needs. */
static int node_init(struct host *h, struct mbcf_node *node)
{
    const struct host_ether_ops *ether = h->ether;

    for (unsigned r = 0; r < h->size; r++)
        if (ether->node_of(h, r) >= node->npeers)
            node->npeers = ether->node_of(h, r) + 1;
    if (!make_peers(node))
        return MBCF_ERR_NOMEM;
    if (!ether->open(h, mbcf_interrupt, node))
        return MBCF_ERR_NO_NETWORK;
    node->slots = ether->room(h);
    return MBCF_OK;
}

static int node_open(struct host *h, struct mbcf_node **node_p)
{
    struct mbcf_node *node = host_state_of(h->node->states, node_release);
    int code;

    if (node == NULL) {
        node = calloc(1, sizeof(*node));
        if (node == NULL)
            return MBCF_ERR_NOMEM;
        read_costs(h, &node->costs);
        node->timer_ps = HOST_NEVER;
        code = node_init(h, node);
        if (code != MBCF_OK) {
            node_release(node);
            return code;
        }
        host_state_add(&h->node->states, &node->kept, node_release);
    }
    *node_p = node;
    return MBCF_OK;
}

static void task_release(void *task)
{
    free(task);
}

/* NULL before mbcf_open(). */
static struct mbcf_task *task_of(const struct host *h)
{
    return h != NULL ? host_state_of(h->states, task_release) : NULL;
}

int mbcf_task_open(struct host *h, struct mbcf_task **task_p)
{
    struct mbcf_task *t = task_of(h);
    struct mbcf_node *node;
    int code;

    if (t == NULL) {
        code = node_open(h, &node);
        if (code != MBCF_OK)
            return code;
        t = calloc(1, sizeof(*t));
        if (t == NULL)
            return MBCF_ERR_NOMEM;
        t->host = h;
        t->node = node;
        t->next = node->tasks;
        node->tasks = t;
        host_state_add(&h->states, &t->kept, task_release);
    }
    *task_p = t;
    return MBCF_OK;
}

/* ---- calls ------------------------------------------------------------------------------ */

static struct mbcf_task *calling_task(void)
{
    return task_of(host_self());
}

int mbcf_open(void)
{
    struct mbcf_task *t;

    return host_self() != NULL ? mbcf_task_open(host_self(), &t) : MBCF_ERR_ARGUMENT;
}

unsigned mbcf_task(void)
{
    return host_self() != NULL ? host_self()->rank : 0;
}

unsigned mbcf_tasks(void)
{
    return host_self() != NULL ? host_self()->size : 0;
}

int mbcf_expose(unsigned region, void *p, size_t bytes)
{
    struct mbcf_task *t = calling_task();

    if (t == NULL || region >= MBCF_REGIONS || p == NULL)
        return MBCF_ERR_ARGUMENT;
    t->regions[region] = (struct mbcf_region){ p, bytes };
    return MBCF_OK;
}

int mbcf_hide(unsigned region)
{
    if (calling_task() == NULL || region >= MBCF_REGIONS)
        return MBCF_ERR_ARGUMENT;
    calling_task()->regions[region].p = NULL;
    return MBCF_OK;
}

int mbcf_fifo_open(unsigned fifo, void *ring, size_t bytes)
{
    struct mbcf_task *t = calling_task();

    if (t == NULL || fifo >= MBCF_FIFOS || ring == NULL || bytes < 2 * MBCF_PACKET_BYTES)
        return MBCF_ERR_ARGUMENT;
    t->fifos[fifo] = (struct mbcf_fifo){ .ring = ring, .room = bytes / 8 * 8 };
    return MBCF_OK;
}

int mbcf_write(unsigned task, unsigned region, uint64_t offset, const void *from, size_t bytes,
               volatile uint32_t *ack)
{
    struct mbcf_task *t = calling_task();
    size_t at = 0;

    if (t == NULL || task >= t->host->size || region >= MBCF_REGIONS || bytes == 0)
        return MBCF_ERR_ARGUMENT;
    if (ack != NULL) /* one for each packet */
        *ack += (uint32_t)((bytes + MBCF_PACKET_BYTES - 1) / MBCF_PACKET_BYTES);
    for (; at < bytes; at += MBCF_PACKET_BYTES) {
        uint32_t n = bytes - at < MBCF_PACKET_BYTES ? (uint32_t)(bytes - at) : MBCF_PACKET_BYTES;
        const struct mbcf_call call = { .op = MBCF_OP_WRITE,
                                        .task = task,
                                        .object = region,
                                        .offset = offset + at,
                                        .pieces = { { (const uint8_t *)from + at, n } },
                                        .ack = ack };

        mbcf_send(t, &call);
    }
    return MBCF_OK;
}

int mbcf_fifo_write(unsigned task, unsigned fifo, const void *from, size_t bytes,
                    volatile uint32_t *ack)
{
    struct mbcf_task *t = calling_task();
    const struct mbcf_call call = { .op = MBCF_OP_APPEND,
                                    .task = task,
                                    .object = fifo,
                                    .pieces = { { from, (uint32_t)bytes } },
                                    .ack = ack };

    if (t == NULL || task >= t->host->size || fifo >= MBCF_FIFOS || bytes == 0 ||
        bytes > MBCF_PACKET_BYTES)
        return MBCF_ERR_ARGUMENT;
    if (ack != NULL)
        ++*ack;
    mbcf_send(t, &call);
    return MBCF_OK;
}

long mbcf_fifo_read(unsigned fifo, void *to, size_t bytes)
{
    struct mbcf_task *t = calling_task();
    const uint8_t *entry;
    uint32_t n;

    if (t == NULL || fifo >= MBCF_FIFOS || t->fifos[fifo].ring == NULL)
        return -1;
    t->host->cpu->spend(t->host, mbcf_take_ps(&t->node->costs, 0));
    entry = mbcf_oldest(&t->fifos[fifo], &n);
    if (entry == NULL)
        return -1;
    if (n < bytes)
        bytes = n;
    t->host->cpu->spend(t->host,
                        mbcf_take_ps(&t->node->costs, bytes) - mbcf_take_ps(&t->node->costs, 0));
    memcpy(to, entry, bytes);
    mbcf_drop(&t->fifos[fifo]);
    return (long)n;
}

void mbcf_wait(void)
{
    struct mbcf_task *t = calling_task();

    if (t == NULL)
        return;
    while (t->events == t->seen)
        (void)t->host->cpu->sleep(t->host, HOST_NEVER);
    t->seen = t->events;
}

void mbcf_count(struct mbcf_counts *counts)
{
    if (calling_task() != NULL)
        *counts = calling_task()->node->counts;
}

uint64_t mbcf_time_ps(void)
{
    return host_self() != NULL ? host_self()->cpu->time_ps(host_self()) : 0;
}
