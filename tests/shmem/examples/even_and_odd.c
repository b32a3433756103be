// even_and_odd: two teams reduce at the same time, and a number of one team is translated to one of the world.
#include <shmem.h>
#include <stdio.h>

int main(void) {
  static int mine, sum;
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_team_t even = SHMEM_TEAM_INVALID, odd = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, NULL, 0, &even);
  if (pes > 1) shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, pes / 2, NULL, 0, &odd);
  shmem_team_t const team = me % 2 == 0 ? even : odd;
  mine = me;
  shmem_int_sum_reduce(team, &sum, &mine, 1);
  int expected = 0;
  for (int pe = me % 2; pe < pes; pe += 2) expected += pe;
  int const last = shmem_team_translate_pe(team, shmem_team_n_pes(team) - 1, SHMEM_TEAM_WORLD);
  int const right = sum == expected && last == (pes - 1 - me % 2) / 2 * 2 + me % 2;
  if (!right) fprintf(stderr, "PE %d: sum %d, last %d\n", me, sum, last);
  shmem_team_destroy(team);
  shmem_finalize();
  return right ? 0 : 1;
}
