// lines: queues of words in the scratchpads of all tiles, for events of the runtime.
//
//   A line is a multiple-reader queue with tagged requests. Who takes and waits is answered into one queue of the own
//   tile, told apart by the tag; who tries spins for the answer in a word of its hart, for a round trip. A bounded
//   queue has a second one with a word for each free place: who puts takes one of them before, who has taken gives it
//   back. So everybody who waits is a request that lies in a queue, and nothing is sent again and again. Of the places
//   that requests have in a queue each place uses its part; more wait here.
//
// Threads  any hart.
// Source   CNI (IJPP 2012), section 3.3; tags, and what is tried once, are the machine's own (docs/machine/cni.md).
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fabric/tile/interface.hpp"

namespace tess::detail {

class tile_lines final : public event_units {
 public:
  tile_lines(tile_places const& places, tile_interface& interface);

  [[nodiscard]] std::uint32_t make(std::uint32_t words_max, bool bounded) noexcept override;
  void release(std::uint32_t line) noexcept override;
  [[nodiscard]] bool is_awaited(std::uint32_t line) const noexcept override;
  [[nodiscard]] bool try_put(place_id at, std::uint32_t line, std::uint64_t word) noexcept override;
  [[nodiscard]] bool try_take(place_id at, std::uint32_t line, std::uint64_t& word) noexcept override;
  void put(place_id at, std::uint32_t line, std::uint64_t word, told told, void* whom) override;
  void take(place_id at, std::uint32_t line, told told, void* whom) override;
  void arrive(told told, void* whom) noexcept override { interface_.arrive(told, whom); }

  /// Tells those who have been answered; true: there was one.
  bool step() { return outstanding_.load(std::memory_order_relaxed) != 0 && tell_answered(); }
  [[nodiscard]] bool nothing_answered() const noexcept;

 private:
  /// Under way at once, as many as answers have room: a full queue would hold up who asks. Others wait here.
  static constexpr unsigned requests_max = 1U << tile_layout::log2_items;
  /// Of a line's number: it is bounded.
  static constexpr std::uint32_t bounded_bit = 1U << 16U;

  struct request {
    std::size_t line = 0;     ///< Which of all: index of under_way_.
    std::uint64_t queue = 0;  ///< Its line,
    std::uint64_t then = 0;   ///< and that into which `word` goes when it is answered; 0: none.
    std::uint64_t word = 0;
    told tell = nullptr;
    void* whom = nullptr;
  };
  [[nodiscard]] static std::size_t index_of(place_id at, std::uint32_t line, bool of_room) noexcept {
    return 2 * (at * std::size_t{tile_layout::objects_max} + (line & ~bounded_bit) - 1) + (of_room ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t object(place_id at, std::uint32_t line) const noexcept;
  /// Where the room of a bounded line is; 0: it is not bounded.
  [[nodiscard]] std::uint64_t room(place_id at, std::uint32_t line) const noexcept;
  void configure(unsigned number, bool of_room, std::uint32_t words_max) const noexcept;
  [[nodiscard]] bool put_once(std::uint64_t queue, std::uint64_t word) const noexcept;
  [[nodiscard]] bool take_once(std::uint64_t queue, std::uint64_t& word) const noexcept;
  void ask(request const& wanted);
  void send(request const& wanted);
  [[nodiscard]] request take_back(std::uint32_t tag);
  bool tell_answered();

  tile_places const& places_;
  tile_interface& interface_;
  unsigned of_line_max_ = 0;  ///< Requests of a place under way at one line.
  std::atomic<std::uint32_t> free_objects_{0};
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<std::uint64_t> taken_{0};  ///< Answers.
  std::atomic<bool> telling_{false};
  std::mutex mutex_;  ///< Of what follows.
  std::vector<request> requests_;
  std::vector<std::uint32_t> free_tags_;
  std::vector<std::uint16_t> under_way_;                          ///< At each line of each place,
  std::unordered_map<std::size_t, std::deque<request>> waiting_;  ///< and what is more than may be.
  std::deque<request> without_tag_;
};

}  // namespace tess::detail
