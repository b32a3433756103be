// bfs: top-down while the frontier is small, bottom-up while it touches a large part of the unreached graph.
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>

#include "plain/kernels.hpp"

namespace plain {
namespace {

// As in the paper: bottom-up when the frontier has more than 1/alpha of the unexplored edges and grows, top-down again
//    when
// it has less than 1/beta of the vertices and shrinks. Without "grows" and "shrinks", the last levels of a road-like
// graph, which has few unexplored edges left, would each scan all vertices.
constexpr std::uint64_t alpha = 15;
constexpr std::uint64_t beta = 18;

// A level with fewer edges is faster on one thread, since shared lines then do not move between cores: on a
// grid of 1024 x 1024 two threads that share levels of 4096 edges reach 280 M edges/s, one thread 470.
constexpr std::uint64_t edges_worth_sharing = 16384;

constexpr std::uint64_t word_bits = 64;

/// Vertices that a thread found, moved to the shared queue by buffers.
class found_vertices {
 public:
  found_vertices(vertex* queue, std::uint64_t& tail) noexcept : queue_(queue), tail_(tail) {}

  void push(vertex v) noexcept {
    if (count_ == buffer_.size()) flush();
    buffer_[count_++] = v;
  }
  void flush() noexcept {
    // Relaxed: the entries are read after the barrier that ends the level.
    std::uint64_t const begin = tail_.fetch_add(count_, std::memory_order_relaxed);
    std::copy_n(buffer_.begin(), count_, queue_ + begin);
    count_ = 0;
  }

 private:
  vertex* queue_;
  std::atomic_ref<std::uint64_t> tail_;
  std::size_t count_ = 0;
  std::array<vertex, 1024> buffer_;
};

bool test(std::uint64_t const* bitmap, vertex v) noexcept {
  return ((bitmap[v / word_bits] >> (v % word_bits)) & 1U) != 0;
}

}  // namespace

bfs::bfs(graph_view graph, int threads)
    : graph_(graph),
      threads_(threads),
      words_((graph.n() + word_bits - 1) / word_bits),
      parents_(words_ * word_bits),
      queue_(graph.n()),
      now_(words_),
      next_(words_) {}

std::span<vertex const> bfs::run(vertex source) {
  keeps_levels_ = false;
  search(source);
  return parents_.span().first(graph_.n());
}

bfs::levels bfs::run_for_levels(vertex source) {
  keeps_levels_ = true;
  level_begins_.assign(1, 0);
  search(source);
  return {.order = queue_.span().first(level_begins_.back()), .begins = level_begins_};
}

void bfs::search(vertex source) {
  forget();
  parents_[source] = source;
  queue_[0] = source;
  level_begin_ = 0;
  level_end_ = 1;

  std::uint64_t unexplored = graph_.out.edges();
  front before;
  front level{.size = 1, .edges = graph_.out.degree(source)};
  while (level.size > 0) {
    unexplored -= level.edges;
    if (keeps_levels_ && level_begins_.back() != level_end_) level_begins_.push_back(level_end_);
    if (level.edges <= unexplored / alpha || level.size <= before.size) {
      before = std::exchange(level, top_down(level));
      continue;
    }
    queue_to_bitmap();
    do {
      before = std::exchange(level, bottom_up());
      unexplored -= level.edges;
      if (!keeps_levels_ || level.size == 0) continue;
      append_to_queue(level_end_);
      level_begin_ = std::exchange(level_end_, level_end_ + level.size);
      level_begins_.push_back(level_end_);
    } while (level.size >= before.size || level.size > graph_.n() / beta);
    if (!keeps_levels_) bitmap_to_queue(level);
    unexplored += level.edges;  // Subtracted again at the head of the loop.
  }
}

void bfs::forget() {
  std::uint64_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_)
  for (std::uint64_t v = 0; v < n; ++v) parents_[v] = unreached;
  // Padding vertices of the last word count as reached, so that bottom_up() skips them.
  std::fill(parents_.begin() + static_cast<std::ptrdiff_t>(n), parents_.end(), 0U);
}

