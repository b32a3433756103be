// lines: event queues in the scratchpads of all tiles.
//
//   A line is a multiple-reader queue with tagged requests. Answers to waiting requests go to one queue of the own
//   tile, which the tag tells apart; a request that does not wait spins for its answer in a word of its hart, for a
//   round trip. A bounded queue has a second queue with one word for each free slot: a put takes one of them first, a
//   take returns it. So each waiter is one request in a queue, and nothing is retried. Each place uses its share of the
//   slots that a queue has for requests; further requests wait here.
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
  void put(place_id at, std::uint32_t line, std::uint64_t word, callback callback, void* context) override;
  void take(place_id at, std::uint32_t line, callback callback, void* context) override;
  void arrive(callback callback, void* context) noexcept override { interface_.arrive(callback, context); }

  /// Calls the callbacks of answered requests; true: there was one.
  bool step() { return outstanding_.load(std::memory_order_relaxed) != 0 && deliver_answers(); }
  [[nodiscard]] bool nothing_answered() const noexcept;

 private:
  /// Requests under way at once: as many as the queue of answers has slots. Others wait here.
  static constexpr unsigned requests_max = 1U << tile_layout::log2_items;
  /// In a line's number: it is bounded.
  static constexpr std::uint32_t bounded_bit = 1U << 16U;

  struct request {
    std::size_t line = 0;     ///< index of under_way_
    std::uint64_t queue = 0;  ///< its line
    std::uint64_t then = 0;   ///< the line that then gets `word`; 0: none
    std::uint64_t word = 0;
    event_units::callback callback = nullptr;
    void* context = nullptr;
  };
  [[nodiscard]] static std::size_t index_of(place_id at, std::uint32_t line, bool of_room) noexcept {
    return 2 * (at * std::size_t{tile_layout::objects_max} + (line & ~bounded_bit) - 1) + (of_room ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t object(place_id at, std::uint32_t line) const noexcept;
  /// The line with the free slots of a bounded line; 0: it is not bounded.
  [[nodiscard]] std::uint64_t room(place_id at, std::uint32_t line) const noexcept;
  void configure(unsigned number, bool of_room, std::uint32_t words_max) const noexcept;
  [[nodiscard]] bool put_once(std::uint64_t queue, std::uint64_t word) const noexcept;
  [[nodiscard]] bool take_once(std::uint64_t queue, std::uint64_t& word) const noexcept;
  void ask(request const& wanted);
  void send(request const& wanted);
  [[nodiscard]] request take_back(std::uint32_t tag);
  bool deliver_answers();

  tile_places const& places_;
  tile_interface& interface_;
  unsigned of_line_max_ = 0;  ///< requests of a place under way at one line
  std::atomic<std::uint32_t> free_objects_{0};
  std::atomic<std::size_t> outstanding_{0};
  std::atomic<std::uint64_t> taken_{0};  ///< answers
  std::atomic<bool> delivering_{false};
  std::mutex mutex_;  ///< guards what follows
  std::vector<request> requests_;
  std::vector<std::uint32_t> free_tags_;
  std::vector<std::uint16_t> under_way_;                          ///< at each line of each place
  std::unordered_map<std::size_t, std::deque<request>> waiting_;  ///< requests beyond of_line_max_
  std::deque<request> without_tag_;
};

}  // namespace tess::detail
