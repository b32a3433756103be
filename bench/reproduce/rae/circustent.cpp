// circustent: CircusTent's kernels in OpenSHMEM: on the machine by instructions or by messages, or natively. It has the
// arrays, patterns and checksums of the program `circustent`, which uses operations of the runtime.
//
//   circustent_shmem --bench NAME|all --memsize BYTES --iters N [--stride S] [--chase WORDS] [--pes P] [--note K]
//   BYTES of each PE's array, N iterations of each PE. PTRCHASE follows WORDS words of each PE, or else N as the suite
//   does. Prints one line per benchmark:
//     NAME seconds S gams G instructions I wrong W checksum C
//   I: instructions of all PEs together (natively 0). W: words that differ from the result of one thread. With --note,
//   K of the atomics on words of PE 0 come before it, a uniform sample without replacement, in program order, one line
//   each:
//     atomic NUMBER ARRAY WORD
//   its number among all of them, the array and the index of the word. All are recorded by the PE that issues them,
//   which slows it down.
//
// Source    CircusTent (PMAM 2020), its SHMEM kernels as published.
#include <shmem.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/random_word.hpp"
#include "measured.hpp"

namespace {

using word = std::uint64_t;

enum class pattern : std::uint8_t { rand, stride1, striden, ptrchase, central, sg, scatter, gather };
constexpr std::array<std::string_view, 8> names{"RAND",    "STRIDE1", "STRIDEN", "PTRCHASE",
                                                "CENTRAL", "SG",      "SCATTER", "GATHER"};
constexpr word seed = 1;
constexpr word stride_operand = 0xf;

struct run {
  pattern what = pattern::rand;
  bool adds = true;
  word elements = 0;
  word iterations = 0;
  word stride = 1;
  word chased = 0;  ///< words that PTRCHASE follows; 0: those of the suite
  word notes = 0;
  word* array = nullptr;
  word* index = nullptr;
  std::vector<int> targets{};  ///< PEs by iteration, for PTRCHASE

