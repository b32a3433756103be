// cni_lockstep: the event responses' hardware beside its model, with random lines, stores, rings and stalls. A result
// that does not follow from the line and the store is an error: this file says in its own words what must follow.
//
// Usage: lockstep_bench.hpp
#include <array>
#include <vector>

#include "lockstep_bench.hpp"
#include "machine/cni/response_machine.hpp"

namespace tess::machine {
namespace {

namespace of = registers::cni;
using word = std::uint64_t;

/// A cache with some lines, those who store to them, a list of jobs, and memory for rings.
class toy_cache {
  using unit = response_unit;

 public:
  struct statistics {
    unit::parameters made;
    std::uint64_t stores = 0;
    std::uint64_t outcomes[4] = {};
    std::uint64_t faults[4] = {};  ///< By kind.
    std::uint64_t jobs[4] = {};    ///< By kind.
    std::uint64_t items[3] = {};   ///< In answers, by where they come from.

    /// All that can happen with the kinds of lines that there are.
    [[nodiscard]] bool all() const {
      auto const reached = [](std::uint64_t count) { return count != 0; };
      bool const rings = made.queues != 0 || made.match_queues != 0;
      auto const full = static_cast<std::size_t>(access_outcome::full);
      for (std::size_t i = 0; i < std::size(outcomes); ++i)
        if (outcomes[i] == 0 && (i != full || rings)) return false;
      return jobs[0] != 0 && (jobs[1] != 0 || made.counters == 0) && (jobs[2] != 0 || made.queues == 0) &&
             (jobs[3] != 0 || made.match_queues == 0) &&
             ((std::ranges::all_of(items, reached) && faults[1] != 0) || made.match_queues == 0) && faults[2] != 0 &&
             (faults[3] != 0 || !rings);
    }
    [[nodiscard]] std::string text() const {
      std::string said = std::to_string(stores) + " stores";
      auto const list = [&](char const* name, auto const& counts) {
        said += std::string("; ") + name + ':';
        for (std::uint64_t const count : counts) said += ' ' + std::to_string(count);
      };
      list("done, full, busy, wrong", outcomes);
      list("commands, notifications, additions, answers", jobs);
      list("items of the store, of a ring, none", items);
      list("faults", faults);
      return said;
    }
  };

  toy_cache(std::uint64_t seed, unit::parameters const& made) : choose_(seed), made_(made), lines_(8) {
    for (auto* const rate : {&store_rate_, &ring_rate_, &check_rate_, &job_rate_, &result_rate_, &room_rate_})
      *rate = choose_.rate();
    for (line& one : lines_) renew(one);
  }

  static std::string text_of(unit::outputs const& out) {
    std::string text;
    auto const add = [&](char const* format, auto... values) {
      char buffer[200];
      std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(values)...);
      text += buffer;
    };
    add("%llu%llu", out.access_ready, out.quiet);
    if (out.ring_valid) add(" ring %llu at %llx bytes %llu", out.ring.what, out.ring.address, out.ring.bytes);
    if (out.check_valid) add(" check %llx bytes %llu", out.check_address, out.check_bytes);
    if (out.job_valid)
      add(" job %llu to %llx bytes %llu item %llu tagged %llu tag %llx", out.made.kind, out.made.destination,
          out.made.bytes, out.made.item, out.made.tagged, out.made.tag);
    if (out.result_valid)
      add(" result %llu fault %llu tag %llx word %llu = %llx", out.ended.outcome, out.ended.why, out.ended.tag,
          out.ended.number, out.ended.value);
    return text;
  }

