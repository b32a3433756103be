// reports: the messages of the finish protocol: reports of idle proxies to their home, and questions after a failure.
#include <cstring>

#include "runtime/failures/abort.hpp"
#include "runtime/finish/accounting.hpp"
#include "runtime/messages/exception_wire.hpp"
#include "runtime/messages/message.hpp"

namespace tess::detail {

finish_scope* arrive(std::uint64_t finish_key, place_id source, std::int64_t n) {
  finish_accounting a(this_place());
  finish_scope& s = a.find(finish_key);
  s.add(n);
  a.counts_of(s).add({source, self->place}, -n);
  return &s;
}

namespace {

/// Payload: this header, the differences, the bytes of the first exception. `number` counts the reports between two
/// places; `settled` is 0 or the number of the question that this answers.
struct report_header {
  std::uint64_t key;
  std::uint64_t number;
  std::uint32_t differences;
  std::uint32_t exceptions;
  std::uint64_t settled;
};

struct report_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(report_header);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = true;

  static void invoke(message_context& context, std::byte const* payload, std::size_t bytes) {
    report_header h;
    std::memcpy(&h, payload, sizeof h);
    if (bytes - sizeof h < std::size_t{h.differences} * sizeof(difference))
      throw error("finish report", "truncated", "whole differences");
    if (global_ptr<std::byte>::from_bits(h.key).place() != here())
      throw error("finish report", "for a finish of another place", "one of place " + std::to_string(here()));
    finish_accounting a(this_place());
    place_finishes::report_order& order = this_place().finishes.reports_from[context.source];
    if (h.number != order.next) {
      order.early.try_emplace(h.number, payload, payload + bytes);
      return;
    }
    apply(a, context.source, {payload, bytes});
    ++order.next;
    for (auto& early = order.early; !early.empty() && early.begin()->first == order.next; ++order.next) {
      apply(a, context.source, early.begin()->second);
      early.erase(early.begin());
    }
  }

 private:
  static void apply(finish_accounting& a, place_id source, std::span<std::byte const> report) {
    report_header h;
    std::memcpy(&h, report.data(), sizeof h);
    std::byte const* const payload = report.data();
    std::size_t const bytes = report.size();
    std::size_t const differences_bytes = std::size_t{h.differences} * sizeof(difference);
    finish_scope& s = a.find(h.key);
    for (std::uint32_t i = 0; i < h.differences; ++i) {
      difference d;
      std::memcpy(&d, payload + sizeof h + i * sizeof d, sizeof d);
      a.counts_of(s).add({d.source, d.target}, d.count);
    }
    if (h.exceptions != 0)
      a.fail(s, decode_exception({payload + sizeof h + differences_bytes, bytes - sizeof h - differences_bytes}),
             h.exceptions - 1);
    if (h.settled != 0) a.settled(static_cast<finish_home&>(s), source, h.settled);
    if (s.outstanding() == 0) a.idle(s);
  }
};

place_id home_of(std::uint64_t key) noexcept {
  return global_ptr<std::byte>::from_bits(key).place();
}

void send_report(worker_state& w, finish_proxy& proxy, std::uint64_t number) {
  report_header const h{proxy.key(), number, static_cast<std::uint32_t>(proxy.counts.sums.size()),
                        static_cast<std::uint32_t>(proxy.exceptions), 0};
  std::vector<std::byte> payload(sizeof h + proxy.counts.sums.size() * sizeof(difference));
  std::memcpy(payload.data(), &h, sizeof h);
  std::byte* room = payload.data() + sizeof h;
  for (auto const& [route, count] : proxy.counts.sums) {
    difference d;
    std::memset(&d, 0, sizeof d);
    d.source = route.source;
    d.target = route.target;
    d.count = count;
    std::memcpy(room, &d, sizeof d);
    room += sizeof d;
  }
  if (proxy.exception) {
    auto const text = encode_exception(proxy.exception, w.place);
    payload.insert(payload.end(), text.begin(), text.end());
  }
  ++w.cold.finish_reports;
  send_reply(w, home_of(proxy.key()), handler_entry<report_handler>::id(), payload);
}

// ── after a failure ─────────────────────────────────────────────────────────────────────────────────────────────────

struct question_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(place_finishes::question);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = false;