  [[nodiscard]] word index_words() const { return what == pattern::ptrchase && chased != 0 ? chased : iterations + 1; }
  [[nodiscard]] word index_limit() const {
    if (what != pattern::ptrchase) return elements;
    return chased != 0 ? chased : (iterations < 2 ? 2 : iterations) - 1;
  }
};

/// Operations on the arrays of another PE.
template <bool Adds>
struct remote {
  static word fetch(word* at, word add, int pe) {
    if constexpr (Adds) return shmem_uint64_atomic_fetch_add(at, add, pe);
    return shmem_uint64_atomic_compare_swap(at, 0, 0, pe);
  }
  static word deliver(word* at, word value, int pe) {
    if constexpr (Adds) return shmem_uint64_atomic_fetch_add(at, value, pe);
    return shmem_uint64_atomic_compare_swap(at, 0, value, pe);
  }
  static word read(word const* at, int pe) { return shmem_uint64_g(at, pe); }
};
/// The same, with a record of the operations.
template <bool Adds>
struct noting {
  std::vector<word const*>* done;
  word fetch(word* at, word add, int pe) const {
    done->push_back(at);
    return remote<Adds>::fetch(at, add, pe);
  }
  word deliver(word* at, word value, int pe) const {
    done->push_back(at);
    return remote<Adds>::deliver(at, value, pe);
  }
  static word read(word const* at, int pe) { return remote<Adds>::read(at, pe); }
};
/// The same operations by one thread, for the check.
template <bool Adds>
struct local {
  static word fetch(word* at, word add, int) {
    word const before = *at;
    if (Adds) *at += add;
    return before;
  }
  static word deliver(word* at, word value, int) {
    word const before = *at;
    if (Adds)
      *at += value;
    else if (before == 0)
      *at = value;
    return before;
  }
  static word read(word const* at, int) { return *at; }
};

template <class By, pattern What>
void iterate_of(run const& r, int pe, By by) {
  word const* const index = r.index;
  word at = 0;
  for (word i = 0; i < r.iterations; ++i) {
    switch (What) {
      case pattern::rand:
        by.fetch(&r.array[by.read(&index[i], pe)], 1, pe);
        break;
      case pattern::stride1:
        by.fetch(&r.array[i], stride_operand, pe);
        break;
      case pattern::striden:
        by.fetch(&r.array[i * r.stride], stride_operand, pe);
        break;
      case pattern::ptrchase:
        at = by.fetch(&r.index[at], 0, r.targets[i]);
        break;
      case pattern::central:
        by.fetch(&r.array[0], 1, pe);
        break;
      case pattern::sg: {
        word const from = by.fetch(&r.index[i], 0, pe);
        word const to = by.fetch(&r.index[i + 1], 0, pe);
        by.deliver(&r.array[to], by.fetch(&r.array[from], 1, pe), pe);
        break;
      }
      case pattern::scatter: {
        word const to = by.fetch(&r.index[i + 1], 0, pe);
        by.deliver(&r.array[to], by.fetch(&r.array[i], 1, pe), pe);
        break;
      }
      case pattern::gather: {
        word const from = by.fetch(&r.index[i + 1], 0, pe);
        by.deliver(&r.array[i], by.fetch(&r.array[from], 1, pe), pe);
        break;
      }
    }
  }
}

template <class By>
void iterate(run const& r, int pe, By by = {}) {
  constexpr auto loops = []<std::size_t... K>(std::index_sequence<K...>) {
    return std::array{&iterate_of<By, static_cast<pattern>(K)>...};
  }(std::make_index_sequence<names.size()>());
  loops[static_cast<std::size_t>(r.what)](r, pe, by);
}

/// The last PE works on the words of PE 0, in all kernels but PTRCHASE.
bool notes_here(run const& r) {
  return r.notes != 0 && shmem_my_pe() == shmem_n_pes() - 1;
}

void iterate_remote(run const& r, int pe, std::vector<word const*>& done) {
  if (!notes_here(r)) return r.adds ? iterate<remote<true>>(r, pe) : iterate<remote<false>>(r, pe);
  r.adds ? iterate<noting<true>>(r, pe, {&done}) : iterate<noting<false>>(r, pe, {&done});
}

/// Prints a sample of so many: each operation is taken with the probability of what is still wanted in what is left.
// Source: Knuth, The Art of Computer Programming, volume 2, algorithm S.
void print_notes(run const& r, std::vector<word const*> const& done) {
  word wanted = r.notes < done.size() ? r.notes : done.size();
  for (std::size_t k = 0; k < done.size() && wanted > 0; ++k) {
    if (kernels::random_word(seed ^ 0x6e6fU, k) % (done.size() - k) >= wanted) continue;
    --wanted;
    bool const in_array = done[k] >= r.array && done[k] < r.array + r.elements;
    std::printf("atomic %zu %s %lu\n", k, in_array ? "array" : "index",
                static_cast<word>(done[k] - (in_array ? r.array : r.index)));
  }
}

void fill(run const& r) {
  auto const pe = static_cast<word>(shmem_my_pe());
  for (word k = 0; k < r.elements; ++k) r.array[k] = kernels::random_word(seed, pe * r.elements + k);
  for (word k = 0; k < r.index_words(); ++k)
    r.index[k] = kernels::random_word(seed ^ 0x6964U, pe * r.index_words() + k) % r.index_limit();
}

/// Number of wrong words of this PE. Only the previous PE modifies them; PTRCHASE modifies none.
word wrong_words(run const& r) {
  std::vector<word> array(r.elements);
  std::vector<word> index(r.index_words());
  run copy = r;
  copy.array = array.data();
  copy.index = index.data();
  fill(copy);
  if (r.what != pattern::ptrchase) r.adds ? iterate<local<true>>(copy, 0) : iterate<local<false>>(copy, 0);
  word wrong = 0;
  for (word k = 0; k < r.elements; ++k) wrong += array[k] == r.array[k] ? 0U : 1U;
  for (word k = 0; k < r.index_words(); ++k) wrong += index[k] == r.index[k] ? 0U : 1U;
  return wrong;
}

word checksum(run const& r) {
  auto const pe = static_cast<word>(shmem_my_pe());
  word sum = 0;
  for (word k = 0; k < r.elements; ++k) sum += kernels::random_word(r.array[k], pe * r.elements + k);
  for (word k = 0; k < r.index_words(); ++k) sum += kernels::random_word(r.index[k], pe * r.index_words() + k);
  return sum;
}

/// Whether all words are correct.
bool measure(run const& r, word* sums) {
  int const me = shmem_my_pe();
  int const next = (me + 1) % shmem_n_pes();
  fill(r);
  sums[0] = sums[1] = sums[2] = 0;
  std::vector<word const*> done;
  shmem_barrier_all();
  if (me == 0) measured::mark(true);
  shmem_barrier_all();
  auto const begin = std::chrono::steady_clock::now();
  word const first = measured::instructions();
  iterate_remote(r, next, done);
  shmem_barrier_all();
  word const last = measured::instructions();
  std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin;
  if (me == 0) measured::mark(false);
  shmem_uint64_atomic_add(&sums[0], wrong_words(r), 0);
  shmem_uint64_atomic_add(&sums[1], checksum(r), 0);
  shmem_uint64_atomic_add(&sums[2], last - first, 0);
  shmem_barrier_all();
  if (notes_here(r)) {
    print_notes(r, done);
    std::fflush(stdout);
  }
  shmem_barrier_all();
  if (me == 0) {
    unsigned const each = r.what == pattern::sg ? 4 : r.what == pattern::scatter || r.what == pattern::gather ? 3 : 1;
    double const operations = static_cast<double>(r.iterations) * each * shmem_n_pes();
    std::printf("%s_%s seconds %.9f gams %.9f instructions %lu wrong %lu checksum %lu\n",
                names[static_cast<std::size_t>(r.what)].data(), r.adds ? "ADD" : "CAS", spent.count(),
                operations / 1e9 / spent.count(), sums[2], sums[0], sums[1]);
  }
  bool const right = shmem_uint64_g(&sums[0], 0) == 0;
  shmem_barrier_all();
  return right;
}

[[noreturn]] void misused(char const* what) {
  if (shmem_my_pe() == 0) {
    std::fprintf(
        stderr,
        "circustent_shmem: %s; expected --bench NAME|all --memsize BYTES --iters N [--stride S] [--chase WORDS] "
        "[--pes P] [--note K]\n",
        what);
  }
  shmem_finalize();
  std::exit(2);
}

word number_of(std::string_view text) {
  word number = 0;
  auto const [end, problem] = std::from_chars(text.begin(), text.end(), number);
  if (problem != std::errc() || end != text.end() || number == 0) misused("a value is no positive number");
  return number;
}

}  // namespace

