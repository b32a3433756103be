// descriptor: an open file of a process, and its system calls, in pieces between which other tasks have their turn.
//
//   The places of a process share it. A call that fails says what could not be done and the system's reason, such as
//   "cannot write it: No space left on device"; an empty text is success.
//
// Threads  any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/files/meeting.hpp"
#include "tess/file.hpp"
#include "tess/task.hpp"

namespace tess::detail {

class file_descriptor {
 public:
  file_descriptor(int number, place_id opener) noexcept : number_(number), opener_(opener) {}
  ~file_descriptor();
  file_descriptor(file_descriptor const&) = delete;
  file_descriptor& operator=(file_descriptor const&) = delete;

  /// The place of this process that opened it.
  [[nodiscard]] place_id opener() const noexcept { return opener_; }
  [[nodiscard]] std::uint64_t size() const noexcept;

  /// Adds the bytes read to `count`.
  [[nodiscard]] task<std::string> read(std::uint64_t offset, std::span<std::byte> into, std::size_t& count) const;
  [[nodiscard]] task<std::string> write(std::uint64_t offset, std::span<std::byte const> from) const;
  /// To the end of a device or pipe; waits while a pipe is full.
  [[nodiscard]] task<std::string> append(std::span<std::byte const> from) const;
  /// Waits until the file is on its disk.
  [[nodiscard]] task<std::string> synchronise() const;
  [[nodiscard]] std::string close();

 private:
  int number_;
  place_id opener_;
};

/// At place 0: looks at the name; creates the new file of a regular one, and opens a device or a pipe.
[[nodiscard]] task<std::shared_ptr<file_descriptor>> begin_file(std::string const& path, file_mode mode,
                                                                file_names& names);
/// The descriptor that this process has for the file, opened by the first place that asks.
[[nodiscard]] std::shared_ptr<file_descriptor> shared_descriptor(std::uint64_t file, file_names const& names,
                                                                 std::string& failure);
/// Gives a new file its name.
[[nodiscard]] std::string rename_new(file_names const& names);

}  // namespace tess::detail
