// exchange: members of a team publish parts in their segments and read each other's; the base of gathers and scatters.
//
//   What fits lies in the members' collective_state, in one of two rooms that take turns: an exchange is one reduction,
//   after which everybody reads. Arrays of up to 32 bytes go with the reduction. Longer bytes are published a step at a
//   time, in two buffers that stay in the caches: while a step is read, the next is written to the other buffer.
#include "tess/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/events/agreement.hpp"
#include "runtime/events/collective.hpp"
#include "runtime/events/shared_arrays.hpp"
#include "runtime/job/job.hpp"
#include "tess/block.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// A member publishes so many bytes at a time in a buffer.
constexpr std::uint64_t step_bytes = std::uint64_t{256} << 10U;

/// An agreement, and behind it what a member sends to all others at once.
struct agreement_and_bytes {
  agreement all;
  std::byte bytes[collective_bytes - sizeof(agreement)];
};
static_assert(sizeof(agreement_and_bytes) == collective_bytes);
constexpr std::size_t carried_bytes_max = sizeof(agreement_and_bytes::bytes);

agreement agree_in(void* left, void const* right) {
  agreement const both = agree(read_value<agreement>(static_cast<std::byte const*>(left)),
                               read_value<agreement>(static_cast<std::byte const*>(right)));
  std::memcpy(left, &both, sizeof both);
  return both;
}
std::byte* carried(void* all) noexcept {
  return static_cast<std::byte*>(all) + offsetof(agreement_and_bytes, bytes);
}
std::byte const* carried(void const* all) noexcept {
  return static_cast<std::byte const*>(all) + offsetof(agreement_and_bytes, bytes);
}

/// `op`: the element_combination. Members whose arrays differ in length learn that, and nothing else.
void agree_and_combine(void* left, void const* right, void const* op) {
  agreement const both = agree_in(left, right);
  auto const& by = *static_cast<element_combination const*>(op);
  // Others may have longer arrays, of which they sent nothing.
  if (both.length_min == both.length_max && both.length_max <= carried_bytes_max / by.bytes)
    by.combine(carried(left), carried(right), both.length_max, by.op);
}

/// Takes parts of what the members of a small team sent, whose combinations are done in the order of ranks.
struct part_taker {
  std::span<part_read> reads;
  std::size_t next = 0;

  void take(void const* all) {
    if (next >= reads.size()) return;
    part_read const& read = reads[next++];
    if (std::uint64_t const at = read.part * read.into.size(); at + read.into.size() <= carried_bytes_max)
      std::memcpy(read.into.data(), carried(all) + at, read.into.size());
  }
};
void agree_and_take(void* left, void const* right, void const* op) {
  part_taker& taker = **static_cast<part_taker* const*>(op);
  if (taker.next == 0) taker.take(left);
  taker.take(right);
  agree_in(left, right);
}

/// One exchange at one member.
class exchange {
 public:
  explicit exchange(team_name name)
      : name_(name), team_(name), state_(team_.state()), turn_(state_.exchanges++ % state_.rooms.size()) {}

  [[nodiscard]] unsigned rank() const noexcept { return team_.rank(); }
  [[nodiscard]] unsigned size() const noexcept { return team_.size(); }

  /// Room for what this member publishes: for all its `bytes` if they are few, else `buffer_bytes`, some of them at a
  /// time. Null: there is none.
  std::byte* open(std::uint64_t bytes, std::uint64_t buffer_bytes) {
    mine_.bytes_max = bytes;
    if (bytes <= room_bytes) return state_.rooms[turn_].bytes;
    try {
      buffer_ = allocate<std::byte>(buffer_bytes);
    } catch (std::bad_alloc const&) {
      mine_.fault = exchange_fault::memory;
      return nullptr;
    }
    return buffer_.local();
  }

  /// Ends after every member has opened its room and written to it.
  task<void> meet(std::uint64_t length, exchange_fault fault) {
    mine_.place = here();
    mine_.length_min = mine_.length_max = length;
    if (fault != exchange_fault::none) mine_.fault = fault;
    state_.published = buffer_ ? buffer_.bits() : own_room();
    all_ = co_await team_all_reduce(name_, mine_, &agree);
  }
  [[nodiscard]] std::uint64_t bytes_max() const noexcept { return all_.bytes_max; }