  static void invoke(message_context&, std::byte const* payload, std::size_t) {
    place_finishes::question q;
    std::memcpy(&q, payload, sizeof q);
    if (q.failed >= job.places || home_of(q.key) >= job.places)
      throw error("question of a finish", "for place " + std::to_string(q.failed), "a place of the job");
    place_state& place = this_place();
    std::lock_guard const lock(place.finishes.mutex);
    place.finishes.questions.push_back(q);
    place.finishes.has_questions.store(true, std::memory_order_relaxed);
  }
};

/// Answers the questions whose finish has no task here, once nothing is accepted from the failed place any more. The
/// questions of one finish are answered in order, because home may be gone after the last.
void answer_questions(worker_state& w) {
  place_state& place = this_place();
  std::vector<report_header> answers;
  {
    std::lock_guard const lock(place.finishes.mutex);
    std::vector<std::uint64_t> waiting;
    std::erase_if(place.finishes.questions, [&](place_finishes::question const& q) {
      if (!has_failed(static_cast<place_id>(q.failed)) || place.finishes.proxies.contains(q.key) ||
          std::ranges::find(waiting, q.key) != waiting.end()) {
        waiting.push_back(q.key);
        return false;
      }
      answers.push_back({q.key, ++place.finishes.reports_to[home_of(q.key)], 0, 0, q.number});
      return true;
    });
    place.finishes.has_questions.store(!place.finishes.questions.empty(), std::memory_order_relaxed);
  }
  for (report_header const& h : answers)
    send_reply(w, home_of(h.key), handler_entry<report_handler>::id(),
               {reinterpret_cast<std::byte const*>(&h), sizeof h});
}

}  // namespace

void report_idle_finishes(worker_state& w) noexcept try {
  place_state& place = this_place();
  while (place.finishes.idle_proxies.load(std::memory_order_relaxed) != nullptr) {
    std::unique_ptr<finish_proxy, decltype(&delete_proxy)> proxy(nullptr, &delete_proxy);
    std::uint64_t number = 0;
    {
      std::lock_guard const lock(place.finishes.mutex);
      finish_proxy* const p = place.finishes.idle_proxies.load(std::memory_order_relaxed);
      if (p == nullptr) break;
      place.finishes.idle_proxies.store(p->next_idle, std::memory_order_relaxed);
      p->listed = false;
      // It may have become busy since it was listed; then it will be listed again.
      if (p->outstanding() != 0) continue;
      place.finishes.proxies.erase(p->key());
      proxy.reset(p);
      if (!p->counts.sums.empty() || p->exceptions != 0) number = ++place.finishes.reports_to[home_of(p->key())];
    }
    if (number != 0) send_report(w, *proxy, number);
  }
  if (place.finishes.has_questions.load(std::memory_order_relaxed)) [[unlikely]]
    answer_questions(w);
} catch (...) {
  abort_job("reporting to the home of a finish");
}

constinit wait_kind const finish_wait{"finish",
                                      [](parked_wait& wait, promise_base&) noexcept { give_up_finish(wait); }};

void give_up_finish(parked_wait& wait) noexcept try {
  auto& home = static_cast<finish_home&>(wait);
  worker_state& w = this_worker();
  std::uint64_t const key = home.key();
  place_id const failed = last_announced_failure();
  std::vector<place_id> asked;
  {
    finish_accounting a(this_place());
    asked = a.fail_home(home, failed, announced_failures());
  }
  place_finishes::question const q{key, announced_failures(), failed};
  for (place_id const p : asked)
    send_reply(w, p, handler_entry<question_handler>::id(), {reinterpret_cast<std::byte const*>(&q), sizeof q});
} catch (...) {
  abort_job("asking other places for the tasks of a finish");
}

void count_orphan(finish_scope& call) noexcept try {
  auto& c = static_cast<call_scope&>(call);
  if (has_failed(c.caller)) static_cast<void>(finish_accounting(this_place()).count(c));
} catch (...) {
  abort_job("counting a call of a place that failed");
}

}  // namespace tess::detail
