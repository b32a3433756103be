/* sgi_sums: as programs were written in the nineties: start_pes, static work arrays, reductions of active sets. */
#include <stdio.h>
#include <stdlib.h>
#include <mpp/shmem.h>

#define N 100
#define MAX(a, b) ((a) > (b) ? (a) : (b))

long pSync[_SHMEM_REDUCE_SYNC_SIZE];
long pSyncB[_SHMEM_BCAST_SYNC_SIZE];
int pWrk[MAX(N / 2 + 1, _SHMEM_REDUCE_MIN_WRKDATA_SIZE)];
double dWrk[MAX(N / 2 + 1, _SHMEM_REDUCE_MIN_WRKDATA_SIZE)];

int source[N], target[N];
double dsource[N], dtarget[N];

int main(int argc, char *argv[])
{
    int i, me, npes;
    long *work;
    (void)argc;
    (void)argv;

    for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++)
        pSync[i] = _SHMEM_SYNC_VALUE;
    for (i = 0; i < _SHMEM_BCAST_SYNC_SIZE; i++)
        pSyncB[i] = _SHMEM_SYNC_VALUE;

    start_pes(0);
    me = _my_pe();
    npes = _num_pes();

    for (i = 0; i < N; i++) {
        source[i] = me + i;
        dsource[i] = me * 0.5;
    }
    shmem_barrier_all();
    shmem_int_sum_to_all(target, source, N, 0, 0, npes, pWrk, pSync);
    for (i = 0; i < N; i++)
        if (target[i] != npes * i + npes * (npes - 1) / 2) {
            fprintf(stderr, "PE %d: target[%d] = %d\n", me, i, target[i]);
            exit(1);
        }
    shmem_barrier_all();
    shmem_double_max_to_all(dtarget, dsource, N, 0, 0, npes, dWrk, pSync);
    if (dtarget[N - 1] != (npes - 1) * 0.5) {
        fprintf(stderr, "PE %d: dtarget = %f\n", me, dtarget[N - 1]);
        exit(1);
    }

    work = (long *)shmalloc(N * sizeof(long));
    for (i = 0; i < N; i++)
        work[i] = me == 0 ? i * 7 : 0;
    shmem_barrier_all();
    if (me != 0)
        shmem_long_get(work, work, N, 0);
    shmem_barrier_all();
    for (i = 0; i < N; i++)
        if (work[i] != i * 7) {
            fprintf(stderr, "PE %d: work[%d] = %ld\n", me, i, work[i]);
            exit(1);
        }
    shmem_broadcast64(dtarget, dsource, N, npes - 1, 0, 0, npes, pSyncB);
    if (me != npes - 1 && dtarget[0] != (npes - 1) * 0.5) {
        fprintf(stderr, "PE %d: broadcast %f\n", me, dtarget[0]);
        exit(1);
    }
    shmem_barrier(0, 0, npes, pSync);
    shfree(work);
    return 0;
}
