// adapter: transactions on the way to their home, at their home, and back.
#include "machine/adapter/adapter.hpp"

#include <utility>

#include "machine/kernel/assert.hpp"

namespace tess::machine {
namespace {

/// A packet of a network interface's list of jobs.
bool is_job(transaction const& of) {
  cni_message const* const message = of.cni();
  return message != nullptr && message->is_job;
}

char const* name_of(transaction const& of) {
  switch (of.what) {
    case remote_operation::read:
      return "read";
    case remote_operation::write:
      return of.dma() != nullptr || is_job(of) ? "DMA packet" : "write";
    case remote_operation::atomic:
      return "atomic";
    case remote_operation::compare_swap:
      return "compare and swap";
    case remote_operation::invoke:
      return "invoke";
    case remote_operation::trigger:
      return "trigger";
    case remote_operation::probe:
    case remote_operation::unblock:
    case remote_operation::copy_back:
      return "probe";
    case remote_operation::transfer:
      break;
  }
  return "DMA";
}

/// It takes no slot of the clients, so their requests cannot make it wait.
bool bypasses_slots(transaction const& of) {
  return of.dma() != nullptr || is_job(of) || of.what == remote_operation::probe ||
         of.what == remote_operation::unblock || of.what == remote_operation::copy_back;
}

}  // namespace

adapter::adapter(kernel& k, network& noc, clock_domain clock, adapter_parameters const& parameters, std::uint32_t tile,
                 home& local, network* mail)
    : kernel_(k), network_(noc), mail_(mail), clock_(clock), parameters_(parameters), tile_(tile), home_(local) {
  MACHINE_ASSERT(parameters.dma_packet_bytes <= transaction::data_max);
  MACHINE_ASSERT(noc.parameters().virtual_networks.size() == 3);
  noc.attach(tile, *this);
  if (mail != nullptr) mail->attach(tile, *this);
}

void adapter::issue(transaction& issued) {
  MACHINE_DEBUG_ASSERT(issued.bytes <= transaction::data_max || issued.what == remote_operation::transfer);
  issued.source = tile_;
  issued.status = remote_outcome::pending;
  issued.refusals = 0;
  issued.issued = kernel_.now();
  ++counted_.requests;
  begins();
  slots& of = issued.line() != nullptr ? lines_ : words_;
  if (of.under_way >= parameters_.outstanding) {
    of.waiting.push_back(&issued);
    return;
  }
  ++of.under_way;
  post(issued);
}

void adapter::issue_for(transaction& issued, std::uint32_t answered_at) {
  issued.source = answered_at;
  issued.status = remote_outcome::pending;
  issued.refusals = 0;
  issued.issued = kernel_.now();
  send(issued);
}

void adapter::post(transaction& sent) {
  sent.via = this;
  sent.happens = [](event& self) {
    auto& ready = static_cast<transaction&>(self);
    ready.via->send(ready);
  };
  kernel_.after(clock_.cycles(parameters_.request_cycles), sent);
}

std::uint8_t adapter::class_of(transaction const& sent) const noexcept {
  bool const commands = sent.what == remote_operation::invoke || sent.what == remote_operation::trigger ||
                        sent.what == remote_operation::transfer || sent.what == remote_operation::probe;
  if (commands || sent.serving == served_by::owner) return control;
  // What a directory reads and writes in another tile's memory stays in order.
  if (sent.serving == served_by::memory) return requests;
  cni_message const* const message = sent.cni();
  bool const is_short = message != nullptr && message->is_short;
  return bypasses_slots(sent) && !is_short ? responses : requests;
}

void adapter::send(transaction& sent) {
  bool const carries = sent.what == remote_operation::write || sent.what == remote_operation::invoke ||
                       sent.what == remote_operation::trigger || sent.what == remote_operation::copy_back;
  std::size_t const words =
      sent.what == remote_operation::atomic || sent.what == remote_operation::compare_swap ? 8 : 0;
  std::size_t const bytes = parameters_.header_bytes + (carries ? sent.bytes : 0) + words;
  network& way = network_for(sent);
  way.send({.source = tile_,
            .target = sent.target,
            .flits = way.parameters().flits(bytes),
            .network = class_of(sent),
            .cookie = reinterpret_cast<std::uintptr_t>(&sent)});
}

void adapter::arrived(packet const& whole) {
  auto& carried = *reinterpret_cast<transaction*>(static_cast<std::uintptr_t>(whole.cookie));
  if (carried.status != remote_outcome::pending) {
    // An answer: the response delay covers its way onto the bus.
    carried.via = this;
    carried.happens = [](event& self) {
      auto& answered = static_cast<transaction&>(self);
      answered.via->returned(answered);
    };
    kernel_.after(clock_.cycles(parameters_.response_cycles), carried);
    return;
  }
  if (carried.what == remote_operation::unblock || carried.what == remote_operation::copy_back)
    return home_.serve(carried, *carried.done);
  ++counted_.served;
  if (carried.what == remote_operation::invoke) return invoke(carried);
  if (carried.what == remote_operation::trigger) return trigger(carried);
  if (carried.what == remote_operation::transfer && carried.cni() != nullptr) return copy(carried);
  if (carried.what == remote_operation::transfer) return kernel_.start(run_transfer(carried));
  serve(carried);
}

void adapter::serve(transaction& request) {
  begins();
  if (spare_jobs_.empty()) spare_jobs_.push_back(&jobs_.emplace_back(*this));
  job& begun = *spare_jobs_.back();
  spare_jobs_.pop_back();
  begun.request = &request;
  home_.serve(request, begun);
}

void adapter::answer(job& done) {
  transaction& request = *done.request;
  spare_jobs_.push_back(&done);
  ends();
  MACHINE_ASSERT(request.status != remote_outcome::pending);
  if (request.status == remote_outcome::passed_on) {
    request.status = remote_outcome::pending;
    return send(request);
  }
  bool const is_over = request.status == remote_outcome::done || request.is_refused_for_good();
  if (cni_message const* const message = request.cni(); message != nullptr && message->acknowledgement != 0 && is_over)
    home_.acknowledge(request);
  respond(request);
}

bool adapter::holds_back(transaction& refused) {
  // The queues of accelerators and of atomics interfaces drain by themselves.
  bool const of_queue = refused.cni() != nullptr || refused.what == remote_operation::invoke;
  if (!of_queue || refused.what == remote_operation::trigger) return false;
  // Only if nothing changed between the refusals is it certain that the last refusal still holds.
  if (refused.refusals == 0 || refused.changes_before != queue_changes_) {
    refused.refusals = 0;
    refused.changes_before = queue_changes_;
  }
  if (++refused.refusals <= parameters_.refusals_max) return false;
  held_back_.push_back(&refused);
  return true;
}

void adapter::queue_changed() {
  ++queue_changes_;
  if (held_back_.empty()) return;
  for (transaction* const one : std::exchange(held_back_, {})) respond(*one);
}

void adapter::respond(transaction& answered) {
  if (answered.status == remote_outcome::refused && holds_back(answered)) return;
  std::size_t bytes = parameters_.header_bytes;
  bool const brings = answered.what == remote_operation::read || answered.what == remote_operation::probe;
  if (brings && answered.status == remote_outcome::done) bytes += answered.bytes;
  if (answered.what == remote_operation::atomic || answered.what == remote_operation::compare_swap) bytes += 8;
  network& way = network_for(answered);
  way.send({.source = tile_,
            .target = answered.source,
            .flits = way.parameters().flits(bytes),
            .network = answered.cni() != nullptr ? control : responses,
            .cookie = reinterpret_cast<std::uintptr_t>(&answered)});
}

void adapter::returned(transaction& answered) {
  if (answered.status == remote_outcome::refused && !answered.is_refused_for_good()) {
    answered.status = remote_outcome::pending;
    answered.happens = [](event& self) {
      auto& again = static_cast<transaction&>(self);
      again.via->post(again);
    };
    kernel_.after(clock_.cycles(parameters_.retry_cycles), answered);
    return;
  }
  count(answered);
  activity_.record("adapter", name_of(answered), answered.issued, kernel_.now());
  if (bypasses_slots(answered)) return kernel_.notify(*answered.done);
  ends();
  slots& of = answered.line() != nullptr ? lines_ : words_;
  if (of.waiting.empty()) {
    --of.under_way;
  } else {
    transaction& next = *of.waiting.front();
    of.waiting.pop_front();
    post(next);
  }
  kernel_.notify(*answered.done);
}

void adapter::count(transaction const& answered) noexcept {
  if (answered.what == remote_operation::probe) return;
  picoseconds const took = kernel_.now() - answered.issued;
  counted_.latency_ps += took;
  if (bypasses_slots(answered)) return;
  if (answered.what == remote_operation::read) {
    ++counted_.loads;
    counted_.load_ps += took;
  } else if (answered.what == remote_operation::write) {
    ++counted_.stores;
    counted_.store_ps += took;
  }
}

void adapter::invoke(transaction& request) {
  if (tasks_.size() >= parameters_.task_queue_entries) {
    ++counted_.refused;
    request.status = remote_outcome::refused;
  } else {
    tasks_.push_back(request.data);
    request.status = remote_outcome::done;
    if (task_arrived_) task_arrived_();
  }
  respond(request);
}

void adapter::copy(transaction& request) {
  if (copy_taken_ && copy_taken_(request)) return;
  ++counted_.refused;
  request.status = copy_taken_ ? remote_outcome::refused : remote_outcome::wrong;
  respond(request);
}

void adapter::trigger(transaction& request) {
  if (!triggered_) {
    request.status = remote_outcome::wrong;
  } else if (triggered_(request.data)) {
    request.status = remote_outcome::done;
  } else {
    ++counted_.refused;
    request.status = remote_outcome::refused;
  }
  respond(request);
}

std::optional<adapter::task_message> adapter::take_task() {
  if (tasks_.empty()) return std::nullopt;
  task_message const first = tasks_.front();
  tasks_.pop_front();
  queue_changed();
  return first;
}

}  // namespace tess::machine
