// mailbox: every message arrives once, also if writers and readers stop or end.
// Method: a writer that stops at each step, by hand in the memory; then threads; then processes that are killed.
#include "fabric/mailbox.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "test_seed.hpp"

namespace tess::test {
namespace {

using detail::mailbox;
using detail::mailbox_memory;

std::vector<std::byte> text_of(std::uint64_t number, std::size_t bytes) {
  std::vector<std::byte> v(bytes);
  for (std::size_t i = 0; i < bytes; ++i) v[i] = static_cast<std::byte>(number * 31 + i);
  std::memcpy(v.data(), &number, sizeof number);
  return v;
}
std::uint64_t number_of(mailbox::received const& r) {
  std::uint64_t n;
  std::memcpy(&n, r.view().data(), sizeof n);
  return n;
}
bool is_whole(mailbox::received const& r) {
  return std::ranges::equal(r.view(), text_of(number_of(r), r.bytes));
}
std::size_t size_of(std::uint64_t number) {
  return number % 5 == 0 ? 8 + number % 4000 : 8 + number % 41;
}

/// Places 0, 1 and 2; place 0 reads.
struct three_mailboxes {
  static constexpr place_id count = 3;
  three_mailboxes() {
    // Forked processes share it.
    std::size_t const bytes = count * sizeof(mailbox_memory);
    void* const shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    memory = static_cast<mailbox_memory*>(shared);
    for (place_id p = 0; p < count; ++p)
      boxes[p] = std::make_unique<mailbox>(all, p, memory[p], std::uint64_t{1} << 16U, failed);
    for (auto const& b : boxes) b->open();
  }
  ~three_mailboxes() { ::munmap(memory, count * sizeof(mailbox_memory)); }
  three_mailboxes(three_mailboxes const&) = delete;
  three_mailboxes& operator=(three_mailboxes const&) = delete;

