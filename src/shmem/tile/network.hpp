// network: the PEs on tiles of a simulated machine: words by instructions of xBGAS or by messages, blocks by DMA, by
// the network interface, or word by word (blocks.hpp).
//
//   The program's image is at the same address in every tile, and so is the heap behind it: what is symmetric has one
//   address. `there` is a PE and such an address, as the fabric of hosts has it.
//
// Units     bytes.
// Threads   any; each hart has devices of its own.
// Errors    a wrong address traps: the machine names it.
// Cost      a word is an instruction and a round trip; its answer is waited for. Blocks are complete at quiet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tess/detail/words/global_address.hpp"
#include "tess/detail/words/word_apply.hpp"
#include "tess/error.hpp"

/// Operations of a context that are under way: those of the hart.
struct [[gnu::visibility("default")]] tess_shmem_pending {};

namespace tess::shmem {

using detail::word_op;
using detail::word_request;

class network {
 public:
  /// There are tiles: the run has time.
  [[nodiscard]] static bool wanted();

  network();

  [[nodiscard]] int pe() const noexcept { return pe_; }
  [[nodiscard]] int pes() const noexcept { return pes_; }
  [[nodiscard]] int pes_here() const noexcept { return pes_; }
  [[nodiscard]] std::size_t heap_bytes() const noexcept { return heap_bytes_; }
  [[nodiscard]] std::byte* heap() const noexcept { return heap_; }
  [[nodiscard]] bool extend_heap(std::uint64_t, std::size_t) noexcept { return true; }
  // A byte of a PE's flags, statics or heap.
  [[nodiscard]] std::uint64_t in_system(int pe, std::uint64_t offset) const noexcept;
  [[nodiscard]] std::uint64_t in_statics(int pe, std::uint64_t offset) const noexcept;
  [[nodiscard]] std::uint64_t in_heap(int pe, std::uint64_t offset) const noexcept;
  /// For loads, stores and atomic operations of the processor, which the memory's home carries out; LR and SC trap.
  [[nodiscard]] void* flat(int pe, void const* address) const noexcept;
  /// All PEs, by flags.
  void meet();
  /// All PEs, by counters of the network interfaces where the machine has them.
  void meet_all();

  void put(tess_shmem_pending&, std::uint64_t there, void const* source, std::size_t bytes);
  void put_later(tess_shmem_pending&, std::uint64_t there, void const* source, std::size_t bytes);
  void put_now(std::uint64_t there, void const* source, std::size_t bytes);
  void get(tess_shmem_pending&, std::uint64_t there, void* target, std::size_t bytes);
  void get_later(tess_shmem_pending&, std::uint64_t there, void* target, std::size_t bytes);
  void post(tess_shmem_pending&, word_request const& word);
  void fetch(word_request const& word, std::uint64_t (&old)[2]);
  void fetch_later(tess_shmem_pending&, word_request const& word, void* to);
  void quiet(tess_shmem_pending&);

  [[nodiscard]] tess_shmem_pending& given() noexcept { return given_; }
  void raise(std::uint64_t there, std::uint64_t value);

  void progress();
  /// The run ends with this code.
  static void end_others(int code);

 private:
  void make_heap();

  int pe_ = 0;
  int pes_ = 0;
  std::byte* heap_ = nullptr;
  std::size_t heap_bytes_ = 0;
  tess_shmem_pending given_;
};

/// The flags of this PE's teams, at the same address everywhere.
std::byte* own_system() noexcept;

}  // namespace tess::shmem
