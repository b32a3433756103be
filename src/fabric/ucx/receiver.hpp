// receiver: what a place does with each packet that arrives.
//
//   Runs inside UCX's progress, under the place's lock. Packets come from a network: kind, sizes, place and addresses
//   are checked, and a wrong packet is dropped with a line on standard error. Data that did not come with its packet
//   (UCX's rendezvous) is fetched to where it belongs.
//
// Threads  the place's lock guards all of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fabric/segment.hpp"
#include "fabric/ucx/credit.hpp"
#include "fabric/ucx/inbox.hpp"
#include "fabric/ucx/operations.hpp"
#include "fabric/ucx/transport.hpp"

namespace tess::detail {

class ucx_receiver {
 public:
  ucx_receiver(ucx_job& job, place_id id, segment const& memory, ucx_transport& transport, ucx_operations& operations,
               ucx_credit& credit, ucx_inbox& inbox);
  ucx_receiver(ucx_receiver const&) = delete;
  ucx_receiver& operator=(ucx_receiver const&) = delete;

  /// UCX's callback; `arg` is a receiver.
  static ucs_status_t receive(void* arg, void const* header, std::size_t header_bytes, void* data, std::size_t bytes,
                              ucp_am_recv_param_t const* param);

  /// Data that could not be fetched inside UCX's callback.
  void fetch_late();
  [[nodiscard]] bool has_late() const noexcept { return !late_.empty(); }
  /// A message, an answer or a request has arrived since the last call.
  [[nodiscard]] bool take_arrived() noexcept { return std::exchange(arrived_, false); }

  /// `failure`: 0, or the failed place + 1.
  void end(ucx_operation const& operation, std::uint64_t failure);
  /// [address, address + bytes) of this place's segment; null if it is not.
  [[nodiscard]] std::byte* own(std::uint64_t address, std::uint64_t bytes) const noexcept;
  /// A completion of this place; null if there can be none at that address.
  [[nodiscard]] completion* own_completion(std::uint64_t address) const noexcept;
  void refuse(place_id source, char const* why) noexcept;

 private:
  /// A packet whose data has not arrived.
  struct arriving {
    packet head;
    ucx_receiver* owner;
    void* descriptor;
    std::vector<std::byte> bytes;  ///< of messages and words
    std::span<std::byte> target;
  };

  static void received(void* request, ucs_status_t status, std::size_t bytes, void* user);
  ucs_status_t take(packet const& p, std::span<std::byte const> data, void* descriptor, std::size_t bytes);
  [[nodiscard]] bool find_target(packet const& p, std::size_t bytes, std::span<std::byte>& target,
                                 std::vector<std::byte>& memory);
  void take_short(packet const& p);
  void take_copy(packet const& p);
  void take_words(packet const& p, std::span<std::byte const> data);
  void take_word_results(std::span<std::byte const> data);
  void finish(packet const& p, std::vector<std::byte>&& message_bytes, std::span<std::byte const> words);
  void fetch(std::unique_ptr<arriving> a);

  static constexpr unsigned refusals_reported = 20;

  ucx_job& job_;
  place_id id_;
  segment const& memory_;
  ucx_transport& transport_;
  ucx_operations& operations_;
  ucx_credit& credit_;
  ucx_inbox& inbox_;
  std::vector<std::unique_ptr<arriving>> late_;
  bool arrived_ = false;
  unsigned refused_ = 0;  ///< packets
};

}  // namespace tess::detail
