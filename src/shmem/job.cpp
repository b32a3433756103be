// job: how a process finds the memory of its job and maps it.
#include "shmem/job.hpp"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shmem/call.hpp"
#include "shmem/delayed.hpp"
#include "shmem/network.hpp"
#include "shmem/shmem.hpp"
#include "shmem/statics.hpp"
#include "shmem/waiting.hpp"
#include "tess/detail/words/global_address.hpp"

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
constinit struct tess_shmem_view tess_shmem_view = {nullptr, nullptr, 0, 0, 0, tess::shmem::no_windows, 0, nullptr, 0};
}

namespace tess::shmem {

namespace file = detail::shmem_job;

constinit job_state own{};

namespace {

/// The slot of PE 0 in the launcher's memory file.
std::byte* slots = nullptr;
unsigned slot_shift = 0;

std::byte* slot_of(int pe) {
  return slots + (static_cast<std::size_t>(pe) << slot_shift);
}

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

constexpr std::size_t huge_page = std::size_t{2} << 20U;

std::pair<std::uintptr_t, std::uintptr_t> huge_pages_in(std::byte* object, std::size_t size) {
  auto const first = reinterpret_cast<std::uintptr_t>(object);
  return {(first + huge_page - 1) / huge_page * huge_page, (first + size) / huge_page * huge_page};
}

/// At a multiple of a huge page, so that huge pages of the file are huge ones here.
void* map_aligned(int descriptor, std::size_t bytes) {
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
  slot_shift = file::slot_shift(found.pes);
  own.control = static_cast<file::control*>(all);
  slots = static_cast<std::byte*>(all) + (std::size_t{1} << slot_shift);
  own.control->magic = file::magic;
  own.control->pes = static_cast<std::uint32_t>(found.pes);
}

off_t offset_in_file(std::size_t offset) {
  return static_cast<off_t>(((static_cast<std::size_t>(own.pe) + 1) << slot_shift) + offset);
}

/// Apart from each other by more than the heap is long, and not at round addresses, which others like, too.
void* candidate_address(int candidate) {
  constexpr std::uintptr_t first = std::uintptr_t{1} << 44;
  return reinterpret_cast<void*>(first +
                                 static_cast<std::uintptr_t>(candidate) * ((std::uintptr_t{1} << 40) + (1U << 30U)));
}

[[noreturn]] void fail_heap() {
  fail("the symmetric heap finds no address that is free at all PEs", "programs that leave 2^44 free");
}

/// At an address that is free in all processes.
void map_heap(int descriptor) {
  std::size_t const offset = file::heap_offset(own.pes);
  for (int candidate = 0; candidate < file::heap_addresses; ++candidate) {
    void* const made = mmap(candidate_address(candidate), offset, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, offset_in_file(offset));
    if (made == MAP_FAILED) own.control->refused[candidate].store(1);
    meet();
    if (own.control->refused[candidate].load() == 0) {
      own.heap = static_cast<std::byte*>(made);
      return;
    }
    if (made != MAP_FAILED) munmap(made, offset);
  }
  fail_heap();
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

void make_view(std::byte* (*slot)(int), std::size_t (*heap_offset)(int)) {
  windows.clear();
  for (int pe = 0; pe < own.pes; ++pe) {
    std::byte* const seen = slot(pe);
    windows.push_back(seen == nullptr ? nullptr : reinterpret_cast<char*>(seen + heap_offset(pe)));
    windows.push_back(seen == nullptr ? nullptr : reinterpret_cast<char*>(seen + file::data_offset));
  }
  windows.insert(windows.end(), 2, nullptr);
  own.windows = windows.data();
}

void join_here() {
  auto const found = find_job();
  map_slots(found);
  make_view(slot_of, [](int) { return file::heap_offset(own.pes); });
  map_heap(found.descriptor);
  share_statics(slot_of(own.pe) + file::data_offset, file::heap_offset(own.pes) - file::data_offset,
                [&](void* address, std::size_t bytes) {
                  return mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                              found.descriptor, offset_in_file(file::data_offset)) != MAP_FAILED;
                });
  close(found.descriptor);
  meet_with_same_program();
  unsetenv(file::job_variable);
  unsetenv(file::pe_variable);
}

// Over the network ---------------------------------------------------------------------------------------------------

/// Equal at all PEs of a program.
std::string identity_of_program() {
  std::array<char, 4096> path{};
  ssize_t const length = readlink("/proc/self/exe", path.data(), path.size());
  std::string name(path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  name.erase(0, name.rfind('/') + 1);
  auto const id = program_identity();
  std::array<char, 100> text{};
  std::snprintf(text.data(), text.size(), " (build %016llx%016llx, %zu bytes of statics)",
                static_cast<unsigned long long>(id.first), static_cast<unsigned long long>(id.second),
                statics().size());
  return name + text.data();
}

/// Each PE reserves all addresses that it can, and says at PE 0 which it cannot.
void map_heap_of_network() {
  network& all = *own.network;
  std::size_t const bytes = all.heap_bytes();
  std::uint64_t refused = 0;
  for (int candidate = 0; candidate < file::heap_addresses; ++candidate)
    if (mmap(candidate_address(candidate), bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
      refused |= std::uint64_t{1} << candidate;
  word_request word{word_op::fetch_or,
                    detail::word_type::u64,
                    8,
                    8,
                    detail::global_address(0, network_words::offset + offsetof(network_words, refused)),
                    {refused, 0}};
  std::uint64_t found[2];
  all.fetch(word, found);
  all.meet();
  word.operands[0] = 0;
  all.fetch(word, found);
  int const chosen = std::countr_one(found[0]);
  for (int candidate = 0; candidate < file::heap_addresses; ++candidate)
    if (candidate != chosen && (refused >> candidate & 1) == 0) munmap(candidate_address(candidate), bytes);
  if (chosen >= file::heap_addresses) fail_heap();
  void* const address = candidate_address(chosen);
  if (!all.map(all.heap_offset(own.pe), bytes, address))
    fail(std::string("the symmetric heap: ") + std::strerror(errno), "Linux 4.17 or later");
  own.heap = static_cast<std::byte*>(address);
}

void join_network() {
  own.network = new network(identity_of_program());
  network& all = *own.network;
  own.pe = all.pe();
  own.pes = all.pes();
  if (own.pes > file::pes_max) fail(std::to_string(own.pes) + " PEs", "at most " + std::to_string(file::pes_max));
  auto const data = statics();
  std::size_t const most = all.heap_offset(own.pe) - file::data_offset;
  if (data.size() <= most && !all.extend(0, file::data_offset + data.size()))
    fail("there is no memory for the statics: " + std::to_string(data.size()) + " bytes", "more memory");
  // From here on others may write into the memory of this PE.
  all.meet();
  map_heap_of_network();
  share_statics(all.memory(own.pe) + file::data_offset, most,
                [&](void* address, std::size_t bytes) { return all.map(file::data_offset, bytes, address); });
  make_view([](int pe) { return own.network->memory(pe); },
            [](int pe) { return static_cast<std::size_t>(own.network->heap_offset(pe)); });
}

void leave_network() {
  munmap(own.heap, own.network->heap_bytes());
  delete std::exchange(own.network, nullptr);
}

/// A program that ends without shmem_finalize.
void end_with_program(int code, void*) {
  if (own.network == nullptr || !is_pe()) return;
  if (code != 0) {
    std::fprintf(stderr, "shmem: PE %d of %d ended with %d; the others are ended\n", own.pe, own.network->pes(), code);
    own.network->end_others(code);
    return;
  }
  show_view(false);
  leave_network();
}

/// Comes to a meeting; returns how often PEs have come when all are there.
std::uint64_t arrive() {
  auto const all = static_cast<std::uint64_t>(own.pes);
  return (own.control->arrived.fetch_add(1) / all + 1) * all;
}

/// For the launcher of one host.
void note(file::progress reached) {
  if (own.control != nullptr) own.control->state[own.pe].reached.store(reached);
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
                     shown ? windows.data() : no_windows,
                     shown && own.network == nullptr ? spins : 0,
                     shown && own.threads != SHMEM_THREAD_MULTIPLE ? &delayed : nullptr,
                     0};
}

void take_memory(std::byte* object, std::size_t size) {
  // Most systems give files small pages unless somebody asks (Linux 6.1); the object then takes its memory at once.
  constexpr int madvise_collapse = 25;  // glibc 2.36 has no name for it
  if (size < 2 * huge_page || own.network != nullptr) return;
  auto const [begin, end] = huge_pages_in(object, size);
  // A range without any page has nothing to collapse.
  for (std::uintptr_t at = begin; at < end; at += huge_page)
    static_cast<void>(*reinterpret_cast<std::byte const volatile*>(at));
  madvise(reinterpret_cast<void*>(begin), end - begin, madvise_collapse);
}

void give_back_memory(std::byte* object, std::size_t size) {
  auto const [begin, end] = huge_pages_in(object, size);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE);
}

void meet() {
  if (own.network != nullptr) return own.network->meet();
  std::uint64_t const wanted = arrive();
  wait_for([&] { return own.control->arrived.load(std::memory_order_acquire) >= wanted; });
}

void meet_for(std::chrono::milliseconds time) {
  if (own.network != nullptr) return;
  auto const end = std::chrono::steady_clock::now() + time;
  std::uint64_t const wanted = arrive();
  wait_for([&] {
    return own.control->arrived.load(std::memory_order_acquire) >= wanted || std::chrono::steady_clock::now() >= end;
  });
}

void begin(int threads) {
  // Environment variables are read once; a second begin finds the memory of one host mapped.
  static int pes_before = 0;
  static bool const crosses_hosts = std::getenv(file::job_variable) == nullptr && network::wanted();
  if (crosses_hosts) {
    join_network();
    // After the launcher's library has begun: it must end later.
    static bool const ends_with_program = on_exit(end_with_program, nullptr) == 0;
    static_cast<void>(ends_with_program);
  } else if (pes_before == 0) {
    join_here();
    pes_before = own.pes;
  } else {
    own.pes = pes_before;
  }
  own.threads = threads;
  note(file::progress::initialized);
  meet();
}

void end() {
  meet();
  note(file::progress::finalized);
  own.pes = 0;
  show_view(false);
  if (own.network != nullptr) leave_network();
}

}  // namespace tess::shmem
