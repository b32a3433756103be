// begun: nonblocking operations on words of other tiles: every operation and width, full tables, many in flight, sleep,
// threads that end, order, and faults.
//
//   begun COUNT        each copy begins COUNT operations on words of all others, as many at once as it can
//   begun COUNT mapped the same with words in the partitions, behind the L2
//   begun fault WHAT   causes a trap: ticket, twice, none, object, misaligned, outside, register; on
//                      machines with [cni] home, posted, again
#include "begun.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string_view>
#include <thread>

#include "tile.hpp"

namespace {

namespace xbgas = tess::machine::xbgas;
using begun::atomics;
using begun::check;
using begun::full_table;
using begun::word;
using begun::wrong;

constexpr word log_max = 4096;

/// At the same address in every tile.
struct shared_words {
  alignas(64) word counter = 0;
  alignas(64) word swapped = 0;
  alignas(64) word tried = 0;
  alignas(64) word successes = 0;
  alignas(64) word posted = 0;
  alignas(64) std::uint32_t small_posted = 0;
  alignas(64) word private_words[2] = {};  // of the place before, and of the own
  alignas(64) word message = 0;
  alignas(64) word flag = 0;
  alignas(64) word threads[2] = {};  // what they have added, and what it should be
  alignas(64) word folded[2] = {};   // of all that was swapped in, and out
  std::uint32_t seen[log_max] = {};  // how often the counter was found to be this
};
shared_words in_tlm;
shared_words* words = &in_tlm;
struct under_way {
  xbgas::ticket held = xbgas::no_ticket;
  word above = 0;  // what the counter had reached, as far as this hart knew
};

// A counter: after a task has taken v, nothing that it begins later finds less; and every number is found once.
void count_together(word object, word times) {
  std::array<under_way, xbgas::tickets> held{};
  word reached = 0;
  auto const take = [&](under_way& one) {
    word const found = xbgas::take<word>(one.held);
    wrong += found < one.above ? 1 : 0;
    if (found + 1 > reached) reached = found + 1;
    xbgas::post_fetch_add<std::uint32_t>(object, &words->seen[found % log_max], 1);
    one.held = xbgas::no_ticket;
  };
  for (word i = 0; i < times; ++i) {
    under_way& one = held[i % held.size()];
    if (one.held != xbgas::no_ticket) take(one);
    one = {xbgas::begin_fetch_add(object, &words->counter, 1), reached};
  }
  for (auto& one : held)
    if (one.held != xbgas::no_ticket) take(one);
}

// What goes in comes out, but for one; compare-and-swaps that succeed are as many as the word says; posts are added.
void exchange_together(word object, word times, word own) {
  word in = 0;
  word out = 0;
  word successes = 0;
  for (word i = 0; i < times; i += 16) {
    std::array<xbgas::ticket, 16> swaps;
    std::array<xbgas::ticket, 16> tries;
    word const expected = xbgas::get(object, &words->tried);
    for (word k = 0; k < 16; ++k) {
      word const given = (own + 1) << 32 | (i + k + 1);
      in ^= given;
      swaps[k] = xbgas::begin_swap(object, &words->swapped, given);
      tries[k] = xbgas::begin_compare_swap(object, &words->tried, expected + k, expected + k + 1);
      xbgas::post_fetch_add(object, &words->posted, k);
      xbgas::post_fetch_add<std::uint32_t>(object, &words->small_posted, 1);
    }
    for (word k = 0; k < 16; ++k) {
      out ^= xbgas::take<word>(swaps[k]);
      successes += xbgas::take<word>(tries[k]) == expected + k ? 1 : 0;
    }
  }
  xbgas::post_fetch_xor(object, &words->folded[0], in);
  xbgas::post_fetch_xor(object, &words->folded[1], out);
  xbgas::post_fetch_add(object, &words->successes, successes);
  xbgas::complete_all();
}

// after_all: a reader that sees the flag also sees the message, which was begun before it.
void pass_messages(word own, word places, word rounds) {
  word const next = (own + 1) % places + 1;
  for (word round = 1; round <= rounds; ++round) {
    if (own == 0) {
      for (int i = 0; i < 8; ++i) xbgas::post_swap(next, &words->message, i == 7 ? round : 0);
      // Posts to one word have no order either: the last is begun behind the others.
      xbgas::post_swap<word, xbgas::order::after_all>(next, &words->message, round);
      xbgas::post_swap<word, xbgas::order::after_all>(next, &words->flag, round);
      while (xbgas::get(next, &words->flag) != 0) {
      }
    } else if (own == 1) {
      while (__atomic_load_n(&words->flag, __ATOMIC_ACQUIRE) != round) {
      }
      check("message", __atomic_load_n(&words->message, __ATOMIC_RELAXED), round);
      __atomic_store_n(&words->flag, 0, __ATOMIC_RELEASE);
    }
  }
}

// With after_all it begins when what came before is done.
void wait_in_order(word other) {
  word* const there = &words->private_words[0];
  auto const first = xbgas::begin_fetch_add(other, there, 1);
  auto const second = xbgas::begin_fetch_add(other, there, 1);
  auto const third = xbgas::begin_fetch_add<word, xbgas::order::after_all>(other, there, 1);
  check("in order", (xbgas::is_done(first) ? 1 : 0) + (xbgas::is_done(second) ? 1 : 0), 2);
  for (auto const one : {first, second, third}) (void)xbgas::take<word>(one);
}

// Time passes in a call while words are under way; a hart waits for what it has begun itself.
void sleep_meanwhile(word other, word own) {
  word* const there = &words->private_words[0];
  xbgas::put(other, there, 5);
  auto const started = xbgas::begin_fetch_add(other, there, 1);
  std::timespec const little{0, 20000};
  ::nanosleep(&little, nullptr);
  check("done", xbgas::is_done(started) ? 1 : 0, 1);
  check("slept", xbgas::take<word>(started), 5);
  word* const here = &words->private_words[1];
  __atomic_store_n(here, 0, __ATOMIC_RELEASE);
  xbgas::post_swap(own, here, 77);
  word value = 0;
  do {
    asm volatile("lr.d %0, (%1)\n bnez %0, 1f\n .insn 4, 0x00d00073\n 1:" : "=&r"(value) : "r"(here) : "memory");
  } while (value == 0);
  check("woken", value, 77);
  xbgas::complete_all();
}

// Threads that end with words under way, whose harts have the tickets of the next again.
word threads_that_end(word object, word rounds) {
  word started = 0;
  for (word i = 0; i < rounds; ++i) {
    std::thread([&] {
      for (int k = 0; k < 50; ++k) {
        if (xbgas::begin_fetch_add(object, &words->threads[0], 1) != xbgas::no_ticket) ++started;
        xbgas::post_fetch_add(object, &words->threads[0], 1);
        ++started;
      }
    }).join();
  }
  return started;
}

[[noreturn]] void fault(std::string_view what) {
  word const own = tile::information(tile::info::tile) + 1;
  xbgas::fill(own, own - 1);
  if (what == "ticket") (void)xbgas::is_done(5);
  if (what == "none") (void)xbgas::take<word>(xbgas::no_ticket);
  if (what == "twice") {
    auto const started = xbgas::begin_fetch_add(own, &words->counter, 1);
    (void)xbgas::take<word>(started);
    (void)xbgas::take<word>(started);
  }
  if (what == "object") (void)xbgas::begin_fetch_add(77, &words->counter, 1);
  if (what == "misaligned") xbgas::post_swap(own, reinterpret_cast<word*>(&words->seen[1]), 1);
  if (what == "outside") (void)xbgas::begin_get(own, reinterpret_cast<word*>(0xffffff0000));
  // Scratchpad that has not been configured: its home alone knows.
  if (what == "home" || what == "posted" || what == "again") {
    word const unit =
        tile::registers::own_devices + tile::registers::unit_bytes * static_cast<word>(tile::registers::unit::cni);
    auto* const there = reinterpret_cast<word*>(tile::word(unit + tile::registers::cni::scratchpad_base));
    if (what == "home") {
      auto const started = xbgas::begin_fetch_add(own, there, 1);
      while (!xbgas::is_done(started)) {
      }
      (void)xbgas::take<word>(started);
    }
    xbgas::post_fetch_add(own, there, 1);
    if (what == "posted") xbgas::complete_all();
    for (int i = 0; i < 10000; ++i) xbgas::post_fetch_add(own, &words->counter, 1);
  }
  if (what == "register") asm volatile(".insn r 0x6b, 5, 0, t0, sp, t0" ::: "t0");
  std::puts("it did not trap");
  std::exit(3);
}

}  // namespace

