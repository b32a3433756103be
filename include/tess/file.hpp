// file: a file that all places read or write together, each of them its parts, in the shape of MPI-IO.
//
//   open(), the ordered operations and close() are collective: one task of every place calls them, in the same order.
//   read_at() and write_at() are not.
//
//     co_await on_all_places([]() -> task<> {
//       file out = co_await file::open("heat.txt", file_mode::write);
//       co_await out.write_ordered("place " + std::to_string(here()) + "\n");   // the places' parts in place order
//       co_await out.close();
//     });
//
//   A file that is written is a new one beside its name, which gets the name at close(), when all that was written is
//   on the disk. If anything fails before that, at any place, the old file stays and the new one is removed; only a
//   process that is killed leaves it, as NAME.PID.NUMBER.partial. A link stays, and what it names is replaced. A device
//   or a pipe is written through, and so is "-", standard output: by place 0, and by write_ordered() alone.
//
// Shapes   data: any contiguous range of trivially copyable elements, such as a string, a vector or a span.
// Units    offsets and sizes are bytes, also those of ranges of larger elements.
// Threads  collective calls: one task of each place at a time. read_at, write_at: any tasks of the place.
// Errors   tess::error, which names file, place and the system's reason. An error of a collective call is thrown at
//          every place; one of write_at() at its own place, and by the next collective call at all. A place that leaves
//          the file by an exception, or without close(), is an error of the others' next collective call.
// Cost     one descriptor for each process. Data moves in pieces of 256 KiB, between which other tasks have their turn;
//          the disk's own delays hold up the thread meanwhile. Collective calls are a message to place 0 and back: open
//          and the ordered ones two, close three. Parts of a pipe travel to place 0. close() waits until the data is on
//          the disk, and lets other tasks run meanwhile.
// Source   MPI_File_open, read_at, write_at, read_ordered, write_ordered of MPI-2 (1997).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tess/block.hpp"
#include "tess/task.hpp"

namespace tess {

/// What a file is opened for: to read what it has, or to replace it (which may also be read, before close()).
enum class file_mode : std::uint8_t { read, write };

namespace detail {
struct file_state;
struct close_file {
  void operator()(file_state* s) const noexcept;
};
}  // namespace detail

class file {
 public:
  /// Collective: opens an existing file, or begins a new one. Name and mode are the same at all places.
  static task<file> open(std::string path, file_mode mode);

  /// Bytes that the file has now.
  [[nodiscard]] std::uint64_t size() const;

  /// Reads bytes from `offset` on into the range; gives their number, which is smaller only at the end of the file.
  template <detail::block_target R>
  [[nodiscard]] task<std::size_t> read_at(std::uint64_t offset, R&& into) {
    return read_bytes(offset, detail::writable_bytes_of(into));
  }
  /// Writes the range to `offset`; a gap that nobody writes is zeros. The range must live until the await has ended.
  template <detail::block_source R>
  [[nodiscard]] task<void> write_at(std::uint64_t offset, R&& from) {
    if constexpr (std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>)
      return write_bytes(offset, detail::bytes_of(from));
    else
      return write_owned(offset, std::move(from), false);
  }

  /// Collective: reads the places' parts in place order, from the end of the previous ordered call on; gives the number
  /// of bytes that this place got.
  template <detail::block_target R>
  [[nodiscard]] task<std::size_t> read_ordered(R&& into) {
    return read_bytes_ordered(detail::writable_bytes_of(into));
  }
  /// Collective: writes the places' parts in place order, from the end of the previous ordered call on.
  template <detail::block_source R>
  [[nodiscard]] task<void> write_ordered(R&& from) {
    if constexpr (std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>)
      return write_bytes_ordered(detail::bytes_of(from));
    else
      return write_owned(0, std::move(from), true);
  }

  /// Collective: ends the use of the file; one that was written now gets its name. No operation may be under way.
  [[nodiscard]] task<void> close();

 private:
  explicit file(detail::file_state* s) : state_(s) {}

  task<std::size_t> read_bytes(std::uint64_t offset, std::span<std::byte> into);
  task<void> write_bytes(std::uint64_t offset, std::span<std::byte const> from);
  task<std::size_t> read_bytes_ordered(std::span<std::byte> into);
  task<void> write_bytes_ordered(std::span<std::byte const> from);
  /// A temporary range, such as the text of an expression, lives in the task.
  template <class R>
  task<void> write_owned(std::uint64_t offset, R from, bool ordered) {
    auto const bytes = detail::bytes_of(from);
    if (ordered)
      co_await write_bytes_ordered(bytes);
    else
      co_await write_bytes(offset, bytes);
  }

  std::unique_ptr<detail::file_state, detail::close_file> state_;
};

}  // namespace tess
