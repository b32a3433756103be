// interface_job: something that a network interface has to send: a command, or the consequence of an event.
//
// Units     bytes; addresses are global.
// Threads   one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "machine/adapter/transaction.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {

struct interface_job {
  enum class kind : std::uint8_t {
    copy,     ///< `bytes` from `source`, which is at this tile, to `destination`, packet by packet.
    forward,  ///< A copy whose source is at tile `runs_at`, which is asked to run it.
    store,    ///< `bytes` of `data` to `destination`.
    answer,   ///< The same, to an address from a stored request: the region table is checked again.
    notify,   ///< The first word of `data` to each of `targets` that is not null.
    add,      ///< The first word of `data` is added to the word at `destination`.
  };
  static constexpr std::size_t targets_max = 4;

  kind what = kind::store;
  bool of_command = false;  ///< It occupies one of the places for commands until it ends.
  bool no_retry = false;    ///< For a store: it is not sent again if it is refused.
  std::uint32_t runs_at = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t acknowledgement = 0;  ///< Where the numbers of written bytes go; null: nowhere.
  std::uint64_t bytes = 0;
  std::array<std::byte, transaction::data_max> data{};
  std::array<std::uint64_t, targets_max> targets{};
  transaction* request = nullptr;  ///< The request of another tile for it.

  // Fields of the interface.
  bool waits = false;           ///< It is in the list.
  std::uint64_t begun = 0;      ///< Bytes, or targets, sent so far.
  std::uint32_t under_way = 0;  ///< Packets in flight.
  registers::cni::fault why = registers::cni::fault::none;
  std::uint64_t where = 0;  ///< The address of the fault.
};

}  // namespace tess::machine
