// transpose: a matrix of which each PE has some rows is transposed by one alltoall and a step at each PE.
#include <shmem.h>
#include <stdio.h>

enum { rows = 6 };

int main(void) {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes(), columns = rows * pes;
  double* const matrix = shmem_malloc(sizeof(double) * rows * (size_t)columns);
  double* const blocks = shmem_malloc(sizeof(double) * rows * (size_t)columns);
  double* const arrived = shmem_malloc(sizeof(double) * rows * (size_t)columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) matrix[r * columns + c] = (me * rows + r) * 1000 + c;
  /* The block for each PE, transposed already, lies in one piece. */
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) blocks[c * rows + r] = matrix[r * columns + c];
  shmem_sync_all();
  shmem_double_alltoall(SHMEM_TEAM_WORLD, arrived, blocks, (size_t)rows * rows);
  for (int pe = 0; pe < pes; ++pe)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c) matrix[r * columns + pe * rows + c] = arrived[(pe * rows + r) * rows + c];
  int right = 1;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) right &= matrix[r * columns + c] == c * 1000 + me * rows + r;
  if (!right) fprintf(stderr, "PE %d: wrong\n", me);
  shmem_free(arrived);
  shmem_free(blocks);
  shmem_free(matrix);
  shmem_finalize();
  return right ? 0 : 1;
}