bfs::front bfs::top_down(front const& from) {
  front const found = threads_ == 1 || from.edges < edges_worth_sharing ? expand_alone() : expand_together();
  level_begin_ = std::exchange(level_end_, level_end_ + found.size);
  return found;
}

bfs::front bfs::expand_alone() {
  front found;
  vertex* tail = &queue_[0] + level_end_;
  for (std::uint64_t i = level_begin_; i < level_end_; ++i) {
    vertex const u = queue_[i];
    for (vertex const v : graph_.out.neighbours(u)) {
      if (parents_[v] != unreached) continue;
      parents_[v] = u;
      *tail++ = v;
      found.edges += graph_.out.degree(v);
    }
  }
  found.size = static_cast<std::uint64_t>(tail - &queue_[0]) - level_end_;
  return found;
}

bfs::front bfs::expand_together() {
  std::uint64_t tail = level_end_;
  std::uint64_t edges = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : edges)
  {
    found_vertices found(queue_.data(), tail);
#pragma omp for schedule(dynamic, 64) nowait
    for (std::uint64_t i = level_begin_; i < level_end_; ++i) {
      vertex const u = queue_[i];
      for (vertex const v : graph_.out.neighbours(u)) {
        std::atomic_ref<vertex> const parent(parents_[v]);
        vertex expected = unreached;
        // Relaxed: a parent is read after the barrier that ends the level. The load saves most of the exchanges.
        if (parent.load(std::memory_order_relaxed) != unreached) continue;
        if (!parent.compare_exchange_strong(expected, u, std::memory_order_relaxed)) continue;
        found.push(v);
        edges += graph_.out.degree(v);
      }
    }
    found.flush();
  }
  return {.size = tail - level_end_, .edges = edges};
}

bfs::front bfs::bottom_up() {
  std::uint64_t size = 0;
  std::uint64_t edges = 0;
  std::uint64_t const* const now = now_.data();
#pragma omp parallel for num_threads(threads_) reduction(+ : size, edges) schedule(dynamic, 16)
  for (std::uint64_t word = 0; word < words_; ++word) {
    // A word belongs to one thread, which builds it in a register without atomics and clearing.
    std::uint64_t bits = 0;
    for (std::uint64_t bit = 0; bit < word_bits; ++bit) {
      auto const v = static_cast<vertex>(word * word_bits + bit);
      if (parents_[v] != unreached) continue;
      for (vertex const u : graph_.in.neighbours(v)) {
        if (!test(now, u)) continue;
        parents_[v] = u;
        bits |= std::uint64_t{1} << bit;
        edges += graph_.out.degree(v);
        break;
      }
    }
    next_[word] = bits;
    size += static_cast<std::uint64_t>(std::popcount(bits));
  }
  std::swap(now_, next_);
  return {.size = size, .edges = edges};
}

void bfs::queue_to_bitmap() {
#pragma omp parallel num_threads(threads_)
  {
#pragma omp for
    for (std::uint64_t word = 0; word < words_; ++word) now_[word] = 0;
#pragma omp for
    for (std::uint64_t i = level_begin_; i < level_end_; ++i) {
      vertex const v = queue_[i];
      std::atomic_ref<std::uint64_t>(now_[v / word_bits])
          .fetch_or(std::uint64_t{1} << (v % word_bits), std::memory_order_relaxed);
    }
  }
}

void bfs::bitmap_to_queue(front const& from) {
  // The queue is reused from its begin, which holds only finished levels.
  append_to_queue(0);
  level_begin_ = 0;
  level_end_ = from.size;
}

void bfs::append_to_queue(std::uint64_t begin) {
  std::uint64_t tail = begin;
#pragma omp parallel num_threads(threads_)
  {
    found_vertices found(queue_.data(), tail);
#pragma omp for nowait
    for (std::uint64_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = now_[word]; bits != 0; bits &= bits - 1) {
        found.push(static_cast<vertex>(word * word_bits + static_cast<std::uint64_t>(std::countr_zero(bits))));
      }
    }
    found.flush();
  }
}

}  // namespace plain
