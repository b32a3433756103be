// leased_memory: a region in shared memory, which local clients map, and the word that ends their leases.
//
//   The file descriptor is sealed against resizing, so no process can remove pages under another. The epoch is a second
//   page that clients can only read: while it is `lease_valid`, what they read and wrote through the mapping counts. A
//   client reads it after every transfer, behind a full fence. The server ends the epoch before it moves the bytes
//   away, also with a full fence in between. So either the server sees the client's bytes, or the client sees the end
//   and repeats the transfer. What stays mapped afterwards is empty: its pages are given back.
//
// Source   one-sided access as a lease; Dekker's protocol decides which side sees what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tess::memd {

class leased_memory {
 public:
  /// Null if the system has no descriptor or no address space left.
  [[nodiscard]] static std::unique_ptr<leased_memory> make(std::uint64_t size);
  leased_memory(leased_memory const&) = delete;
  leased_memory& operator=(leased_memory const&) = delete;
  /// Ends the leases and empties the pages.
  ~leased_memory();

  [[nodiscard]] std::byte* bytes() const { return bytes_; }
  [[nodiscard]] int file() const { return file_; }
  /// For clients that may only read; -1 if the system has no descriptor left. The caller closes it.
  [[nodiscard]] int read_only_file() const;
  [[nodiscard]] int epoch_file() const { return epoch_file_; }

  /// From here on, no client trusts what it does through the mapping.
  void end();
  /// Gives these pages back; they read as zeros.
  void empty(std::uint64_t offset, std::uint64_t size);

 private:
  leased_memory() = default;

  std::uint64_t size_ = 0;
  int file_ = -1;
  int epoch_file_ = -1;
  std::byte* bytes_ = nullptr;
  std::uint64_t* epoch_ = nullptr;
};

/// Copies the data of a sparse file between these offsets and leaves holes as holes. `from` is its mapping.
void copy_without_holes(int file, std::byte const* from, std::uint64_t begin, std::uint64_t end, std::byte* to);

}  // namespace tess::memd
