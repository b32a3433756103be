// place: the sending half: connections, packets on their way, credit, progress.
#include "fabric/ucx/place.hpp"

#include <sys/statvfs.h>

#include <cstring>
#include <string>

#include "tess/assert.hpp"

namespace tess::detail {

namespace {

constexpr unsigned message_id = 1;
constexpr std::size_t spares_max = 256;
constexpr std::size_t spare_bytes_max = 8192;
/// What a message costs beside its bytes: an empty one takes room too.
constexpr std::uint32_t message_overhead = 64;

place_id place_of(std::uint64_t address) noexcept {
  return static_cast<place_id>(address >> 48);
}

packet head_of(packet_kind kind, place_id source) noexcept {
  packet p;
  std::memset(&p, 0, sizeof p);
  p.kind = kind;
  p.source = source;
  return p;
}

/// What UCX may have missed: room for its queues of shared memory, more often than not.
std::string what_a_worker_needs() {
  constexpr std::uint64_t enough = 16 << 20;
  struct statvfs shm{};
  if (statvfs("/dev/shm", &shm) == 0 && std::uint64_t{shm.f_bavail} * shm.f_bsize < enough)
    return "more room in /dev/shm, where " + std::to_string((std::uint64_t{shm.f_bavail} * shm.f_bsize) >> 10) +
           " KiB are left: about 8 MiB for each place (docker run --shm-size 1g)";
  return "transports that this host has: unset UCX_TLS and UCX_NET_DEVICES, or see `tess doctor --fabric ucx`";
}

}  // namespace

ucx_place::ucx_place(ucx_job& job, place_id id, bool shared)
    : job_(job),
      id_(id),
      memory_(job.places, shared, sizeof(mailbox_memory)),
      endpoints_(job.places),
      words_to_(job.places),
      under_way_to_(new std::atomic<std::uint64_t>[job.places]()),
      owed_(job.places) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  // One thread at a time, under our lock.
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  auto const check = [&](ucs_status_t status, char const* call) {
    if (status != UCS_OK)
      throw error("--fabric ucx", std::string(call) + ": " + job.ucx.status_string(status), what_a_worker_needs());
  };
  check(job.ucx.worker_create(job.context, &params, &worker_), "ucp_worker_create");
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG |
                       UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
  handler.id = message_id;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = &ucx_place::receive;
  handler.arg = this;
  check(job.ucx.worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
  check(job.ucx.worker_get_efd(worker_, &event_file_), "ucp_worker_get_efd");
}

ucx_place::~ucx_place() {
  std::lock_guard const lock(mutex_);
  for (ucp_ep_h const e : endpoints_) {
    if (e == nullptr) continue;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* const request = job_.ucx.ep_close_nbx(e, &param);
    if (!UCS_PTR_IS_PTR(request)) continue;
    for (int i = 0; i < 10000 && job_.ucx.request_check_status(request) == UCS_INPROGRESS; ++i)
      job_.ucx.worker_progress(worker_);
    job_.ucx.request_free(request);
  }
  if (worker_ != nullptr) job_.ucx.worker_destroy(worker_);
}

std::vector<std::byte> ucx_place::address() const {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  ucs_status_t const status = job_.ucx.worker_get_address(worker_, &address, &bytes);
  if (status != UCS_OK) throw error("--fabric ucx", job_.ucx.status_string(status), "an address of this place");
  auto const* const first = reinterpret_cast<std::byte const*>(address);
  std::vector<std::byte> copy(first, first + bytes);
  job_.ucx.worker_release_address(worker_, address);
  return copy;
}

// ── sending, under the lock ──────────────────────────────────────────────────────────────────────────────────────────

ucp_ep_h ucx_place::endpoint_to(place_id to) {
  ucp_ep_h& e = endpoints_[to];
  if (e != nullptr) return e;
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<ucp_address_t const*>(job_.addresses[to].data());
  // That a peer is gone must not end this process; what becomes of its operations is decided by on_failure.
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = [](void*, ucp_ep_h, ucs_status_t) {};
  if (job_.ucx.ep_create(worker_, &params, &e) != UCS_OK) {
    // Not every transport can tell: then the heartbeat does.
    params.err_mode = UCP_ERR_HANDLING_MODE_NONE;
    if (job_.ucx.ep_create(worker_, &params, &e) != UCS_OK) e = nullptr;
  }
  return e;
}

ucx_place::sending* ucx_place::take_sending(packet_kind kind) {
  if (free_sendings_ == nullptr) {
    all_sendings_.push_back(std::make_unique<sending>());
    all_sendings_.back()->owner = this;
    all_sendings_.back()->next = nullptr;
    free_sendings_ = all_sendings_.back().get();
  }
  sending* const s = free_sendings_;
  free_sendings_ = s->next;
  s->head = head_of(kind, id_);
  s->bytes.clear();
  sending_.fetch_add(1, std::memory_order_relaxed);
  return s;
}

void ucx_place::end_sending(sending* s) noexcept {
  if (s->bytes.capacity() > spare_bytes_max) s->bytes = {};
  s->next = free_sendings_;
  free_sendings_ = s;
  sending_.fetch_sub(1, std::memory_order_release);
}

void ucx_place::sent(void* request, ucs_status_t, void* user) {
  auto* const s = static_cast<sending*>(user);
  s->owner->end_sending(s);
  s->owner->job_.ucx.request_free(request);
}

void ucx_place::start(place_id to, sending* s, std::span<std::byte const> data) {
  ucp_ep_h const e = job_.failed[to].load(std::memory_order_relaxed) ? nullptr : endpoint_to(to);
  if (e == nullptr) {
    end_sending(s);
    job_.on_failure(to, "there is no connection to it");
    return;
  }
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = &ucx_place::sent;
  param.user_data = s;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  void* const request =
      job_.ucx.am_send_nbx(e, message_id, &s->head, packet_bytes(s->head.kind), data.data(), data.size(), &param);
  if (UCS_PTR_IS_PTR(request)) return;
  end_sending(s);
  if (UCS_PTR_IS_ERR(request)) job_.on_failure(to, job_.ucx.status_string(UCS_PTR_STATUS(request)));
}

void ucx_place::send(place_id to, packet const& head, std::span<std::byte const> data) {
  sending* const s = take_sending(head.kind);
  s->head = head;
  start(to, s, data);
}

void ucx_place::send_message(place_id to, std::uint32_t cost, std::span<std::byte const> bytes) {
  sending* const s = take_sending(packet_kind::message);
  s->head.cost = cost;
  s->bytes.assign(bytes.begin(), bytes.end());
  start(to, s, s->bytes);
}

// ── operations ──────────────────────────────────────────────────────────────────────────────────────────────────────

void ucx_place::put(std::span<std::byte const> source, std::uint64_t target, completion* local,
                    std::uint64_t notified) {
  packet p = head_of(packet_kind::put, id_);
  p.address = target;
  p.other = notified;
  place_id const to = place_of(source.empty() && notified != 0 ? notified : target);
  std::lock_guard const lock(mutex_);
  if (local != nullptr) p.cookie = operations_.add({to, local, nullptr, {}, 0, 0});
  send(to, p, source);
}

void ucx_place::get(std::uint64_t source, std::span<std::byte> target, completion* local) {
  packet p = head_of(packet_kind::get, id_);
  p.address = source;
  p.length = target.size();
  std::lock_guard const lock(mutex_);
  p.cookie = operations_.add({place_of(source), local, nullptr, target, 0, 0});
  send(place_of(source), p);
}

void ucx_place::copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) {
  packet p = head_of(packet_kind::copy, id_);
  p.address = source;
  p.other = target;
  p.length = bytes;
  std::lock_guard const lock(mutex_);
  p.cookie = operations_.add({place_of(source), local, nullptr, {}, 0, 0});
  send(place_of(source), p);
}

