// tree: cycles of the MCS tree barrier on coherent caches: arrival by a tree of degree 4, wake-up by one of degree 2.
//
//   A core that waits for its children polls one line of its own, with a byte for each child; one that waits for its
//   parent polls another.
//
// Units     cycles of all episodes together.
// Errors    exit code 1: a copy left an episode before another had arrived; 2: wrong arguments.
// Source    J. Mellor-Crummey, M. Scott, TOCS 9(1), 1991, algorithm 11; the baseline of CNI (IJPP 2012), figure 11b.
#include "coherent.hpp"

namespace {

using coherent::cycle;
using coherent::flag;
using coherent::word;

enum line_number : std::uint64_t { children_line, wake_line, came_line, meeting_line };

class tree_barrier {
 public:
  explicit tree_barrier(coherent::cores const& all)
      : all_(all), own_(all.own()), children_(all.word_at(own_, children_line)), wake_(all.word_at(own_, wake_line)) {
    for (std::uint64_t child = 0; child < arity; ++child)
      if (arity * own_ + child + 1 < all.count()) missing_ |= std::uint64_t{1} << (8 * child);
    children_.store(missing_);
  }

  void wait() {
    sense_ ^= 1U;
    while (children_.load(std::memory_order_acquire) != 0) {
    }
    children_.store(missing_, std::memory_order_relaxed);
    if (own_ != 0) {
      byte_of((own_ - 1) / arity, (own_ - 1) % arity).store(0, std::memory_order_release);
      while (wake_.load(std::memory_order_acquire) != sense_) {
      }
    }
    for (std::uint64_t child = 2 * own_ + 1; child <= 2 * own_ + 2 && child < all_.count(); ++child)
      word(all_.word_at(child, wake_line)).store(sense_, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t arity = 4;
  /// Not zero: this child has not arrived.
  [[nodiscard]] flag byte_of(std::uint64_t parent, std::uint64_t child) const {
    return flag(*reinterpret_cast<std::uint8_t*>(all_.line(parent, children_line) + child));
  }

  coherent::cores const& all_;
  std::uint64_t own_;
  word children_;
  word wake_;
  std::uint64_t missing_ = 0;
  std::uint64_t sense_ = 0;
};

/// After an episode, every other core has arrived at it, and none is two episodes ahead.
void check(coherent::cores const& all, tree_barrier& barrier, std::uint64_t episodes) {
  for (std::uint64_t episode = 1; episode <= episodes; ++episode) {
    for (std::uint64_t wait = 0; wait < (episode * (3 + all.own())) % 61; ++wait) asm volatile("");
    word(all.word_at(all.own(), came_line)).store(episode, std::memory_order_relaxed);
    barrier.wait();
    for (std::uint64_t step = 1; step < all.count(); step *= 2) {
      std::uint64_t const other = (all.own() + episode * step) % all.count();
      std::uint64_t const came = word(all.word_at(other, came_line)).load(std::memory_order_relaxed);
      coherent::expect(came == episode || came == episode + 1, "one left an episode before another came");
    }
  }
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t const episodes = coherent::rounds_of(count, words);
  if (episodes == 0) {
    std::fputs("usage: dir-tree EPISODES\n  EPISODES: 1 to 1048576\n", stderr);
    return 2;
  }
  coherent::cores all;
  tree_barrier barrier(all);
  all.meet(meeting_line);
  check(all, barrier, 16);  // also fills the caches
  barrier.wait();
  std::uint64_t const begin = cycle();
  for (std::uint64_t i = 0; i < episodes; ++i) barrier.wait();
  std::uint64_t const end = cycle();
  std::printf(
      "{\"program\":\"barriers\",\"kind\":\"tree\",\"cores\":%lu,\"core\":%lu,\"rounds\":%lu,\"begin\":%lu,\"end\":%lu}"
      "\n",
      static_cast<unsigned long>(all.count()), static_cast<unsigned long>(all.own()),
      static_cast<unsigned long>(episodes), static_cast<unsigned long>(begin), static_cast<unsigned long>(end));
  return coherent::expectations_held ? 0 : 1;
}
