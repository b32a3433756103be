// interface_job: what a network interface has to send: a command, or what an event asked for.
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
    forward,  ///< A copy whose source is at tile `runs_at`: that is asked to run it.
    store,    ///< `bytes` of `data` to `destination`.
    answer,   ///< The same; but a request said where, and has lain in memory since: the region table is asked again.
    notify,   ///< The first word of `data` to each of `targets` that is not null.
    add,      ///< The first word of `data` is added to the word at `destination`.
  };
  static constexpr std::size_t targets_max = 4;

  kind what = kind::store;
  bool of_command = false;  ///< It takes one of the places for commands until it has ended.
  bool no_retry = false;    ///< Of a store: if it is refused it is not sent again.
  std::uint32_t runs_at = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t acknowledgement = 0;  ///< Where numbers of written bytes go; null: nowhere.
  std::uint64_t bytes = 0;
  std::array<std::byte, transaction::data_max> data{};
  std::array<std::uint64_t, targets_max> targets{};
  transaction* request = nullptr;  ///< By which another tile asked for it.

  // The interface's own.
  std::uint64_t begun = 0;      ///< Bytes, or targets, that have been sent.
  std::uint32_t under_way = 0;  ///< Packets.
  registers::cni::fault why = registers::cni::fault::none;
  std::uint64_t where = 0;  ///< Of the fault.
};

}  // namespace tess::machine