int main(int count, char** given) {
  shmem_init();
  run r;
  std::string_view bench;
  for (int i = 1; i < count; i += 2) {
    std::string_view const option = given[i];
    if (i + 1 == count) misused("the last option has no value");
    std::string_view const value = given[i + 1];
    if (option == "--bench" || option == "-b") {
      bench = value;
    } else if (option == "--memsize" || option == "-m") {
      r.elements = number_of(value) / sizeof(word);
    } else if (option == "--iters" || option == "-i") {
      r.iterations = number_of(value);
    } else if (option == "--stride" || option == "-s") {
      r.stride = number_of(value);
    } else if (option == "--chase") {
      r.chased = number_of(value);
    } else if (option == "--note") {
      r.notes = number_of(value);
    } else if (option == "--pes" || option == "-p") {
      if (number_of(value) != static_cast<word>(shmem_n_pes())) misused("another number of PEs than there are");
    } else {
      misused("an unknown option");
    }
  }
  if (bench.empty() || r.elements == 0 || r.iterations == 0) misused("something is not said");
  bool const chases = bench.starts_with(names[static_cast<std::size_t>(pattern::ptrchase)]);
  if (!chases && (r.iterations > r.elements || (r.iterations - 1) > (r.elements - 1) / r.stride))
    misused("the iterations leave the array");
  if (r.notes != 0 && (chases || bench == "all")) misused("--note wants one benchmark whose PEs have one target each");
  r.array = static_cast<word*>(shmem_malloc(r.elements * sizeof(word)));
  word const index_words = r.chased > r.iterations + 1 ? r.chased : r.iterations + 1;
  r.index = static_cast<word*>(shmem_malloc(index_words * sizeof(word)));
  auto* const sums = static_cast<word*>(shmem_malloc(3 * sizeof(word)));
  if (r.array == nullptr || r.index == nullptr || sums == nullptr) misused("SHMEM_SYMMETRIC_SIZE is too small");
  for (word i = 0; i < r.iterations; ++i) {
    word const random = kernels::random_word(seed ^ 0x7461U, static_cast<word>(shmem_my_pe()) * r.iterations + i);
    r.targets.push_back(static_cast<int>(random % static_cast<word>(shmem_n_pes())));
  }
  bool right = true;
  bool found = false;
  for (bool const adds : {true, false}) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      std::string_view const kind = adds ? "_ADD" : "_CAS";
      bool const named = bench.starts_with(names[k]) && bench.substr(names[k].size()) == kind;
      if (bench != "all" && !named) continue;
      found = true;
      r.what = static_cast<pattern>(k);
      r.adds = adds;
      right = measure(r, sums) && right;
    }
  }
  if (!found) misused("there is no such benchmark");
  shmem_finalize();
  return right ? 0 : 1;
}
