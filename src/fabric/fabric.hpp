// fabric: the interface between the runtime and the transport between places: ten operations, and one question,
// capabilities().
//
//   The contract (docs/internals/contract.md; each point has a test in tests/fabric, which runs on every fabric):
//   - Operations are issued here and complete by acknowledging the given completion; none blocks, none calls back.
//   - The completion `local` of put, get and copy may be null. The operation is performed all the same, and neither its
//     end nor its failure is reported to the issuer.
//   - Memory named by a span must stay valid, and a source unchanged, until the operation has completed.
//   - Word operations on one aligned word are linearizable. Operations are not ordered in any other way.
//   - try_send() copies the bytes, or refuses for lack of credit: then nothing was sent, and poll() will make room.
//     Bytes in memory from lend() may be sent without a copy.
//     Messages of class `reply` are never refused.
//   - Messages are delivered to the sink, inside poll() only, each exactly once, in any order.
//   - When a place has failed, failures() reports it once at each process. Present and later operations on it end with
//     an error. Messages to it are dropped, messages from it are not delivered, and their credit is returned.
//   - sleep() returns at once if nothing_to_do() is false after the sleeper has announced itself; otherwise when a
//     message arrives for one of the thread's places, on wake(), at the deadline, or spuriously.
//
// Units    bytes. Addresses are the 64 bits of a global_ptr.
// Threads  any thread may issue for any place of this process (`from`); it polls for places whose workers it runs.
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
#include <vector>

#include "fabric/capabilities.hpp"
#include "tess/delay.hpp"
#include "tess/detail/tasks/completion.hpp"
#include "tess/detail/words/global_address.hpp"
#include "tess/detail/words/word_apply.hpp"
#include "tess/error.hpp"

namespace tess::detail {

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
  std::uint64_t each_bytes = 0;  ///< for each place of this host, if all of them want as much
  std::string limit;             ///< whose limit that is, as in "3 bytes are left of <limit>"
};

struct place_failure {
  place_id place;
  std::string text{};  ///< its host, and how the failure was noticed
};

/// "Nothing to do": asked by sleep() after the sleeper announced itself.
struct idle_question {
  bool (*ask)(void*);
  void* context;
  bool operator()() const { return ask(context); }
};

using deadline = std::chrono::steady_clock::time_point;

/// How the places and workers of this process are spread over its threads.
struct thread_map {
  place_id places = 1;
  std::vector<std::vector<std::uint32_t>> threads_of_place;  ///< distinct thread indices of the place's workers
  std::uint32_t threads = 1;
  std::uint64_t message_memory = 128 * 1024;  ///< bytes that a place's messages under way may occupy
};

class fabric {
 public:
  virtual ~fabric() = default;
  fabric() = default;
  fabric(fabric const&) = delete;
  fabric& operator=(fabric const&) = delete;

  /// 1. A word operation; `result` gets the old value before `done` is acknowledged by 1.
  virtual void word(place_id from, word_request const& request, std::uint64_t (&result)[2], completion& done) = 0;

  /// 2. Blocks. `local` (may be null) is acknowledged by 1; so is `notified`, a completion's global address (0: none).
  /// A put without bytes is a bare notification.
  virtual void put(place_id from, std::span<std::byte const> source, std::uint64_t target, completion* local,
                   std::uint64_t notified) = 0;
  virtual void get(place_id from, std::uint64_t source, std::span<std::byte> target, completion* local) = 0;

  /// 3. Place to place.
  virtual void copy(place_id from, std::uint64_t source, std::uint64_t target, std::size_t bytes,
                    completion* local) = 0;

  /// 4. One message; false: no credit, nothing was sent.
  [[nodiscard]] virtual bool try_send(place_id from, place_id to, message_class cls,
                                      std::span<std::byte const> bytes) = 0;
  /// Memory for a message of up to 4096 bytes for `to`, which try_send() of all of it does not copy; null: none. When
  /// try_send() has returned true it is the fabric's again; a message that is not sent must be given back.
  [[nodiscard]] virtual std::byte* lend(place_id from, place_id to) noexcept {
    static_cast<void>(from);
    static_cast<void>(to);
    return nullptr;
  }
  virtual void give_back(place_id from, std::byte* lent) noexcept {
    static_cast<void>(from);
    static_cast<void>(lent);
  }

  /// 5. Delivers at most `budget` messages for `at`; returns their number, or 1 if none came but the call served the
  /// operations of other places. Resumes no task.
  virtual unsigned poll(place_id at, unsigned budget, message_sink& sink) = 0;

  /// 6. Sleeping and waking of threads.
  virtual void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) = 0;
  virtual void wake(std::uint32_t thread) noexcept = 0;

  /// 7. Direct access from this process to a place's segment.
  [[nodiscard]] virtual place_window window(place_id place) const noexcept = 0;

  /// 8. The segment of a place; of another process's without a window only its size, 0 if that cannot be had. Growth
  /// of an own one, which commits [offset, offset + bytes) or returns false; and how much memory the process may still
  /// use.
  [[nodiscard]] virtual place_segment segment(place_id place) const noexcept = 0;
  [[nodiscard]] virtual bool extend_segment(place_id place, std::uint64_t offset, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual memory_room room(place_id place) const = 0;

  /// 9. Without coherence, a block transfer reads what the owner of the source wrote only after its publish(), and the
  /// owner of the target reads what was transferred only after its refresh().
  [[nodiscard]] virtual bool coherent() const noexcept = 0;
  virtual void publish(place_id at, std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual void refresh(place_id at, std::uint64_t offset, std::uint64_t bytes) = 0;

  /// 10. Places that have failed since the last call.
  [[nodiscard]] virtual std::vector<place_failure> failures() = 0;

  /// What else this fabric can do. The object lives as long as the fabric.
  [[nodiscard]] virtual fabric_capabilities& capabilities() noexcept = 0;
};

[[nodiscard]] std::unique_ptr<fabric> make_smp_fabric(thread_map const& threads);
[[nodiscard]] std::unique_ptr<fabric> make_hostile_fabric(thread_map const& threads, std::uint64_t seed);
/// Every operation on another place takes longer than on `inner` by the given delay.
[[nodiscard]] std::unique_ptr<fabric> make_delayed_fabric(std::unique_ptr<fabric> inner, thread_map const& threads,
                                                          delay const& longer, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<fabric> make_checked_fabric(std::unique_ptr<fabric> inner, thread_map const& threads);

/// Place 0 reports the error; this place ends silently.
struct reported_by_place_0 : std::exception {
  [[nodiscard]] char const* what() const noexcept override { return "place 0 says why"; }
};

}  // namespace tess::detail
