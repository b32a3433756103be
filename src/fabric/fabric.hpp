// fabric: the one narrow interface between runtime and machine: eleven operations (docs/internals/contract.md, 2).
//
//   The contract (each point has a case in tests/fabric/fabric_contract.hpp, run on every fabric):
//   - Operations are issued here and complete by acknowledging the given completion; none blocks, none calls back.
//   - Memory named by a span must stay valid, and what is read unchanged, until its completion says so.
//   - Word operations on one aligned word are linearizable. Nothing is ordered against anything else.
//   - try_send() copies the bytes or refuses for lack of credit: then nothing was sent, and poll() will make room.
//     Messages of class `reply` are never refused.
//   - Messages are delivered inside poll() only, to the sink, each exactly once, in any order.
//   - When a place failed, events() says so once at each process. Operations on it end with an error, now and later;
//     messages to it vanish, those of it are not delivered, and the credit that they held is back.
//   - sleep() returns at once if nothing_to_do() is false after the sleeper announced itself; otherwise when a message
//     arrives for one of the thread's places, on wake(), at the deadline, or for no reason.
//
// Units    bytes. Addresses are the 64 bits of a global_ptr.
// Threads  any thread may issue for any place that this process holds (`from`); poll for a place whose worker it runs.
// Errors   a failed operation acknowledges its completion with the failed place + 1; misuse is asserted by `checked`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tess/delay.hpp"
#include "tess/detail/completion.hpp"
#include "tess/detail/word_apply.hpp"
#include "tess/error.hpp"

namespace tess::detail {

/// Who a message goes to: a place, or what connect() returned (65536 and up).
using endpoint = std::uint32_t;

enum class message_class : std::uint8_t {
  request,  ///< waits for credit, in tasks only
  reply     ///< its space is reserved by the requester: never refused
};

/// Where delivered messages go.
class message_sink {
 public:
  virtual void deliver(place_id at, place_id source, std::span<std::byte const> bytes) = 0;

 protected:
  ~message_sink() = default;
};

/// Direct access to another place's segment. Null: not possible.
struct place_window {
  std::byte* load = nullptr;    ///< plain loads
  std::byte* atomic = nullptr;  ///< stores and processor atomics, if all users of the segment have it
};

/// The part of the address space that a place of this process owns.
struct place_segment {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;  ///< reserved; committed by extend_segment
};

/// What the segments of this process may still commit, beside the limits of their ranges.
struct memory_room {
  std::uint64_t left_bytes = 0;
  std::uint64_t limit_bytes = 0;
  std::string limit;  ///< whose limit that is, as in "3 bytes are left of <limit>"
};

struct fabric_event {
  enum class kind : std::uint8_t { place_failed, endpoint_up, endpoint_down };
  kind what;
  endpoint who;
  std::string text{};  ///< of a failure: which host, and how it was noticed
};

/// "Nothing to do": asked by sleep() after the sleeper announced itself.
struct idle_question {
  bool (*ask)(void*);
  void* context;
  bool operator()() const { return ask(context); }
};

using deadline = std::chrono::steady_clock::time_point;

/// How words of other tiles of a simulated machine are reached (TESS_WORDS).
enum class word_path : std::uint8_t {
  automatic,     ///< by instructions, if the machine has them, else by addresses
  instructions,  ///< of xBGAS
  addresses,     ///< loads, stores and AMOs of global addresses; compare-and-swap by the adapter
  messages       ///< the owner's hart does it
};

/// How the places and workers of this process are spread over its threads.
struct thread_map {
  place_id places = 1;
  std::vector<std::vector<std::uint32_t>> threads_of_place;  ///< distinct thread indices of the place's workers
  std::uint32_t threads = 1;
  std::uint64_t message_memory = 128 * 1024;  ///< bytes that a place's messages under way may occupy
  bool interfaces = true;                     ///< network interfaces are used, where a machine has them
  word_path words = word_path::automatic;     ///< of other tiles
};

class event_units;
class graph_units;

class fabric {
 public:
  virtual ~fabric() = default;
  fabric() = default;
  fabric(fabric const&) = delete;
  fabric& operator=(fabric const&) = delete;

  /// 1. A word operation; `result` gets the old value before `done` is acknowledged by 1.
  virtual void word(place_id from, word_request const& request, std::uint64_t (&result)[2], completion& done) = 0;

