// receiver: one function for each kind of packet.
#include "fabric/ucx/receiver.hpp"

#include <cstdio>
#include <cstring>
#include <exception>

#include "fabric/ucx/word_batches.hpp"

namespace tess::detail {

ucx_receiver::ucx_receiver(ucx_job& job, place_id id, segment const& memory, ucx_transport& transport,
                           ucx_operations& operations, ucx_credit& credit, ucx_inbox& inbox)
    : job_(job),
      id_(id),
      memory_(memory),
      transport_(transport),
      operations_(operations),
      credit_(credit),
      inbox_(inbox) {
  transport.set_handler(&ucx_receiver::receive, this);
}

ucs_status_t ucx_receiver::receive(void* arg, void const* header, std::size_t header_bytes, void* data,
                                   std::size_t bytes, ucp_am_recv_param_t const* param) {
  auto& self = *static_cast<ucx_receiver*>(arg);
  packet p;
  if (char const* const wrong =
          read_packet({static_cast<std::byte const*>(header), header_bytes}, self.job_.places, p)) {
    self.refuse(p.source, wrong);
    return UCS_OK;
  }
  // The other places go on without it.
  if (self.job_.has_failed(p.source)) return UCS_OK;
  // One request is often followed by another: the thread does not sleep at once.
  if (p.kind != packet_kind::heartbeat && p.kind != packet_kind::credit) self.arrived_ = true;
  try {
    bool const late = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
    if (late) return self.take(p, {}, data, bytes);
    return self.take(p, {static_cast<std::byte const*>(data), bytes}, nullptr, bytes);
  } catch (std::exception const&) {
    // The packet claims that size.
    self.refuse(p.source, "no memory for what it brings");
    return UCS_OK;
  }
}

ucs_status_t ucx_receiver::take(packet const& p, std::span<std::byte const> data, void* descriptor, std::size_t bytes) {
  bool const words = p.kind == packet_kind::words || p.kind == packet_kind::word_results;
  if (!words && p.kind != packet_kind::message && p.kind != packet_kind::put && p.kind != packet_kind::get_result) {
    take_short(p);
    return UCS_OK;
  }
  if (words && !is_batch(p.kind, bytes)) {
    refuse(p.source, "words of the wrong size");
    return UCS_OK;
  }
  if (words && descriptor == nullptr) {
    // They are read in UCX's memory.
    finish(p, {}, data);
    return UCS_OK;
  }
  std::span<std::byte> target;
  std::vector<std::byte> memory;
  if (!find_target(p, bytes, target, memory)) return UCS_OK;
  if (descriptor != nullptr) {
    late_.push_back(std::make_unique<arriving>(arriving{p, this, descriptor, std::move(memory), target}));
    return UCS_INPROGRESS;
  }
  if (!data.empty()) std::memcpy(target.data(), data.data(), data.size());
  finish(p, std::move(memory), target);
  return UCS_OK;
}

bool ucx_receiver::find_target(packet const& p, std::size_t bytes, std::span<std::byte>& target,
                               std::vector<std::byte>& memory) {
  if (p.kind == packet_kind::message || p.kind == packet_kind::words || p.kind == packet_kind::word_results) {
    memory = inbox_.take_memory(bytes);
    target = memory;
    return true;
  }
  if (p.kind == packet_kind::get_result) {
    ucx_operation const* const o = operations_.find(p.cookie);
    // The failure of its place has ended it.
    if (o == nullptr) return false;
    target = o->target;
    if (target.size() == bytes) return true;
    refuse(p.source, "an answer of the wrong size");
    return false;
  }
  std::byte* const to = bytes == 0 ? memory_.base() : own(p.address, bytes);
  if (to == nullptr || (p.other != 0 && own_completion(p.other) == nullptr)) {
    refuse(p.source, "a put outside of the segment");
    return false;
  }
  target = {to, bytes};
  return true;
}

/// The data has arrived where it belongs.
void ucx_receiver::finish(packet const& p, std::vector<std::byte>&& message_bytes, std::span<std::byte const> words) {
  switch (p.kind) {
    case packet_kind::words:
      take_words(p, words);
      return;
    case packet_kind::word_results:
      take_word_results(words);
      return;
    case packet_kind::message:
      inbox_.push({p.source, p.cost, std::move(message_bytes)});
      return;
    case packet_kind::get_result:
      if (auto const o = operations_.take(p.cookie)) end(*o, 0);
      return;
    default:
      break;
  }
  if (p.other != 0) operations_.acknowledge_later(*own_completion(p.other), 0);
  if (p.cookie == 0) return;
  packet answer = p;
  answer.kind = packet_kind::done;
  answer.source = id_;
  answer.address = 0;
  transport_.send(p.source, answer);
}

void ucx_receiver::take_short(packet const& p) {
  switch (p.kind) {
    case packet_kind::credit:
      credit_.give_back(p.source, p.cost);
      return;
    case packet_kind::get: {
      std::byte const* const memory = p.length == 0 ? memory_.base() : own(p.address, p.length);
      if (memory == nullptr) {
        refuse(p.source, "a get outside of the segment");
        return;
      }
      packet answer = p;
      answer.kind = packet_kind::get_result;
      answer.source = id_;
      transport_.send(p.source, answer, {memory, p.length});
      return;
    }
    case packet_kind::copy:
      take_copy(p);
      return;
    case packet_kind::done:
      if (auto const o = operations_.take(p.cookie)) end(*o, p.address);
      return;
    case packet_kind::heartbeat:
      job_.on_heartbeat(p.source);
      return;
    case packet_kind::failed:
      if (p.address >= job_.places || p.other >= job_.places) return refuse(p.source, "a notice about no place");
      if (p.address == id_)
        job_.on_failure(id_, "the other places go on without it: it was silent for too long");
      else
        job_.on_notice(static_cast<place_id>(p.address), static_cast<place_id>(p.other));
      return;
    case packet_kind::message:
    case packet_kind::put:
    case packet_kind::get_result:
    case packet_kind::words:
    case packet_kind::word_results:
      return;
  }
}

/// On behalf of another place: puts the bytes to their target, whose answer end() passes on.
void ucx_receiver::take_copy(packet const& p) {
  std::byte* const memory = p.length == 0 ? memory_.base() : own(p.address, p.length);
  auto const to = place_of(p.other);
  if (memory == nullptr || to >= job_.places) {
    refuse(p.source, "a copy from outside of the segment");
    return;
  }
  packet put = p;
  put.kind = packet_kind::put;
  put.source = id_;
  put.address = p.other;
  put.other = 0;
  if (to == id_) {
    std::byte* const target = p.length == 0 ? memory_.base() : own(p.other, p.length);
    if (target == nullptr) return refuse(p.source, "a copy to outside of the segment");
    std::memmove(target, memory, p.length);
    put.source = p.source;
    finish(put, {}, {});
    return;
  }
  put.cookie = operations_.add({to, nullptr, nullptr, {}, p.cookie, p.source});
  transport_.send(to, put, {memory, p.length});
}

void ucx_receiver::end(ucx_operation const& operation, std::uint64_t failure) {
  if (operation.done != nullptr) operations_.acknowledge_later(*operation.done, failure);
  if (operation.origin_cookie == 0) return;
  packet p = make_packet(packet_kind::done, id_);
  p.cookie = operation.origin_cookie;
  p.address = failure;
  transport_.send(operation.origin, p);
}

/// The answer has the results of the operations that can be performed. The others are reported and not answered.
void ucx_receiver::take_words(packet const& p, std::span<std::byte const> data) {
  ucx_transport::outgoing* const answers = transport_.make(packet_kind::word_results);
  for (std::size_t at = 0; at + sizeof(word_entry) <= data.size(); at += sizeof(word_entry)) {
    word_entry e;
    std::memcpy(&e, data.data() + at, sizeof e);
    std::byte* const memory = is_word(e) ? own(e.address, e.bytes) : nullptr;
    if (memory == nullptr) {
      refuse(p.source, is_word(e) ? "a word operation outside of the segment" : "a word operation of an unknown sort");
      continue;
    }
    word_request const request{
        static_cast<word_op>(e.op),    static_cast<word_type>(e.type), e.bytes, e.alignment, e.address,
        {e.operands[0], e.operands[1]}};
    word_answer answer{e.cookie, {}};
    apply_request(memory, request, answer.result);
    ucx_word_batches::append(*answers, answer);
  }
  if (answers->bytes.empty())
    transport_.release(answers);
  else
    transport_.send(p.source, answers, answers->bytes);
}

void ucx_receiver::take_word_results(std::span<std::byte const> data) {
  for (std::size_t at = 0; at + sizeof(word_answer) <= data.size(); at += sizeof(word_answer)) {
    word_answer answer;
    std::memcpy(&answer, data.data() + at, sizeof answer);
    auto const o = operations_.take(answer.cookie);
    if (!o) continue;
    // The cookie may be that of a block: a packet can contain anything.
    if (o->result != nullptr) std::memcpy(o->result, answer.result, sizeof answer.result);
    end(*o, 0);
  }
}

void ucx_receiver::fetch_late() {
  while (!late_.empty()) {
    std::unique_ptr<arriving> a = std::move(late_.back());
    late_.pop_back();
    fetch(std::move(a));
  }
}

void ucx_receiver::fetch(std::unique_ptr<arriving> a) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.recv_am = &ucx_receiver::received;
  param.user_data = a.get();
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  void* const request =
      job_.ucx.am_recv_data_nbx(transport_.worker(), a->descriptor, a->target.data(), a->target.size(), &param);
  if (request == nullptr) {
    finish(a->head, std::move(a->bytes), a->target);
  } else if (UCS_PTR_IS_ERR(request)) {
    job_.on_failure(a->head.source, job_.ucx.status_string(UCS_PTR_STATUS(request)));
  } else {
    static_cast<void>(a.release());  // received() has it
  }
}

