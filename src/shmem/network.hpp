// network: the PEs of other hosts: words, blocks and progress by the fabric ucx, whose places are the PEs.
//
//   A PE's memory is its place's segment: in the lower half the library's flags and the statics, in the upper half the
//   heap. Own statics and heap are mapped a second time where the program has them. PEs of this host see each other's
//   segments through windows, as in a job of one host; nothing here is called for them.
//
//   Operations of a context count on its `pending` and are complete at its quiet. The fabric does not order them, so
//   every order that OpenSHMEM promises is a quiet. Posted words travel together.
//
// Units     bytes; `there` is an address of the fabric: place and offset in its segment.
// Threads   any.
// Errors    fail: the launcher, the fabric or another program. A PE that fails ends the others with 1; one
//           of them says which PE on which host it was.
// Cost      a blocking fetch or get is a round trip. Puts of up to 64 KiB are copied and need not wait.
//
// On tiles of a simulated machine tile/network.hpp takes its place.
#pragma once

#if defined(__riscv)
#include "shmem/tile/network.hpp"
#else

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tess/detail/tasks/completion.hpp"
#include "tess/detail/words/word_apply.hpp"
#include "tess/error.hpp"

namespace tess::detail {
class fabric;
class process_wireup;
}  // namespace tess::detail

/// Operations of a context that are under way.
struct [[gnu::visibility("default")]] tess_shmem_pending {
  struct result {
    std::uint64_t words[2];
    void* to;
    std::size_t bytes;
  };

  tess::detail::completion done;
  std::mutex lock;  ///< guards what follows
  std::vector<std::vector<std::byte> > sources;
  std::size_t source_bytes = 0;
  std::deque<result> results;  ///< stored where they belong at the next quiet
};

namespace tess::shmem {

using detail::word_op;
using detail::word_request;

class network {
 public:
  /// A launcher with PMIx has started this process, or the user wants the fabric.
  [[nodiscard]] static bool wanted();

  /// Meets the other PEs, which must have the same `identity`.
  explicit network(std::string identity);
  ~network();
  network(network const&) = delete;
  network& operator=(network const&) = delete;

  [[nodiscard]] int pe() const noexcept { return me_; }
  [[nodiscard]] int pes() const noexcept;
  [[nodiscard]] int pes_here() const noexcept;
  /// The segment of a PE; null: no window.
  [[nodiscard]] std::byte* memory(int pe) const noexcept;
  /// Where the upper half begins, and what all PEs have of it.
  [[nodiscard]] std::uint64_t heap_offset(int pe) const noexcept;
  [[nodiscard]] std::size_t heap_bytes() const noexcept { return heap_bytes_; }
  // The fabric's address of a byte of a PE's flags, statics or heap.
  [[nodiscard]] std::uint64_t in_system(int pe, std::uint64_t offset) const noexcept;
  [[nodiscard]] std::uint64_t in_statics(int pe, std::uint64_t offset) const noexcept;
  [[nodiscard]] std::uint64_t in_heap(int pe, std::uint64_t offset) const noexcept;
  /// Makes memory of the own segment usable; false: there is not enough.
  [[nodiscard]] bool extend(std::uint64_t offset, std::size_t bytes);
  [[nodiscard]] bool extend_heap(std::uint64_t offset, std::size_t bytes) {
    return extend(heap_offset(me_) + offset, bytes);
  }
  /// Maps own memory a second time.
  [[nodiscard]] bool map(std::uint64_t offset, std::size_t bytes, void* address);
  /// A barrier that needs no flags. No operation may be under way whose end another PE waits for.
  void meet();

  void put(tess_shmem_pending& of, std::uint64_t there, void const* source, std::size_t bytes);
  /// The source stays as it is until quiet.
  void put_later(tess_shmem_pending& of, std::uint64_t there, void const* source, std::size_t bytes);
  /// Complete at the target when the call ends.
  void put_now(std::uint64_t there, void const* source, std::size_t bytes);
  /// After what was put before.
  void get(tess_shmem_pending& of, std::uint64_t there, void* target, std::size_t bytes);
  void get_later(tess_shmem_pending& of, std::uint64_t there, void* target, std::size_t bytes);
  void post(tess_shmem_pending& of, word_request const& word);
  /// The old value, in as many of the bytes as the word has.
  void fetch(word_request const& word, std::uint64_t (&old)[2]);
  void fetch_later(tess_shmem_pending& of, word_request const& word, void* to);
  void quiet(tess_shmem_pending& of);

  /// What collectives put: complete before the flags that follow.
  [[nodiscard]] tess_shmem_pending& given() noexcept { return given_; }
  /// Stores a flag of another PE; nobody waits for its end.
  void raise(std::uint64_t there, std::uint64_t value);

  /// Moves on what is under way.
  void progress();
  /// The other PEs end with this code, too, as soon as they notice.
  void end_others(int code);

 private:
  class watch;

  void wait(detail::completion& done);

  detail::process_wireup* wires_ = nullptr;  ///< the fabric's
  std::unique_ptr<detail::fabric> fabric_;
  std::uint16_t me_ = 0;
  std::size_t heap_bytes_ = 0;
  std::uint64_t nowhere_[2] = {};  ///< results that nobody wants
  tess_shmem_pending given_;
  tess_shmem_pending flags_;
  std::unique_ptr<watch> watch_;
};

/// Words that the library keeps in each PE's memory, behind the flags of teams.
struct network_words {
  static constexpr std::size_t offset = std::size_t{7} << 20U;
  std::atomic<std::uint64_t> end;      ///< the job ends: code + 1
  std::atomic<std::uint64_t> refused;  ///< at PE 0: addresses for the heap that are taken somewhere, as bits
};

}  // namespace tess::shmem

#endif
