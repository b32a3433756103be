/* halo: a heat equation in one dimension; the neighbours put their borders and a flag, which is waited for. */
#include <math.h>
#include <shmem.h>
#include <stdio.h>

#define N 50
#define STEPS 100

static double u[2][N + 2];
static volatile long flag_left, flag_right;
static double total, total_before, pWrk[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long pSync[2][SHMEM_REDUCE_SYNC_SIZE];

static double sum(int parity)
{
    static double mine, all;
    int i, npes = shmem_n_pes();
    mine = 0.0;
    for (i = 1; i <= N; i++)
        mine += u[0][i];
    shmem_double_sum_to_all(&all, &mine, 1, 0, 0, npes, pWrk, pSync[parity]);
    shmem_barrier_all();
    return all;
}

int main(void)
{
    int i, step, me, npes, left, right;

    for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        pSync[0][i] = pSync[1][i] = SHMEM_SYNC_VALUE;
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    left = (me + npes - 1) % npes;
    right = (me + 1) % npes;

    for (i = 1; i <= N; i++)
        u[0][i] = sin(6.283185307179586 * (me * N + i) / (N * npes)) + 1.0;
    shmem_barrier_all();
    total_before = sum(0);
    for (step = 1; step <= STEPS; step++) {
        double *now = u[(step - 1) % 2], *next = u[step % 2];
        shmem_double_p(&now[0], now[N], right);
        shmem_double_p(&now[N + 1], now[1], left);
        shmem_fence();
        shmem_long_inc((long *)&flag_left, right);
        shmem_long_inc((long *)&flag_right, left);
        shmem_long_wait_until((long *)&flag_left, _SHMEM_CMP_GE, step);
        shmem_long_wait_until((long *)&flag_right, _SHMEM_CMP_GE, step);
        for (i = 1; i <= N; i++)
            next[i] = now[i] + 0.25 * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
    }
    shmem_barrier_all();
    total = sum(1);
    if (fabs(total - total_before) > 1e-9 * total) {
        fprintf(stderr, "PE %d: heat %f became %f\n", me, total_before, total);
        return 1;
    }
    if (me == 0)
        printf("heat %.6f\n", total);
    shmem_finalize();
    return 0;
}