  void drive(unit::inputs& in) {
    if (!in.access_valid || took_) {
      took_ = false;
      in.access_valid = !inside_ && choose_.happens(store_rate_);
      if (in.access_valid) in.store = some_store();
    }
    // Places that are free stay free until a job takes one.
    in.room_for_command = in.room_for_command || choose_.happens(room_rate_);
    in.room_for_event = in.room_for_event || choose_.happens(room_rate_);
    if (!inside_) {
      in.room_for_command = choose_.happens(room_rate_);
      in.room_for_event = choose_.happens(room_rate_);
    }
    in.ring_ready = choose_.happens(ring_rate_);
    in.check_ready = choose_.happens(check_rate_);
    in.job_ready = choose_.happens(job_rate_);
    in.result_ready = choose_.happens(result_rate_);
    in.ring_answer_valid = asked_ring_ && choose_.happens(ring_rate_);
    if (in.ring_answer_valid) {
      asked_ring_ = false;
      in.ring_plain = plain_ = !choose_.chance(20);
      in.ring_word = ring_word_;
    }
    in.check_answer_valid = asked_check_ && choose_.happens(check_rate_);
    if (in.check_answer_valid) {
      asked_check_ = false;
      in.check_allowed = allowed_ = !choose_.chance(10);
    }
  }

  /// What moves at the edge that `in` was made for; a text: something that must not be.
  [[nodiscard]] char const* take(unit::inputs const& in, unit::outputs const& out, statistics& reached) {
    reached.made = made_;
    if (in.access_valid && out.access_ready) {
      took_ = inside_ = true;
      stored_ = in.store;
      plain_ = allowed_ = true;
      put_ = false;
      made_job_ = false;
      got_ring_ = false;
    }
    if (out.ring_valid && in.ring_ready) {
      if (got_ring_) return "a second access to the ring";
      got_ring_ = asked_ring_ = true;
      ring_ = out.ring;
      put_ = ring_.what == unit::ring_action::put;
      ring_word_ = choose_.word();
    }
    if (out.check_valid && in.check_ready) asked_check_ = true;
    if (out.job_valid && in.job_ready) {
      if (made_job_) return "a second job";
      made_job_ = true;
      job_ = out.made;
      ++reached.jobs[static_cast<std::size_t>(job_.kind)];
      if (job_.kind == unit::job_kind::answer) ++reached.items[static_cast<std::size_t>(job_.item)];
    }
    if (out.result_valid && in.result_ready) {
      if (!inside_) return "a result without a store";
      inside_ = false;
      ++reached.stores;
      ++reached.outcomes[static_cast<std::size_t>(out.ended.outcome)];
      if (out.ended.outcome == access_outcome::wrong)
        ++reached.faults[std::min<std::size_t>(3, static_cast<std::size_t>(out.ended.why) - 1)];
      return ended(out.ended);
    }
    return nullptr;
  }

 private:
  struct line {
    of::line_code code = of::counter;
    word tag = 0;
    std::array<word, unit::line_words> words{};
  };

  [[nodiscard]] bool has(of::line_code code) const {
    return (code != of::counter || made_.counters != 0) && (code != of::queue || made_.queues != 0) &&
           (code != of::match_queue || made_.match_queues != 0);
  }

