// replica: questions to the other server, and what each answer proves.
#include "rmem/replication/replica.hpp"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tess::memd {

namespace {

using wire::operation;
using wire::status;

/// In constant time, of secrets of one length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

}  // namespace

pair::pair(options chosen, holdings& held, service& shown, actions can)
    : chosen_(std::move(chosen)), held_(held), shown_(shown), can_(std::move(can)), other_(chosen_.other) {
  while (instance_ == 0) static_cast<void>(!getrandom(&instance_, sizeof instance_, 0));
  epoch_ = held_.standing().address;
  standing_ = static_cast<standing>(std::min(held_.standing().rights, 2U));
  // A file that a server without a second one wrote.
  if (epoch_ == 0 && held_.had_regions()) standing_ = standing::alone;
  if (standing_ == standing::nothing && held_.had_regions()) held_.clear();
  shown_.instance = instance_;
  shown_.partner = chosen_.other;
  shown_.join = [this](wire::message const& m, bool trusted, std::string_view secret) {
    return join(m, trusted, secret);
  };
  shown_.take_over = [this] { return take_over(); };
  show();
  if (standing_ == standing::alone) serve("as the last one that did");
}

void pair::show() {
  shown_.serves = role_ == role::first;
  shown_.comes_back = true;
  shown_.epoch = epoch_;
  shown_.why_not = role_ == role::second ? "this is the second server; the first is at " + chosen_.other
                                         : "this server waits for the other one, at " + chosen_.other +
                                               (standing_ == standing::nothing ? ""
                                                                               : ", which may have newer data; if it "
                                                                                 "has not: tess mem take-over");
}

void pair::stand(standing s) {
  standing_ = s;
  held_.set_standing({.what = change::kind::standing, .address = epoch_, .rights = static_cast<std::uint32_t>(s)});
}

void pair::serve(std::string const& why) {
  role_ = role::first;
  ++epoch_;
  linked_ = false;
  other_instance_ = 0;
  shown_.taken = UINT64_MAX;
  stand(standing::alone);
  show();
  can_.say("serves, epoch " + std::to_string(epoch_) + ": " + why);
}

void pair::go_on_alone(std::string const& why) {
  // First written down, then answered: from here on the second has not all.
  stand(standing::alone);
  other_instance_ = 0;
  shown_.taken = UINT64_MAX;
  can_.say("serves alone: " + why);
}

void pair::forget() {
  forget_soon_ = false;
  can_.drop_clients();
  role_ = role::waiting;
  linked_ = false;
  stand(standing::nothing);
  held_.clear();
  shown_.epoch = epoch_;
  shown_.taken = UINT64_MAX;
  show();
}

void pair::tend() {
  if (forget_soon_) {
    can_.say("another server serves in a later epoch: what is here is old");
    forget();
  }
  if (linked_ || other_.is_asked()) return;
  if (role_ == role::first) {
    // Of one that left in step it must be known that it is dead.
    if (standing_ == standing::in_step) other_.ask({.what = operation::hello});
  } else if (role_ == role::second || (standing_ != standing::nothing && !waits_too_)) {
    other_.ask({.what = operation::hello});
  } else {
    other_.ask({.what = operation::join,
                .address = chosen_.number,
                .size = chosen_.size_bytes,
                .argument = epoch_,
                .rights = static_cast<std::uint32_t>(standing_),
                .argument2 = instance_},
               chosen_.secret);
  }
}

void pair::hear() {
  auto a = other_.take();
  if (!a || linked_) return;
  if (role_ == role::first) return heard_as_first(*a);
  if (role_ == role::second) return heard_as_second(*a);
  if (a->asked == operation::hello && a->what == partner::answer::kind::said) {
    // What it acknowledged since we were in step is not here.
    if (a->head.outcome == status::ok && a->head.address >= epoch_) return forget();
    waits_too_ = true;
    return;
  }
  waits_too_ = false;
  if (a->asked != operation::join || a->what != partner::answer::kind::said) return;
  if (a->head.outcome == status::bad_request || a->head.outcome == status::no_right)
    throw std::runtime_error("the other server, at " + chosen_.other + ", does not take this one as the second: " +
                             (a->head.outcome == status::no_right ? "its --secret is another one"
                                                                  : "it has another --number, or a larger --size"));
  if (a->head.outcome != status::ok) return;
  forget();
  epoch_ = a->head.address;
  other_instance_ = a->head.argument2;
  role_ = role::second;
  linked_ = true;
  stand(standing::nothing);
  show();
  can_.follow(std::move(a->socket));
  can_.say("is the second server of " + chosen_.other + ", epoch " + std::to_string(epoch_));
}

