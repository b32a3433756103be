// completion: words of a counter, wherever it is.
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
  add.word = word_operation::add;
  add.address = counter;
  add.operand = ~std::uint64_t{0};
  co_await word(add);
  if (add.status != remote_outcome::done || add.operand != 1) co_return;
  std::uint64_t const notify = co_await read(counter + counter_notify);
  std::uint64_t const cookie = co_await read(counter + counter_cookie);
  if (notify == 0) co_return;
  auto const told = local_.global(notify);
  if (told && reaches(*told)) co_await write(*told, cookie);
}

task<std::uint64_t> completion::read(std::uint64_t address) {
  transaction asked;
  asked.what = remote_operation::read;
  asked.address = address;
  co_await word(asked);
  std::uint64_t value = 0;
  std::memcpy(&value, asked.data.data(), sizeof value);
  co_return value;
}

task<> completion::write(std::uint64_t address, std::uint64_t value) {
  transaction told;
  told.what = remote_operation::write;
  told.address = address;
  std::memcpy(told.data.data(), &value, sizeof value);
  co_await word(told);
}

task<> completion::word(transaction& asked) {
  if (asked.bytes == 0) asked.bytes = sizeof(std::uint64_t);
  asked.target = tile_.map().find(asked.address)->tile;
  if (asked.target != tile_.number()) {
    co_await remote(asked);
    co_return;
  }
  happened done;
  asked.source = tile_.number();
  tile_.serve(asked, done);
  co_await done;
}

task<> completion::remote(transaction& asked) {
  happened done;
  asked.done = &done;
  tile_.network_adapter().issue(asked);
  co_await done;
}

}  // namespace tess::machine
