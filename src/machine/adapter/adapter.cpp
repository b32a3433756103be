// adapter: transactions on their way out, at their home, and back.
#include "machine/adapter/adapter.hpp"

#include <utility>

#include "machine/assert.hpp"

namespace tess::machine {
namespace {

char const* name_of(transaction const& of) {
  switch (of.what) {
    case remote_operation::read:
      return "read";
    case remote_operation::write:
      return of.is_dma_data ? "DMA packet" : "write";
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
      return "probe";
    case remote_operation::transfer:
      break;
  }
  return "DMA";
}

/// It has a slot of its own: nobody's requests make it wait.
bool is_apart(transaction const& of) {
  return of.is_dma_data || of.what == remote_operation::probe || of.what == remote_operation::unblock;
}

}  // namespace

adapter::adapter(kernel& k, network& over, clock_domain clock, adapter_parameters const& made_of, std::uint32_t tile,
                 home& local, network* mail)
    : kernel_(k), network_(over), mail_(mail), clock_(clock), made_of_(made_of), tile_(tile), home_(local) {
  MACHINE_ASSERT(made_of.dma_packet_bytes <= transaction::data_max);
  MACHINE_ASSERT(over.parameters().virtual_networks.size() == 3);
  over.attach(tile, *this);
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
  network_.operation_begins();
  slots& of = issued.is_line ? lines_ : words_;
  if (of.under_way >= made_of_.outstanding) {
    of.waiting.push_back(&issued);
    return;
  }
  ++of.under_way;
  post(issued);
}

void adapter::issue_at_once(transaction& issued) {
  issued.source = tile_;
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
  kernel_.after(clock_.cycles(made_of_.request_cycles), sent);
}

std::uint8_t adapter::class_of(transaction const& sent) const noexcept {
  bool const commands = sent.what == remote_operation::invoke || sent.what == remote_operation::trigger ||
                        sent.what == remote_operation::transfer || sent.what == remote_operation::probe;
  if (commands) return control;
  return is_apart(sent) && !sent.brief ? responses : requests;
}

void adapter::send(transaction& sent) {
  bool const carries = sent.what == remote_operation::write || sent.what == remote_operation::invoke ||
                       sent.what == remote_operation::trigger;
  std::size_t const words =
      sent.what == remote_operation::atomic || sent.what == remote_operation::compare_swap ? 8 : 0;
  std::size_t const bytes = made_of_.header_bytes + (carries ? sent.bytes : 0) + words;
  network& way = way_of(sent);
  way.send({.source = tile_,
            .target = sent.target,
            .flits = way.parameters().flits(bytes),
            .network = class_of(sent),
            .cookie = reinterpret_cast<std::uintptr_t>(&sent)});
}

void adapter::arrived(packet const& whole) {
  auto& carried = *reinterpret_cast<transaction*>(static_cast<std::uintptr_t>(whole.cookie));
  if (carried.status != remote_outcome::pending) {
    // An answer: it takes its time onto the bus.
    carried.via = this;
    carried.happens = [](event& self) {
      auto& answered = static_cast<transaction&>(self);
      answered.via->returned(answered);
    };
    kernel_.after(clock_.cycles(made_of_.response_cycles), carried);
    return;
  }
  if (carried.what == remote_operation::unblock) return home_.serve(carried, *carried.done);
  ++counted_.served;
  if (carried.what == remote_operation::invoke) return invoke(carried);
  if (carried.what == remote_operation::trigger) return trigger(carried);
  if (carried.what == remote_operation::transfer && carried.of_interface) return copy(carried);
  if (carried.what == remote_operation::transfer) return kernel_.start(run_transfer(carried));
  serve(carried);
}

void adapter::serve(transaction& asked) {
  begins();
  if (spare_jobs_.empty()) spare_jobs_.push_back(&jobs_.emplace_back(*this));
  job& begun = *spare_jobs_.back();
  spare_jobs_.pop_back();
  begun.asked = &asked;
  home_.serve(asked, begun);
}

void adapter::answer(job& done) {
  transaction& asked = *done.asked;
  spare_jobs_.push_back(&done);
  ends();
  MACHINE_ASSERT(asked.status != remote_outcome::pending);
  bool const is_over = asked.status == remote_outcome::done || asked.is_refused_for_good();
  if (asked.acknowledgement != 0 && is_over) home_.acknowledge(asked);
  respond(asked);
}

bool adapter::keeps(transaction& refused) {
  // The queues of accelerators, and of what carries out atomics, empty by themselves.
  bool const of_queue = refused.of_interface || refused.what == remote_operation::invoke;
  if (!of_queue || refused.what == remote_operation::trigger) return false;
  // Only of refusals between which nothing changed it is sure that the last one still holds.
  if (refused.refusals == 0 || refused.changes_before != changes_) {
    refused.refusals = 0;
    refused.changes_before = changes_;
  }
  if (++refused.refusals <= made_of_.refusals_max) return false;
  kept_.push_back(&refused);
  return true;
}

void adapter::changed() {
  ++changes_;
  if (kept_.empty()) return;
  for (transaction* const one : std::exchange(kept_, {})) respond(*one);
}

void adapter::respond(transaction& answered) {
  if (answered.status == remote_outcome::refused && keeps(answered)) return;
  std::size_t bytes = made_of_.header_bytes;
  bool const brings = answered.what == remote_operation::read || answered.what == remote_operation::probe;
  if (brings && answered.status == remote_outcome::done) bytes += answered.bytes;
  if (answered.what == remote_operation::atomic || answered.what == remote_operation::compare_swap) bytes += 8;
  network& way = way_of(answered);
  way.send({.source = tile_,
            .target = answered.source,
            .flits = way.parameters().flits(bytes),
            .network = answered.of_interface ? control : responses,
            .cookie = reinterpret_cast<std::uintptr_t>(&answered)});
}

void adapter::returned(transaction& answered) {
  if (answered.status == remote_outcome::refused && !answered.is_refused_for_good()) {
    answered.status = remote_outcome::pending;
    answered.happens = [](event& self) {
      auto& again = static_cast<transaction&>(self);
      again.via->post(again);
    };
    kernel_.after(clock_.cycles(made_of_.retry_cycles), answered);
    return;
  }
  count(answered);
  activity_.say("adapter", name_of(answered), answered.issued, kernel_.now());
  if (is_apart(answered)) return answered.done->happens(*answered.done);
  ends();
  network_.operation_ends();
  slots& of = answered.is_line ? lines_ : words_;
  if (of.waiting.empty()) {
    --of.under_way;
  } else {
    transaction& next = *of.waiting.front();
    of.waiting.pop_front();
    post(next);
  }
  answered.done->happens(*answered.done);
}

void adapter::count(transaction const& answered) noexcept {
  if (answered.what == remote_operation::probe) return;
  picoseconds const took = kernel_.now() - answered.issued;
  counted_.latency_ps += took;
  if (is_apart(answered)) return;
  if (answered.what == remote_operation::read) {
    ++counted_.loads;
    counted_.load_ps += took;
  } else if (answered.what == remote_operation::write) {
    ++counted_.stores;
    counted_.store_ps += took;
  }
}

void adapter::invoke(transaction& asked) {
  if (tasks_.size() >= made_of_.task_queue_entries) {
    ++counted_.refused;
    asked.status = remote_outcome::refused;
  } else {
    tasks_.push_back(asked.data);
    asked.status = remote_outcome::done;
    if (task_arrived_) task_arrived_();
  }
  respond(asked);
}

void adapter::copy(transaction& asked) {
  if (copy_taken_ && copy_taken_(asked)) return;
  ++counted_.refused;
  asked.status = copy_taken_ ? remote_outcome::refused : remote_outcome::wrong;
  respond(asked);
}

void adapter::trigger(transaction& asked) {
  if (!triggered_) {
    asked.status = remote_outcome::wrong;
  } else if (triggered_(asked.data)) {
    asked.status = remote_outcome::done;
  } else {
    ++counted_.refused;
    asked.status = remote_outcome::refused;
  }
  respond(asked);
}

std::optional<adapter::task_message> adapter::take_task() {
  if (tasks_.empty()) return std::nullopt;
  task_message const first = tasks_.front();
  tasks_.pop_front();
  changed();
  return first;
}

}  // namespace tess::machine
