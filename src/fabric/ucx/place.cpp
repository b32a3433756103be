// place: issue of operations, progress, and delivery of messages.
#include "fabric/ucx/place.hpp"

#include <algorithm>
#include <cstring>

namespace tess::detail {

namespace {

/// Credit that a message costs beside its bytes: an empty one needs memory, too.
constexpr std::uint32_t message_overhead = 64;
constexpr int packets_per_progress = 16;

}  // namespace

ucx_place::ucx_place(ucx_job& job, place_id id, bool shared, segment_part in)
    : job_(job),
      id_(id),
      memory_(job.places, shared, sizeof(mailbox_memory), job.places_here, in),
      credit_(job.places, job.message_memory),
      inbox_(job.places),
      mail_(job, id),
      transport_(job, id),
      words_(job, transport_),
      receiver_(job, id, memory_, transport_, operations_, credit_, inbox_) {}

ucx_place::~ucx_place() {
  std::lock_guard const lock(mutex_);
  transport_.close();
}

void ucx_place::word(word_request const& request, std::uint64_t (&result)[2], completion& done) {
  place_id const to = place_of(request.address);
  std::lock_guard const lock(mutex_);
  words_.add(to, {operations_.add({to, &done, result, {}, 0, 0}),
                  request.address,
                  {request.operands[0], request.operands[1]},
                  static_cast<std::uint8_t>(request.op),
                  static_cast<std::uint8_t>(request.type),
                  request.bytes,
                  request.alignment,
                  0});
}

void ucx_place::put(std::span<std::byte const> source, std::uint64_t target, completion* local,
                    std::uint64_t notified) {
  packet p = make_packet(packet_kind::put, id_);
  p.address = target;
  p.other = notified;
  place_id const to = place_of(source.empty() && notified != 0 ? notified : target);
  std::lock_guard const lock(mutex_);
  if (local != nullptr) p.cookie = operations_.add({to, local, nullptr, {}, 0, 0});
  transport_.send(to, p, source);
}

void ucx_place::get(std::uint64_t source, std::span<std::byte> target, completion* local) {
  packet p = make_packet(packet_kind::get, id_);
  p.address = source;
  p.length = target.size();
  std::lock_guard const lock(mutex_);
  p.cookie = operations_.add({place_of(source), local, nullptr, target, 0, 0});
  transport_.send(place_of(source), p);
}

void ucx_place::copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) {
  packet p = make_packet(packet_kind::copy, id_);
  p.address = source;
  p.other = target;
  p.length = bytes;
  std::lock_guard const lock(mutex_);
  p.cookie = operations_.add({place_of(source), local, nullptr, {}, 0, 0});
  transport_.send(place_of(source), p);
}

