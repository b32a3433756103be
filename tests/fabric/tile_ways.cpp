// tile_ways: words of other tiles by the runtime, by each value of TESS_WORDS. Run by tess-machine:
//
//   tile_ways sums        every place adds to words of all others, by several operations at once: "sums: right", or 1
//   tile_ways costs       instructions and cycles of an operation, at requester and target (docs/machine/rae.md)
//   tile_ways misaligned  an access that the machine refuses; outside: beyond the segment
#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>

#include "tess/machine/xbgas.hpp"
#include "tess/tess.hpp"

namespace {

namespace registers = tess::machine::registers;
namespace xbgas = tess::machine::xbgas;
using word = tess::global_ptr<std::uint64_t>;

bool has_xbgas() {
  std::uint64_t const units =
      *reinterpret_cast<std::uint64_t volatile*>(registers::own_devices + registers::information::units);
  return (units >> static_cast<unsigned>(registers::unit::extended) & 1U) != 0;
}
/// The owner's address, which is valid with the object at all places; null where the program has no windows.
std::byte* address_of(word w) {
  std::uint64_t const window = tess::detail::job.atomic_window[w.place()];
  return window == tess::detail::no_window ? nullptr : tess::detail::bytes_of_window(window) + w.offset();
}

// ── sums ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// A place's words: sums by fetch_add and by compare-and-swap, a maximum, a double with halves, and two words of 4
/// bytes, to one of which all add.
using tally = std::array<std::uint64_t, 5>;
constexpr unsigned additions = 24;

tess::task<> add_by_runtime(word const t) {
  co_await tess::fetch_add(t, 1);
  for (std::uint64_t old = co_await tess::get(t + 1);;) {
    std::uint64_t const before = co_await tess::compare_swap(t + 1, old, old + 1);
    if (before == old) break;
    old = before;
  }
  co_await tess::fetch_max(t + 2, tess::here() + std::uint64_t{1});
  co_await tess::fetch_add((t + 3).as<double>(), 0.5);
  co_await tess::fetch_add((t + 4).as<std::uint32_t>(), 1U);
}
/// The number of its additions.
unsigned add_by_others(word w) {
  std::byte* const at = address_of(w);
  if (at == nullptr) return 0;
  auto* const address = reinterpret_cast<std::uint64_t*>(at);
  std::atomic_ref(*address).fetch_add(1);  // the owner's own, or a flat one
  if (!has_xbgas()) return 1;
  xbgas::fetch_add(w.place() + 1U, address, 1);
  return 2;
}

/// The fabric uses it with instructions only.
void fill_lookaside() {
  std::uint64_t const table = registers::own_devices + registers::information::table;
  for (std::uint64_t p = 0, tile = 0; has_xbgas() && p < tess::places(); ++tile) {
    auto const program = *reinterpret_cast<std::uint64_t volatile*>(table + tile * registers::information::row_bytes +
                                                                    registers::information::row_program);
    if (program != 0) ++p, xbgas::fill(program, tile);
  }
}

tess::task<int> sums() {
  auto const tallies = co_await tess::place_local<tally>::make();
  word const others = tess::allocate<std::uint64_t>();
  *others.local() = 0;
  co_await tess::on_all_places(
      [](tess::place_local<tally> all, word counted) -> tess::task<> {
        fill_lookaside();
        co_await tess::barrier();
        for (unsigned i = 0; i < additions * tess::places(); ++i) {
          word const t = all.of(static_cast<tess::place_id>(i % tess::places())).as<std::uint64_t>();
          co_await add_by_runtime(t);
          co_await tess::fetch_add(counted, add_by_others(t));
        }
      },
      tallies, others);
  std::uint64_t const each = std::uint64_t{additions} * tess::places();
  std::uint64_t all = 0;
  bool right = true;
  for (unsigned p = 0; p < tess::places(); ++p) {
    word const t = tallies.of(static_cast<tess::place_id>(p)).as<std::uint64_t>();
    all += co_await tess::get(t);
    right = right && co_await tess::get(t + 1) == each;
    right = right && co_await tess::get(t + 2) == tess::places();
    right = right && co_await tess::get((t + 3).as<double>()) == static_cast<double>(each) / 2;
    right = right && co_await tess::get(t + 4) == each;
  }
  right = right && all == each * tess::places() + co_await tess::get(others);
  std::printf("sums: %s\n", right ? "right" : "WRONG");
  co_return right ? 0 : 1;
}

// ── costs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

struct counts {
  std::uint64_t instructions = 0, cycles = 0;
};
[[gnu::noinline]] counts count() {
  counts now;
  asm volatile("rdinstret %0\n rdcycle %1" : "=r"(now.instructions), "=r"(now.cycles));
  return now;
}
constexpr unsigned rounds = 256;

/// In sequence, with no other work at either place. At the other place: its hart 0, which waits for requests.
template <class Operation>
tess::task<> measure(char const* what, tess::place_id there, Operation operation) {
  auto const asked = [&]() { return tess::at(there, [] { return count(); }); };
  for (unsigned i = 0; i < rounds / 4; ++i) co_await operation();
  // The cost of the measurement itself there.
  counts const first = co_await asked(), before = co_await asked();
  counts const begin = count();
  for (unsigned i = 0; i < rounds; ++i) co_await operation();
  counts const end = count();
  counts const after = co_await asked();
  std::uint64_t const own = before.instructions - first.instructions;
  std::uint64_t const theirs = after.instructions - before.instructions;
  std::printf("%-14s %6llu %6llu %6llu\n", what,
              static_cast<unsigned long long>((end.instructions - begin.instructions) / rounds),
              static_cast<unsigned long long>((theirs < own ? 0 : theirs - own) / rounds),
              static_cast<unsigned long long>((end.cycles - begin.cycles) / rounds));
}

tess::task<int> costs() {
  auto const there = static_cast<tess::place_id>(tess::places() - 1);
  word const w = co_await tess::at(there, [] { return tess::allocate<std::uint64_t>(); });
  std::puts("operation      instructions here, there; cycles");
  co_await measure("get", there, [&] { return tess::get(w); });
  co_await measure("put", there, [&] { return tess::put(w, 1); });
  co_await measure("fetch_add", there, [&] { return tess::fetch_add(w, 1); });
  co_await measure("fetch_min", there, [&] { return tess::fetch_min(w, 1); });
  co_await measure("compare_swap", there, [&] { return tess::compare_swap(w, 1, 2); });
  counts const begin = count();
  co_await tess::overlap<32>(0, rounds * 4, [&](std::uint64_t) { return tess::fetch_add(w, 1); });
  counts const end = count();
  std::printf("%-14s %6llu %6s %6llu\n", "32 fetch_adds",
              static_cast<unsigned long long>((end.instructions - begin.instructions) / rounds / 4), "",
              static_cast<unsigned long long>((end.cycles - begin.cycles) / rounds / 4));
  co_return 0;
}

tess::task<int> wrong(std::int64_t offset) {
  auto const last = static_cast<tess::place_id>(tess::places() - 1);
  co_await tess::fetch_add(word(last, static_cast<std::uint64_t>(offset)), 1);
  co_return 3;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::string_view const what = words.empty() ? "sums" : std::string_view(words.front());
    if (what == "costs") return costs();
    if (what == "misaligned") return wrong(4100);
    if (what == "outside") return wrong(std::int64_t{1} << 40);
    return sums();
  });
}
