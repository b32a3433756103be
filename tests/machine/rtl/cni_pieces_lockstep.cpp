// cni_pieces_lockstep: the cutter's hardware beside its model, with random copies and stalls, and a list around them in
// which what is left of a copy goes to the end. A packet that is not the next of its copy is an error.
//
// Usage: lockstep_bench.hpp
#include "lockstep_bench.hpp"
#include "machine/cni/piece_machine.hpp"

namespace tess::machine {
namespace {

class toy_list {
 public:
  struct statistics {
    std::uint64_t packets = 0;
    std::uint64_t last = 0;   ///< Packets with which a copy ends,
    std::uint64_t whole = 0;  ///< and those of a whole line.

    [[nodiscard]] bool all() const { return last != 0 && whole != 0 && packets > last + whole; }
    [[nodiscard]] std::string text() const {
      return std::to_string(packets) + " packets, " + std::to_string(last) + " of them the last of a copy, " +
             std::to_string(whole) + " a line";
    }
  };

  toy_list(std::uint64_t seed, piece_unit::parameters const& made) : choose_(seed), line_(made.line_bytes) {
    for (auto* const rate : {&entry_rate_, &packet_rate_, &rest_rate_}) *rate = choose_.rate();
  }

  static std::string text_of(piece_unit::outputs const& out) {
    std::string text;
    auto const add = [&](char const* format, auto... values) {
      char buffer[160];
      std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(values)...);
      text += buffer;
    };
    auto const entry = [&](char const* name, piece_unit::entry const& one) {
      add(" %llx to %llx bytes %llu", one.source, one.destination, one.bytes);
      text += name;
    };
    add("%llu%llu", out.entry_ready, out.quiet);
    if (out.packet_valid) entry(" are a packet", out.packet);
    if (out.rest_valid) entry(" are left", out.rest);
    return text;
  }

  void drive(piece_unit::inputs& in) {
    if (!in.entry_valid || took_) {
      took_ = false;
      while (list_.size() < 5) list_.push_back(some_copy());
      in.entry_valid = choose_.happens(entry_rate_);
      in.next = list_.front().left;
      in.by_lines = list_.front().by_lines;
    }
    in.packet_ready = choose_.happens(packet_rate_);
    in.rest_ready = choose_.happens(rest_rate_);
  }

  /// What moves at the edge that `in` was made for; a text: something that must not be.
  [[nodiscard]] char const* take(piece_unit::inputs const& in, piece_unit::outputs const& out, statistics& reached) {
    if (in.entry_valid && out.entry_ready) {
      took_ = true;
      inside_ = list_.front();
      list_.pop_front();
    }
    if (out.packet_valid && in.packet_ready) {
      piece_unit::entry& left = inside_.left;
      std::uint64_t bytes = std::min<std::uint64_t>(left.bytes, line_ - left.destination % line_);
      if (inside_.by_lines) bytes = std::min(bytes, line_ - left.source % line_);
      if (out.packet.source != left.source || out.packet.destination != left.destination || out.packet.bytes != bytes)
        return "not the next packet of the copy";
      left.source += bytes;
      left.destination += bytes;
      left.bytes -= static_cast<std::uint32_t>(bytes);
      ++reached.packets;
      reached.last += left.bytes == 0 ? 1 : 0;
      reached.whole += bytes == line_ ? 1 : 0;
    }
    if (out.rest_valid && in.rest_ready) {
      if (out.rest.source != inside_.left.source || out.rest.destination != inside_.left.destination ||
          out.rest.bytes != inside_.left.bytes || inside_.left.bytes == 0)
        return "not what is left of the copy";
      list_.push_back(inside_);
    }
    return nullptr;
  }

 private:
  struct copy {
    piece_unit::entry left;
    bool by_lines = false;
  };
  copy some_copy() {
    std::uint64_t const most = choose_.chance(8) ? 65'536 : choose_.chance(2) ? 2 * line_ : 500;
    copy made{.left = {.source = choose_.word() >> choose_.below(40),
                       .destination = choose_.word() >> choose_.below(40),
                       .bytes = static_cast<std::uint32_t>(1 + choose_.below(most))},
              .by_lines = choose_.chance(2)};
    if (choose_.chance(3)) made.left.source -= made.left.source % line_;
    if (choose_.chance(3)) made.left.destination -= made.left.destination % line_;
    return made;
  }

  dice choose_;
  std::uint64_t line_;
  std::deque<copy> list_;
  copy inside_;
  bool took_ = true;
  std::uint64_t entry_rate_ = 0, packet_rate_ = 0, rest_rate_ = 0;
};

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  using namespace tess::machine;  // NOLINT
  piece_unit::parameters made;
  return lockstep_main<lockstep_bench<piece_unit, piece_machine, toy_list>>({words, words + count}, made,
                                                                            {{"LINE_BYTES", &made.line_bytes}});
}
