// file: the public operations: agreements between the places around each one's own transfers.
#include "tess/file.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "runtime/files/descriptor.hpp"
#include "runtime/files/meeting.hpp"
#include "tess/at.hpp"
#include "tess/collective.hpp"
#include "tess/error.hpp"
#include "tess/place.hpp"

namespace tess {

namespace detail {

struct file_state {
  std::string path;
  file_mode mode;
  std::uint64_t number = 0;
  bool stream = false;
  std::shared_ptr<file_descriptor> descriptor;  ///< null: at other places than 0, of a device or pipe
  std::uint64_t position = 0;                   ///< of the ordered operations
  std::string failure;                          ///< of this place's writes, told at the next agreement
  bool open = true;
};

void close_file::operator()(file_state* s) const noexcept {
  if (s->open) leave_meetings(s->number);
  delete s;
}

namespace {

constexpr char const* is_closed = "is closed; expected an open file";
constexpr char const* cannot_be_read = "cannot be read: it is a device or a pipe; expected a file";
constexpr char const* reads_only = "is open for reading only; expected file_mode::write";

/// `what` may say itself what was expected, which otherwise is what the system needs.
[[noreturn]] void refuse(file_state const& s, std::string const& what) {
  std::string const name = s.path == "-" ? "standard output" : s.path.empty() ? "a file without a name" : s.path;
  if (what.contains("; expected ")) throw error(name + ": " + what);
  throw error(name, what, s.mode == file_mode::read ? "a file that all places can read" : "a writable place with room");
}

/// How a place opens a file, for messages.
std::string opening(std::string const& path, bool written) {
  return "opens `" + path + (written ? "` to write" : "` to read");
}

/// Agrees with the other places; throws the first failure of any.
task<file_agreement> agree(file_state& s, file_contribution mine) {
  if (!s.open) refuse(s, is_closed);
  if (mine.failure.empty()) mine.failure = s.failure;
  file_agreement const all = co_await meet(s.number, std::move(mine));
  if (!all.failure.empty()) refuse(s, all.failure);
  co_return all;
}

constexpr std::size_t fetch_bytes = std::size_t{1} << 20U;

/// At place 0: writes the parts of all places to a device or pipe.
task<std::string> append_parts(file_state& s, file_meeting::round const& parts) {
  for (unsigned p = 0; p < places(); ++p) {
    file_contribution const& part = parts.of[p];
    for (std::uint64_t done = 0; done < part.bytes;) {
      std::uint64_t const count = std::min<std::uint64_t>(part.bytes - done, fetch_bytes);
      std::vector<std::byte> const bytes = co_await at(
          static_cast<place_id>(p),
          [](std::uint64_t address, std::uint64_t n) {
            auto const* const from = reinterpret_cast<std::byte const*>(address);
            return std::vector<std::byte>(from, from + n);
          },
          part.address + done, count);
      if (auto failure = co_await s.descriptor->append(bytes); !failure.empty()) co_return failure;
      done += count;
    }
  }
  co_return "";
}

}  // namespace
}  // namespace detail

task<file> file::open(std::string path, file_mode mode) {
  auto* const state = new detail::file_state{.path = path, .mode = mode, .descriptor = {}, .failure = {}};
  file made(state);
  if (here() == 0) {
    detail::file_names names{.path = path, .written = mode == file_mode::write};
    state->descriptor = co_await detail::begin_file(path, mode, names);
    if (state->descriptor != nullptr && !names.stream) names.size = state->descriptor->size();
    state->number = detail::begin_meetings(names);
  }
  state->number = co_await broadcast(state->number);
  detail::file_names const names = co_await detail::names_of(state->number);
  state->stream = names.stream;
  bool const written = mode == file_mode::write;
  std::string failure = names.failure;
  if (failure.empty() && (names.path != path || names.written != written))
    failure = detail::opening(path, written) + ", and place 0 " + detail::opening(names.path, names.written) +
              "; expected the same name and mode at all places";
  if (failure.empty() && !state->stream) {
    state->descriptor = detail::shared_descriptor(state->number, names, failure);
    if (failure.empty() && mode == file_mode::read && state->descriptor->size() != names.size)
      failure = "finds a file of another size than place 0 does; expected the same file at all places";
  }
  co_await detail::agree(*state, {.failure = std::move(failure)});
  co_return made;
}

std::uint64_t file::size() const {
  return state_->descriptor == nullptr ? 0 : state_->descriptor->size();
}

task<std::size_t> file::read_bytes(std::uint64_t offset, std::span<std::byte> into) {
  if (!state_->open || state_->stream)
    detail::refuse(*state_, state_->open ? detail::cannot_be_read : detail::is_closed);
  std::size_t count = 0;
  std::string const failure = co_await state_->descriptor->read(offset, into, count);
  if (!failure.empty()) detail::refuse(*state_, "place " + std::to_string(here()) + " " + failure);
  co_return count;
}

task<void> file::write_bytes(std::uint64_t offset, std::span<std::byte const> from) {
  if (!state_->open) detail::refuse(*state_, detail::is_closed);
  std::string failure;
  if (state_->mode == file_mode::read)
    failure = detail::reads_only;
  else if (state_->stream)
    failure = "has no offsets: it is a device or a pipe; expected write_ordered()";
  else
    failure = co_await state_->descriptor->write(offset, from);
  if (failure.empty()) co_return;
  if (state_->failure.empty()) state_->failure = failure;
  detail::refuse(*state_, "place " + std::to_string(here()) + " " + failure);
}

task<std::size_t> file::read_bytes_ordered(std::span<std::byte> into) {
  detail::file_state& s = *state_;
  auto const before = co_await detail::agree(s, {.bytes = into.size(), .failure = {}});
  std::string failure = s.stream ? detail::cannot_be_read : "";
  std::size_t count = 0;
  if (!s.stream) failure = co_await s.descriptor->read(s.position + before.offset, into, count);
  co_await detail::agree(s, {.failure = std::move(failure)});
  s.position += before.total;
  co_return count;
}

task<void> file::write_bytes_ordered(std::span<std::byte const> from) {
  detail::file_state& s = *state_;
  auto const before = co_await detail::agree(s, {.bytes = from.size(),
                                                 .address = reinterpret_cast<std::uint64_t>(from.data()),
                                                 .failure = s.mode == file_mode::read ? detail::reads_only : ""});
  std::string failure;
  if (!s.stream) {
    failure = co_await s.descriptor->write(s.position + before.offset, from);
  } else if (here() == 0) {
    auto const parts = detail::meetings_of(s.number)->previous();
    failure = co_await detail::append_parts(s, *parts);
  }
  co_await detail::agree(s, {.failure = std::move(failure)});
  s.position += before.total;
}

task<void> file::close() {
  detail::file_state& s = *state_;
  if (!s.open) detail::refuse(s, detail::is_closed);
  bool const fresh = s.mode == file_mode::write && !s.stream;
  if (fresh) {
    co_await detail::agree(s, {});
    std::string failure;
    if (s.descriptor->opener() == here()) failure = co_await s.descriptor->synchronise();
    co_await detail::agree(s, {.failure = std::move(failure)});
  }
  std::string failure;
  if (here() == 0) {
    if (s.stream) failure = s.descriptor->close();
    auto const meeting = detail::meetings_of(s.number);
    if (fresh && failure.empty()) {
      failure = detail::rename_new(meeting->names());
      if (failure.empty()) meeting->keep();
    }
  }
  co_await detail::agree(s, {.failure = std::move(failure), .last = true});
  s.open = false;
  s.descriptor.reset();
}

}  // namespace tess
