// saving: remote additions by instructions and by software of any weight, with 1 to 64 of them under way.
//
//   saving COUNT EXTRA...
//
//   Every place adds COUNT times to random words of the next place, one line of output for each way and number of
//   additions under way:
//     instructions UNDER_WAY cycles C           by eamoadd, or, with more than one under way, by tickets
//     software EXTRA UNDER_WAY cycles C         by a request, a handler on the next place's hart, and a reply
//   C: cycles for each addition, at the slowest place. EXTRA: instructions that requester and handler execute for each
//   addition beyond the shortest path, as the layers of a library would.
//
//   A request and a reply are one word each, stored into a ring in the other place's memory by an instruction that is
//   not waited for; a place polls both rings. So the software has what hardware can give: no call of a system, no copy,
//   no queue that can be full. Both need 64 operations of a tile under way: requests have tickets, replies are posted.
//   The words fit into the caches and into the interface's cache, and are there at the begin.
//
// Source    the comparison of RAE, figure 7, with what it does not say as parameters.
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/xbgas_begin.hpp>

#include "tiles.hpp"

namespace {

namespace info = tiles::info;
namespace xbgas = tiles::xbgas;
using tiles::own_register;
using tiles::tile_of;
using tiles::word;
using tiles::words_of;

constexpr word words = 512;
constexpr word line_words = 8;
constexpr word slots = 64;
constexpr word places_max = 64;
constexpr word work_step = 16;

// In every place.
tiles::barrier all_places;
alignas(64) word requests[slots];
alignas(64) word replies[slots];
alignas(64) word spent[places_max];

void meet() {
  static word round = 0;
  all_places.meet(++round, [] {});
}

word cycles() {
  word now;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}

/// So many instructions, a multiple of work_step.
void work(word instructions) {
  for (; instructions != 0; instructions -= work_step) asm volatile(".rept 14\n nop\n .endr");
}

struct random_index {
  word state;
  word next() noexcept {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state % words;
  }
};

struct ring_of_places {
  word own = own_register(info::program);
  word all = own_register(info::programs);
  word next = (own + 1) % all + 1;  ///< objects
  word before = (own + all - 1) % all + 1;
  word* there = words_of((own + 1) % all);
  word* here = words_of(own);

  [[nodiscard]] random_index indices() const { return {0x9e3779b97f4a7c15U * (own + 1)}; }
};

/// Cycles of this place.
word by_instructions(ring_of_places const& at, word count, word under_way) {
  for (word k = 0; k < words; k += line_words) (void)xbgas::fetch_add(at.next, &at.there[k], 0);
  meet();
  random_index index = at.indices();
  word const begin = cycles();
  if (under_way == 1) {
    for (word i = 0; i < count; ++i) (void)xbgas::fetch_add(at.next, &at.there[index.next()], 1);
    return cycles() - begin;
  }
  std::array<xbgas::ticket, slots> tickets{};
  for (word i = 0; i < count; ++i) {
    auto& ticket = tickets[i % under_way];
    if (i >= under_way) (void)xbgas::take<word>(ticket);
    ticket = xbgas::begin_fetch_add(at.next, &at.there[index.next()], word{1});
  }
  for (word i = 0; i < under_way && i < count; ++i) (void)xbgas::take<word>(tickets[i]);
  return cycles() - begin;
}

/// A word of a ring: its number, from 1, in the upper half, so that a slot need not be cleared.
class software {
 public:
  software(ring_of_places const& at, word extra) : at_(at), extra_(extra) {}

  word run(word count, word under_way) {
    word const volatile* const lines = at_.here;
    for (word k = 0; k < words; k += line_words) (void)lines[k];
    meet();
    random_index index = at_.indices();
    word const begin = cycles();
    for (word i = 0; i < count; ++i) {
      while (sent_ - answered_ == under_way) step();
      work(extra_);
      ++sent_;
      // Its request was answered by a reply, so it has arrived.
      auto& ticket = tickets_[sent_ % under_way];
      if (sent_ > under_way) (void)xbgas::take<word>(ticket);
      ticket = xbgas::begin_swap(at_.next, &requests[sent_ % slots], sent_ << half | index.next());
    }
    while (answered_ < count) step();
    word const done = cycles() - begin;
    while (served_ < count) step();
    for (word i = 1; i <= under_way && i <= count; ++i) (void)xbgas::take<word>(tickets_[i % under_way]);
    return done;
  }

 private:
  static constexpr unsigned half = 32;
  static constexpr word low = (word{1} << half) - 1;

  void step() {
    if (word const reply = at_slot(replies, answered_ + 1); reply >> half == answered_ + 1) ++answered_;
    word const request = at_slot(requests, served_ + 1);
    if (request >> half != served_ + 1) return;
    work(extra_);
    word const before = __atomic_fetch_add(&at_.here[request & low], 1, __ATOMIC_RELAXED);
    ++served_;
    xbgas::post_swap(at_.before, &replies[served_ % slots], served_ << half | (before & low));
  }
  static word at_slot(word const volatile* ring, word number) { return ring[number % slots]; }

  ring_of_places const& at_;
  word extra_;
  std::array<xbgas::ticket, slots> tickets_{};
  word sent_ = 0;
  word answered_ = 0;
  word served_ = 0;
};

[[noreturn]] void usage() {
  std::fputs("saving: expected a count of additions, and for each path its further instructions, multiples of 16\n",
             stderr);
  std::exit(2);
}

word number_of(std::string_view text) {
  word number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) usage();
  return number;
}

/// The slowest place's cycles for each addition, at place 0.
double slowest(ring_of_places const& at, word own_cycles, word count) {
  xbgas::put(1, &spent[at.own], own_cycles);
  meet();
  word most = 0;
  for (word place = 0; place < at.all; ++place) most = spent[place] > most ? spent[place] : most;
  return static_cast<double>(most) / static_cast<double>(count);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) usage();
  word const additions = number_of(arguments[1]);
  if (additions == 0) usage();
  for (int i = 2; i < count; ++i)
    if (number_of(arguments[i]) % work_step != 0) usage();
  word const all = own_register(info::programs);
  for (word place = 0; place < all; ++place) xbgas::fill(place + 1, tile_of(place));
  ring_of_places const at;
  meet();
  for (word k = 1; k <= slots; k *= 2) {
    double const each = slowest(at, by_instructions(at, additions, k), additions);
    if (at.own == 0) std::printf("instructions %lu cycles %.2f\n", k, each);
    meet();
  }
  word rounds = 7;
  for (int i = 2; i < count; ++i) {
    for (word k = 1; k <= slots; k *= 2) {
      for (word s = 0; s < slots; ++s) requests[s] = replies[s] = 0;
      meet();
      word const extra = number_of(arguments[i]);
      double const each = slowest(at, software(at, extra).run(additions, k), additions);
      if (at.own == 0) std::printf("software %lu %lu cycles %.2f\n", extra, k, each);
      ++rounds;
      meet();
    }
  }
  word sum = 0;
  for (word k = 0; k < words; ++k) sum += at.here[k];
  if (sum == rounds * additions) return 0;
  std::fprintf(stderr, "saving: place %lu has %lu additions of %lu\n", at.own, sum, rounds * additions);
  return 1;
}