/// No more than is taken: a packet may say anything.
void ucx_place::give_back(place_id by, std::uint64_t credit) noexcept {
  std::uint64_t taken = under_way_to_[by].load(std::memory_order_relaxed);
  while (!under_way_to_[by].compare_exchange_weak(taken, taken - std::min(taken, credit), std::memory_order_relaxed)) {
  }
  under_way_.fetch_sub(std::min(taken, credit), std::memory_order_relaxed);
}

bool ucx_place::try_send(place_id to, message_class cls, std::span<std::byte const> bytes) {
  if (mail_reaches(to) && bytes.size() <= mailbox_memory::chunk_bytes) {
    if (mail_->send(to, bytes)) {
      wake_reader(to);
      return true;
    }
    // A reply that finds no room there goes the other way.
    if (cls == message_class::request) return false;
  }
  std::uint32_t cost = 0;
  if (cls == message_class::request) {
    cost = static_cast<std::uint32_t>(bytes.size()) + message_overhead;
    std::uint64_t before = under_way_.load(std::memory_order_relaxed);
    do {
      // A message larger than all credit may go alone.
      if (before != 0 && before + cost > job_.message_memory) return false;
    } while (!under_way_.compare_exchange_weak(before, before + cost, std::memory_order_relaxed));
    under_way_to_[to].fetch_add(cost, std::memory_order_relaxed);
  }
  if (to == id_) {
    std::vector<std::byte> copy = take_bytes(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    store({id_, cost, std::move(copy)});
    return true;
  }
  std::lock_guard const lock(mutex_);
  send_message(to, cost, bytes);
  return true;
}

void ucx_place::say_alive(place_id to) {
  std::lock_guard const lock(mutex_);
  send(to, head_of(packet_kind::alive, id_));
}

void ucx_place::say_called(place_id to) {
  std::lock_guard const lock(mutex_);
  send(to, head_of(packet_kind::call, id_));
}

void ucx_place::say_failed(place_id to, place_id failed) {
  packet p = head_of(packet_kind::failed, id_);
  p.address = failed;
  std::lock_guard const lock(mutex_);
  send(to, p);
}

// ── progress ────────────────────────────────────────────────────────────────────────────────────────────────────────

bool ucx_place::progress(bool wait) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (wait)
    lock.lock();
  else if (!lock.try_lock())
    return false;
  flush_all_words();
  // Whoever waits for what has ended does not wait for what comes behind it.
  for (int i = 0; i < 16 && job_.ucx.worker_progress(worker_) != 0 && ended_.empty(); ++i) {
  }
  while (!late_.empty()) {
    std::unique_ptr<arriving> a = std::move(late_.back());
    late_.pop_back();
    receive_rest(std::move(a));
  }
  bool const came = std::exchange(came_, false);
  // Who answers sends more.
  if (came) looks_.store(0, std::memory_order_relaxed);
  if (ended_.empty()) return came;
  std::vector<ending> ended;
  ended.swap(ended_);
  lock.unlock();
  acknowledge_ended(ended);
  return true;
}

