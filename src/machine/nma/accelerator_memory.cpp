// accelerator_memory: burst registers, runs of words, streams.
#include "machine/nma/accelerator_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"

namespace tess::machine {

class accelerator_memory::stream {
 public:
  stream(accelerator_memory& of, std::uint64_t offset, std::uint64_t bytes)
      : of_(of), next_(offset), end_(offset + bytes) {}

  /// The next burst, when it has arrived; null at the end. It replaces the burst returned before.
  [[nodiscard]] task<stream_slot*> next() {
    while (ahead_ < of_.slots_.size() && next_ < end_) co_await issue();
    if (ahead_ == 0) co_return nullptr;
    stream_slot& first = of_.slots_[head_];
    co_await *first.read;
    head_ = (head_ + 1) % of_.slots_.size();
    --ahead_;
    co_return &first;
  }

 private:
  [[nodiscard]] task<> issue() {
    stream_slot& into = of_.slots_[(head_ + ahead_) % of_.slots_.size()];
    // Discard bursts that an earlier stream requested and no longer needs.
    if (into.read) co_await *into.read;
    into.offset = next_;
    into.bytes = std::min(of_.line_of(next_) + of_.burst_, end_) - next_;
    next_ += into.bytes;
    into.read.emplace();
    of_.moved_bytes_ += into.bytes;
    of_.memory_.read(into.offset, std::span(into.data).first(into.bytes), *into.read);
    ++ahead_;
  }

  accelerator_memory& of_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::size_t head_ = 0;
  std::size_t ahead_ = 0;
};

accelerator_memory::accelerator_memory(kernel& k, machine_description const& description, tile& at)
    : kernel_(k),
      memory_(description, at),
      state_ps_(description.nma.state_cycles * description.memory_clock_ps),
      burst_(description.nma.burst_bytes),
      posted_max_(description.nma.posted_writes),
      slots_(description.nma.stream_bursts) {}

task<> accelerator_memory::settle() {
  if (picoseconds const owed = std::exchange(owed_ps_, 0); owed != 0) co_await kernel_.delay(owed);
}

std::optional<std::uint64_t> accelerator_memory::find(line_register const& in, std::uint64_t offset) const noexcept {
  std::uint64_t const word = (offset - in.offset) / word_bytes;
  if (offset - in.offset >= burst_ || (in.valid >> word & 1U) == 0) return std::nullopt;
  return in.words[word];
}

task<> accelerator_memory::fetch(line_register& into, std::uint64_t line) {
  if (into.offset != line) {
    co_await clean(into);
    into.offset = line;
  }
  co_await settle();
  std::array<std::uint64_t, line_register::bytes_max / word_bytes> read;
  happened there;
  moved_bytes_ += burst_;
  memory_.read(line, std::as_writable_bytes(std::span(read)).first(burst_), there);
  co_await there;
  for (std::uint32_t word = 0; word < burst_ / word_bytes; ++word) {
    if ((into.valid >> word & 1U) == 0) into.words[word] = read[word];
  }
  into.valid = static_cast<std::uint32_t>((std::uint64_t{1} << burst_ / word_bytes) - 1);
}

task<std::uint64_t> accelerator_memory::load(line_register& by, std::uint64_t offset) {
  if (auto const known = find(by, offset)) co_return *known;
  co_await fetch(by, line_of(offset));
  co_return *find(by, offset);
}

task<> accelerator_memory::store(line_register& by, std::uint64_t offset, std::uint64_t value) {
  if (by.offset != line_of(offset)) {
    co_await clean(by);
    by.offset = line_of(offset);
  }
  std::uint64_t const word = (offset - by.offset) / word_bytes;
  by.words[word] = value;
  by.valid |= 1U << word;
  by.dirty |= 1U << word;
}

task<> accelerator_memory::clean(line_register& by) {
  // One write for each run of adjacent words.
  while (by.dirty != 0) {
    auto const first = static_cast<std::uint32_t>(std::countr_zero(by.dirty));
    auto const count = static_cast<std::uint32_t>(std::countr_one(by.dirty >> first));
    co_await write(by.offset + first * word_bytes, std::as_bytes(std::span(by.words).subspan(first, count)));
    by.dirty &= ~static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
  }
  by.offset = line_register::none;
  by.valid = 0;
}

task<std::uint64_t> accelerator_memory::read_word(std::uint64_t offset) {
  co_await settle();
  std::uint64_t value = 0;
  happened there;
  moved_bytes_ += word_bytes;
  memory_.read(offset, std::as_writable_bytes(std::span(&value, 1)), there);
  co_await there;
  co_return value;
}

task<> accelerator_memory::write(std::uint64_t offset, std::span<std::byte const> bytes) {
  co_await settle();
  co_await room_awaiter{*this, posted_max_ - 1};
  if (spare_.empty()) spare_.push_back(&all_.emplace_back(*this));
  posted_write& begun = *spare_.back();
  spare_.pop_back();
  ++under_way_;
  moved_bytes_ += bytes.size();
  memory_.write(offset, bytes, begun);
}

void accelerator_memory::posted_write::written() {
  owner.spare_.push_back(this);
  --owner.under_way_;
  if (!owner.waiting_ || owner.under_way_ > owner.wanted_) return;
  std::exchange(owner.waiting_, nullptr).resume();
}

task<> accelerator_memory::fill_zero(std::uint64_t offset, std::uint64_t bytes) {
  static constexpr std::array<std::byte, line_register::bytes_max> zeros{};
  for (std::uint64_t done = 0; done < bytes;) {
    std::uint64_t const piece = std::min(line_of(offset + done) + burst_ - (offset + done), bytes - done);
    co_await write(offset + done, std::span(zeros).first(piece));
    done += piece;
  }
}

task<> accelerator_memory::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  co_await settle();
  stream source(*this, from, bytes);
  while (stream_slot* const burst = co_await source.next()) {
    co_await write(to + (burst->offset - from), std::span(burst->data).first(burst->bytes));
  }
}

task<std::optional<std::uint64_t>> accelerator_memory::search(std::uint64_t offset, std::uint64_t count,
                                                              std::uint64_t value) {
  co_await settle();
  stream list(*this, offset, count * word_bytes);
  while (stream_slot* const burst = co_await list.next()) {
    for (std::uint64_t at = 0; at < burst->bytes; at += word_bytes) {
      std::uint64_t word = 0;
      std::memcpy(&word, burst->data.data() + at, sizeof word);
      if (word == value) co_return (burst->offset + at - offset) / word_bytes;
    }
  }
  co_return std::nullopt;
}

task<> accelerator_memory::drain() {
  co_await settle();
  co_await room_awaiter{*this, 0};
}

}  // namespace tess::machine
