// transaction: one remote operation, from the adapter that issues it to the home that does it and back.
//
//   It belongs to who issued it and must stay until it is done. Packets carry its address; data that is written travels
//   in it from the call of issue(), data that is read is in it when it is done.
//
// Units     bytes. Addresses are global.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "machine/cache/line_right.hpp"
#include "machine/kernel/event.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {

enum class remote_operation : std::uint8_t {
  read,          ///< `bytes` of data.
  write,         ///< `bytes` of data.
  atomic,        ///< `word` on the 4 or 8 bytes there; what was there before comes back in `operand`.
  compare_swap,  ///< Stores `operand` if the word equals `expected`; what was there comes back in `operand`.
  invoke,        ///< Puts `data` into the task queue.
  trigger,       ///< Puts `data` into the queue of the memory's accelerator.
  transfer,      ///< A DMA: `bytes` from `address` to `destination`, run by the adapter of the source.
  probe,         ///< A directory's, to a cache: keep no more of the line than `right`.
  unblock,       ///< A cache's, to a directory: the line has come. It has no answer.
};

/// What an atomic does, as the A extension has it.
enum class word_operation : std::uint8_t { swap, add, bit_xor, bit_and, bit_or, min, max, min_unsigned, max_unsigned };

enum class remote_outcome : std::uint8_t {
  pending,
  done,
  refused,  ///< A queue is full; the adapter tries again by itself.
  wrong,    ///< No such address, or not for this operation.
};

struct transaction : event {
  static constexpr std::size_t data_max = 64;

  transaction() : event(nullptr) {}

  remote_operation what = remote_operation::read;
  word_operation word = word_operation::swap;
  remote_outcome status = remote_outcome::pending;
  std::uint32_t source = 0;  ///< Tile; set by issue().
  std::uint32_t target = 0;  ///< Tile: the home of the address.
  std::uint64_t address = 0;
  std::uint64_t destination = 0;       ///< Of a transfer.
  std::uint32_t destination_tile = 0;  ///< Its home.
  std::uint64_t bytes = 0;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
  std::array<std::byte, data_max> data{};
  event* done = nullptr;  ///< Happens, without the calendar, at the end.

  /// Of a cache: what a home needs to answer words, so it has slots of its own, however short it is.
  bool is_line = false;

  // With directories (memory/directory.hpp).
  line_right right = line_right::none;  ///< Of a line: wanted, then granted; of one written back: still there.
  bool held = false;                    ///< Who wants to write it may read it already.

  // The adapters' own.
  class adapter* via = nullptr;
  picoseconds issued = 0;
  std::uint32_t refusals = 0;        ///< In a row, while nothing changed at the home:
  std::uint64_t changes_before = 0;  ///< how much had changed there at the first of them.
  bool is_dma_data = false;
  /// Of a transfer: its destination hears of its end. Of DMA data: this is the end, without bytes.
  bool tells = false;

  // Of cache-integrated network interfaces (src/machine/cni).
  bool of_interface = false;  ///< An interface's or posted: answered by the third virtual network.
  bool brief = false;         ///< Of an interface's data: it goes with the requests, and a word goes to its home.
  bool once = false;          ///< If a queue refuses it, it has ended so.
  bool busy = false;          ///< Of one that is refused: no queue did, but a list of jobs, and it is sent again.
  std::uint64_t acknowledgement = 0;  ///< Where the number of bytes goes when they have been written; null: nowhere.
  registers::cni::fault fault = registers::cni::fault::none;  ///< Why it is wrong, if the home knows.

  [[nodiscard]] bool is_refused_for_good() const noexcept { return once && !busy && status == remote_outcome::refused; }
};

/// Does `word` to the 4 or 8 bytes at `at` and returns what was there, 4 bytes sign-extended as the A extension does.
std::uint64_t apply(word_operation word, std::byte* at, std::uint64_t bytes, std::uint64_t operand) noexcept;
std::uint64_t apply_compare_swap(std::byte* at, std::uint64_t bytes, std::uint64_t expected,
                                 std::uint64_t operand) noexcept;

}  // namespace tess::machine
