// mixed: C++ with overloads, templates and contexts: a histogram of words that are counted where their hash says.
#include <shmem.h>

#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int buckets = 64;
long counts[buckets];

template <class T>
T sum_over_pes(T mine) {
  static T in, out;
  in = mine;
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &out, &in, 1);
  return out;
}

}  // namespace

int main() {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  shmem_ctx_create(SHMEM_CTX_NOSTORE | SHMEM_CTX_PRIVATE, &ctx);
  for (int i = 0; i < 1000; ++i) {
    std::size_t const hash = std::hash<std::string>()("word " + std::to_string(i * pes + me));
    shmem_atomic_add(ctx, &counts[hash % buckets], 1L, static_cast<int>(hash / buckets % static_cast<unsigned>(pes)));
  }
  shmem_ctx_destroy(ctx);
  shmem_barrier_all();
  long const all = sum_over_pes(std::accumulate(counts, counts + buckets, 0L));
  double const average = sum_over_pes(1.0 * all) / pes;
  bool const right = all == 1000L * pes && average == 1.0 * all;
  if (!right) std::fprintf(stderr, "PE %d: %ld words\n", me, all);
  shmem_finalize();
  return right ? 0 : 1;
}
