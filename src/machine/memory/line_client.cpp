// line_client: a request until its line and all acknowledgements are there, and the answers to other caches.
#include "machine/memory/line_client.hpp"

#include <algorithm>
#include <array>

#include "machine/cache/copy_line.hpp"

namespace tess::machine {

line_client::request& line_client::take(stage is, std::uint64_t address, event& done) {
  request& taken = requests_.take(*this);
  taken.is = is;
  taken.has_come = false;
  taken.surrendered = false;
  taken.missing = 0;
  taken.fetched = nullptr;
  taken.done = &done;
  taken.sent.status = remote_outcome::pending;
  taken.sent.serving = served_by::home;
  taken.sent.address = address;
  taken.sent.bytes = line_bytes();
  taken.sent.done = &taken;
  return taken;
}

void line_client::fetch(line_fetch& wanted, event& done) {
  request& begun = take(stage::fetching, wanted.address, done);
  begun.fetched = &wanted;
  begun.sent.what = remote_operation::read;
  begun.sent.part = line_access{
      .right = wanted.right, .held = wanted.held, .number = ++numbers_, .acknowledged = &begun.acknowledged};
  by_.request_line(begun.sent);
}

void line_client::write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) {
  request& begun = take(stage::departing, address, done);
  begun.sent.what = remote_operation::write;
  begun.sent.part = line_access{.right = kept ? line_right::exclusive : line_right::none};
  copy_line(begun.sent.data.data(), line.data(), line.size());
  by_.request_line(begun.sent);
}

void line_client::give_up(std::uint64_t address, event& done) {
  request& begun = take(stage::departing, address, done);
  begun.sent.what = remote_operation::write;
  begun.sent.part = line_access{.right = line_right::none};
  begun.sent.bytes = 0;
  by_.request_line(begun.sent);
}

void line_client::request::has_answer() {
  MACHINE_ASSERT(sent.status == remote_outcome::done);
  has_come = true;
  if (is == stage::departing) {
    if (!sent.line()->superseded || surrendered) owner.end_departure(*this);
    return;
  }
  missing += sent.line()->to_expect;
  if (missing == 0) owner.complete(*this);
}

void line_client::request::has_acknowledgement() {
  --missing;
  if (has_come && missing == 0) owner.complete(*this);
}

void line_client::complete(request& of) {
  if (of.sent.bytes != 0) copy_line(of.fetched->into.data(), of.sent.data.data(), of.sent.bytes);
  of.fetched->right = of.sent.right();
  of.fetched->dirty = of.sent.line()->dirty;
  of.is = stage::arrived;
  event& there = *of.done;
  there.happens(there);
  // Those who wait for the line use it in this instant, harts last, and before anything is answered.
  of.used.rank = event::after_harts;
  of.used.site = kernel_.site();
  // With that rank it would not keep a hart from running ahead of it.
  kernel_.packet_begins(kernel_.site());
  kernel_.after(0, of.used);
}

void line_client::request::was_used() {
  for (early const& one : came_early) owner.answer(*one.asked, *one.finished);
  came_early.clear();
  owner.kernel_.packet_ends(owner.kernel_.site());
  owner.release(*this);
}

void line_client::end_departure(request& of) {
  event& gone = *of.done;
  release(of);
  gone.happens(gone);
}

void line_client::serve(transaction& asked, event& finished) {
  std::uint64_t const line = l2_.line_address(asked.address);
  auto const gets_it = [&](request const& one) {
    bool const comes = one.is == stage::fetching || one.is == stage::arrived;
    return comes && one.sent.address == line && one.sent.line()->number == asked.about;
  };
  if (auto const found = std::ranges::find_if(requests_.all(), gets_it); found != requests_.all().end()) {
    found->came_early.push_back({&asked, &finished});
    return;
  }
  answer(asked, finished);
}

void line_client::answer(transaction& asked, event& finished) {
  std::uint64_t const line = l2_.line_address(asked.address);
  bool const is_probe = asked.what == remote_operation::probe;
  line_right keep = asked.right() == line_right::exclusive ? line_right::none : line_right::shared;
  if (is_probe) keep = asked.right();
  std::array<std::byte, transaction::data_max> bytes{};
  auto given = l2_.surrender(line, keep, std::span(bytes).first(line_bytes()));
  auto const leaves = [line](request const& one) { return one.is == stage::departing && one.sent.address == line; };
  auto const leaving = std::ranges::find_if(requests_.all(), leaves);
  // What still leaves was given to another cache before: it is old.
  if (leaving != requests_.all().end() && leaving->surrendered) given.dirty = false;
  asked.status = remote_outcome::done;
  if (is_probe) {
    asked.line()->right = given.kept;
    asked.bytes = given.dirty ? line_bytes() : 0;
    if (given.dirty) copy_line(asked.data.data(), bytes.data(), line_bytes());
  } else {
    MACHINE_ASSERT(given.held);
    std::copy_n(bytes.data() + (asked.address - line), asked.bytes, asked.data.data());
    if (keep == line_right::none) asked.line()->dirty = given.dirty;
    if (keep == line_right::shared) tell(line, std::span(bytes).first(given.dirty ? line_bytes() : 0));
  }
  kernel_.after(answer_ps_, finished);
  if (leaving != requests_.all().end()) {
    leaving->surrendered = true;
    if (leaving->has_come) end_departure(*leaving);
  }
}

void line_client::tell(std::uint64_t line, std::span<std::byte const> bytes) {
  copy& begun = copies_.take(*this);
  begun.sent.what = remote_operation::copy_back;
  begun.sent.part = dma_packet{};
  begun.sent.address = line;
  begun.sent.bytes = bytes.size();
  begun.sent.done = &begun;
  copy_line(begun.sent.data.data(), bytes.data(), bytes.size());
  by_.tell_home(begun.sent);
}

void line_client::was_told(copy& of) {
  of.sent.bytes = 0;
  copies_.give_back(of);
}

std::byte* line_client::coming(std::uint64_t address) noexcept {
  std::uint64_t const line = l2_.line_address(address);
  auto const comes = [line](request const& one) {
    return one.is == stage::fetching && one.sent.address == line && one.sent.status == remote_outcome::done &&
           one.sent.bytes != 0;
  };
  auto const found = std::ranges::find_if(requests_.all(), comes);
  return found == requests_.all().end() ? nullptr : &found->sent.data[address - line];
}

std::byte* line_client::told(std::uint64_t address) noexcept {
  std::uint64_t const line = l2_.line_address(address);
  auto const brings = [line](copy const& one) { return one.sent.bytes != 0 && one.sent.address == line; };
  auto const found = std::ranges::find_if(copies_.all(), brings);
  return found == copies_.all().end() ? nullptr : &found->sent.data[address - line];
}

std::optional<std::uint32_t> line_client::forwarded_to(std::uint64_t address) noexcept {
  std::uint64_t const line = l2_.line_address(address);
  auto const waits = [line](request const& one) {
    return one.is == stage::fetching && one.sent.address == line && one.sent.serving == served_by::owner &&
           one.sent.status == remote_outcome::pending;
  };
  auto const found = std::ranges::find_if(requests_.all(), waits);
  return found == requests_.all().end() ? std::nullopt : std::optional(found->sent.target);
}

void line_client::change_on_way(overwrite const& written) noexcept {
  // Spare records hold nothing.
  for (request& one : requests_.all()) written.apply(one.sent.address, std::span(one.sent.data).first(line_bytes()));
  for (copy& one : copies_.all()) written.apply(one.sent.address, std::span(one.sent.data).first(line_bytes()));
}

}  // namespace tess::machine
