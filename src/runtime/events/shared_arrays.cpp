// shared_arrays: arrays that are copied to staging memory and from that of the others, a piece with each step.
//
//   Up to 32 bytes go in the line that says that they are there. Longer ones are copied to staging memory and from
//   there, or read from where they lie (shared_steps.hpp). Arrays that do not fit into the caches are written past
//   them.
#include "runtime/events/shared_arrays.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "runtime/job/job.hpp"

namespace tess::detail {

namespace {

void copy_bytes(std::byte* to, std::byte const* from, std::size_t bytes) noexcept {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

/// What a member receives in all, if so much, has left the caches before anybody reads it.
constexpr std::size_t large_bytes = std::size_t{8} << 20U;

/// Past the caches.
void stream_bytes(std::byte* to, std::byte const* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  if (to == from) return;
  std::size_t const head = std::min<std::size_t>(-reinterpret_cast<std::uintptr_t>(to) % 64, bytes);
  copy_bytes(to, from, head);
  std::size_t const end = head + (bytes - head) / 64 * 64;
  for (std::size_t at = head; at < end; at += 64)
    for (std::size_t i = 0; i < 64; i += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i),
                       _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + at + i)));
  copy_bytes(to + end, from + end, bytes - end);
  _mm_sfence();
#else
  copy_bytes(to, from, bytes);
#endif
}
/// To an array that does not fit into the caches, or to another one.
void copy_to_array(std::byte* to, std::byte const* from, std::size_t bytes, bool large) noexcept {
  large ? stream_bytes(to, from, bytes) : copy_bytes(to, from, bytes);
}

/// Parts of arrays.
class shared_parts {
  struct range {
    std::uint64_t begin, bytes;
  };

 public:
  shared_parts(shared_steps const& with, std::span<std::byte const> body, std::span<part_read> reads)
      : me_(with.rank()),
        others_(with.size() - 1),
        body_(body),
        reads_(reads),
        part_bytes_(reads.empty() ? 0 : reads.front().into.size()),
        for_all_(part_bytes_ == body.size()),
        shown_(for_all_ || others_ == 0 ? 1 : others_),
        piece_bytes_(std::min((part_bytes_ + 63) / 64 * 64, with.piece_bytes_max() / shown_ / 64 * 64)) {}

  [[nodiscard]] std::size_t staged() const noexcept { return shown_ * std::max<std::size_t>(piece_bytes_, 64); }

  [[nodiscard]] std::size_t part_bytes() const noexcept { return part_bytes_; }
  [[nodiscard]] std::uint64_t steps() const noexcept {
    return part_bytes_ == 0 ? 1 : (part_bytes_ + piece_bytes_ - 1) / piece_bytes_;
  }
  void show(shared_steps& with, std::uint64_t step) const {
    auto const [begin, bytes] = piece(step);
    std::byte* const to = with.next_staged(staged());
    if (for_all_) return copy_bytes(to, body_.data() + begin, bytes);
    for (unsigned r = 0; r <= others_; ++r)
      if (r != me_) copy_bytes(to + place_of_piece(me_, r), body_.data() + r * part_bytes_ + begin, bytes);
  }
  void keep_own(std::uint64_t step) const { keep_own(piece(step)); }
  /// The whole parts, from where they lie.
  void show_where(shared_steps& with) const noexcept {
    std::byte const* const where = body_.data();
    std::memcpy(with.next_carried(), &where, sizeof where);
  }
  void keep_own() const { keep_own({0, part_bytes_}); }
  [[nodiscard]] bool read(shared_steps const& with) const {
    bool all = true;
    for (part_read const& r : reads_)
      if (r.rank != me_)
        all = all && with.read(r.rank, read_value<std::uint64_t>(with.carried(r.rank)) + r.part * part_bytes_, r.into);
    return all;
  }
  void keep_own(range part) const {
    auto const [begin, bytes] = part;
    for (part_read const& read : reads_)
      if (read.rank == me_)
        copy_to_array(read.into.data() + begin, body_.data() + read.part * part_bytes_ + begin, bytes, large());
  }
  void take(shared_steps const& with, std::uint64_t step) const {
    auto const [begin, bytes] = piece(step);
    for (part_read const& read : reads_)
      if (read.rank != me_)
        copy_to_array(read.into.data() + begin, with.staged(read.rank) + place_of_piece(read.rank, me_), bytes,
                      large());
  }

 private:
  [[nodiscard]] range piece(std::uint64_t step) const noexcept {
    std::uint64_t const begin = std::min(step * piece_bytes_, part_bytes_);
    return {begin, std::min(piece_bytes_, part_bytes_ - begin)};
  }
  [[nodiscard]] bool large() const noexcept { return reads_.size() * part_bytes_ >= large_bytes; }
  /// In what a member shows, the piece for another.
  [[nodiscard]] std::uint64_t place_of_piece(unsigned owner, unsigned reader) const noexcept {
    return for_all_ ? 0 : (reader < owner ? reader : reader - 1) * piece_bytes_;
  }