  /// As meet(), without a room: `bytes` go to all members at once, where `combine` begins with agree_in().
  task<void> meet_carrying(std::uint64_t length, exchange_fault fault, std::span<std::byte const> bytes,
                           combine_function combine, void const* op, sweep_result& result) {
    mine_.place = here();
    mine_.length_min = mine_.length_max = length;
    mine_.fault = fault;
    agreement_and_bytes mine{mine_, {}};
    if (!bytes.empty()) std::memcpy(mine.bytes, bytes.data(), bytes.size());
    co_await sweep(name_, &mine, sizeof mine, combine, op, result);
    all_ = read_value<agreement>(result.total);
  }

  /// Throws what is wrong at one member, at all of them.
  void check() const { throw_fault(all_, mine_.bytes_max); }

  /// Again: every member has read what it wants of the step before the last one.
  task<void> meet_again() { return team_barrier(name_); }

  /// Where the members of these ranks publish.
  task<void> find(std::span<unsigned const> ranks, std::vector<std::uint64_t>& found) const {
    found.resize(ranks.size());
    counter done;
    auto const table = global_ptr<std::uint64_t>::from_bits(team_.table());
    if (table) {
      for (std::size_t i = 0; i < ranks.size(); ++i)
        get(table + static_cast<std::ptrdiff_t>(ranks[i]), std::span(&found[i], 1), done);
      co_await done;
    }
    bool const in_rooms = all_.bytes_max <= room_bytes;
    void const* const what = in_rooms ? static_cast<void const*>(&state_.rooms[turn_]) : &state_.published;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      found[i] = table ? team_.in_record(found[i], what) : team_.any(what, ranks[i]);
    if (in_rooms) co_return;
    for (std::uint64_t& f : found) get(global_ptr<std::uint64_t>::from_bits(f), std::span(&f, 1), done);
    co_await done;
  }

  /// Others may still be reading from a buffer, also after an error here. The rooms take turns: whoever writes to one
  /// has met all others since they read from it.
  task<void> close() {
    if (all_.bytes_max > room_bytes) co_await team_barrier(name_);
    deallocate(buffer_);
  }

 private:
  [[nodiscard]] std::uint64_t own_room() const {
    std::ptrdiff_t const offset = state_.rooms[turn_].bytes - this_place().memory.base;
    return global_ptr<std::byte>(here(), static_cast<std::uint64_t>(offset)).bits();
  }

  team_name name_;
  member_view team_;
  collective_state& state_;
  std::size_t turn_;
  global_ptr<std::byte> buffer_;
  agreement mine_;
  agreement all_;
};

/// A head, and a body that lies elsewhere, as one sequence of bytes.
class published_bytes {
 public:
  published_bytes(value_bytes head, std::span<std::byte const> body) : head_(std::move(head)), body_(body) {}
  [[nodiscard]] std::uint64_t bytes() const noexcept { return head_.bytes + body_.size(); }

  /// To the buffer of that step.
  void write(std::uint64_t step, std::byte* room) {
    std::uint64_t const begin = std::min(step * step_bytes, bytes()), end = std::min(begin + step_bytes, bytes());
    std::byte* to = room + step % 2 * step_bytes;
    if (begin < head_.bytes) {
      std::uint64_t const of_head = std::min(end, std::uint64_t{head_.bytes}) - begin;
      std::memcpy(to, head_.data.get() + begin, of_head);
      to += of_head;
    }
    std::uint64_t const from = std::max(begin, std::uint64_t{head_.bytes});
    if (from < end) std::memcpy(to, body_.data() + (from - head_.bytes), end - from);
    // What is read soon takes its memory, which is in the caches.
    if (end == bytes()) head_.data.reset();
  }

 private:
  value_bytes head_;
  std::span<std::byte const> body_;
};

