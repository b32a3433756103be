// meeting: rounds and their results; the messages to place 0.
#include "runtime/files/meeting.hpp"

#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "runtime/job/job.hpp"
#include "tess/at.hpp"
#include "tess/place.hpp"

namespace tess::detail {

namespace {

/// The open files of a job, at place 0's process.
struct file_table {
  std::mutex lock;
  std::map<std::uint64_t, std::shared_ptr<file_meeting>> files;
  std::uint64_t last = 0;
};
file_table& table() {
  static file_table t;
  return t;
}

void end_meetings(std::uint64_t file) {
  std::shared_ptr<file_meeting> ended;
  std::scoped_lock const hold(table().lock);
  if (auto const found = table().files.find(file); found != table().files.end()) {
    ended = std::move(found->second);
    table().files.erase(found);
  }
}

void leave_at_0(std::uint64_t file, place_id from) {
  if (auto const m = meetings_of(file); m != nullptr && m->leave(from)) end_meetings(file);
}

}  // namespace

file_meeting::file_meeting(file_names names)
    : names_(std::move(names)), now_(std::make_shared<round>(places())), left_(places()) {}

file_meeting::~file_meeting() {
  remove_new();
}

file_names file_meeting::names() {
  std::scoped_lock const hold(lock_);
  return names_;
}

void file_meeting::keep() {
  std::scoped_lock const hold(lock_);
  names_.partial.clear();
}

void file_meeting::remove_new() {
  if (!names_.partial.empty()) unlink(names_.partial.c_str());
  names_.partial.clear();
}

void file_meeting::add(round& r, place_id from, file_contribution c) {
  if (r.came[from]) return;
  r.came[from] = true;
  if (!c.failure.empty()) remove_new();
  r.of[from] = std::move(c);
  if (--r.missing == 0) complete(r);
}

void file_meeting::complete(round& r) {
  for (unsigned p = 0; p < places(); ++p) {
    r.offsets[p] = r.total;
    r.total += r.of[p].bytes;
    if (failure_.empty() && !r.of[p].failure.empty()) failure_ = "place " + std::to_string(p) + " " + r.of[p].failure;
  }
  r.failure = failure_;
  previous_ = std::exchange(now_, std::make_shared<round>(places()));
  for (unsigned p = 0; p < places(); ++p)
    if (left_[p]) {
      now_->came[p] = true;
      --now_->missing;
    }
  previous_->complete.write_xf(1);
}

std::shared_ptr<file_meeting::round> file_meeting::contribute(place_id from, file_contribution c) {
  std::scoped_lock const hold(lock_);
  auto const r = now_;
  add(*r, from, std::move(c));
  return r;
}

std::shared_ptr<file_meeting::round> file_meeting::previous() {
  std::scoped_lock const hold(lock_);
  return previous_;
}

bool file_meeting::leave(place_id from) {
  std::scoped_lock const hold(lock_);
  if (left_[from]) return false;
  left_[from] = true;
  if (names_.written) {
    remove_new();
    if (failure_.empty())
      failure_ = "place " + std::to_string(from) + " left it without close(); expected close() at every place";
  }
  bool const all = ++left_count_ == places();
  if (!all) add(*std::shared_ptr(now_), from, {});
  return all;
}

std::uint64_t begin_meetings(file_names names) {
  auto made = std::make_shared<file_meeting>(std::move(names));
  std::scoped_lock const hold(table().lock);
  table().files.emplace(++table().last, std::move(made));
  return table().last;
}

std::shared_ptr<file_meeting> meetings_of(std::uint64_t file) {
  std::scoped_lock const hold(table().lock);
  auto const found = table().files.find(file);
  return found == table().files.end() ? nullptr : found->second;
}

task<file_names> names_of(std::uint64_t file) {
  co_return co_await at(
      0,
      [](std::uint64_t f) {
        auto const m = meetings_of(f);
        return m == nullptr ? file_names{.failure = "place 0 left it; expected close() at every place"} : m->names();
      },
      file);
}

task<file_agreement> meet(std::uint64_t file, file_contribution c) {
  co_return co_await at(
      0,
      [](std::uint64_t f, place_id from, file_contribution mine) -> task<file_agreement> {
        auto const m = meetings_of(f);
        if (m == nullptr) co_return file_agreement{.failure = "all places left it; expected close() at every place"};
        bool const last = mine.last;
        auto const r = m->contribute(from, std::move(mine));
        static_cast<void>(co_await r->complete.read_ff());
        if (last) end_meetings(f);
        co_return file_agreement{r->offsets[from], r->total, r->failure};
      },
      file, here(), std::move(c));
}

void leave_meetings(std::uint64_t file) noexcept {
  try {
    // At the end of a job nobody waits any more, and no message leaves.
    if (here() == 0)
      leave_at_0(file, 0);
    else if (!the_job->stopping.load(std::memory_order_relaxed))
      at_async(0, [](std::uint64_t f, place_id from) { leave_at_0(f, from); }, file, here());
  } catch (...) {
    // Without memory for the message the others wait; the stall report names them.
  }
}

}  // namespace tess::detail