  void renew(line& one) {
    one.code = static_cast<of::line_code>(of::command_buffer + choose_.below(4));
    for (word& value : one.words) value = choose_.chance(3) ? choose_.below(4) : choose_.word();
    one.tag = choose_.chance(4) ? choose_.word() : 0;
    if (one.code == of::command_buffer) {
      one.tag = choose_.word() & 0xfe;
      one.words[0] = some_command();
    }
    if (one.code == of::counter) one.tag = choose_.below(5);
    if (one.code < of::queue) return;
    if (!choose_.chance(8)) {
      word const log2_words = choose_.below(4);
      word const log2_items = choose_.below(4);
      word shape = log2_items | log2_words << 8U;
      if (one.code == of::match_queue && choose_.chance(2)) shape |= of::tagged;
      if (one.code == of::match_queue && choose_.chance(3)) shape |= choose_.below(12) << of::limit_shift;
      one.words[of::queue_shape / 8] = choose_.chance(30) ? choose_.below(40) | log2_words << 8U : shape;
      one.words[of::queue_buffer / 8] = (choose_.word() >> 20U) & ~word{63};
      if (choose_.chance(10)) one.words[of::queue_buffer / 8] |= 8;
      if (choose_.chance(40)) one.words[of::queue_buffer / 8] = 0;
      if (choose_.chance(30)) one.words[of::queue_shape / 8] |= word{1} << choose_.below(64);
      // Nothing waits, at counts that may be about to wrap.
      word const at = choose_.chance(2) ? choose_.below(8) : 0x7fff'fffd + choose_.below(3);
      if (one.code == of::queue) one.tag = (at * 2 + 1) % (word{1} << 32U) * ((word{1} << 32U) + 1);
      if (one.code == of::match_queue) one.tag = at | at << 31U;
    }
    if (choose_.chance(2)) one.words[of::queue_notify / 8] = 0;
  }
  word some_command() {
    word const code = choose_.chance(10) ? choose_.below(256) : 1 + choose_.below(3);
    word const bytes = choose_.chance(10)  ? choose_.word() >> choose_.below(64)
                       : choose_.chance(4) ? choose_.below(70'000)
                                           : choose_.below(42);
    return code | bytes << 8U;
  }

  unit::access some_store() {
    if (choose_.chance(60)) renew(lines_[choose_.below(lines_.size())]);
    which_ = choose_.below(lines_.size());
    line const& at = lines_[which_];
    unit::access made{.code = at.code,
                      .whom = static_cast<unit::by>(choose_.below(3)),
                      .offset = static_cast<std::uint32_t>(choose_.below(8) * 8),
                      .bytes = 8,
                      .value = choose_.word(),
                      .tag = at.tag,
                      .words = at.words};
    if (choose_.chance(2)) made.whom = unit::by::own_hart;
    switch (at.code) {
      case of::command_buffer:
        if (choose_.chance(4)) made.offset = 0;
        if (made.offset == 0) made.value = some_command();
        break;
      case of::counter:
        if (choose_.chance(2)) made.offset = 0;
        if (choose_.chance(2)) made.value = choose_.chance(2) ? word{0} - choose_.below(4) : word{0} - at.tag;
        break;
      default:
        if (!choose_.chance(4)) made.offset = 8 * static_cast<std::uint32_t>(choose_.below(2));
        if (made.offset == 0) made.bytes = static_cast<std::uint32_t>(8U << (at.words[of::queue_shape / 8] >> 8U & 3U));
        if (made.offset == 8 && at.code == of::queue) made.value = at.tag + choose_.below(4);
        if (made.offset == 8 && at.code == of::match_queue && choose_.chance(2)) made.value &= of::no_wait - 1;
        // Rings stay where they are: other ones would say nothing new.
        if (made.offset > 8 && !choose_.chance(10)) made.offset = 0;
    }
    if (choose_.chance(30)) made.bytes = static_cast<std::uint32_t>(1 + choose_.below(64));
    if (choose_.chance(50)) made.offset += static_cast<std::uint32_t>(1 + choose_.below(7));
    return made;
  }

  // What must follow, by line and word. Entries that wait are counted here by what happened to the line before.
  char const* ended(unit::result const& result) {
    line& at = lines_[which_];
    word const number = stored_.offset / 8;
    bool const done = result.outcome == access_outcome::done;
    bool const aligned = stored_.offset % 8 == 0;
    if (!done && made_job_) return "a job without a change";
    if (done && !aligned) return "a store that is not aligned";
    if (done && !(plain_ && allowed_)) return "it was not allowed, or not plain";
    if (done && !has(lines_[which_].code)) return "a kind of line that there is not";
    if (!done) return nullptr;
    line const before = at;
    at.tag = result.tag;
    at.words[result.number] = result.value;
    switch (at.code) {
      case of::counter:
        return counter_is_right(before, result, number);
      case of::command_buffer:
        if (at.words[number] != stored_.value) return "the word was not stored";
        return (at.tag == 0) == made_job_ ? nullptr : "a command that is complete is a job, and no other is";
      case of::queue:
        return queue_is_right(before, at, number);
      case of::match_queue:
        return match_is_right(before, at, number);
      default:
        return "no line with events";
    }
  }
  char const* counter_is_right(line const& before, unit::result const& result, word number) const {
    if (number != 0) {
      if (made_job_) return "only an addition notifies";
      return number != 7 || result.tag == stored_.value ? nullptr : "the counter was not set";
    }
    word const sum = before.tag + stored_.value;
    if (made_job_ != (sum == 0)) return "a counter notifies when it is zero, and only then";
    return result.tag == (sum == 0 ? before.words[1] : sum) && result.value == result.tag ? nullptr : "a wrong sum";
  }
  [[nodiscard]] char const* ring_is_right(line const& before, word count, bool at_tail) const {
    word const shape = before.words[of::queue_shape / 8];
    word const place = count % (word{1} << (shape & 0xffU)) * (8U << (shape >> 8U & 3U));
    if (!got_ring_ || put_ != at_tail) return "a ring was not accessed as it must be";
    return ring_.address == before.words[of::queue_buffer / 8] + place ? nullptr : "a wrong place in a ring";
  }
  [[nodiscard]] char const* queue_is_right(line const& before, line const& now, word number) const {
    word const tail = before.tag >> 32U;
    if (number == 0) {
      if (now.tag >> 32U != ((tail + 1) & 0xffff'ffffU) || now.words[2] != now.tag >> 32U) return "a wrong tail";
      if (made_job_ != (before.words[of::queue_notify / 8] != 0)) return "an addition that must not be, or is not";
      return ring_is_right(before, tail, true);
    }
    if (made_job_ || got_ring_) return "only items go to rings";
    if (number == 1 && (now.tag & 0xffff'ffffU) != (stored_.value & 0xffff'ffffU)) return "a wrong head";
    return nullptr;
  }
  [[nodiscard]] char const* match_is_right(line const& before, line const& now, word number) const {
    if (number > 1) return made_job_ || got_ring_ ? "only items and requests go to rings" : nullptr;
    word const mask = 0x7fff'ffff;
    word const head = before.tag & mask;
    word const tail = before.tag >> 31U & mask;
    bool const requests = (before.tag >> 62U & 1U) != 0;
    bool const is_request = number == 1;
    bool const meets = head != tail && requests != is_request;
    bool const tagged = (before.words[of::match_shape / 8] & of::tagged) != 0;
    if (meets) {
      if (!made_job_) return "two that match make no answer";
      if ((now.tag & mask) != ((head + 1) & mask) || (now.tag >> 31U & mask) != tail) return "one was not taken";
      word const asked = is_request ? stored_.value : ring_word_;
      word const address = tagged ? asked & ((word{1} << 48U) - 1) : asked;
      if (job_.destination != address) return "the answer goes elsewhere";
      return ring_is_right(before, head, false);
    }
    if (is_request && tagged && (stored_.value >> 63U) != 0)
      return made_job_ && now.tag == before.tag && !got_ring_ ? nullptr : "a request that must not wait";
    if (made_job_) return "an answer to nothing";
    if ((now.tag >> 31U & mask) != ((tail + 1) & mask) || (now.tag >> 62U & 1U) != word{is_request})
      return "one does not wait";
    return ring_is_right(before, tail, true);
  }

  dice choose_;
  unit::parameters made_;
  std::vector<line> lines_;
  std::uint64_t store_rate_ = 0, ring_rate_ = 0, check_rate_ = 0, job_rate_ = 0, result_rate_ = 0, room_rate_ = 0;
  bool took_ = true;
  // The store that is inside.
  bool inside_ = false;
  std::size_t which_ = 0;
  unit::access stored_;
  bool asked_ring_ = false;
  bool asked_check_ = false;
  bool got_ring_ = false;
  bool put_ = false;
  bool plain_ = true;
  bool allowed_ = true;
  bool made_job_ = false;
  unit::ring_access ring_;
  word ring_word_ = 0;
  unit::job job_;
};

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  using namespace tess::machine;  // NOLINT
  response_unit::parameters made;
  return lockstep_main<lockstep_bench<response_unit, response_machine, toy_cache>>(
      {words, words + count}, made,
      {{"COUNTERS", &made.counters}, {"QUEUES", &made.queues}, {"MATCH_QUEUES", &made.match_queues}});
}