/// Reads parts of others step by step: first the two offsets of each part, unless they are known, then its bytes.
class part_reader {
 public:
  explicit part_reader(std::span<part_read> reads) : reads_(reads), wanted_(reads.size()) {
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      range& w = wanted_[i];
      std::span<std::byte> const into = reads_[i].into;
      std::uint64_t const at = reads_[i].part * (into.empty() ? sizeof(std::uint64_t) : into.size());
      if (into.empty())
        w = {at, at + sizeof w.offsets, {}, reinterpret_cast<std::byte*>(w.offsets.data()), false};
      else
        w = {at, at + into.size(), {}, into.data(), true};
    }
  }

  task<void> find(exchange const& with) {
    std::vector<unsigned> ranks(reads_.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = reads_[i].rank;
    co_await with.find(ranks, from_);
  }

  task<void> read(std::uint64_t step) {
    counter done;
    bool offsets = false;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (wanted_[i].is_part) continue;
      take(i, step, done);
      offsets = true;
    }
    if (offsets) co_await done;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      want_part(i);
      if (wanted_[i].is_part) take(i, step, done);
    }
    co_await done;
  }

 private:
  struct range {
    std::uint64_t begin, end;  ///< of the bytes that the member publishes
    std::array<std::uint64_t, 2> offsets;
    std::byte* to;
    bool is_part;
  };

  /// What is published of it.
  void take(std::size_t i, std::uint64_t step, counter& done) {
    range& w = wanted_[i];
    std::uint64_t const first = step * step_bytes;
    if (w.begin == w.end || w.begin >= first + step_bytes) return;
    std::uint64_t const bytes = std::min(w.end, first + step_bytes) - w.begin;
    auto const room = global_ptr<std::byte>::from_bits(from_[i]) + static_cast<std::ptrdiff_t>(step % 2 * step_bytes);
    get(room + static_cast<std::ptrdiff_t>(w.begin - first), std::span(w.to, bytes), done);
    w.begin += bytes;
    w.to += bytes;
  }

  /// Once the offsets are there.
  void want_part(std::size_t i) {
    range& w = wanted_[i];
    if (w.is_part || w.begin != w.end) return;
    auto const [begin, end] = w.offsets;
    reads_[i].got = {std::make_unique_for_overwrite<std::byte[]>(end - begin), end - begin};
    w = {begin, end, w.offsets, reads_[i].got.data.get(), true};
  }

  std::span<part_read> reads_;
  std::vector<std::uint64_t> from_;
  std::vector<range> wanted_;
};

}  // namespace

value_bytes make_parts(std::size_t count, std::size_t bytes) {
  std::size_t const table_bytes = (count + 1) * sizeof(std::uint64_t);
  value_bytes made{std::make_unique_for_overwrite<std::byte[]>(table_bytes + bytes), table_bytes + bytes};
  reinterpret_cast<std::uint64_t*>(made.data.get())[0] = table_bytes;
  return made;
}

std::vector<part_read> reads_of_all(team_name team, unsigned part) {
  std::vector<part_read> reads(team_size(team));
  for (unsigned r = 0; r < reads.size(); ++r) {
    reads[r].rank = r;
    reads[r].part = part;
  }
  return reads;
}

std::vector<part_read> reads_of_arrays(team_name team, unsigned part, std::size_t part_bytes,
                                       std::span<std::byte> into) {
  if (part_bytes == 0) return {};
  std::vector<part_read> reads = reads_of_all(team, part);
  for (part_read& r : reads) r.into = into.subspan(r.rank * part_bytes, part_bytes);
  return reads;
}

namespace {

/// Parts of arrays so short that each member sends its own to all others.
task<void> exchange_at_once(exchange& with, std::span<std::byte const> body, std::span<part_read> reads,
                            std::uint64_t length, exchange_fault fault) {
  part_taker taker{reads};
  part_taker* const context = &taker;
  sweep_result result;
  co_await with.meet_carrying(length, fault, body, &agree_and_take, &context, result);
  if (with.size() == 1) taker.take(result.total);
  co_await with.close();
  with.check();
}

/// Said alike by all members, also by one that has nothing, or is wrong.
bool is_of_arrays(value_bytes const& head, std::span<part_read const> reads) noexcept {
  return head.bytes == 0 && (reads.empty() || !reads.front().into.empty());
}

task<void> exchange_published(team_name name, value_bytes head, std::span<std::byte const> body,
                              std::span<part_read> reads, std::uint64_t length, exchange_fault fault) {
  exchange with(name);
  // All members have such an array, or all learn that they have not.
  if (!body.empty() && head.bytes == 0 && body.size() <= carried_bytes_max && with.size() <= direct_places) {
    co_await exchange_at_once(with, body, reads, length, fault);
    co_return;
  }
  published_bytes mine(std::move(head), body);
  std::byte* const room = with.open(mine.bytes(), std::min(mine.bytes(), 2 * step_bytes));
  if (room != nullptr) mine.write(0, room);
  co_await with.meet(length, fault);
  std::exception_ptr failed;
  try {
    with.check();
  } catch (...) {
    failed = std::current_exception();
  }
  // So far all members fail alike. From here on each may fail by itself, and goes on to publish.
  std::uint64_t const steps = failed ? 0 : std::max<std::uint64_t>((with.bytes_max() + step_bytes - 1) / step_bytes, 1);
  part_reader reader(reads);
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (step != 0) {
      mine.write(step, room);
      co_await with.meet_again();
    }
    try {
      if (!failed && step == 0) co_await reader.find(with);
      if (!failed) co_await reader.read(step);
    } catch (...) {
      failed = std::current_exception();
    }
  }
  co_await with.close();
  if (failed) std::rethrow_exception(std::move(failed));
}

