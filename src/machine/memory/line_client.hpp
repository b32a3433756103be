// line_client: requests lines for an L2 from forwarding directories, and answers what they forward to it.
//
//   A requested line comes from memory or from the cache that owned it, and each cache that had it for reading
//   acknowledges to the requester that it has it no longer. The line is there when its bytes and all acknowledgements
//   are. A directory orders the requests for a line and waits for none of this, so a forwarded request or an
//   invalidation may come before the line itself. Each names the request that got this cache the line, by its number
//   (`about`). If that request is still under way, the answer waits until the line has come and was used once: all that
//   it then waits for was ordered before it, so there is no cycle. If it is an older one, the cache answers at once.
//   A cache keeps the bytes of a line that it writes back until the directory has taken them. A directory that has
//   forwarded a request to the cache before says so (`superseded`): then they stay until that request has come.
//   So messages may overtake each other in every way.
//
// Units     global addresses, picoseconds.
// Threads   one.
// Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8; that
//           forwarded requests name the request that they are about is ours: they need no order in the network then.
// Test      tests/machine/coherence.
#pragma once

#include <optional>
#include <vector>

#include "machine/adapter/transaction.hpp"
#include "machine/cache/l2_private.hpp"
#include "machine/kernel/pool.hpp"

namespace tess::machine {

/// What carries a client's messages.
class line_carrier {
 public:
  virtual ~line_carrier() = default;
  /// To the home of its address; `request.done` happens when the answer is here.
  virtual void request_line(transaction& request) = 0;
  /// To the same; `told.done` happens there.
  virtual void tell_home(transaction& told) = 0;
};

class line_client {
 public:
  /// `answer_ps`: from the surrender of a line until the answer leaves.
  line_client(kernel& k, l2_private& l2, line_carrier& by, picoseconds answer_ps)
      : kernel_(k), l2_(l2), by_(by), answer_ps_(answer_ps) {}
  line_client(line_client const&) = delete;
  line_client& operator=(line_client const&) = delete;

  // The functions of a line_memory.
  void fetch(line_fetch& wanted, event& done);
  void write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done);
  void give_up(std::uint64_t address, event& done);

  /// A probe or a forwarded request has come. `finished` happens when the answer may leave.
  void serve(transaction& asked, event& finished);

  /// Nothing that it has asked for or given back is under way.
  [[nodiscard]] bool idle() const noexcept { return requests_.idle(); }

  // Where a line is, for an observer; null: not there. A line on its way to a cache is as new as any.
  [[nodiscard]] std::byte* coming(std::uint64_t address) noexcept;
  /// On its way to the home, which waits for it.
  [[nodiscard]] std::byte* told(std::uint64_t address) noexcept;
  /// The cache that has not yet answered a request of this one for the line.
  [[nodiscard]] std::optional<std::uint32_t> forwarded_to(std::uint64_t address) noexcept;
  /// Changes everything in flight, without time.
  void change_on_way(overwrite const& written) noexcept;

 private:
  enum class stage : std::uint8_t { spare, fetching, arrived, departing };
  /// A request for a line, or a line that is written or given back; happens when the answer has come.
  struct request : event {
    explicit request(line_client& owner_)
        : event([](event& self) { static_cast<request&>(self).has_answer(); }),
          owner(owner_),
          acknowledged(*this, [](event& self) { static_cast<signal&>(self).of.has_acknowledgement(); }),
          used(*this, [](event& self) { static_cast<signal&>(self).of.was_used(); }) {}
    void has_answer();
    void has_acknowledgement();
    void was_used();
    struct signal : event {
      signal(request& of_, handler happens_) : event(happens_), of(of_) {}
      request& of;
    };
    struct early {
      transaction* asked = nullptr;
      event* finished = nullptr;
    };
    line_client& owner;
    transaction sent;
    signal acknowledged;  ///< Another cache has lost the line.
    signal used;
    stage is = stage::spare;
    bool has_come = false;          ///< The answer.
    bool surrendered = false;       ///< A forwarded request has got the line that was leaving.
    std::int64_t missing = 0;       ///< Acknowledgements; negative while it is not known how many will come.
    line_fetch* fetched = nullptr;  ///< Null: the line leaves.
    event* done = nullptr;
    std::vector<early> came_early;  ///< What came before the line.
  };
  /// Tells a home what its line's owner has given to a reader; happens there.
  struct copy : event {
    explicit copy(line_client& owner_)
        : event([](event& self) { static_cast<copy&>(self).owner.was_told(static_cast<copy&>(self)); }),
          owner(owner_) {}
    line_client& owner;
    transaction sent;
  };

  request& take(stage is, std::uint64_t address, event& done);
  void release(request& ended) {
    ended.is = stage::spare;
    requests_.give_back(ended);
  }
  void complete(request& of);
  void end_departure(request& of);
  void answer(transaction& asked, event& finished);
  void tell(std::uint64_t line, std::span<std::byte const> bytes);
  void was_told(copy& of);
  [[nodiscard]] std::uint64_t line_bytes() const noexcept { return l2_.shape().line_bytes; }

  kernel& kernel_;
  l2_private& l2_;
  line_carrier& by_;
  picoseconds answer_ps_;
  std::uint64_t numbers_ = 0;
  pool<request> requests_;
  pool<copy> copies_;
};

}  // namespace tess::machine
