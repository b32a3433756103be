// align_machine: words in and out.
#include "machine/cni/align_machine.hpp"

#include <bit>

namespace tess::machine {
namespace {

constexpr std::uint32_t word_size = 8;

std::uint64_t low_bytes(std::uint32_t count) {
  return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * count);
}

}  // namespace

align_unit::aligned align_machine::made(std::uint64_t rotated) const noexcept {
  std::uint64_t const old = low_bytes(shifts_ ? turn_ : 0);
  aligned one{.word = (kept_ & old) | (rotated & ~old), .strobes = 0xff, .last = writes_ == 1};
  if (begins_) one.strobes &= 0xffU << to_ & 0xff;
  if (one.last && end_ != 0) one.strobes &= 0xffU >> (word_size - end_);
  return one;
}

void align_machine::step() {
  bool const had_room = waiting_count_ < room;
  bool const leaves = waiting_count_ != 0 && in.aligned_ready;
  if (leaves) {
    waiting_[0] = waiting_[1];
    --waiting_count_;
  }
  if (!active_) {
    active_ = in.packet_valid;
    if (active_) {
      leads_ = shifts_ && in.to < in.from;
      begins_ = true;
      to_ = in.to;
      end_ = (in.to + in.bytes) % word_size;
      turn_ = (in.to - in.from) % word_size;
      reads_ = (in.from + in.bytes + word_size - 1) / word_size;
      writes_ = (in.to + in.bytes + word_size - 1) / word_size;
    }
    return refresh();
  }
  bool const takes = in.word_valid && out.word_ready;
  std::uint64_t const rotated = std::rotl(in.word, static_cast<int>(shifts_ ? 8 * turn_ : 0));
  bool const puts = !leads_ && had_room && (takes || reads_ == 0);
  if (puts) {
    waiting_[waiting_count_++] = made(rotated);
    active_ = writes_ != 1;
    begins_ = false;
    --writes_;
  }
  if (takes) {
    kept_ = rotated;
    leads_ = false;
    --reads_;
  }
  refresh();
}

void align_machine::refresh() {
  out.packet_ready = !active_;
  out.word_ready = active_ && reads_ != 0 && (leads_ || waiting_count_ < room);
  out.aligned_valid = waiting_count_ != 0;
  if (out.aligned_valid) out.next = waiting_[0];
  out.quiet = !active_ && waiting_count_ == 0;
}

}  // namespace tess::machine