/// The first one of a team.
task<void> exchange_first(team_name name, value_bytes head, std::span<std::byte const> body, std::span<part_read> reads,
                          std::uint64_t length, exchange_fault fault) {
  co_await find_sharing(name);
  co_await exchange_parts(name, std::move(head), body, reads, length, fault);
}

}  // namespace

task<void> exchange_parts(team_name name, value_bytes head, std::span<std::byte const> body, std::span<part_read> reads,
                          std::uint64_t length, exchange_fault fault) {
  if (is_of_arrays(head, reads)) {
    member_view const team(name);
    memory_sharing const sharing = sharing_of(team);
    if (sharing == memory_sharing::unknown) return exchange_first(name, std::move(head), body, reads, length, fault);
    if (sharing == memory_sharing::yes) return exchange_shared(team, body, reads, length, fault);
  }
  return exchange_published(name, std::move(head), body, reads, length, fault);
}

namespace {

/// An array whose elements all members combine.
class array_reduction {
 public:
  array_reduction(team_name name, std::span<std::byte> values, element_combination const& by, bool wanted)
      : with_(name),
        values_(values),
        by_(by),
        wanted_(wanted),
        chunk_(std::clamp<std::uint64_t>(step_bytes / by.bytes, 1, std::max<std::uint64_t>(length(), 1))),
        whole_(values.size() <= room_bytes && values.size() * with_.size() <= whole_bytes_max) {}

  task<void> run() {
    if (values_.size() <= carried_bytes_max) {
      co_await combine_at_once();
      co_return;
    }
    for (unsigned r = 0; r < with_.size(); ++r) ranks_.push_back(r);
    std::exception_ptr failed;
    room_ = with_.open(whole_ ? values_.size() : 2 * half_bytes(), 2 * half_bytes());
    if (room_ != nullptr) write(0);
    co_await with_.meet(length(), exchange_fault::none);
    try {
      with_.check();
    } catch (...) {
      failed = std::current_exception();
    }
    if (!failed) {
      co_await with_.find(ranks_, from_);
      co_await (whole_ ? combine_whole() : combine_slices());
    }
    co_await with_.close();
    if (failed) std::rethrow_exception(std::move(failed));
  }

 private:
  [[nodiscard]] std::uint64_t length() const noexcept { return values_.size() / by_.bytes; }
  [[nodiscard]] std::uint64_t chunks() const noexcept { return (length() + chunk_ - 1) / chunk_; }
  [[nodiscard]] std::uint64_t chunk_length(std::uint64_t chunk) const noexcept {
    return std::min(chunk_, length() - chunk * chunk_);
  }
  /// The part of a chunk that a member combines.
  [[nodiscard]] std::span<std::byte> slice(std::uint64_t chunk, unsigned rank) const noexcept {
    auto const [begin, end] = slice_of(chunk_length(chunk), rank, with_.size());
    return values_.subspan((chunk * chunk_ + begin) * by_.bytes, (end - begin) * by_.bytes);
  }
  [[nodiscard]] std::uint64_t slice_bytes_max() const noexcept { return (chunk_ / with_.size() + 1) * by_.bytes; }
  /// A chunk, and behind it a slice of the sums of the one before.
  [[nodiscard]] std::uint64_t half_bytes() const noexcept {
    return (chunk_ * by_.bytes + slice_bytes_max() + 63) / 64 * 64;
  }
  [[nodiscard]] global_ptr<std::byte> there(unsigned rank, std::uint64_t step, std::uint64_t offset) const {
    return global_ptr<std::byte>::from_bits(from_[rank]) +
           static_cast<std::ptrdiff_t>(step % 2 * half_bytes() + offset);
  }

