/* The host interface on simulated hosts: their GPUs. */
#include "hosts/launch/helper.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/signal.h"

struct launch_gpu *launch_gpu_of(struct host *h, unsigned gpu)
{
    struct launch_node *node = launch_thread_of(h)->node;

    SIM_ASSERT(gpu < node->ngpus);
    return &node->gpus[gpu];
}

/* One that did not answer while the buses were enumerated is not there; nor are those after it,
 * whose numbers are theirs. */
static unsigned op_number(struct host *h)
{
    const struct launch_node *node = launch_thread_of(h)->node;
    unsigned n = 0;

    while (n < node->ngpus && node_gpu_is_configured(node->gpus[n].gpu))
        n++;
    return n;
}

static const char *op_visible(struct host *h)
{
    return launch_thread_of(h)->visible;
}

static uint16_t op_bdf(struct host *h, unsigned gpu)
{
    return launch_gpu_of(h, gpu)->bdf;
}

static uint64_t op_memory_bytes(struct host *h, unsigned gpu)
{
    return node_gpu_memory_bytes(launch_gpu_of(h, gpu)->gpu);
}

static uint64_t op_cache_bytes(struct host *h, unsigned gpu)
{
    return node_gpu_cache_bytes(launch_gpu_of(h, gpu)->gpu);
}

static void *op_alloc(struct host *h, unsigned gpu, uint64_t bytes, uint64_t align)
{
    struct launch_gpu *g = launch_gpu_of(h, gpu);
    uint64_t offset = range_take(&g->memory, bytes, align);

    return offset != RANGE_NONE ? g->bytes + offset : NULL;
}

static uint64_t op_free(struct host *h, unsigned gpu, void *p)
{
    struct launch_gpu *g = launch_gpu_of(h, gpu);

    return range_give(&g->memory, (uint64_t)((uint8_t *)p - g->bytes));
}

static uint64_t op_pin(struct host *h, unsigned gpu, uint64_t offset, uint64_t bytes)
{
    uint64_t bar_offset;

    return node_gpu_pin(launch_gpu_of(h, gpu)->gpu, offset, bytes, &bar_offset) == SIM_OK
               ? bar_offset
               : HOST_NO_BUS;
}

static void op_unpin(struct host *h, unsigned gpu, uint64_t bar_offset, uint64_t bytes)
{
    node_gpu_unpin(launch_gpu_of(h, gpu)->gpu, bar_offset, bytes);
}

static bool job_ended(const struct launch_gpu *g, uint64_t number)
{
    return g->engines[host_gpu_engine(number)].done >= number;
}

static void stamp_ended(struct launch_gpu *g)
{
    struct host_stamp **at = &g->stamps;

    while (*at != NULL) {
        struct host_stamp *s = *at;

        if (!job_ended(g, s->number)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->ended = true;
        s->time_ps = sim_now(g->node->dom);
    }
}

static void count_copies(struct launch_thread *t, const struct launch_gpu *g)
{
    for (unsigned user = 0; user < HOST_USERS; user++) {
        volatile uint64_t *count = t->copies[user][g - t->node->gpus];

        for (unsigned i = 0; count != NULL && i < HOST_COPY_ENGINES; i++)
            launch_write_word(t->node, count + i, g->engines[i].done);
    }
}

static void op_count(struct host *h, unsigned user, unsigned gpu, volatile uint64_t *count)
{
    launch_thread_of(h)->copies[user][gpu] = count;
    count_copies(launch_thread_of(h), launch_gpu_of(h, gpu));
}

/* Jobs of an engine end in order, so the last one's number says which are done. All ranks of the
 * node look. */
void launch_gpu_ended(void *engine)
{
    struct launch_engine *e = engine;
    struct launch_gpu *g = e->gpu;
    struct launch *run = g->node->run;

    e->done += e->step;
    stamp_ended(g);
    for (unsigned r = 0; r < run->nranks; r++)
        if (run->ranks[r].node == g->node) {
            count_copies(&run->ranks[r], g);
            launch_wake(&run->ranks[r]);
            launch_ring(&run->ranks[r]);
        }
}

struct node_gpu_after launch_gpu_after(uint64_t after)
{
    unsigned engine = host_gpu_engine(after);

    return (struct node_gpu_after){ .engine = (enum node_gpu_engine)engine,
                                    .jobs = engine == HOST_KERNEL_ENGINE
                                                ? after - HOST_KERNELS
                                                : after / HOST_COPY_ENGINES };
}

static struct node_gpu_end end_of(struct host_copy_end end)
{
    return (struct node_gpu_end){ .device = end.device,
                                  .addr = end.addr,
                                  .peer = end.peer,
                                  .row_bytes = end.row_bytes,
                                  .pitch = end.pitch };
}

static uint64_t op_copy(struct host *h, unsigned gpu, struct host_copy_end dst,
                        struct host_copy_end src, uint64_t bytes, uint64_t after)
{
    struct launch_gpu *g = launch_gpu_of(h, gpu);
    struct node_gpu_end to = end_of(dst), from = end_of(src);
    struct launch_engine *e = &g->engines[node_gpu_copy_engine(to, from)];
    struct launch_thread *t = launch_begin(h);
    struct node_gpu_job *job;

    job = node_gpu_copy(g->gpu, launch_gpu_after(after), to, from, bytes, launch_gpu_ended, e);
    node_core_ring(t->core, g->port, node_gpu_ring, job);
    return e->started += e->step;
}

static void op_wait(struct host *h, unsigned gpu, uint64_t number)
{
    struct launch_thread *t = launch_begin(h);
    struct launch_gpu *g = launch_gpu_of(h, gpu);

    while (!job_ended(g, number)) {
        launch_sleep(t, SIM_TIME_NEVER,
                     host_gpu_engine(number) == HOST_KERNEL_ENGINE ? "waiting for a kernel"
                                                                   : "waiting for a copy");
        launch_signals_take(t);
    }
}

static uint64_t op_failures(struct host *h, unsigned gpu)
{
    return node_gpu_failed_copies(launch_gpu_of(h, gpu)->gpu);
}

static bool op_ended(struct host *h, unsigned gpu, uint64_t number)
{
    (void)launch_begin(h);
    return job_ended(launch_gpu_of(h, gpu), number);
}

static void op_stamp(struct host *h, unsigned gpu, uint64_t number, struct host_stamp *stamp)
{
    struct launch_gpu *g = launch_gpu_of(h, gpu);

    *stamp = (struct host_stamp){ .number = number, .next = g->stamps };
    g->stamps = stamp;
    stamp_ended(g);
}

const struct host_gpu_ops launch_gpu_ops = {
    .number = op_number,
    .visible = op_visible,
    .bdf = op_bdf,
    .memory_bytes = op_memory_bytes,
    .cache_bytes = op_cache_bytes,
    .alloc = op_alloc,
    .free = op_free,
    .pin = op_pin,
    .unpin = op_unpin,
    .copy = op_copy,
    .kernel = launch_kernel,
    .wait = op_wait,
    .failures = op_failures,
    .count = op_count,
    .ended = op_ended,
    .stamp = op_stamp,
};
