// completion: accesses to a counter's words, wherever they are.
#include "machine/unit/completion.hpp"

#include <cstring>

namespace tess::machine {
namespace {

/// Offsets of a counter's words.
constexpr std::uint64_t counter_error = 8;
constexpr std::uint64_t counter_notify = 16;
constexpr std::uint64_t counter_cookie = 24;

}  // namespace

std::optional<std::uint64_t> completion::counter(std::uint64_t address) const noexcept {
  if (address == 0) return 0;
  auto const name = local_.global(address);
  if (!name || *name % sizeof(std::uint64_t) != 0 || !reaches(*name)) return std::nullopt;
  return name;
}

task<> completion::acknowledge(std::uint64_t counter, std::uint64_t error) {
  if (counter == 0) co_return;
  if (error != 0) co_await write(counter + counter_error, error);
  transaction add;
  add.what = remote_operation::atomic;
  add.word = atomic_operation::add;
  add.address = counter;
  add.operand = ~std::uint64_t{0};
  co_await word(add);
  if (add.status != remote_outcome::done || add.operand != 1) co_return;
  std::uint64_t const notify = co_await read(counter + counter_notify);
  std::uint64_t const cookie = co_await read(counter + counter_cookie);
  if (notify == 0) co_return;
  auto const word_to_notify = local_.global(notify);
  if (word_to_notify && reaches(*word_to_notify)) co_await write(*word_to_notify, cookie);
}

task<std::uint64_t> completion::read(std::uint64_t address) {
  transaction request;
  request.what = remote_operation::read;
  request.address = address;
  co_await word(request);
  std::uint64_t value = 0;
  std::memcpy(&value, request.data.data(), sizeof value);
  co_return value;
}

task<> completion::write(std::uint64_t address, std::uint64_t value) {
  transaction sent;
  sent.what = remote_operation::write;
  sent.address = address;
  std::memcpy(sent.data.data(), &value, sizeof value);
  co_await word(sent);
}

task<> completion::word(transaction& request) {
  if (request.bytes == 0) request.bytes = sizeof(std::uint64_t);
  request.target = tile_.map().find(request.address)->tile;
  if (request.target != tile_.number()) {
    co_await remote(request);
    co_return;
  }
  happened done;
  request.source = tile_.number();
  tile_.serve(request, done);
  co_await done;
}

task<> completion::remote(transaction& request) {
  happened done;
  request.done = &done;
  tile_.network_adapter().issue(request);
  co_await done;
}

}  // namespace tess::machine
