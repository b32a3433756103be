// transport: UCX's calls for workers, endpoints and active messages.
#include "fabric/ucx/transport.hpp"

#include <sys/statvfs.h>

#include <exception>
#include <string>

#include "tess/error.hpp"

namespace tess::detail {

namespace {

constexpr unsigned message_id = 1;
/// A packet keeps no more memory than this for its next use.
constexpr std::size_t packet_memory_max = 8192;

/// The likely reason why UCX makes no worker: too little room for its queues in shared memory.
std::string worker_remedy() {
  constexpr std::uint64_t enough = 16 << 20;
  struct statvfs shm{};
  if (statvfs("/dev/shm", &shm) == 0 && std::uint64_t{shm.f_bavail} * shm.f_bsize < enough)
    return "more room in /dev/shm, where " + std::to_string((std::uint64_t{shm.f_bavail} * shm.f_bsize) >> 10) +
           " KiB are left: about 8 MiB for each place (docker run --shm-size 1g)";
  return "transports that this host has: unset UCX_TLS and UCX_NET_DEVICES, or see `tess doctor --fabric ucx`";
}

void check_worker(ucx_job const& job, ucs_status_t status, char const* call) {
  if (status != UCS_OK)
    throw error("--fabric ucx", std::string(call) + ": " + job.ucx.status_string(status), worker_remedy());
}

}  // namespace

ucx_transport::ucx_transport(ucx_job& job, place_id id) : job_(job), id_(id), connections_(job.places) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  // One thread at a time, under the place's lock.
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  check_worker(job, job.ucx.worker_create(job.context, &params, &worker_), "ucp_worker_create");
}

ucx_transport::~ucx_transport() {
  close();
}

void ucx_transport::set_handler(ucp_am_recv_callback_t handler, void* context) {
  ucp_am_handler_param_t param{};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG |
                     UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
  param.id = message_id;
  param.flags = UCP_AM_FLAG_WHOLE_MSG;
  param.cb = handler;
  param.arg = context;
  check_worker(job_, job_.ucx.worker_set_am_recv_handler(worker_, &param), "ucp_worker_set_am_recv_handler");
  check_worker(job_, job_.ucx.worker_get_efd(worker_, &event_file_), "ucp_worker_get_efd");
}

void ucx_transport::close() noexcept {
  for (ucp_ep_h& e : connections_) {
    if (e == nullptr) continue;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* const request = job_.ucx.ep_close_nbx(e, &param);
    e = nullptr;
    if (!UCS_PTR_IS_PTR(request)) continue;
    for (int i = 0; i < 10000 && job_.ucx.request_check_status(request) == UCS_INPROGRESS; ++i) progress();
    job_.ucx.request_free(request);
  }
  if (worker_ != nullptr) job_.ucx.worker_destroy(worker_);
  worker_ = nullptr;
}

std::vector<std::byte> ucx_transport::address() const {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  ucs_status_t const status = job_.ucx.worker_get_address(worker_, &address, &bytes);
  if (status != UCS_OK) throw error("--fabric ucx", job_.ucx.status_string(status), "an address of this place");
  auto const* const first = reinterpret_cast<std::byte const*>(address);
  std::vector<std::byte> copy(first, first + bytes);
  job_.ucx.worker_release_address(worker_, address);
  return copy;
}

ucp_ep_h ucx_transport::connection_to(place_id to) {
  ucp_ep_h& e = connections_[to];
  if (e != nullptr) return e;
  std::span<std::byte const> address;
  try {
    address = job_.known->of(to).address;
  } catch (std::exception const&) {
    return nullptr;
  }
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<ucp_address_t const*>(address.data());
  // The end of a peer must not end this process; on_failure decides what becomes of its operations.
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = [](void*, ucp_ep_h, ucs_status_t) {};
  if (job_.ucx.ep_create(worker_, &params, &e) != UCS_OK) {
    // Some transports cannot detect it: then the heartbeat does.
    params.err_mode = UCP_ERR_HANDLING_MODE_NONE;
    if (job_.ucx.ep_create(worker_, &params, &e) != UCS_OK) e = nullptr;
  }
  return e;
}

ucx_transport::outgoing* ucx_transport::make(packet_kind kind) {
  if (unused_ == nullptr) {
    all_.push_back(std::make_unique<outgoing>());
    all_.back()->owner = this;
    all_.back()->next = nullptr;
    unused_ = all_.back().get();
  }
  outgoing* const o = unused_;
  unused_ = o->next;
  o->head = make_packet(kind, id_);
  o->bytes.clear();
  under_way_.fetch_add(1, std::memory_order_relaxed);
  return o;
}

void ucx_transport::release(outgoing* o) noexcept {
  if (o->bytes.capacity() > packet_memory_max) o->bytes = {};
  o->next = unused_;
  unused_ = o;
  under_way_.fetch_sub(1, std::memory_order_release);
}

void ucx_transport::sent(void* request, ucs_status_t, void* user) {
  auto* const o = static_cast<outgoing*>(user);
  ucx_transport& self = *o->owner;
  self.release(o);
  self.job_.ucx.request_free(request);
}

void ucx_transport::send(place_id to, outgoing* o, std::span<std::byte const> data) {
  ucp_ep_h const e = job_.has_failed(to) ? nullptr : connection_to(to);
  if (e == nullptr) {
    release(o);
    job_.on_failure(to, "there is no connection to it");
    return;
  }
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = &ucx_transport::sent;
  param.user_data = o;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  void* const request =
      job_.ucx.am_send_nbx(e, message_id, &o->head, packet_bytes(o->head.kind), data.data(), data.size(), &param);
  if (UCS_PTR_IS_PTR(request)) return;
  release(o);
  if (UCS_PTR_IS_ERR(request)) job_.on_failure(to, job_.ucx.status_string(UCS_PTR_STATUS(request)));
}

void ucx_transport::send(place_id to, packet const& head, std::span<std::byte const> data) {
  outgoing* const o = make(head.kind);
  o->head = head;
  send(to, o, data);
}

}  // namespace tess::detail
