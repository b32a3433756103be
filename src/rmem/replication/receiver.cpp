// receiver: bytes land in the region straight from the socket, changes are replayed.
#include "rmem/replication/receiver.hpp"

#include <stdexcept>
#include <string>

namespace tess::memd {

namespace {

using wire::operation;

constexpr std::uint32_t change_bytes_max = 64U << 20;

[[noreturn]] void fail(char const* what) {
  throw std::runtime_error(std::string("the second server cannot follow the first: ") + what);
}

}  // namespace

std::span<std::byte> follower::want() {
  if (in_header_) return std::span(header_).subspan(moved_);
  if (m_.what == operation::copied_change) return std::span(change_).subspan(moved_);
  region const* const r = store_.find(m_.address);
  if (r == nullptr || m_.address - r->base + m_.payload > r->size) fail("bytes of no region came");
  return store_.bytes(*r, m_.address - r->base + moved_, m_.payload - moved_);
}

bool follower::got(std::size_t bytes, std::uint64_t) {
  moved_ += bytes;
  if (moved_ < (in_header_ ? header_.size() : m_.payload)) return true;
  moved_ = 0;
  in_header_ ? begin() : end();
  return true;
}

void follower::begin() {
  auto const m = wire::decode(header_);
  if (!m) fail("it speaks another protocol");
  m_ = *m;
  if (m_.what == operation::copied_change && m_.payload <= change_bytes_max)
    change_.resize(m_.payload);
  else if (m_.what != operation::in_step && (m_.what != operation::copied_bytes || m_.payload > wire::portal_bytes_max))
    fail("it speaks another protocol");
  in_header_ = false;
  if (m_.payload == 0) end();
}

void follower::end() {
  in_header_ = true;
  ++count_;
  if (m_.what == operation::in_step) in_step_ = true;
  if (m_.what != operation::copied_change) return;
  auto const c = decode(change_);
  if (!c) fail("a damaged change came");
  if (!store_.follow(*c)) fail("a change does not fit here; is its disk full?");
}

talker::outgoing follower::next() {
  if (said_ == saying_.size()) {
    if (announced_ == count_) return {};
    announced_ = count_;
    saying_ = wire::encode({.what = operation::acknowledge, .argument = count_});
    said_ = 0;
  }
  return {std::span(saying_).subspan(said_)};
}

}  // namespace tess::memd