  void fail(place_id p) {
    failed[p] = true;
    boxes[0]->give_up(p);
  }
  bool send(place_id from, std::uint64_t number, place_id to = 0) {
    return boxes[from]->send(to, text_of(number, size_of(number)));
  }
  /// The next whole message's number, or nothing.
  std::uint64_t take(place_id at = 0) {
    mailbox::received r;
    if (!boxes[at]->pop(r)) return nothing;
    EXPECT_NE(r.what, mailbox::kind::malformed);
    if (r.what == mailbox::kind::malformed) return nothing;
    EXPECT_TRUE(is_whole(r));
    std::uint64_t const n = number_of(r);
    boxes[at]->done(r);
    return n;
  }
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  std::atomic<bool> failed[count]{};
  mailbox_memory* memory;
  mailbox::directory all = mailbox::directory(count);
  std::unique_ptr<mailbox> boxes[count];
};

/// The effect of claim() alone: the writer stops there.
void begin_to_write(mailbox_memory& to, place_id writer, std::uint64_t position) {
  to.claims[position % mailbox_memory::slots_count] = (position / mailbox_memory::slots_count + 1) << 16U | writer;
}

TEST(mailbox, refuses_when_it_is_full_and_goes_round) {
  three_mailboxes t;
  for (std::uint64_t lap = 0; lap < 5; ++lap) {
    std::uint64_t sent = 0;
    while (t.boxes[1]->send(0, text_of(sent, 20))) ++sent;
    EXPECT_EQ(sent, mailbox_memory::slots_count);
    for (std::uint64_t i = 0; i < sent; ++i) ASSERT_EQ(t.take(), i);
    EXPECT_EQ(t.take(), t.nothing);
    EXPECT_TRUE(t.boxes[0]->empty());
  }
}

TEST(mailbox, delivers_what_waits_behind_a_failed_writer_and_lets_it_change_nothing_later) {
  three_mailboxes t;
  begin_to_write(t.memory[0], 1, 0);
  ASSERT_TRUE(t.send(2, 7));
  EXPECT_EQ(t.take(), t.nothing) << "the first slot is not written yet";
  t.fail(1);
  EXPECT_EQ(t.take(), 7U);
  // The writer was only stopped, and continues in each later lap.
  for (std::uint64_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(t.send(2, i)) << i;
    std::memset(t.memory[0].slots[0].data, 0xee, sizeof t.memory[0].slots[0].data);
    t.memory[0].slots[0].word = std::uint64_t{1} << 16U | 1U;
    EXPECT_FALSE(t.boxes[0]->empty());
    ASSERT_EQ(t.take(), i);
  }
}

TEST(mailbox, takes_back_what_lies_with_a_failed_place_and_believes_it_no_more) {
  three_mailboxes t;
  auto const large = text_of(5, 4000);
  unsigned lent = 0;
  while (t.boxes[0]->send(1, large)) ++lent;
  EXPECT_EQ(lent, 16U) << "64 KiB are credit for so many";
  mailbox::received late;
  ASSERT_TRUE(t.boxes[1]->pop(late));
  t.fail(1);
  for (unsigned i = 0; i < lent; ++i) ASSERT_TRUE(t.boxes[0]->send(2, large)) << "credit was lost";
  // The failed place returns a chunk that is now lent to another place.
  t.boxes[1]->done(late);
  EXPECT_FALSE(t.boxes[0]->send(2, large));
  for (unsigned i = 0; i < lent; ++i) EXPECT_EQ(t.take(2), 5U);
  EXPECT_TRUE(t.boxes[0]->send(2, large));
}

TEST(mailbox, sends_what_was_written_in_a_lent_chunk_without_a_copy) {
  three_mailboxes t;
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::byte* const lent = t.boxes[1]->lend();
    ASSERT_NE(lent, nullptr) << i;
    std::size_t const bytes = size_of(i);
    std::ranges::copy(text_of(i, bytes), lent);
    ASSERT_TRUE(t.boxes[1]->send(0, {lent, bytes}));
    mailbox::received r;
    ASSERT_TRUE(t.boxes[0]->pop(r));
    ASSERT_TRUE(is_whole(r));
    EXPECT_EQ(number_of(r), i);
    if (bytes > mailbox_memory::inline_bytes) EXPECT_EQ(r.large, lent);
    t.boxes[0]->done(r);
  }
}

TEST(mailbox, lends_half_of_its_chunks_and_keeps_what_was_refused) {
  three_mailboxes t;
  std::vector<std::byte*> lent;
  while (std::byte* const memory = t.boxes[1]->lend()) lent.push_back(memory);
  EXPECT_EQ(lent.size(), 8U) << "64 KiB are 16 chunks";
  for (std::byte* const a : lent) EXPECT_EQ(std::ranges::count(lent, a), 1);
  unsigned others = 0;
  while (t.boxes[1]->send(2, text_of(5, 4000))) ++others;
  EXPECT_EQ(others, 8U);
  // The ring of place 0 is full: nothing is sent, and the bytes stay.
  while (t.boxes[2]->send(0, text_of(1, 20))) {
  }
  std::ranges::copy(text_of(9, 1000), lent[0]);
  EXPECT_FALSE(t.boxes[1]->send(0, {lent[0], 1000}));
  EXPECT_FALSE(t.boxes[1]->send(0, {lent[0], 20}));
  while (t.take() == 1) {
  }
  ASSERT_TRUE(t.boxes[1]->send(0, {lent[0], 1000}));
  EXPECT_EQ(t.take(), 9U);
  for (std::size_t i = 1; i < lent.size(); ++i) t.boxes[1]->give_back(lent[i]);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NE(t.boxes[1]->lend(), nullptr) << "credit was lost";
}

TEST(mailbox, keeps_a_lent_chunk_when_a_place_fails_and_takes_it_back_after_it_was_sent_there) {
  three_mailboxes t;
  std::byte* const lent = t.boxes[0]->lend();
  ASSERT_NE(lent, nullptr);
  std::ranges::copy(text_of(4, 2000), lent);
  t.fail(1);
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(t.boxes[0]->send(2, text_of(3, 2000)));
    EXPECT_EQ(t.take(2), 3U);
  }
  EXPECT_TRUE(std::ranges::equal(text_of(4, 2000), std::span(lent, 2000)));
  ASSERT_TRUE(t.boxes[0]->send(1, {lent, 2000}));
  unsigned free = 0;
  while (t.boxes[0]->send(2, text_of(5, 4000))) ++free;
  EXPECT_EQ(free, 16U) << "the chunk of the failed place is not back";
}

