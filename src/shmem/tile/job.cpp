// job: the PEs of a program on the tiles of a simulated machine.
//
//   Statics and heap are at the same address in every tile: nothing is mapped.
#include "shmem/job.hpp"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shmem/call.hpp"
#include "shmem/exit_report.hpp"
#include "shmem/network.hpp"
#include "shmem/shmem.hpp"
#include "shmem/source_line.hpp"
#include "shmem/statics.hpp"
#include "shmem/tile/messages.hpp"
#include "shmem/tile/pes.hpp"

// A PE on every tile: a note (SHT_NOTE) of name "Tessera" and type 2, as the runtime's programs have it.
asm(".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 2\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");

namespace tess::shmem {

constinit job_state own{};

namespace {

/// Only the own memory has a window.
std::vector<char*> windows;

void join_tiles() {
  static network* const all = new network;
  own.network = all;
  own.pe = all->pe();
  own.pes = all->pes();
  own.heap = all->heap();
  own.heap_bytes = all->heap_bytes();
}

/// How many of the bytes behind a symmetric address are in one memory at a PE.
std::uint64_t together_at(int pe, std::byte const* address, std::size_t bytes) {
  return all_pes.together(reinterpret_cast<std::uint64_t>(address) + all_pes.of(pe).distance, bytes);
}

/// A program that ends without shmem_finalize.
void end_with_program(int code, void*) {
  if (own.pes == 0 || code == 0 || !is_pe()) return;
  std::fprintf(stderr, "shmem: PE %d of %d ended with %d; the others are ended\n", own.pe, own.pes, code);
  network::end_others(code);
}

}  // namespace

std::byte* system_of(int pe) {
  return pe == own.pe ? own_system() : nullptr;
}

void* pointer_to(void const* address, int pe) {
  // Elsewhere the two memories of a tile do not lie behind each other. No object of the heap is in both.
  auto const at = static_cast<std::byte const*>(address);
  bool const in_data = at >= own.data && at < own.data + own.data_bytes;
  if (in_data && together_at(pe, own.data, own.data_bytes) != own.data_bytes) return nullptr;
  return own.network->flat(pe, address);
}

std::size_t heap_border() {
  // Where PE 0 has it, since all heaps are alike.
  std::uint64_t const first = together_at(0, own.heap, own.heap_bytes);
  return first == own.heap_bytes ? 0 : first;
}

void meet() {
  own.network->meet();
}

void meet_for(std::chrono::milliseconds) {}

void begin(int threads) {
  auto const data = statics();
  own.data = data.data();
  own.data_bytes = data.size();
  if (!network::wanted()) fail("there are no tiles", "a machine with time: tess run --machine nemesys-2x2 PROGRAM");
  join_tiles();
  windows.assign(2 * static_cast<std::size_t>(own.pes + 1), nullptr);
  windows[2 * static_cast<std::size_t>(own.pe)] = reinterpret_cast<char*>(own.heap);
  windows[2 * static_cast<std::size_t>(own.pe) + 1] = reinterpret_cast<char*>(own.data);
  own.windows = windows.data();
  own.threads = threads;
  static bool const ends_with_program = on_exit(end_with_program, nullptr) == 0;
  static_cast<void>(ends_with_program);
  meet();
}

void end() {
  meet();
  messages::close();
  own.pes = 0;
}

// Words of a program are instructions, whether they are shown or not.
void show_view(bool) {}

void take_memory(std::byte*, std::size_t) {}
void give_back_memory(std::byte* object, std::size_t size) {
  constexpr std::uintptr_t page = 4096;
  auto const at = reinterpret_cast<std::uintptr_t>(object);
  std::uintptr_t const begin = (at + page - 1) / page * page;
  std::uintptr_t const end = (at + size) / page * page;
  // Zero from now on.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

// The machine has the program's exit code and its addresses.
void report_exit(int) noexcept {}
std::string source_line(void* return_address) {
  char text[32];
  std::snprintf(text, sizeof text, " (pc %p)", return_address);
  return text;
}

}  // namespace tess::shmem
