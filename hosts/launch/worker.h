/*
 * Workers: what runs functions of the program for its GPUs' kernels (node/gpu_kernel.c).
 */
#ifndef LAUNCH_WORKER_H
#define LAUNCH_WORKER_H

struct launch_thread;

/** No effect on a rank without a worker. */
void launch_worker_fini(struct launch_thread *rank);

#endif /* LAUNCH_WORKER_H */
