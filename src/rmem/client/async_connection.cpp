// async_connection: non-blocking sendmsg and recvmsg.
#include "rmem/client/async_connection.hpp"

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

constexpr std::size_t ahead_bytes = 256 * 1024;
/// How many messages one system call sends; each has a head and data.
constexpr std::size_t messages_max = 64;
constexpr std::uint32_t text_bytes_max = 1 << 16;

}  // namespace

async_connection::async_connection(std::unique_ptr<connection> c, chunk_table& chunks)
    : connection_(std::move(c)), chunks_(chunks), ahead_(ahead_bytes) {}

void async_connection::lose(std::string const& how) {
  throw lost(how);
}

void async_connection::put(wire::message const& m, std::span<std::byte const> data) {
  outgoing_.push_back({.head = wire::encode(m), .data = data});
}

void async_connection::request_chunks() {
  while (chunk_table::chunk const* const p = chunks_.begin_next()) {
    wire::message m{.what = p->of->reads ? operation::read : operation::write,
                    .id = p->id,
                    .address = p->at,
                    .size = p->size,
                    .argument = p->remaining};
    bool const has_bytes = !p->of->reads && !p->waits_for_go;
    if (has_bytes) m.payload = static_cast<std::uint32_t>(p->size);
    put(m, has_bytes ? std::span<std::byte const>(p->memory, p->size) : std::span<std::byte const>());
  }
}

bool async_connection::send() {
  bool moved = false;
  while (!outgoing_.empty()) {
    std::array<iovec, 2 * messages_max> vectors{};
    std::size_t count = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < std::min(messages_max, outgoing_.size()); ++i) {
      output& p = outgoing_[i];
      std::size_t const head_sent = std::min(p.sent, p.head.size());
      if (head_sent < p.head.size()) vectors[count++] = {p.head.data() + head_sent, p.head.size() - head_sent};
      auto const rest = p.data.subspan(p.sent - head_sent);
      if (!rest.empty()) vectors[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
      bytes += p.size() - p.sent;
    }
    ssize_t const n = connection_->transport().send(std::span(vectors).first(count), MSG_DONTWAIT);
    if (n < 0 && may_succeed_later()) return moved;
    if (n < 0) lose(std::generic_category().message(errno));
    moved = true;
    bool const all = static_cast<std::size_t>(n) == bytes;
    for (auto left = static_cast<std::size_t>(n); left != 0;) {
      output& p = outgoing_.front();
      std::size_t const now = std::min(left, p.size() - p.sent);
      p.sent += now;
      left -= now;
      if (p.sent == p.size()) outgoing_.pop_front();
    }
    if (!all) return moved;
  }
  return moved;
}

/// One system call: receives the rest of the current payload, and ahead of it. False: nothing has arrived.
bool async_connection::fill(std::vector<transfer*>& ended) {
  if (from_ == to_) from_ = to_ = 0;
  if (from_ != 0) {
    std::memmove(ahead_.data(), &ahead_[from_], to_ - from_);
    to_ -= from_;
    from_ = 0;
  }
  std::array<iovec, 2> vectors{iovec{payload_.data(), payload_.size()}, iovec{&ahead_[to_], ahead_.size() - to_}};
  ssize_t const n = connection_->transport().receive(vectors, MSG_DONTWAIT);
  if (n < 0 && may_succeed_later()) return false;
  if (n <= 0) lose(n == 0 ? "it ended the connection" : std::generic_category().message(errno));
  auto const bytes = static_cast<std::size_t>(n);
  std::size_t const direct = std::min(bytes, payload_.size());
  to_ += bytes - direct;
  if (direct != 0) received_payload(direct, ended);
  return true;
}

bool async_connection::receive(std::vector<transfer*>& ended) {
  bool moved = false;
  while (fill(ended)) {
    moved = true;
    while (from_ != to_) {
      if (!payload_.empty()) {
        std::size_t const n = std::min(payload_.size(), to_ - from_);
        std::memcpy(payload_.data(), &ahead_[from_], n);
        from_ += n;
        received_payload(n, ended);
        continue;
      }
      wire::encoded bytes{};
      if (to_ - from_ < bytes.size()) break;
      std::memcpy(bytes.data(), &ahead_[from_], bytes.size());
      from_ += bytes.size();
      handle_head(bytes, ended);
    }
    // Complete transfers need not wait for others.
    if (!ended.empty()) return true;
  }
  return moved;
}

void async_connection::handle_head(wire::encoded const& bytes, std::vector<transfer*>& ended) {
  auto const head = wire::decode(bytes);
  chunk_table::chunk* const p = head ? chunks_.find(head->id) : nullptr;
  if (p == nullptr) lose("it speaks another protocol");
  head_ = *head;
  switch (head->what) {
    case operation::go:
      if (!p->waits_for_go) lose("it speaks another protocol");
      p->waits_for_go = false;
      put({.what = operation::data, .id = head->id, .payload = static_cast<std::uint32_t>(p->size)},
          {p->memory, p->size});
      return;
    case operation::data:
      if (!p->of->reads || head->payload != p->size) lose("it speaks another protocol");
      payload_ = {p->memory, p->size};
      return;
    case operation::done:
      if (head->payload > text_bytes_max) lose("it speaks another protocol");
      refusal_text_.resize(head->payload);
      payload_ = refusal_text_;
      if (payload_.empty()) complete(ended);
      return;
    default:
      lose("it speaks another protocol");
  }
}

void async_connection::received_payload(std::size_t bytes, std::vector<transfer*>& ended) {
  payload_ = payload_.subspan(bytes);
  if (payload_.empty() && head_.what == operation::done) complete(ended);
}

void async_connection::complete(std::vector<transfer*>& ended) {
  std::string const why(reinterpret_cast<char const*>(refusal_text_.data()), refusal_text_.size());
  transfer* const t = chunks_.complete(*chunks_.find(head_.id), head_.outcome, why);
  if (t != nullptr) ended.push_back(t);
}

}  // namespace tess::rmem
