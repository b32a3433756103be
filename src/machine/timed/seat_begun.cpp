// seat_begun: words that a hart begins and does not wait for (xBGAS, non-blocking forms): issued here, answered here.
#include <cstring>

#include "machine/timed/seat.hpp"

namespace tess::machine {
namespace {

remote_operation operation_of(stop begun) {
  if (begun == stop::load) return remote_operation::read;
  return begun == stop::compare_swap ? remote_operation::compare_swap : remote_operation::atomic;
}

}  // namespace

seat::begun_word::begun_word(seat& of, std::uint64_t its_number, bool posts)
    : event([](event& self) {
        auto& word = static_cast<begun_word&>(self);
        word.owner.answered(word);
      }),
      owner(of),
      number(its_number),
      is_posted(posts) {}

seat::begun_word& seat::begun_word_of(bool posts) {
  std::uint64_t const number = posts ? occupant.tickets.post() : occupant.tickets.take();
  // The lowest free number is taken, so that they are added in their order.
  std::deque<begun_word>& all = posts ? posted_words_ : ticket_words_;
  while (all.size() <= number) all.emplace_back(*this, all.size(), posts);
  return all[number];
}

bool seat::await_answer() noexcept {
  awaits_answer_ = true;
  return false;
}

bool seat::serve_begin() {
  hart& h = occupant;
  bool const posts = h.request.rd == no_register;
  if (posted_failure_ != nullptr) return refuse_begun(*posted_failure_);
  if (h.request.in_order && h.tickets.are_under_way()) return await_answer();
  if (!posts && h.tickets.is_full()) {
    pending_ = false;
    h.refuse_ticket();
    return true;
  }
  if (posts && h.tickets.posted_are_full()) return await_answer();
  if (h.request.object == 0) {
    if (h.request.in_order) {
      if (!drain_posted()) return false;
      memory_.drain(h);
    }
    h.stopped = h.request.begun;
    return serve();
  }
  extended_place const there = find_extended(h.request);
  if (there.fault != extended_fault::none) return refuse_extended(there.fault);
  bool const own = there.tile == tile_.number();
  if (h.request.in_order && !drain_posted()) return false;
  // The own words are those that its stores may be on the way to.
  if (h.request.in_order || own) memory_.drain(h);
  begun_word& begun = begun_word_of(posts);
  begun.object = h.request.object;
  begun.address = h.request.address;
  fill_remote(begun.asked, operation_of(h.request.begun), there);
  begun.asked.done = &begun;
  if (!posts) h.x[h.request.rd] = begun.number;
  if (own) {
    begun.asked.source = there.tile;
    tile_.serve(begun.asked, begun);
  } else {
    tile_.network_adapter().issue(begun.asked);
  }
  pending_ = false;
  h.advance();
  return true;
}

void seat::answered(begun_word& word) {
  transaction const& asked = word.asked;
  bool const failed = asked.status != remote_outcome::done;
  if (word.is_posted) {
    occupant.tickets.answer_posted(word.number);
    if (failed && posted_failure_ == nullptr) posted_failure_ = &word;
  } else {
    std::uint64_t value = asked.operand;
    if (asked.what == remote_operation::read) {
      std::memcpy(&value, asked.data.data(), sizeof value);
      if (asked.bytes == sizeof(std::int32_t)) {
        value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
      }
    }
    occupant.tickets.answer(word.number, value, failed);
  }
  if (!awaits_answer_) return;
  awaits_answer_ = false;
  go();
}

bool seat::serve_ticket() {
  hart& h = occupant;
  std::uint64_t const ticket = h.request.address;
  bool const answered = h.tickets.is_answered(ticket);
  if (h.stopped == stop::ticket_get) {
    if (!answered) return await_answer();
    if (h.tickets.has_failed(ticket)) return refuse_begun(ticket_words_[ticket]);
  }
  pending_ = false;
  h.complete(h.stopped == stop::ticket_test ? std::uint64_t{answered} : h.tickets.redeem(ticket));
  return true;
}

bool seat::serve_fence() {
  hart& h = occupant;
  if (h.tickets.are_under_way()) return await_answer();
  if (posted_failure_ != nullptr) return refuse_begun(*posted_failure_);
  if (!drain_posted()) return false;
  memory_.drain(h);
  pending_ = false;
  h.advance();
  return true;
}

bool seat::refuse_begun(begun_word const& word) {
  access_request& of = occupant.request;
  of.address = word.address;
  of.object = word.object;
  of.bytes = static_cast<std::uint8_t>(word.asked.bytes);
  of.right = word.asked.what == remote_operation::read ? right_read : right_write;
  of.fault = extended_fault::outside;
  of.begun = word.is_posted ? stop::extended_begin : stop::none;
  occupant.stopped = stop::access;
  pending_ = true;
  return serve();
}

}  // namespace tess::machine
