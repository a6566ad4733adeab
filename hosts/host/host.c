#include "hosts/host/param.h"

#include <string.h>

#define NS UINT64_C(1000)

/*
 * Order of magnitude of a Xeon E5 with Linux and CUDA of their time. A copy through cudaMemcpy
 * costs 6 to 7 us before its first byte (gdrcopy README), most of it in the driver on both sides of
 * the copy engine. 1024 bytes in 170 ns are 6 GB/s, one core; 1 MB takes ibv_reg_mr some 60 us.
 */
const struct host_param host_cost_params[] = {
    HOST_PARAM_COST_PS("call_ps", 20 * NS, HOST_COST_CALL + 1, "entering a library function"),
    HOST_PARAM_COST_PS("syscall_ps", 500 * NS, HOST_COST_SYSCALL + 1, "into the kernel and back"),
    HOST_PARAM_COST_PS(
        "helper_ps", 3000 * NS, HOST_COST_HELPER + 1,
        "a library's helper, rung by an interrupt, gets the core of its rank, and gives it back"),
    HOST_PARAM_COST_PS("cuda_call_ps", 300 * NS, HOST_COST_CUDA_CALL + 1,
                       "a CUDA call that starts nothing"),
    HOST_PARAM_COST_PS("cuda_copy_ps", 5000 * NS, HOST_COST_CUDA_COPY + 1,
                       "starting a copy and learning of its end"),
    HOST_PARAM_COST_PS("cuda_kernel_ps", 0, HOST_COST_CUDA_KERNEL + 1,
                       "so much longer for a kernel, as a copy inside of a GPU is"),
    HOST_PARAM_COST_PS("copy_kb_ps", 170 * NS, HOST_COST_COPY_KB + 1,
                       "a core copies 1024 bytes in memory"),
    HOST_PARAM_COST_PS("pin_ps", 250 * NS, HOST_COST_PIN + 1,
                       "the kernel pins a page and gives it a bus address"),
    HOST_PARAM_END
};

static _Thread_local struct host *current;

struct host *host_self(void)
{
    return current;
}

void host_set_self(struct host *h)
{
    current = h;
}

const struct host_setting *host_setting_of(const struct host *h, const char *key)
{
    for (const struct host_setting *s = h->settings; s != NULL && s->key != NULL; s++)
        if (strcmp(s->key, key) == 0)
            return s;
    return NULL;
}

void host_states_release(struct host_state **states)
{
    while (*states != NULL) {
        struct host_state *state = *states;

        *states = state->next;
        state->release(state);
    }
}

void host_clear(uint8_t *p, uint64_t bytes)
{
    static const uint8_t zeros[HOST_PAGE];

    for (uint64_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < sizeof(zeros) ? bytes - at : sizeof(zeros);
        if (memcmp(p + at, zeros, n) != 0)
            memset(p + at, 0, n);
    }
}