TEST(mailbox, believes_nothing_that_stands_in_the_memory) {
  three_mailboxes t;
  TESS_PRINT_SEED(seed());
  random bits(seed());
  for (std::uint64_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(t.boxes[1]->send(0, text_of(i, 20)));
    auto& s = t.memory[0].slots[i % mailbox_memory::slots_count];
    for (std::size_t k = sizeof(std::uint64_t); k < sizeof s; ++k) {
      auto const any = static_cast<std::byte>(bits.below(256));
      if (i % 3 == 0 || k >= 16) reinterpret_cast<std::byte*>(&s)[k] = any;
    }
    // Half of them look like messages in a chunk, or from no place.
    if (i % 3 == 1) s.kind = 1;
    if (i % 7 == 0) s.word = (s.word & ~std::uint64_t{0xffff}) | 0x1234U;
    mailbox::received r;
    ASSERT_TRUE(t.boxes[0]->pop(r));
    if (r.what == mailbox::kind::malformed) continue;
    ASSERT_LT(r.source, t.count);
    if (r.large == nullptr) {
      ASSERT_LE(r.bytes, mailbox_memory::inline_bytes);
    } else {
      ASSERT_GE(r.large, t.memory[r.source].chunks[0].data);
      ASSERT_LE(r.large + r.bytes, reinterpret_cast<std::byte*>(&t.memory[r.source] + 1));
    }
    t.boxes[0]->done(r);
  }
}

TEST(mailbox, every_message_of_two_writers_arrives_once_at_one_of_two_readers) {
  three_mailboxes t;
  constexpr std::uint64_t each = 5000;
  std::vector<std::atomic<int>> seen(2 * each);
  std::atomic<std::uint64_t> taken{0};
  auto const write = [&](place_id from) {
    for (std::uint64_t i = 0; i < each; ++i)
      while (!t.send(from, (from - 1U) * each + i)) std::this_thread::yield();
  };
  auto const read = [&] {
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (taken.load() < 2 * each && std::chrono::steady_clock::now() < limit) {
      if (std::uint64_t const n = t.take(); n < seen.size()) {
        ++seen[n];
        ++taken;
      } else {
        std::this_thread::yield();
      }
    }
  };
  {
    std::jthread const a(write, place_id{1}), b(write, place_id{2}), c(read), d(read);
  }
  for (std::uint64_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].load(), 1) << i;
}

/// A process that writes as place `from` until it is killed, or has written `count`.
pid_t start_writer(three_mailboxes& t, place_id from, std::uint64_t count) {
  pid_t const child = ::fork();
  if (child != 0) return child;
  for (std::uint64_t i = 0; i < count;) {
    if (t.send(from, i))
      ++i;
    else
      std::this_thread::yield();
  }
  ::_exit(0);
}

TEST(mailbox, killed_processes_keep_nobody_from_reading_the_others) {
  TESS_PRINT_SEED(seed());
  random rounds(seed());
  for (int round = 0; round < 8; ++round) {
    three_mailboxes t;
    constexpr std::uint64_t others = 2000;
    pid_t const victim = start_writer(t, 1, t.nothing);
    pid_t const writer = start_writer(t, 2, others);
    ASSERT_GT(victim, 0);
    ASSERT_GT(writer, 0);
    std::uint64_t const kill_at = rounds.below(others);
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::uint64_t next = 0;
    while (next < others && std::chrono::steady_clock::now() < limit) {
      mailbox::received r;
      if (!t.boxes[0]->pop(r)) {
        std::this_thread::yield();
        continue;
      }
      ASSERT_TRUE(is_whole(r));
      if (r.source == 2) {
        ASSERT_EQ(number_of(r), next);
        if (next++ == kill_at) {
          ::kill(victim, SIGKILL);
          ::waitpid(victim, nullptr, 0);
          t.fail(1);
        }
      }
      t.boxes[0]->done(r);
    }
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    ASSERT_EQ(next, others) << "round " << round;
  }
}

}  // namespace
}  // namespace tess::test
