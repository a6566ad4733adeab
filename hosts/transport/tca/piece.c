/* Into which pieces a transfer is cut, and where they are. */
#include "hosts/transport/tca/job.h"

/* How often those before piece `i` were doubled. */
static uint32_t doubled(const struct tct_job *job, uint32_t i)
{
    return i / job->alike < job->doubles ? i / job->alike : job->doubles;
}

uint64_t tct_piece_at(const struct tct_job *job, uint32_t i)
{
    uint32_t n = doubled(job, i);

    return job->first * job->alike * ((UINT64_C(1) << n) - 1) +
           ((i - n * job->alike) * job->first << n);
}

uint32_t tct_piece_bytes(const struct tct_job *job, uint32_t i)
{
    uint64_t left = job->bytes - tct_piece_at(job, i), piece = job->first << doubled(job, i);

    return (uint32_t)(left < piece ? left : piece);
}

void tct_job_cut(struct tct_job *job, uint64_t first, uint32_t alike, uint64_t most)
{
    job->first = first < most ? first : most;
    job->alike = alike;
    job->doubles = 0;
    while (job->first << (job->doubles + 1) <= most)
        job->doubles++;
    job->npieces = 1;
    while (tct_piece_at(job, job->npieces) < job->bytes)
        job->npieces++;
}

/* Pieces are whole blocks, where there are blocks. */
uint64_t tct_source_at(const struct tct_job *job, uint64_t at)
{
    return job->block_bytes == 0 ? at : at + at / job->block_bytes * job->src_gap;
}

uint64_t tct_target_at(const struct tct_job *job, uint64_t at)
{
    return job->block_bytes == 0 ? at : at + at / job->block_bytes * job->dst_gap;
}