  unsigned me_;
  unsigned others_;
  std::span<std::byte const> body_;
  std::span<part_read> reads_;
  std::uint64_t part_bytes_;
  bool for_all_;    ///< everybody reads all of it
  unsigned shown_;  ///< pieces with a step
  std::uint64_t piece_bytes_;
};

/// Arrays that each member combines as a whole.
class whole_reduction {
 public:
  whole_reduction(shared_steps const& with, std::span<std::byte> values, element_combination const& by, bool wanted)
      : me_(with.rank()), size_(with.size()), values_(values), by_(by), wanted_(wanted) {}

  [[nodiscard]] std::size_t staged() const noexcept { return values_.size(); }
  [[nodiscard]] std::uint64_t steps() const noexcept { return 1; }
  void show(shared_steps& with, std::uint64_t) const {
    copy_bytes(with.next_staged(values_.size()), values_.data(), values_.size());
  }
  void keep_own(std::uint64_t) const {}
  void take(shared_steps const& with, std::uint64_t) const {
    if (!wanted_) return;
    if (me_ != 0) copy_bytes(values_.data(), with.staged(0), values_.size());
    for (unsigned r = 1; r < size_; ++r)
      by_.combine(values_.data(), with.staged(r), values_.size() / by_.bytes, by_.op);
  }

 private:
  unsigned me_;
  unsigned size_;
  std::span<std::byte> values_;
  element_combination by_;
  bool wanted_;
};

/// Reduce-scatter and gather of one chunk after the other: with each step a member shows the others their slices of a
/// chunk, and its result for its own slice of the chunk before.
class sliced_reduction {
 public:
  sliced_reduction(shared_steps const& with, std::span<std::byte> values, element_combination const& by, bool wanted)
      : me_(with.rank()),
        size_(with.size()),
        values_(values),
        by_(by),
        wanted_(wanted),
        slice_bytes_max_(slice_bytes_max(with)),
        chunk_(slice_bytes_max_ / by.bytes * size_) {}

  [[nodiscard]] std::size_t staged() const noexcept { return size_ * slice_bytes_max_; }

  [[nodiscard]] std::uint64_t steps() const noexcept { return chunks() + 1; }
  void show(shared_steps& with, std::uint64_t step) const {
    if (step >= chunks()) return;
    std::byte* const to = with.next_staged(staged());
    for (unsigned r = 0; r < size_; ++r) {
      std::span<std::byte> const s = slice(step, r);
      if (r != me_) copy_bytes(to + place_of_slice(me_, r), s.data(), s.size());
    }
  }
  void keep_own(std::uint64_t) const {}
  void take(shared_steps& with, std::uint64_t step) const {
    if (step > 0 && wanted_)
      for (unsigned r = 0; r < size_; ++r) {
        std::span<std::byte> const s = slice(step - 1, r);
        if (r != me_) copy_bytes(s.data(), with.staged(r) + result_place(), s.size());
      }
    if (step >= chunks()) return;
    std::byte* const result = with.next_staged(staged()) + result_place();
    std::span<std::byte> const own = slice(step, me_);
    auto const of = [&](unsigned r) { return r == me_ ? own.data() : with.staged(r) + place_of_slice(r, me_); };
    // So few that they stay in the first-level cache.
    std::size_t const block = std::max<std::size_t>((std::size_t{8} << 10U) / by_.bytes, 1) * by_.bytes;
    for (std::size_t at = 0; at < own.size(); at += block) {
      std::size_t const bytes = std::min(block, own.size() - at);
      copy_bytes(result + at, of(0) + at, bytes);
      for (unsigned r = 1; r < size_; ++r) by_.combine(result + at, of(r) + at, bytes / by_.bytes, by_.op);
      if (wanted_) copy_bytes(own.data() + at, result + at, bytes);
    }
  }

 private:
  [[nodiscard]] std::uint64_t length() const noexcept { return values_.size() / by_.bytes; }
  /// In the whole array, or in a chunk.
  [[nodiscard]] std::uint64_t slice_bytes_max(shared_steps const& with) const noexcept {
    std::uint64_t const all = (length() / size_ + 1) * by_.bytes;
    return std::min((all + 63) / 64 * 64, with.piece_bytes_max() / size_ / 64 * 64);
  }
  [[nodiscard]] std::uint64_t chunks() const noexcept { return (length() + chunk_ - 1) / chunk_; }
  [[nodiscard]] std::span<std::byte> slice(std::uint64_t chunk, unsigned rank) const noexcept {
    std::uint64_t const first = chunk * chunk_;
    auto const [begin, end] = slice_of(std::min(chunk_, length() - first), rank, size_);
    return values_.subspan((first + begin) * by_.bytes, (end - begin) * by_.bytes);
  }
  [[nodiscard]] std::uint64_t place_of_slice(unsigned owner, unsigned reader) const noexcept {
    return (reader < owner ? reader : reader - 1) * slice_bytes_max_;
  }
  [[nodiscard]] std::uint64_t result_place() const noexcept { return (size_ - 1) * slice_bytes_max_; }

