// receiver: bytes go from the socket straight into the region, changes are applied to the store.
#include "rmem/replication/receiver.hpp"

#include <stdexcept>
#include <string>

namespace tess::memd::replication {

namespace {

using wire::operation;

constexpr std::uint32_t change_bytes_max = 64U << 20;

[[noreturn]] void fail(char const* what) {
  throw std::runtime_error(std::string("the backup cannot follow the primary: ") + what);
}

}  // namespace

std::span<std::byte> receiver::receive_buffer() {
  if (in_header_) return std::span(header_).subspan(received_);
  if (m_.what == operation::copied_change) return std::span(change_).subspan(received_);
  region const* const r = store_.find(m_.address);
  if (r == nullptr || m_.address - r->base + m_.payload > r->size) fail("it sent bytes that are in no region");
  return r->memory.bytes(m_.address - r->base + received_, m_.payload - received_);
}

bool receiver::received(std::size_t bytes, std::uint64_t) {
  received_ += bytes;
  if (received_ < (in_header_ ? header_.size() : m_.payload)) return true;
  received_ = 0;
  in_header_ ? begin_entry() : end_entry();
  return true;
}

void receiver::begin_entry() {
  auto const m = wire::decode(header_);
  if (!m) fail("it speaks another protocol");
  m_ = *m;
  if (m_.what == operation::copied_change && m_.payload <= change_bytes_max)
    change_.resize(m_.payload);
  else if (m_.what != operation::in_sync && m_.what != operation::beat &&
           (m_.what != operation::copied_bytes || m_.payload > wire::portal_bytes_max))
    fail("it speaks another protocol");
  in_header_ = false;
  if (m_.payload == 0) end_entry();
}

void receiver::end_entry() {
  in_header_ = true;
  ++entries_;
  if (m_.what == operation::in_sync) {
    in_sync_ = true;
    epoch_ = m_.argument;
  }
  if (m_.what == operation::beat) other_ = {m_.address, m_.size};
  if (m_.what != operation::copied_change) return;
  auto const c = decode(change_);
  if (!c) fail("it sent a damaged change");
  if (!store_.apply_replicated(*c)) fail("a change does not fit here; is the disk full?");
}

protocol::output receiver::next_output() {
  if (reply_sent_ == reply_.size()) {
    if (acknowledged_ == entries_) return {};
    acknowledged_ = entries_;
    auto const self = process_name::own();
    reply_ = wire::encode(
        {.what = operation::acknowledge, .address = self.number, .size = self.space, .argument = entries_});
    reply_sent_ = 0;
  }
  return {std::span(reply_).subspan(reply_sent_)};
}

}  // namespace tess::memd::replication
