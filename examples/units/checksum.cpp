// checksum: a unit on the tile's bus that computes the CRC-32 of a range of memory: a command instead of a loop.
//
//   A command's fields: address and bytes of the range, a counter or null, and the result.
//
// Source    the CRC-32 of IEEE 802.3, as in zlib.
#include <algorithm>
#include <tess/machine/unit.hpp>

namespace {

using tess::unit::command_status;

class checksum final : public tess::unit::command_device {
 public:
  static constexpr auto parameters = std::to_array<tess::unit::parameter>({
      {.name = "bytes_a_cycle", .unit = "bytes", .meaning = "taken in a cycle", .usual = 8, .least = 1, .most = 64},
  });
  enum field : std::size_t { address, bytes, counter, result };

  explicit checksum(tess::unit::tile& here)
      : command_device(here),
        here_(here),
        bytes_a_cycle_(here.value("bytes_a_cycle")),
        commands_(here.statistic("commands", "commands that have ended")),
        summed_(here.statistic("bytes", "bytes that were read for them")),
        busy_cycles_(here.statistic("busy_cycles", "cycles in which it worked, of each command")) {
    for (std::uint32_t i = 0; i < table_.size(); ++i) {
      table_[i] = i;
      for (int bit = 0; bit < 8; ++bit) table_[i] = table_[i] >> 1U ^ (table_[i] % 2 == 0 ? 0 : 0xedb8'8320U);
    }
  }

 private:
  command_status begin(window& command, tess::unit::requester) override {
    if (!here_.is_counter(command.words[counter])) return command_status::wrong;
    here_.start(run(command));
    return command_status::accepted;
  }

  tess::unit::process run(window& command) {
    auto const since = here_.clock.now_ps();
    std::array<std::byte, 256> line{};
    std::uint32_t crc = ~std::uint32_t{0};
    bool sound = true;
    std::uint64_t const end = command.words[address] + command.words[bytes];
    for (std::uint64_t at = command.words[address]; at < end && sound;) {
      std::uint64_t const room = here_.known().line_bytes - at % here_.known().line_bytes;
      auto const part = std::span(line).first(std::min(end - at, room));
      sound = co_await here_.bus.read(at, part);
      for (std::byte const one : part) crc = crc >> 8U ^ table_[(crc ^ std::to_integer<std::uint32_t>(one)) & 255U];
      co_await here_.clock.delay((part.size() + bytes_a_cycle_ - 1) / bytes_a_cycle_);
      at += part.size();
      summed_ += part.size();
    }
    ++commands_;
    busy_cycles_ += (here_.clock.now_ps() - since) / here_.known().period_ps;
    here_.busy("CRC", since);
    command.words[result] = ~crc;
    command.status = sound ? command_status::idle : command_status::wrong;
    co_await here_.acknowledge(command.words[counter], sound ? 0 : 1);
  }

  tess::unit::tile& here_;
  std::uint64_t bytes_a_cycle_;
  std::uint64_t& commands_;
  std::uint64_t& summed_;
  std::uint64_t& busy_cycles_;
  std::array<std::uint32_t, 256> table_{};
};

}  // namespace

TESS_UNIT(checksum, "computes the CRC-32 of a range of memory");