void ucx_place::acknowledge_ended(std::vector<ending>& ended) {
  for (ending const& e : ended) e.cell->acknowledge(1, e.failure);
  ended.clear();
  // The memory is used again.
  std::unique_lock const lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && ended_.empty()) ended_.swap(ended);
}

bool ucx_place::arm() {
  std::lock_guard const lock(mutex_);
  return words_for_.empty() && late_.empty() && ended_.empty() && job_.ucx.worker_arm(worker_) == UCS_OK;
}

void ucx_place::end_failed(ucx_operation const& o, std::uint64_t failure) {
  if (o.done != nullptr) ended_.push_back({o.done, failure});
  if (o.origin_cookie == 0) return;
  packet p = head_of(packet_kind::done, id_);
  p.cookie = o.origin_cookie;
  p.address = failure;
  send(o.origin, p);
}

void ucx_place::end_operations_on(place_id failed) {
  if (mail_ != nullptr) mail_->give_up(failed);
  give_back(failed, ~std::uint64_t{0});
  std::lock_guard const lock(mutex_);
  std::vector<ucx_operation> lost;
  operations_.take_all(failed, [&](ucx_operation const& o) { lost.push_back(o); });
  for (ucx_operation const& o : lost) end_failed(o, std::uint64_t{failed} + 1);
}

// ── inbox ───────────────────────────────────────────────────────────────────────────────────────────────────────────

std::vector<std::byte> ucx_place::take_bytes(std::size_t size) {
  std::vector<std::byte> bytes;
  if (std::lock_guard const lock(inbox_mutex_); !spare_.empty()) {
    bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  bytes.resize(size);
  return bytes;
}

void ucx_place::store(message&& m) {
  std::lock_guard const lock(inbox_mutex_);
  inbox_.push_back(std::move(m));
  waiting_.store(inbox_.size(), std::memory_order_seq_cst);
}

bool ucx_place::pop(message& m) {
  if (waiting_.load(std::memory_order_relaxed) == 0) return false;
  std::lock_guard const lock(inbox_mutex_);
  if (inbox_.empty()) return false;
  m = std::move(inbox_.front());
  inbox_.pop_front();
  waiting_.store(inbox_.size(), std::memory_order_relaxed);
  return true;
}

void ucx_place::delivered(message&& m) {
  if (m.source == id_) give_back(id_, m.cost);
  std::lock_guard const lock(inbox_mutex_);
  if (m.bytes.capacity() <= spare_bytes_max && spare_.size() < spares_max) spare_.push_back(std::move(m.bytes));
  if (m.source == id_ || m.cost == 0) return;
  if (owed_[m.source] == 0) owed_to_.push_back(m.source);
  owed_[m.source] += m.cost;
  owes_.store(true, std::memory_order_relaxed);
}

void ucx_place::return_credit() {
  if (!owes_.load(std::memory_order_relaxed)) return;
  std::vector<std::pair<place_id, std::uint32_t>> owed;
  {
    std::lock_guard const lock(inbox_mutex_);
    for (place_id const p : owed_to_) owed.emplace_back(p, std::exchange(owed_[p], 0));
    owed_to_.clear();
    owes_.store(false, std::memory_order_relaxed);
  }
  std::lock_guard const lock(mutex_);
  for (auto const& [to, cost] : owed) {
    packet p = head_of(packet_kind::credit, id_);
    p.cost = cost;
    send(to, p);
  }
}

}  // namespace tess::detail
