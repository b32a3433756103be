// receive: the receiving half of a place: what each packet does. Runs inside ucp_worker_progress, under the place's
// lock.
//
//   A packet comes from a network: its kind, sizes, place and addresses are checked, and one that cannot be is dropped
//   with a line on standard error. Data that has not come with it (UCX's rendezvous) is fetched to where it belongs.
#include <cstdio>
#include <exception>

#include "fabric/ucx/place.hpp"

namespace tess::detail {

ucs_status_t ucx_place::receive(void* arg, void const* header, std::size_t header_bytes, void* data, std::size_t bytes,
                                ucp_am_recv_param_t const* param) {
  auto& self = *static_cast<ucx_place*>(arg);
  packet p;
  if (char const* const wrong =
          read_packet({static_cast<std::byte const*>(header), header_bytes}, self.job_.places, p)) {
    self.refuse(p, wrong);
    return UCS_OK;
  }
  // The others go on without it.
  if (self.job_.failed[p.source].load(std::memory_order_relaxed)) return UCS_OK;
  // Whoever is asked is asked again soon: its thread does not go to sleep at once.
  if (p.kind != packet_kind::alive && p.kind != packet_kind::credit) self.came_ = true;
  try {
    bool const late = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
    if (late) return self.take(p, {}, data, bytes);
    return self.take(p, {static_cast<std::byte const*>(data), bytes}, nullptr, bytes);
  } catch (std::exception const&) {
    // The size is what the packet says.
    self.refuse(p, "no memory for what it brings");
    return UCS_OK;
  }
}

ucs_status_t ucx_place::take(packet const& p, std::span<std::byte const> data, void* descriptor, std::size_t bytes) {
  bool const words = p.kind == packet_kind::words || p.kind == packet_kind::word_results;
  if (!words && p.kind != packet_kind::message && p.kind != packet_kind::put && p.kind != packet_kind::get_result) {
    take_short(p);
    return UCS_OK;
  }
  if (words && !is_batch(p.kind, bytes)) {
    refuse(p, "words of the wrong size");
    return UCS_OK;
  }
  if (words && descriptor == nullptr) {
    // Read where they lie.
    finish(p, {}, data);
    return UCS_OK;
  }
  std::span<std::byte> target;
  std::vector<std::byte> room;
  if (!place_for(p, bytes, target, room)) return UCS_OK;
  if (descriptor != nullptr) {
    late_.push_back(std::make_unique<arriving>(arriving{p, this, descriptor, std::move(room), target}));
    return UCS_INPROGRESS;
  }
  if (!data.empty()) std::memcpy(target.data(), data.data(), data.size());
  finish(p, std::move(room), target);
  return UCS_OK;
}

bool ucx_place::place_for(packet const& p, std::size_t bytes, std::span<std::byte>& target,
                          std::vector<std::byte>& room) {
  if (p.kind == packet_kind::message || p.kind == packet_kind::words || p.kind == packet_kind::word_results) {
    room = take_bytes(bytes);
    target = room;
    return true;
  }
  if (p.kind == packet_kind::get_result) {
    ucx_operation const* const o = operations_.find(p.cookie);
    // Its place was given up.
    if (o == nullptr) return false;
    target = o->target;
    if (target.size() == bytes) return true;
    refuse(p, "an answer of the wrong size");
    return false;
  }
  std::byte* const memory = bytes == 0 ? memory_.base() : own(p.address, bytes);
  bool const notifies = p.other == 0 || (p.other % alignof(completion) == 0 && own(p.other, sizeof(completion)));
  if (memory == nullptr || !notifies) {
    refuse(p, "a put outside of the segment");
    return false;
  }
  target = {memory, bytes};
  return true;
}

/// The data is where it belongs.
void ucx_place::finish(packet const& p, std::vector<std::byte>&& message_bytes, std::span<std::byte const> words) {
  switch (p.kind) {
    case packet_kind::words:
      take_words(p, words);
      return;
    case packet_kind::word_results:
      take_word_results(words);
      return;
    case packet_kind::message:
      store({p.source, p.cost, std::move(message_bytes)});
      return;
    case packet_kind::get_result:
      end(p.cookie, 0);
      return;
    default:
      break;
  }
  if (p.other != 0) ended_.push_back({reinterpret_cast<completion*>(own(p.other, sizeof(completion))), 0});
  if (p.cookie == 0) return;
  packet answer = p;
  answer.kind = packet_kind::done;
  answer.source = id_;
  answer.address = 0;
  send(p.source, answer);
}

void ucx_place::take_short(packet const& p) {
  switch (p.kind) {
    case packet_kind::credit:
      give_back(p.source, p.cost);
      return;
    case packet_kind::get: {
      std::byte const* const memory = p.length == 0 ? memory_.base() : own(p.address, p.length);
      if (memory == nullptr) {
        refuse(p, "a get outside of the segment");
        return;
      }
      packet answer = p;
      answer.kind = packet_kind::get_result;
      answer.source = id_;
      send(p.source, answer, {memory, p.length});
      return;
    }
    case packet_kind::copy:
      take_copy(p);
      return;
    case packet_kind::done:
      end(p.cookie, p.address);
      return;
    case packet_kind::alive:
      job_.on_alive(id_, p.source);
      return;
    case packet_kind::call:
      called_ = true;
      return;
    case packet_kind::failed:
      if (p.address < job_.places)
        job_.on_failure(static_cast<place_id>(p.address),
                        p.address == id_ ? "the other places go on without it: it was silent for too long"
                                         : "another place says so");
      return;
    case packet_kind::message:
    case packet_kind::put:
    case packet_kind::get_result:
    case packet_kind::words:
    case packet_kind::word_results:
      return;
  }
}

/// On behalf of another place: the bytes are put to where they belong, whose answer is passed on.
void ucx_place::take_copy(packet const& p) {
  std::byte* const memory = p.length == 0 ? memory_.base() : own(p.address, p.length);
  auto const to = static_cast<place_id>(p.other >> 48);
  if (memory == nullptr || to >= job_.places) {
    refuse(p, "a copy from outside of the segment");
    return;
  }
  packet put = p;
  put.kind = packet_kind::put;
  put.source = id_;
  put.address = p.other;
  put.other = 0;
  if (to == id_) {
    std::byte* const target = p.length == 0 ? memory_.base() : own(p.other, p.length);
    if (target == nullptr) return refuse(p, "a copy to outside of the segment");
    std::memmove(target, memory, p.length);
    put.source = p.source;
    finish(put, {}, {});
    return;
  }
  put.cookie = operations_.add({to, nullptr, nullptr, {}, p.cookie, p.source});
  send(to, put, {memory, p.length});
}

void ucx_place::end(std::uint64_t cookie, std::uint64_t failure) {
  if (auto const o = operations_.take(cookie)) end_failed(*o, failure);
}

void ucx_place::receive_rest(std::unique_ptr<arriving> a) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.recv_am = &ucx_place::received;
  param.user_data = a.get();
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  void* const request = job_.ucx.am_recv_data_nbx(worker_, a->descriptor, a->target.data(), a->target.size(), &param);
  if (request == nullptr) {
    finish(a->head, std::move(a->bytes), a->target);
  } else if (UCS_PTR_IS_ERR(request)) {
    job_.on_failure(a->head.source, job_.ucx.status_string(UCS_PTR_STATUS(request)));
  } else {
    static_cast<void>(a.release());  // received() has it
  }
}

void ucx_place::received(void* request, ucs_status_t status, std::size_t, void* user) {
  std::unique_ptr<arriving> const a(static_cast<arriving*>(user));
  ucx_place& self = *a->owner;
  if (status == UCS_OK)
    self.finish(a->head, std::move(a->bytes), a->target);
  else
    self.job_.on_failure(a->head.source, self.job_.ucx.status_string(status));
  self.job_.ucx.request_free(request);
}

std::byte* ucx_place::own(std::uint64_t address, std::uint64_t bytes) const noexcept {
  std::uint64_t const offset = address & 0xffff'ffff'ffffU;
  if (address >> 48 != id_ || !memory_.committed(offset, bytes)) return nullptr;
  return memory_.base() + offset;
}

void ucx_place::refuse(packet const& p, char const* why) noexcept {
  // Whoever sends many must not fill the disk with what we say of them.
  if (refused_ == refusals_told) return;
  std::fprintf(stderr, "tess: place %u dropped a packet that says it is of place %u: %s%s\n", unsigned{id_},
               unsigned{p.source}, why, ++refused_ == refusals_told ? "; others will not be told" : "");
}

}  // namespace tess::detail
