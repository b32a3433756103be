// shared_pages: memory mapped like the segments of places that are processes: a shared mapping of a memory file.
//
//   A limit measured on private huge pages would hide the cost of the page size of such a mapping.
//
// Errors    std::bad_alloc if the kernel has no memory.
// Cost      construction faults every page in; never construct inside a timed part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace bench {

/// Zeroed, present memory that other processes could map, too.
class shared_words {
 public:
  explicit shared_words(std::size_t count);
  shared_words(shared_words const&) = delete;
  shared_words& operator=(shared_words const&) = delete;
  ~shared_words();

  [[nodiscard]] std::uint64_t* data() const noexcept { return words_; }

 private:
  void* mapped_ = nullptr;  ///< including room for alignment
  std::uint64_t* words_ = nullptr;
  std::size_t bytes_;
};

}  // namespace bench