  unsigned me_;
  unsigned size_;
  std::span<std::byte> values_;
  element_combination by_;
  bool wanted_;
  std::uint64_t slice_bytes_max_;
  std::uint64_t chunk_;  ///< elements
};

/// All steps of pieces in staging memory.
template <class Pieces>
task<void> run_steps(shared_steps with, Pieces pieces, std::uint64_t length, exchange_fault fault,
                     std::uint64_t bytes) {
  with.say(length, fault, pieces.staged());
  std::uint64_t const steps = fault == exchange_fault::none && with.has_staging() ? pieces.steps() : 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (fault == exchange_fault::none && with.has_staging()) pieces.show(with, step);
    with.raise();
    if (fault == exchange_fault::none) pieces.keep_own(step);
    if (!with.there()) co_await with.arrival();
    if (step == 0) {
      with.check(bytes);
      if constexpr (requires { pieces.part_bytes(); }) with.take_way(pieces.part_bytes());
    }
    pieces.take(with, step);
  }
  with.end();
}

float nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<float, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

task<void> stage_parts(shared_steps with, shared_parts parts, std::uint64_t length, exchange_fault fault,
                       std::uint64_t bytes) {
  auto const begin = std::chrono::steady_clock::now();
  co_await run_steps(with, parts, length, fault, bytes);
  with.note_way(parts.part_bytes(), part_way::staged, nanoseconds_since(begin));
}

/// Parts that others read from where they lie.
task<void> read_parts(shared_steps with, shared_parts parts, std::uint64_t length, exchange_fault fault,
                      std::uint64_t bytes) {
  auto const begin = std::chrono::steady_clock::now();
  with.say(length, fault, 0);
  parts.show_where(with);
  with.raise();
  if (fault == exchange_fault::none) parts.keep_own();
  if (!with.there()) co_await with.arrival();
  with.check(bytes);
  with.take_way(parts.part_bytes());
  bool const all = parts.read(with);
  with.raise();
  // A place that has ended is reported soon, and ends this wait.
  if (!with.there() || !all) co_await with.arrival();
  with.end();
  if (!all) throw error("exchange", "the memory of another place", "memory that can be read, as before");
  with.note_way(parts.part_bytes(), part_way::read, nanoseconds_since(begin));
}

/// Parts that lines carry.
task<void> exchange_carried(shared_steps with, std::span<std::byte const> body, std::span<part_read> reads,
                            std::uint64_t length, exchange_fault fault) {
  with.say(length, fault, 0);
  copy_bytes(with.next_carried(), body.data(), body.size());
  with.raise();
  if (!with.there()) co_await with.arrival();
  with.check(body.size());
  for (part_read const& read : reads)
    copy_bytes(read.into.data(), with.carried(read.rank) + read.part * read.into.size(), read.into.size());
  with.end();
}

/// An array that lines carry.
task<void> reduce_carried(shared_steps with, std::span<std::byte> values, element_combination by, bool wanted) {
  std::uint64_t const length = values.size() / by.bytes;
  with.say(length, exchange_fault::none, 0);
  copy_bytes(with.next_carried(), values.data(), values.size());
  with.raise();
  if (!with.there()) co_await with.arrival();
  with.check(values.size());
  if (wanted) {
    if (with.rank() != 0) copy_bytes(values.data(), with.carried(0), values.size());
    for (unsigned r = 1; r < with.size(); ++r) by.combine(values.data(), with.carried(r), length, by.op);
  }
  with.end();
}

}  // namespace

task<void> exchange_shared(member_view const& team, std::span<std::byte const> body, std::span<part_read> reads,
                           std::uint64_t length, exchange_fault fault) {
  shared_steps with(team, team.state().exchange_waiters_fence);
  if (body.size() <= shared_steps::carried_bytes) return exchange_carried(with, body, reads, length, fault);
  shared_parts const parts(with, body, reads);
  if (parts.part_bytes() < shared_steps::read_bytes_min) return run_steps(with, parts, length, fault, body.size());
  if (with.way(parts.part_bytes()) == part_way::read) return read_parts(with, parts, length, fault, body.size());
  return stage_parts(with, parts, length, fault, body.size());
}

task<void> reduce_shared(member_view const& team, std::span<std::byte> values, element_combination const& by,
                         bool wanted) {
  std::uint64_t const length = values.size() / by.bytes;
  shared_steps const with(team, team.state().exchange_waiters_fence);
  if (values.size() <= shared_steps::carried_bytes) return reduce_carried(with, values, by, wanted);
  if (values.size() * with.size() <= whole_bytes_max)
    return run_steps(with, whole_reduction(with, values, by, wanted), length, exchange_fault::none, values.size());
  return run_steps(with, sliced_reduction(with, values, by, wanted), length, exchange_fault::none, values.size());
}

}  // namespace tess::detail
