// job: how a process finds the memory of its job and maps it.
#include "shmem/job.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "shmem/call.hpp"
#include "shmem/shmem.hpp"
#include "shmem/statics.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {
namespace {
constexpr char* no_windows[2] = {};
}
}  // namespace tess::shmem

// A program that contains the library is known by this note (System V ABI, "Note Section"), as one that loads it is by
// the library's name.
asm(".pushsection .note.tessera.shmem, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 8, 3\n"
    ".asciz \"Tessera\"\n"
    ".ascii \"\\003SHMEM\\000\\000\"\n"
    ".popsection\n");

extern "C" {
constinit struct tess_shmem_view tess_shmem_view = {nullptr, nullptr, 0, 0, 0, tess::shmem::no_windows};
}

namespace tess::shmem {

namespace file = detail::shmem_job;

constinit job_state own{};

namespace {

struct found_job {
  int descriptor;
  int pes;
  int pe;
};

/// The number at the start of the text, which is shortened by it; -1: there is none.
int take_number(std::string_view& text) {
  int number = -1;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// A program that was started alone is the only PE.
found_job make_own_job() {
  int const made = memfd_create("tess-shmem", MFD_CLOEXEC);
  if (made < 0 || ftruncate(made, static_cast<off_t>(file::file_bytes(1))) != 0)
    fail(std::string("no memory file: ") + std::strerror(errno), "a system with memfd_create");
  return {made, 1, 0};
}

found_job find_job() {
  char const* const job = std::getenv(file::job_variable);
  char const* const pe = std::getenv(file::pe_variable);
  if (job == nullptr || pe == nullptr) return make_own_job();
  std::string_view text = job;
  std::string_view which = pe;
  found_job found{};
  found.descriptor = take_number(text);
  if (!text.empty()) text.remove_prefix(1);
  found.pes = take_number(text);
  found.pe = take_number(which);
  bool const sound = found.descriptor > 2 && found.pes >= 1 && found.pes <= file::pes_max && found.pe >= 0 &&
                     found.pe < found.pes && text.empty() && which.empty();
  if (!sound) fail(std::string(file::job_variable) + " is damaged", "what tess run sets");
  return found;
}

/// At a multiple of a huge page, so that huge pages of the file are huge ones here.
void* map_aligned(int descriptor, std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20U;
  void* const room = mmap(nullptr, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return MAP_FAILED;
  auto const begin = (reinterpret_cast<std::uintptr_t>(room) + huge_page - 1) / huge_page * huge_page;
  return mmap(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
              descriptor, 0);
}

void map_slots(found_job const& found) {
  void* const all = map_aligned(found.descriptor, file::file_bytes(found.pes));
  if (all == MAP_FAILED)
    fail(std::string("the memory of all PEs cannot be mapped: ") + std::strerror(errno),
         "address space for it (ulimit -v unlimited)");
  own.pe = found.pe;
  own.pes = found.pes;
  own.slot_shift = file::slot_shift(found.pes);
  own.control = static_cast<file::control*>(all);
  own.slots = static_cast<std::byte*>(all) + (std::size_t{1} << own.slot_shift);
  own.control->magic = file::magic;
  own.control->pes = static_cast<std::uint32_t>(found.pes);
}

off_t offset_in_file(std::size_t offset) {
  return static_cast<off_t>(((static_cast<std::size_t>(own.pe) + 1) << own.slot_shift) + offset);
}

/// At an address that is free in all processes.
void map_heap(int descriptor) {
  constexpr std::uintptr_t first = std::uintptr_t{1} << 44;
  std::size_t const offset = file::heap_offset(own.pes);
  for (int candidate = 0; candidate < file::heap_addresses; ++candidate) {
    // Apart from each other by more than the heap is long, and not at round addresses, which others like, too.
    auto const address = first + static_cast<std::uintptr_t>(candidate) * ((std::uintptr_t{1} << 40) + (1U << 30U));
    void* const made = mmap(reinterpret_cast<void*>(address), offset, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, offset_in_file(offset));
    if (made == MAP_FAILED) own.control->refused[candidate].store(1);
    meet();
    if (own.control->refused[candidate].load() == 0) {
      own.heap = static_cast<std::byte*>(made);
      return;
    }
    if (made != MAP_FAILED) munmap(made, offset);
  }
  fail("the symmetric heap finds no address that is free at all PEs", "programs that leave 2^44 free");
}

void meet_with_same_program() {
  file::pe_state& mine = own.control->state[own.pe];
  auto const id = program_identity();
  mine.program[0] = id.first;
  mine.program[1] = id.second;
  // ASLR moves a program by whole pages: what must be equal is the distance from a page, and the length.
  mine.data_begin = reinterpret_cast<std::uintptr_t>(own.data) % 4096;
  mine.data_bytes = own.data_bytes;
  meet();
  file::pe_state const& first = own.control->state[0];
  bool const same = mine.program[0] == first.program[0] && mine.program[1] == first.program[1] &&
                    mine.data_begin == first.data_begin && mine.data_bytes == first.data_bytes;
  if (!same) fail("this PE runs another program than PE 0", "the same program for all");
}

/// The heap and the statics of each PE, and behind the last one nothing: whoever looks there finds no window.
std::vector<char*> windows;

void make_view() {
  windows.clear();
  for (int pe = 0; pe < own.pes; ++pe) {
    windows.push_back(reinterpret_cast<char*>(slot_of(pe) + file::heap_offset(own.pes)));
    windows.push_back(reinterpret_cast<char*>(slot_of(pe) + own.data_in_slot));
  }
  windows.insert(windows.end(), 2, nullptr);
}

}  // namespace

void show_view(bool inlined) {
  // The last word begins where it fits, whatever its size.
  constexpr std::size_t longest = 16;
  auto const room = [](std::size_t bytes) { return bytes < longest ? 0 : bytes - longest + 1; };
  bool const shown = inlined && own.pes != 0;
  tess_shmem_view = {reinterpret_cast<char*>(own.heap),
                     reinterpret_cast<char*>(own.data),
                     room(own.heap_bytes),
                     room(own.data_bytes),
                     shown ? static_cast<std::size_t>(own.pes) : 0,
                     shown ? windows.data() : no_windows};
}

void meet() {
  auto& arrived = own.control->arrived;
  auto const all = static_cast<std::uint64_t>(own.pes);
  std::uint64_t const mine = arrived.fetch_add(1);
  std::uint64_t const wanted = (mine / all + 1) * all;
  wait_for([&] { return arrived.load(std::memory_order_acquire) >= wanted; });
}

void begin(int threads) {
  // Environment variables are read once; a second begin finds the memory mapped.
  static int pes_before = 0;
  if (pes_before == 0) {
    auto const found = find_job();
    map_slots(found);
    map_heap(found.descriptor);
    share_statics(found.descriptor, offset_in_file(file::data_offset));
    close(found.descriptor);
    meet_with_same_program();
    make_view();
    pes_before = own.pes;
    unsetenv(file::job_variable);
    unsetenv(file::pe_variable);
  }
  own.pes = pes_before;
  own.threads = threads;
  own.control->state[own.pe].reached.store(file::progress::initialized);
  meet();
}

void end() {
  meet();
  own.control->state[own.pe].reached.store(file::progress::finalized);
  own.pes = 0;
  show_view(false);
}

}  // namespace tess::shmem