void ucx_receiver::received(void* request, ucs_status_t status, std::size_t, void* user) {
  std::unique_ptr<arriving> const a(static_cast<arriving*>(user));
  ucx_receiver& self = *a->owner;
  if (status == UCS_OK)
    self.finish(a->head, std::move(a->bytes), a->target);
  else
    self.job_.on_failure(a->head.source, self.job_.ucx.status_string(status));
  self.job_.ucx.request_free(request);
}

std::byte* ucx_receiver::own(std::uint64_t address, std::uint64_t bytes) const noexcept {
  if (place_of(address) != id_ || !memory_.committed(offset_of(address), bytes)) return nullptr;
  return memory_.base() + offset_of(address);
}

completion* ucx_receiver::own_completion(std::uint64_t address) const noexcept {
  if (address % alignof(completion) != 0) return nullptr;
  return reinterpret_cast<completion*>(own(address, sizeof(completion)));
}

void ucx_receiver::refuse(place_id source, char const* why) noexcept {
  // A place that sends many wrong packets must not fill the disk with reports.
  if (refused_ == refusals_reported) return;
  std::fprintf(stderr, "tess: place %u dropped a packet that says it is of place %u: %s%s\n", unsigned{id_},
               unsigned{source}, why, ++refused_ == refusals_reported ? "; others will not be told" : "");
}

}  // namespace tess::detail
