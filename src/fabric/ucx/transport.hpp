// transport: the UCP worker of a place, its connections, and the packets that leave through them.
//
// Threads  the place's lock guards all of it, but all_sent() and event_file().
// Cost     connections are made on first use; packets are reused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/ucx/job.hpp"
#include "fabric/ucx/packet.hpp"

namespace tess::detail {

class ucx_transport {
 public:
  /// A packet until UCX has sent it.
  struct outgoing {
    packet head;
    ucx_transport* owner;
    std::vector<std::byte> bytes;  ///< the data of messages and words
    outgoing* next;                ///< in the list of unused ones
  };

  ucx_transport(ucx_job& job, place_id id);
  ~ucx_transport();
  ucx_transport(ucx_transport const&) = delete;
  ucx_transport& operator=(ucx_transport const&) = delete;

  /// `handler` is called for each packet that arrives, inside progress() and close().
  void set_handler(ucp_am_recv_callback_t handler, void* context);
  /// Closes all connections and ends the worker: the handler is not called any more.
  void close() noexcept;

  [[nodiscard]] std::vector<std::byte> address() const;
  [[nodiscard]] int event_file() const noexcept { return event_file_; }
  [[nodiscard]] ucp_worker_h worker() const noexcept { return worker_; }

  /// False: there was nothing to do.
  bool progress() noexcept { return job_.ucx.worker_progress(worker_) != 0; }
  /// The event file will report what arrives next; false: there is something to progress first.
  [[nodiscard]] bool arm() noexcept { return job_.ucx.worker_arm(worker_) == UCS_OK; }

  [[nodiscard]] outgoing* make(packet_kind kind);
  void release(outgoing* o) noexcept;
  /// `data` must stay as it is until the packet has been sent; o->bytes does.
  void send(place_id to, outgoing* o, std::span<std::byte const> data);
  void send(place_id to, packet const& head, std::span<std::byte const> data = {});
  /// UCX has no packet of this place any more.
  [[nodiscard]] bool all_sent() const noexcept { return under_way_.load(std::memory_order_acquire) == 0; }

 private:
  ucp_ep_h connection_to(place_id to);
  static void sent(void* request, ucs_status_t status, void* user);

  ucx_job& job_;
  place_id id_;
  ucp_worker_h worker_ = nullptr;
  int event_file_ = -1;
  std::vector<ucp_ep_h> connections_;
  outgoing* unused_ = nullptr;
  std::vector<std::unique_ptr<outgoing>> all_;
  std::atomic<std::uint64_t> under_way_{0};
};

}  // namespace tess::detail
