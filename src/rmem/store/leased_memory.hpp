// leased_memory: a region in a descriptor of its own, which local clients map, and the word that ends their leases.
//
//   The descriptor is sealed against resizing, so that nobody can pull pages from under another. The epoch is a second
//   page, which clients can only read: while it is `valid`, what they read and wrote through the mapping counts. A
//   client reads it after every transfer, behind a full fence; the server ends it before it moves the bytes away, also
//   with a full fence between. So either the server sees the client's bytes or the client sees the end, and repeats.
//   What stays mapped afterwards is empty: the pages are given back.
//
// Source   one-sided access as a lease; Dekker's protocol for who sees what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tess::memd {

class leased_memory {
 public:
  static constexpr std::uint64_t epoch_valid = 1;
  static constexpr std::uint64_t epoch_bytes = 4096;

  /// Nothing if the system gives no descriptor or no address space.
  [[nodiscard]] static std::unique_ptr<leased_memory> make(std::uint64_t size);
  leased_memory(leased_memory const&) = delete;
  leased_memory& operator=(leased_memory const&) = delete;
  /// Ends the leases and empties the pages.
  ~leased_memory();

  [[nodiscard]] std::byte* bytes() const { return bytes_; }
  [[nodiscard]] int file() const { return file_; }
  /// For whom may only read; -1 if the system gives none. The caller closes it.
  [[nodiscard]] int read_only_file() const;
  [[nodiscard]] int epoch_file() const { return epoch_file_; }

  /// From here on, no client believes what it does through the mapping.
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

/// Copies what a file of holes has between these offsets, leaving holes holes. `from` is its mapping.
void copy_without_holes(int file, std::byte const* from, std::uint64_t begin, std::uint64_t end, std::byte* to);

}  // namespace tess::memd
