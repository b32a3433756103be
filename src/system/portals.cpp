// portals: registers of windows, and one transfer after another.
#include "system/portals.hpp"

#include <tess/machine/system_call.hpp>

#include "system/kernel.hpp"

namespace tess::system::portals {
namespace {

constexpr auto refused = static_cast<std::int64_t>(machine::system::error::refused);
constexpr std::uint64_t windows = 62;  // in the result of `await`

/// As a unit of the tile sees it.
struct alignas(32) counter {
  std::uint64_t value, error, notify, cookie;
};
counter ends;
task* in_transfer;  // the task whose transfer is under way, when it waits
bool busy;
bool has_ended;
task_list transfers;  // wait for the unit

std::uint64_t at(std::uint64_t number) {
  return window(registers::unit::portals, number);
}

}  // namespace

std::int64_t open(std::uint64_t number, std::uint64_t address, std::uint64_t bytes, std::uint64_t tile,
                  std::uint64_t sends) {
  namespace of = registers::portals;
  if (number >= windows) return refused;
  no_interrupts const off;
  if (word(at(number) + of::sends) != 0) return static_cast<std::int64_t>(machine::system::error::in_use);
  word(at(number) + of::address) = address;
  word(at(number) + of::bytes) = bytes;
  word(at(number) + of::source) = tile;
  word(at(number) + of::sends) = sends;
  return word(at(number) + of::state) == static_cast<std::uint64_t>(registers::command_status::idle) ? 0 : refused;
}

std::int64_t close(std::uint64_t number) {
  if (number >= windows) return refused;
  word(at(number) + registers::portals::sends) = 0;
  return 0;
}

std::uint64_t closed(std::uint64_t mask) {
  std::uint64_t found = 0;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    auto const number = static_cast<std::uint64_t>(__builtin_ctzll(left));
    if (number < windows && word(at(number) + registers::portals::sends) == 0) found |= std::uint64_t{1} << number;
  }
  return found;
}

std::int64_t transfer(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
  namespace of = registers::adapter;
  std::uint64_t const unit = window(registers::unit::adapter, own_hart);
  no_interrupts const off;
  while (busy) {
    transfers.put(own_task());
    block();
  }
  busy = true;
  has_ended = false;
  ends = {1, 0, unit_address(registers::unit::interrupts) + registers::interrupts::raise, source_transfer};
  word(unit + of::operation) = of::send;
  word(unit + of::address) = from;
  word(unit + of::bytes) = bytes;
  word(unit + of::operand) = to;
  word(unit + of::counter) = reinterpret_cast<std::uint64_t>(&ends);
  fence();
  word(unit + of::doorbell) = 1;
  std::int64_t result = refused;
  if (word(unit + of::doorbell) != static_cast<std::uint64_t>(registers::command_status::wrong)) {
    while (!has_ended) {
      in_transfer = own_task();
      block();
    }
    result = *const_cast<std::uint64_t volatile*>(&ends.error) == 0 ? 0 : refused;
  }
  busy = false;
  if (task* const next = transfers.take()) wake(next);
  return result;
}

void transfer_ended() {
  has_ended = true;
  if (in_transfer != nullptr) wake(in_transfer);
  in_transfer = nullptr;
}

}  // namespace tess::system::portals
