// with_tessera: OpenSHMEM and Tessera in one program: tasks at places, which use the symmetric memory of PEs.
//
//   With `tess run --fabric ucx` each PE is a place, and the tasks run at all of them. On one host each PE runs a job
//   of its own, whose places are in its process.
#include <shmem.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tess/tess.hpp"

namespace {

long visits;  // symmetric
long numbers[1000];

/// The PE that a place belongs to; meanwhile it is counted at PE 0, and its numbers go to the next PE.
long visit() {
  int const me = shmem_my_pe();
  long mine[1000];
  for (long& number : mine) number = me;
  shmem_put(numbers, mine, 1000, (me + 1) % shmem_n_pes());
  shmem_atomic_inc(&visits, 0);
  shmem_quiet();
  return me;
}

}  // namespace

int main(int argc, char** argv) {
  shmem_init();
  long const me = shmem_my_pe();
  long const pes = shmem_n_pes();
  char const* const fabric = std::getenv("TESS_FABRIC");
  bool const one_job = fabric != nullptr && std::string_view(fabric) == "ucx";
  long places = 0;
  long found = -1;
  int const code = tess::run(argc, argv, [&](tess::args) -> tess::task<int> {
    places = tess::places();
    found = 0;
    for (long p = 0; p < places; ++p)
      found += co_await tess::at(static_cast<tess::place_id>(p), [] { return visit(); });
    co_return 0;
  });
  shmem_barrier_all();
  bool right = code == 0;
  // One job of all PEs begins at place 0; otherwise there is a job at each.
  if (one_job && me == 0) right = right && places == pes && found == pes * (pes - 1) / 2 && visits == pes;
  if (!one_job) right = right && found == places * me && (me != 0 || visits == places * pes);
  for (long const number : numbers) right = right && number == (me + pes - 1) % pes;
  if (!right) std::fprintf(stderr, "PE %ld: %ld places, %ld visits, sum %ld\n", me, places, visits, found);
  shmem_finalize();
  return right ? 0 : 1;
}
