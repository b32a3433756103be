// directory: what both kinds of directory (MESI) have: probes of caches, requests that wait for their line, and counts.
//
//   A directory keeps the lines of its home coherent: a part of a memory's addresses. `blocking_directory` serves one
//   request for a line at a time and passes all data; `forwarding_directory` lets owners answer requesters.
//
// Units     bytes, picoseconds. A line is identified by its cached global address.
// Threads   one.
// Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8.
#pragma once

#include <cstdint>
#include <deque>

#include "machine/adapter/transaction.hpp"
#include "machine/cache/overwrite.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/kernel/pool.hpp"

namespace tess::machine {

class directory {
 public:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct statistics {
    std::uint64_t requests = 0;       ///< For lines, write-backs, and transfers.
    std::uint64_t waited = 0;         ///< Requests that found their line blocked.
    picoseconds wait_ps = 0;          ///< Sum of the waiting times.
    picoseconds taken_ps = 0;         ///< Sum of the times in which lines were blocked.
    std::uint64_t forwards = 0;       ///< Probes of owners, and requests that were forwarded to them,
    std::uint64_t supplied = 0;       ///< and those that brought a written line to the directory.
    std::uint64_t invalidations = 0;  ///< Probes of sharers.
    std::uint64_t write_backs = 0;    ///< Lines that caches wrote back,
    std::uint64_t given_back = 0;     ///< and clean ones that their owners gave back,
    std::uint64_t stale = 0;          ///< of which this many came from a cache that was no longer the owner.
  };

  /// `look_up_ps`: from the arrival of a request until its line's record is known.
  directory(kernel& k, picoseconds look_up_ps, std::uint64_t line_bytes)
      : line_bytes_(line_bytes), kernel_(k), look_up_ps_(look_up_ps) {}
  directory(directory const&) = delete;
  directory& operator=(directory const&) = delete;
  virtual ~directory() = default;

  /// The cache that may write a line, as far as the directory knows, or nobody.
  [[nodiscard]] virtual std::uint32_t owner_of(std::uint64_t address) const = 0;
  /// The line as its owner has surrendered it, if the answer is still in flight; null otherwise.
  [[nodiscard]] std::byte* in_answer(std::uint64_t address) noexcept;
  /// Changes all answers in flight, without time.
  void change_on_way(overwrite const& written) noexcept;
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }

 protected:
  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept { return address & ~(line_bytes_ - 1); }
  /// The request reads or writes bytes and caches none of them, as transfers do.
  [[nodiscard]] static bool keeps_nothing(transaction const& request) noexcept {
    return request.what == remote_operation::write || request.right() == line_right::none;
  }

  /// A probe of one cache.
  struct probe : event {
    explicit probe(directory& owner_)
        : event([](event& self) { static_cast<probe&>(self).owner.answered(static_cast<probe&>(self)); }),
          owner(owner_) {}
    directory& owner;
    transaction sent;
    event* by = nullptr;  ///< What it is sent for.
  };
  /// To be sent; answered() is called when its answer is there, and gives it back.
  [[nodiscard]] probe& probe_of(std::uint32_t tile, std::uint64_t line, line_right keep, event& by);
  virtual void answered(probe& of) = 0;
  void give_back(probe& of) {
    of.sent.bytes = 0;
    probes_.give_back(of);
  }

  /// Requests wait for their line in order of arrival.
  template <class Visit>
  void wait(Visit& v, std::deque<Visit*>& queue) {
    ++counted_.waited;
    v.since = kernel_.now();
    queue.push_back(&v);
  }
  template <class Visit>
  [[nodiscard]] Visit& next(std::deque<Visit*>& queue) {
    Visit& first = *queue.front();
    queue.pop_front();
    counted_.wait_ps += kernel_.now() - first.since;
    return first;
  }

  std::uint64_t line_bytes_;
  statistics counted_;
  kernel& kernel_;
  picoseconds look_up_ps_;

 private:
  pool<probe> probes_;
};

}  // namespace tess::machine