  void write(std::uint64_t step) {
    if (whole_) return copy(values_, room_);
    std::byte* const half = room_ + step % 2 * half_bytes();
    if (step < chunks()) copy(values_.subspan(step * chunk_ * by_.bytes, chunk_length(step) * by_.bytes), half);
    if (step > 0) copy(std::span(parts_).first(slice(step - 1, with_.rank()).size()), half + chunk_ * by_.bytes);
  }
  static void copy(std::span<std::byte const> from, std::byte* to) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }

  /// The first of the members' parts, which lie one after the other, becomes the combination of all.
  void combine(std::size_t bytes) {
    for (unsigned r = 1; r < with_.size(); ++r)
      by_.combine(parts_.data(), parts_.data() + r * bytes, bytes / by_.bytes, by_.op);
  }

  task<void> combine_at_once() {
    sweep_result result;
    co_await with_.meet_carrying(length(), exchange_fault::none, values_, &agree_and_combine, &by_, result);
    co_await with_.close();
    with_.check();
    if (wanted_) copy(std::span(carried(&result.total[0]), values_.size()), values_.data());
  }

  task<void> combine_whole() {
    parts_.resize(values_.size() * with_.size());
    co_await read_parts(0, 0, values_);
    combine(values_.size());
    if (wanted_) copy(std::span(parts_).first(values_.size()), values_.data());
  }

  task<void> read_parts(std::uint64_t step, std::uint64_t offset, std::span<std::byte const> own) {
    counter done;
    for (unsigned r = 0; r < with_.size(); ++r) {
      std::span const part = std::span(parts_).subspan(r * own.size(), own.size());
      if (r == with_.rank())
        copy(own, part.data());
      else if (!part.empty())
        get(there(r, step, offset), part, done);
    }
    co_await done;
  }

  /// Reduce-scatter and gather of one chunk after the other: beside the elements of a chunk a member publishes its sums
  /// for the chunk before.
  task<void> combine_slices() {
    parts_.resize(slice_bytes_max() * with_.size());
    unsigned const me = with_.rank();
    for (std::uint64_t step = 0; step <= chunks(); ++step) {
      if (step != 0) {
        write(step);
        co_await with_.meet_again();
        if (wanted_) co_await read_sums(step);
      }
      if (step == chunks()) break;
      std::span<std::byte> const own = slice(step, me);
      co_await read_parts(step, static_cast<std::uint64_t>(own.data() - slice(step, 0).data()), own);
      combine(own.size());
    }
  }

  /// The sums of the chunk before.
  task<void> read_sums(std::uint64_t step) {
    counter done;
    for (unsigned r = 0; r < with_.size(); ++r) {
      std::span<std::byte> const to = slice(step - 1, r);
      if (r == with_.rank())
        copy(std::span(parts_).first(to.size()), to.data());
      else if (!to.empty())
        get(there(r, step, chunk_ * by_.bytes), to, done);
    }
    co_await done;
  }

  exchange with_;
  std::span<std::byte> values_;
  element_combination by_;
  bool wanted_;
  std::uint64_t chunk_;  ///< elements
  bool whole_;
  std::byte* room_ = nullptr;
  std::vector<unsigned> ranks_;
  std::vector<std::uint64_t> from_;
  std::vector<std::byte> parts_;
};

task<void> reduce_published(team_name team, std::span<std::byte> values, element_combination by, bool wanted) {
  array_reduction reduction(team, values, by, wanted);
  co_await reduction.run();
}

/// The first one of a team.
task<void> reduce_first(team_name team, std::span<std::byte> values, element_combination by, bool wanted) {
  co_await find_sharing(team);
  co_await reduce_elements(team, values, by, wanted);
}

}  // namespace

task<void> reduce_elements(team_name team, std::span<std::byte> values, element_combination by, bool wanted) {
  member_view const members(team);
  memory_sharing const sharing = sharing_of(members);
  if (sharing == memory_sharing::unknown) return reduce_first(team, values, by, wanted);
  // All have elements of the same size.
  if (sharing == memory_sharing::yes && (by.bytes + 64) * members.size() <= members.state().staging_bytes / 4)
    return reduce_shared(members, values, by, wanted);
  return reduce_published(team, values, by, wanted);
}

}  // namespace tess::detail
