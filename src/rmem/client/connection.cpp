// connection: a window of chunks is in flight; each chunk has a number, from which its id follows.
#include "rmem/client/connection.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "tess/rmem.hpp"

namespace tess::rmem {

namespace {

using wire::operation;
using wire::status;

/// How many chunks are in flight: while the bytes of one move, the headers of others travel.
constexpr std::uint64_t window = 8;
static_assert(window <= wire::transfers_max);
constexpr std::uint32_t answer_bytes_max = 1 << 20;

std::string text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// The meaning of errno after a call on a socket.
std::string socket_error(std::chrono::milliseconds patience) {
  bool const late = errno == EAGAIN || errno == EWOULDBLOCK;
  return late ? "no reply for " + std::to_string(patience.count()) + " ms" : std::generic_category().message(errno);
}

}  // namespace

connection::connection(std::string const& full, std::chrono::milliseconds patience) : full_(full), patience_(patience) {
  try {
    stream_ = stream::to(full, is_local(full) ? credentials{} : credentials::of_environment(), false, patience);
  } catch (std::runtime_error const& failure) {
    throw lost(failure.what());
  }
}

void connection::wait_for(std::chrono::milliseconds patience) {
  patience_ = patience;
  limit_waiting(stream_.number(), patience);
}

bool connection::alive() const {
  return !broken_ && stream_.is_quiet();
}

void connection::lose(std::string const& how) {
  broken_ = true;
  throw lost("the memory server at " + full_ + " is lost: " + how);
}

void connection::send(std::span<std::byte const> first, std::span<std::byte const> second) {
  std::array<iovec, 2> parts{iovec{const_cast<std::byte*>(first.data()), first.size()},
                             iovec{const_cast<std::byte*>(second.data()), second.size()}};
  while (parts[0].iov_len + parts[1].iov_len != 0) {
    ssize_t const n = stream_.send(parts, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) lose(socket_error(patience_));
    auto left = static_cast<std::size_t>(n);
    for (auto& part : parts) {
      std::size_t const sent = std::min(left, part.iov_len);
      part.iov_base = static_cast<std::byte*>(part.iov_base) + sent;
      part.iov_len -= sent;
      left -= sent;
    }
  }
}

/// One system call. If `to` is small, it also reads ahead.
std::size_t connection::receive_some(std::span<std::byte> to, std::vector<descriptor>* files) {
  bool const reads_ahead = to.size() <= ahead_.size();
  std::array<iovec, 2> parts{iovec{to.data(), to.size()}, iovec{ahead_.data(), reads_ahead ? ahead_.size() : 0}};
  ssize_t const n = stream_.receive(std::span(parts).first(reads_ahead ? 2 : 1), reads_ahead ? 0 : MSG_WAITALL, files);
  if (n < 0 && errno == EINTR) return 0;
  if (n <= 0) lose(n == 0 ? "it ended the connection" : socket_error(patience_));
  std::size_t const direct = std::min(static_cast<std::size_t>(n), to.size());
  ahead_from_ = 0;
  ahead_to_ = static_cast<std::size_t>(n) - direct;
  return direct;
}

void connection::receive(std::span<std::byte> to, std::vector<descriptor>* files) {
  std::size_t const there = std::min(to.size(), ahead_to_ - ahead_from_);
  if (there != 0) std::memcpy(to.data(), &ahead_[ahead_from_], there);
  ahead_from_ += there;
  to = to.subspan(there);
  while (!to.empty()) to = to.subspan(receive_some(to, files));
}

wire::message connection::receive_head(std::vector<descriptor>* files) {
  wire::encoded bytes{};
  receive(bytes, files);
  auto const head = wire::decode(bytes);
  if (!head || head->what <= wire::last_request) lose("it speaks another protocol");
  return *head;
}

std::vector<std::byte> connection::receive_payload(wire::message const& head) {
  if (head.payload > answer_bytes_max) lose("it speaks another protocol");
  std::vector<std::byte> payload(head.payload);
  receive(payload);
  return payload;
}

connection::answer connection::call(wire::message m, std::span<std::byte const> payload) {
  m.id = next_id_++;
  m.payload = static_cast<std::uint32_t>(payload.size());
  auto const bytes = wire::encode(m);
  send(bytes, payload);
  answer a;
  a.head = receive_head(&a.files);
  if (a.head.what != operation::done || a.head.id != m.id) lose("it speaks another protocol");
  a.payload = receive_payload(a.head);
  if (a.head.outcome != status::ok) {
    auto const all = text_of(a.payload);
    auto const said = all.size() - std::min<std::uint64_t>(a.head.size, all.size());
    other_server_ = all.substr(said);
    throw refused(a.head.outcome, all.substr(0, said));
  }
  return a;
}

/// A chunk is done or refused.
void connection::complete_chunk(progress& p, wire::message const& head) {
  auto const payload = receive_payload(head);
  ++p.done;
  if (head.outcome == status::ok || p.refused != status::ok) return;
  p.refused = head.outcome;
  p.why = text_of(payload);
}

/// Messages of a chunk before its end go to `move_data(head, offset, size)`.
template <class F>
void connection::transfer(operation what, std::uint64_t at, std::uint64_t bytes, F&& move_data) {
  constexpr std::uint64_t chunk_bytes = wire::portal_bytes_max;
  std::uint64_t const chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
  std::uint64_t const first_id = next_id_;
  next_id_ += chunks;
  progress p;
  auto const size_of = [&](std::uint64_t i) { return std::min(chunk_bytes, bytes - i * chunk_bytes); };
  while (p.done < p.begun || (p.begun < chunks && p.refused == status::ok)) {
    while (p.begun < chunks && p.begun - p.done < window && p.refused == status::ok) {
      std::uint64_t const offset = p.begun * chunk_bytes;
      send(wire::encode({.what = what,
                         .id = first_id + p.begun,
                         .address = at + offset,
                         .size = size_of(p.begun),
                         .argument = bytes - offset}));
      ++p.begun;
    }
    auto const head = receive_head();
    std::uint64_t const index = head.id - first_id;
    if (index >= p.begun) lose("it speaks another protocol");
    if (head.what == operation::done)
      complete_chunk(p, head);
    else
      move_data(head, index * chunk_bytes, size_of(index));
  }
  if (p.refused != status::ok) throw refused(p.refused, p.why);
}

void connection::read(std::byte* to, std::uint64_t from, std::uint64_t bytes) {
  transfer(operation::read, from, bytes, [&](wire::message const& head, std::uint64_t offset, std::uint64_t size) {
    if (head.what != operation::data || head.payload != size) lose("it speaks another protocol");
    // This side of the portal is the caller's memory: no copy in between.
    receive({to + offset, size});
  });
}

void connection::write(std::uint64_t to, std::byte const* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (bytes <= wire::inline_bytes_max) {
    call({.what = operation::write, .address = to, .size = bytes}, {from, bytes});
    return;
  }
  transfer(operation::write, to, bytes, [&](wire::message const& head, std::uint64_t offset, std::uint64_t size) {
    if (head.what != operation::go) lose("it speaks another protocol");
    // An accepted chunk is sent even if another one was refused in the meantime: the server waits for it.
    send(wire::encode({.what = operation::data, .id = head.id, .payload = static_cast<std::uint32_t>(size)}),
         {from + offset, size});
  });
}

}  // namespace tess::rmem