  /// 2. Blocks. `local` (may be null) is acknowledged by 1; so is `notified`, a completion's global address (0: none).
  virtual void put(place_id from, std::span<std::byte const> source, std::uint64_t target, completion* local,
                   std::uint64_t notified) = 0;
  virtual void get(place_id from, std::uint64_t source, std::span<std::byte> target, completion* local) = 0;

  /// 3. Place to place.
  virtual void copy(place_id from, std::uint64_t source, std::uint64_t target, std::size_t bytes,
                    completion* local) = 0;

  /// 4. One message; false: no credit, nothing was sent.
  [[nodiscard]] virtual bool try_send(place_id from, endpoint to, message_class cls,
                                      std::span<std::byte const> bytes) = 0;

  /// 5. Delivers at most `budget` messages for `at`; returns how many, or 1 if none came and yet it served others.
  /// Resumes no task.
  virtual unsigned poll(place_id at, unsigned budget, message_sink& sink) = 0;

  /// 6. Sleeping and waking of threads.
  virtual void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) = 0;
  virtual void wake(std::uint32_t thread) noexcept = 0;

  /// Whoever sleeps is woken by all that concerns him, so that without a deadline he may sleep for ever.
  [[nodiscard]] virtual bool wakes_surely() const noexcept { return false; }
  /// True once: everybody sleeps, at all places, and nothing is under way.
  [[nodiscard]] virtual bool stalled() noexcept { return false; }

  /// 7. Direct access from this process to a place's segment.
  [[nodiscard]] virtual place_window window(place_id place) const noexcept = 0;

  /// 8. The segment of a place of this process, its growth, which commits [offset, offset + bytes) or returns false,
  /// and what is left of the memory that the process may use.
  [[nodiscard]] virtual place_segment segment(place_id place) const noexcept = 0;
  [[nodiscard]] virtual bool extend_segment(place_id place, std::uint64_t offset, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual memory_room room(place_id place) const = 0;

  /// 9. Without coherence block transfers see memory only after publish() by the owner of the source, and the owner of
  /// the target sees them only after refresh().
  [[nodiscard]] virtual bool coherent() const noexcept = 0;
  virtual void publish(place_id at, std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual void refresh(place_id at, std::uint64_t offset, std::uint64_t bytes) = 0;

  /// Accelerators for object graphs, where the machine has them; null: none.
  [[nodiscard]] virtual graph_units* graphs() noexcept { return nullptr; }

  /// Lines for events, where the machine has them; null: none.
  [[nodiscard]] virtual event_units* events_on_lines() noexcept { return nullptr; }

  /// Time, ns since some moment; where places share a clock, since the same at all.
  [[nodiscard]] virtual std::uint64_t now_ns() const noexcept {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }
  /// The part of the run that is measured begins, or ends: for a machine that counts it apart.
  virtual void mark_measured(bool begins) noexcept { static_cast<void>(begins); }

  /// 10. What happened to places and endpoints since the last call.
  [[nodiscard]] virtual std::vector<fabric_event> events() = 0;

  /// 11. Endpoints that need not be places. listen: messages for `name` come to `at`. connect: throws if unknown.
  virtual void listen(place_id at, std::string_view name) = 0;
  [[nodiscard]] virtual endpoint connect(std::string_view name) = 0;

  /// For tests, on fabrics that can: the place counts as failed from now on, and events() says so.
  virtual void fail(place_id place, std::string const& how);
};

[[nodiscard]] std::unique_ptr<fabric> make_smp_fabric(thread_map const& threads);
[[nodiscard]] std::unique_ptr<fabric> make_hostile_fabric(thread_map const& threads, std::uint64_t seed);
inline void fabric::fail(place_id, std::string const&) {
  throw error("fabric", "cannot let a place fail", "hostile, or ucx");
}

/// Every operation on another place takes so much longer than on `inner`.
[[nodiscard]] std::unique_ptr<fabric> make_delayed_fabric(std::unique_ptr<fabric> inner, thread_map const& threads,
                                                          delay const& longer, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<fabric> make_checked_fabric(std::unique_ptr<fabric> inner, thread_map const& threads);

/// Place 0 prints what is wrong; this place ends without a word.
struct said_elsewhere : std::exception {
  [[nodiscard]] char const* what() const noexcept override { return "place 0 says why"; }
};

}  // namespace tess::detail
