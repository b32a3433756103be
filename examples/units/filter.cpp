// filter: a unit near memory that reads an array of words there and sends only those of a range to who asked: what does
// not pass never crosses the network.
//
//   A command's fields: address and number of the words, in this memory; the range [low, high); where the words that
//   pass go, in a tile-local memory; a counter or null. The last field is then the number of words that passed. The
//   array is read beside the caches, in bursts, two of which may be under way.
#include <algorithm>
#include <cstring>
#include <tess/machine/unit.hpp>

namespace {

using tess::unit::command_status;

class filter final : public tess::unit::command_device {
 public:
  static constexpr auto parameters = std::to_array<tess::unit::parameter>({
      {.name = "burst_bytes",
       .unit = "bytes",
       .meaning = "read in one turn at the memory's port",
       .usual = 256,
       .least = 8,
       .most = 4096},
      {.name = "words_a_cycle", .unit = "words", .meaning = "compared in a cycle", .usual = 1, .least = 1, .most = 64},
      {.name = "commands", .unit = "commands", .meaning = "under way at a time", .usual = 4, .least = 1, .most = 64},
  });
  enum field : std::size_t { address, words, low, high, destination, counter, passed };

  explicit filter(tess::unit::tile& here)
      : command_device(here),
        here_(here),
        burst_words_(here.value("burst_bytes") / 8),
        words_a_cycle_(here.value("words_a_cycle")),
        commands_max_(here.value("commands")),
        read_(here.statistic("words_read", "words that were read from memory")),
        sent_(here.statistic("words_sent", "words that passed and crossed the network")) {}

 private:
  using burst = std::vector<std::uint64_t>;
  static constexpr std::size_t packet_words = 8;

  command_status begin(window& command, tess::unit::requester) override {
    if (running_ == commands_max_) return command_status::full;
    std::uint64_t const count = command.words[words];
    bool const sized = count != 0 && count < std::uint64_t{1} << 40U;
    auto const offset = sized ? here_.memory.offset_of(command.words[address], count * 8) : std::nullopt;
    if (!offset || *offset % 8 != 0 || command.words[destination] % 8 != 0 || !here_.is_counter(command.words[counter]))
      return command_status::wrong;
    ++running_;
    here_.start(run(command, *offset));
    return command_status::accepted;
  }

  tess::unit::process read(std::uint64_t offset, std::uint64_t count, tess::unit::queue<burst>& out) {
    while (count != 0) {
      burst one(std::min(count, burst_words_));
      (void)co_await here_.memory.read(offset, std::as_writable_bytes(std::span(one)));
      read_ += one.size();
      offset += one.size() * 8;
      count -= one.size();
      co_await out.push(std::move(one));
    }
  }

  tess::unit::process run(window& command, std::uint64_t offset) {
    auto const since = here_.clock.now_ps();
    auto const asked = command.words;
    tess::unit::queue<burst> bursts(here_.machine(), 1);
    here_.start(read(offset, asked[words], bursts));
    std::uint64_t sent = 0;
    bool sound = true;
    std::vector<std::uint64_t> packet;
    for (std::uint64_t left = asked[words]; left != 0;) {
      burst const one = co_await bursts.pop();
      left -= one.size();
      co_await here_.clock.delay((one.size() + words_a_cycle_ - 1) / words_a_cycle_);
      for (std::uint64_t const word : one)
        if (word >= asked[low] && word < asked[high]) packet.push_back(word);
      while (sound && (packet.size() >= packet_words || (left == 0 && !packet.empty()))) {
        auto const some = std::span(packet).first(std::min(packet.size(), packet_words));
        sound = co_await here_.network.put(asked[destination] + sent * 8, std::as_bytes(some));
        sent += some.size();
        packet.erase(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(some.size()));
      }
    }
    sent_ += sent;
    --running_;
    here_.busy("filter", since);
    command.words[passed] = sent;
    command.status = sound ? command_status::idle : command_status::wrong;
    co_await here_.acknowledge(asked[counter], sound ? 0 : 1);
  }

  tess::unit::tile& here_;
  std::uint64_t burst_words_;
  std::uint64_t words_a_cycle_;
  std::uint64_t commands_max_;
  std::uint64_t& read_;
  std::uint64_t& sent_;
  std::uint64_t running_ = 0;
};

}  // namespace

TESS_UNIT(filter, "sends the words of a range of an array in this memory, and no others");