bool ucx_place::try_send(place_id to, message_class cls, std::span<std::byte const> bytes) {
  if (mail_.reaches(to) && bytes.size() <= mailbox_memory::chunk_bytes) {
    if (mail_.send(to, bytes)) return true;
    if (cls == message_class::request) return false;
    mail_.send_later(to, bytes);
    mail_.drop(bytes);
    return true;
  }
  std::uint32_t cost = 0;
  if (cls == message_class::request) {
    cost = static_cast<std::uint32_t>(bytes.size()) + message_overhead;
    if (!credit_.take(to, cost)) return false;
  }
  if (to == id_) {
    std::vector<std::byte> copy = inbox_.take_memory(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    inbox_.push({id_, cost, std::move(copy)});
    return true;
  }
  std::lock_guard const lock(mutex_);
  ucx_transport::outgoing* const message = transport_.make(packet_kind::message);
  message->head.cost = cost;
  message->bytes.assign(bytes.begin(), bytes.end());
  // The place has closed its mailbox since the memory for this message was lent.
  mail_.drop(bytes);
  transport_.send(to, message, message->bytes);
  return true;
}

void ucx_place::send(place_id to, packet const& p) {
  std::lock_guard const lock(mutex_);
  transport_.send(to, p);
}

void ucx_place::send_notice(ucx_notices::message const& m) {
  packet p = make_packet(packet_kind::failed, id_);
  p.address = m.failed;
  p.other = m.root;
  send(m.to, p);
}

bool ucx_place::progress(bool wait) {
  mail_.send_waiting();
  std::unique_lock lock(mutex_, std::defer_lock);
  if (wait)
    lock.lock();
  else if (!lock.try_lock())
    return false;
  words_.flush_all();
  // An operation that has ended does not wait for the packets behind it.
  for (int i = 0; i < packets_per_progress && transport_.progress() && !operations_.any_ended(); ++i) {
  }
  receiver_.fetch_late();
  bool const arrived = receiver_.take_arrived();
  if (arrived) mail_.expect_more();
  if (!operations_.any_ended()) return arrived;
  std::vector<ucx_ended> ended = operations_.take_ended();
  lock.unlock();
  for (ucx_ended const& e : ended) e.done->acknowledge(1, e.failure);
  if (lock.try_lock()) operations_.reuse(std::move(ended));
  return true;
}

bool ucx_place::arm() {
  std::lock_guard const lock(mutex_);
  return mail_.all_sent() && words_.empty() && !receiver_.has_late() && !operations_.any_ended() && transport_.arm();
}

void ucx_place::end_operations_on(place_id failed) {
  mail_.give_up(failed);
  credit_.give_back_all(failed);
  std::lock_guard const lock(mutex_);
  for (ucx_operation const& o : operations_.take_all(failed)) receiver_.end(o, std::uint64_t{failed} + 1);
}

unsigned ucx_place::deliver_inbox(unsigned budget, message_sink& sink) {
  unsigned delivered = 0;
  for (ucx_inbox::message m; delivered < budget && inbox_.pop(m); ++delivered) {
    sink.deliver(id_, m.source, m.bytes);
    bool const own = m.source == id_;
    if (own) credit_.give_back(id_, m.cost);
    inbox_.delivered(std::move(m), !own);
    m = {};
  }
  return delivered;
}

unsigned ucx_place::deliver_mail(unsigned budget, message_sink& sink, bool& served_others) {
  unsigned delivered = 0;
  // Each operation of another place brings one notification at most; they have the same bound as messages.
  unsigned notifications = 0;
  for (mailbox::received m; delivered < budget && notifications < budget && mail_.pop(m);) {
    if (take_notification(m)) {
      ++notifications;
      continue;
    }
    // What a place sent before it failed has been taken in already.
    if (!job_.has_failed(m.source)) {
      ++delivered;
      mail_.prepare_answer(m);
      sink.deliver(id_, m.source, m.view());
    }
    mail_.done(m);
  }
  served_others = notifications != 0;
  return delivered;
}

void ucx_place::take_in_mail() {
  mailbox::received m;
  // Other places go on sending; what was there at the beginning is among the first.
  for (unsigned i = 0; i < mailbox_memory::slots_count && mail_.pop(m); ++i) {
    if (take_notification(m)) continue;
    std::vector<std::byte> bytes = inbox_.take_memory(m.bytes);
    std::ranges::copy(m.view(), bytes.begin());
    mail_.done(m);
    inbox_.push({m.source, 0, std::move(bytes)});
  }
}

/// False: it is a message.
bool ucx_place::take_notification(mailbox::received const& m) {
  if (m.what == mailbox::kind::message || m.what == mailbox::kind::large_message) return false;
  completion* const notified = m.what == mailbox::kind::notification ? receiver_.own_completion(m.address()) : nullptr;
  if (notified == nullptr) {
    std::lock_guard const lock(mutex_);
    receiver_.refuse(m.source, "no message and no notification in its mailbox");
  } else if (!job_.has_failed(m.source)) {
    notified->acknowledge(1);
  }
  return true;
}

void ucx_place::return_credit() {
  std::vector<ucx_inbox::credit> const owed = inbox_.take_owed();
  if (owed.empty()) return;
  std::lock_guard const lock(mutex_);
  for (auto const& [to, cost] : owed) {
    packet p = make_packet(packet_kind::credit, id_);
    p.cost = cost;
    transport_.send(to, p);
  }
}

}  // namespace tess::detail
