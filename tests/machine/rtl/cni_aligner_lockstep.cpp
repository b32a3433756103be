// cni_aligner_lockstep: the aligner's hardware beside its model, with random packets, words and stalls. A byte that
// does not arrive at its place, or another one that is written, is an error.
//
// Usage: lockstep_bench.hpp
#include <map>

#include "lockstep_bench.hpp"
#include "machine/cni/align_machine.hpp"

namespace tess::machine {
namespace {

class toy_memories {
 public:
  struct statistics {
    std::uint64_t packets = 0;
    std::uint64_t up = 0;    ///< Packets whose first byte moves up in its word,
    std::uint64_t down = 0;  ///< and down.
    bool shifts = false;

    [[nodiscard]] bool all() const { return packets > up + down && (!shifts || (up != 0 && down != 0)); }
    [[nodiscard]] std::string text() const {
      return std::to_string(packets) + " packets, " + std::to_string(up) + " up, " + std::to_string(down) + " down";
    }
  };

  toy_memories(std::uint64_t seed, align_unit::parameters const& made)
      : choose_(seed), line_(made.line_bytes), shifts_(made.shifts != 0) {
    for (auto* const rate : {&packet_rate_, &word_rate_, &aligned_rate_}) *rate = choose_.rate();
  }

  /// Bytes without a strobe mean nothing: the hardware's may be those that a register began with.
  static std::string text_of(align_unit::outputs const& out) {
    char text[120];
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < 8; ++i)
      if ((out.next.strobes >> i & 1) != 0) bytes |= out.next.word & std::uint64_t{0xff} << (8 * i);
    int size =
        std::snprintf(text, sizeof text, "%d%d%d%d", out.packet_ready, out.word_ready, out.aligned_valid, out.quiet);
    if (out.aligned_valid)
      std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), " %016llx strobes %02x last %d",
                    static_cast<unsigned long long>(bytes), out.next.strobes, out.next.last);
    return text;
  }

  void drive(align_unit::inputs& in) {
    if (!in.packet_valid || packet_moved_) {
      packet_moved_ = false;
      in.packet_valid = choose_.happens(packet_rate_);
      in.bytes = static_cast<std::uint32_t>(1 + choose_.below(choose_.chance(3) ? 8 : line_));
      in.from = static_cast<std::uint32_t>(choose_.below(8));
      in.to = !shifts_ || choose_.chance(4) ? in.from : static_cast<std::uint32_t>(choose_.below(8));
    }
    if (!in.word_valid || word_moved_) {
      word_moved_ = false;
      in.word_valid = choose_.happens(word_rate_);
      in.word = choose_.word();
    }
    in.aligned_ready = choose_.happens(aligned_rate_);
  }

  /// What moves at the edge that `in` was made for; a text: something that must not be.
  [[nodiscard]] char const* take(align_unit::inputs const& in, align_unit::outputs const& out, statistics& reached) {
    if (in.word_valid && out.word_ready) {
      word_moved_ = true;
      for (std::uint32_t i = 0; i < 8; ++i) {
        if (place_++ < skipped_ || left_ == 0) continue;
        bytes_.push_back(static_cast<std::uint8_t>(in.word >> (8 * i)));
        --left_;
      }
    }
    if (in.packet_valid && out.packet_ready) {
      if (left_ != 0) return "the packet before has not read all of its bytes";
      packet_moved_ = true;
      left_ = in.bytes;
      skipped_ = in.from;
      place_ = 0;
      due_.push_back({in.to, in.bytes});
      ++reached.packets;
      reached.up += in.to > in.from ? 1 : 0;
      reached.down += in.to < in.from ? 1 : 0;
      reached.shifts = shifts_;
    }
    return out.aligned_valid && in.aligned_ready ? arrived(out.next) : nullptr;
  }

 private:
  struct packet {
    std::uint32_t to = 0;
    std::uint32_t bytes = 0;
  };
  [[nodiscard]] char const* arrived(align_unit::aligned const& one) {
    if (due_.empty()) return "a word of no packet";
    packet& of = due_.front();
    for (std::uint32_t i = 0; i < 8; ++i) {
      bool const wanted = i >= of.to && of.bytes != 0;
      if (wanted != ((one.strobes >> i & 1) != 0)) return "not the bytes of the packet";
      if (!wanted) continue;
      if (bytes_.empty() || bytes_.front() != static_cast<std::uint8_t>(one.word >> (8 * i))) return "a wrong byte";
      bytes_.pop_front();
      --of.bytes;
    }
    of.to = 0;
    if (one.last != (of.bytes == 0)) return "not the last word of the packet";
    if (one.last) due_.pop_front();
    return nullptr;
  }

  dice choose_;
  std::uint64_t line_;
  bool shifts_;
  std::deque<packet> due_;
  std::deque<std::uint8_t> bytes_;  ///< That have been read, in order.
  std::uint32_t left_ = 0, skipped_ = 0, place_ = 0;
  bool packet_moved_ = true, word_moved_ = true;
  std::uint64_t packet_rate_ = 0, word_rate_ = 0, aligned_rate_ = 0;
};

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  using namespace tess::machine;  // NOLINT
  align_unit::parameters made;
  return lockstep_main<lockstep_bench<align_unit, align_machine, toy_memories>>(
      {words, words + count}, made, {{"LINE_BYTES", &made.line_bytes}, {"SHIFTS", &made.shifts}});
}