int main(int count, char** given) {
  std::string_view const first = count >= 2 ? given[1] : "";
  if (first == "fault" && count == 3) fault(given[2]);
  word times = 10;
  std::from_chars(first.begin(), first.end(), times);
  if (count == 3)
    words = new (::mmap(nullptr, sizeof(shared_words), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        shared_words;
  word const places = tile::information(tile::info::programs);
  word const own = tile::information(tile::info::program);
  for (word place = 0; place < places; ++place) xbgas::fill(place + 1, tile::of_program(place));
  tile::meeting all(tile::end_of_tlm(tile::of_program(0), 64));
  all.wait();
  word const next = (own + 1) % places + 1;
  atomics<word>(next, &words->private_words[0]);
  atomics<std::uint32_t>(next, reinterpret_cast<std::uint32_t*>(&words->private_words[0]));
  atomics<word>(own + 1, &words->private_words[1]);
  full_table(next, &words->private_words[0]);
  full_table(own + 1, &words->private_words[1]);
  wait_in_order(next);
  sleep_meanwhile(next, own + 1);
  if (tile::information(tile::info::harts) > 1) xbgas::put(next, &words->threads[1], threads_that_end(next, 3));
  all.wait();
  for (word place = 0; place < places; ++place) {
    word const object = (own + place) % places + 1;
    count_together(object, times);
    exchange_together(object, times, own);
  }
  all.wait();
  word const operations = places * ((times + 15) / 16 * 16);
  check("counter", words->counter, places * times);
  for (word i = 0; i < places * times && i < log_max; ++i) check("seen", words->seen[i], 1);
  check("swapped", words->folded[0], words->folded[1] ^ words->swapped);
  check("tried", words->successes, words->tried);
  check("posted", words->posted, operations / 16 * 120);
  check("small", words->small_posted, operations);
  xbgas::complete_all();
  check("of threads", words->threads[0], words->threads[1]);
  if (places > 1) pass_messages(own, places, 20);
  all.wait();
  std::printf("%lu wrong\n", wrong);
  return wrong != 0;
}