void pair::heard_as_first(partner::answer const& a) {
  if (standing_ != standing::in_step || a.asked != operation::hello) return;
  if (a.what == partner::answer::kind::gone) return go_on_alone("the second server is gone");
  if (a.what != partner::answer::kind::said) return;
  if (a.head.argument2 != other_instance_) return go_on_alone("the second server began anew");
  if (a.head.address > epoch_) forget_soon_ = true;
}

void pair::heard_as_second(partner::answer const& a) {
  if (a.asked != operation::hello || a.what == partner::answer::kind::silent) return;
  bool const lives = a.what == partner::answer::kind::said && a.head.argument2 == other_instance_;
  if (!lives && standing_ == standing::in_step) return serve("the first server is gone");
  // It lives, and may have gone on; or it died before all of it was here.
  if (!lives) can_.say("the first server is gone, and not all that it had is here");
  forget();
}

/// Which of two that wait begins: the later epoch, and then whichever. Where only one has something, the other may have
/// gone on alone and lost it: no server says then that what it has is all.
bool pair::beats(wire::message const& m) const {
  bool const we_have = standing_ != standing::nothing;
  bool const they_have = m.rights != static_cast<std::uint32_t>(standing::nothing);
  if (we_have != they_have) return false;
  if (we_have && epoch_ != m.argument) return epoch_ > m.argument;
  return instance_ < m.argument2;
}

wire::message pair::join(wire::message const& m, bool trusted, std::string_view secret) {
  wire::message no{.what = operation::done, .outcome = status::not_serving, .address = epoch_, .argument2 = instance_};
  auto const because = [&](status why) {
    no.outcome = why;
    return no;
  };
  if (!trusted && !same(secret, chosen_.secret)) return because(status::no_right);
  if (m.address != chosen_.number || m.size < chosen_.size_bytes) return because(status::bad_request);
  if (m.argument2 == instance_) return because(status::bad_request);  // ourselves
  if (role_ == role::second && !linked_ && standing_ == standing::in_step && m.argument2 != other_instance_)
    serve("the first server began anew");
  if (role_ == role::waiting && !forget_soon_ && beats(m)) serve("the other one is there");
  if (role_ != role::first) return no;
  bool const knows_more = m.argument > epoch_ && m.rights != static_cast<std::uint32_t>(standing::nothing);
  forget_soon_ = forget_soon_ || knows_more;
  // Who has something forgets it first: until then it might serve it.
  if (forget_soon_ || m.rights != static_cast<std::uint32_t>(standing::nothing)) return no;
  joining_ = m.argument2;
  return {.what = operation::done, .address = epoch_, .argument2 = instance_};
}

checked<void> pair::take_over() {
  if (role_ == role::first) {
    if (standing_ == standing::in_step && !linked_) go_on_alone("its operator says that the second is gone");
    return {};
  }
  if (linked_) return std::unexpected(refusal{status::bad_request, "the first server is connected: end it first"});
  if (standing_ == standing::nothing)
    return std::unexpected(refusal{status::bad_request, "not all of what the first server had is here"});
  serve("its operator says that the first is gone");
  return {};
}

void pair::begin_copying(std::uint64_t its_instance) {
  // It has said that it is not in step, so nothing rests on it until it is again.
  stand(standing::alone);
  other_instance_ = its_instance;
  linked_ = true;
  shown_.taken = UINT64_MAX;
}

void pair::second_in_step() {
  stand(standing::in_step);
}

void pair::second_knows() {
  can_.say("the second server has all");
}

void pair::link_lost() {
  linked_ = false;
}

void pair::we_are_in_step() {
  stand(standing::in_step);
  can_.say("has all that the first server has");
}

}  // namespace tess::memd
