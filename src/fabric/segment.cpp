// segment: address space by mmap(PROT_NONE), memory by mprotect, both in multiples of a huge page.
//
//   A shared segment is a memfd of the whole size. Only committed parts have pages, which exist before anybody may
//   access them, so that a lack of memory shows here and not by SIGBUS later. On most systems advice alone gives a
//   shared file no huge pages (shmem_enabled is `never`), so MADV_COLLAPSE (Linux 6.1) asks for them, at the cost of
//   the first touch of private ones.
#include "fabric/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "tess/error.hpp"

namespace tess::detail {

namespace {

constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;
/// MADV_COLLAPSE, which glibc 2.36 does not name.
constexpr int madvise_collapse = 25;
/// Halves of segments that have no huge pages yet.
constexpr std::uint64_t small_step = std::uint64_t{128} << 10;
constexpr std::uint64_t small_half_max = 2 * small_step;
constexpr std::uint64_t commit_step_max = std::uint64_t{64} << 20;

/// Committed by all segments of this process.
std::atomic<std::uint64_t>& committed_bytes() {
  static std::atomic<std::uint64_t> bytes{0};
  return bytes;
}

/// What the process may commit: no more than was free when it began, or the system ends some process later on.
std::uint64_t commit_limit(memory_limit const& limit) {
  static std::uint64_t const free_bytes = available_memory();
  return std::min(limit.bytes, free_bytes);
}

[[maybe_unused]] constexpr bool sanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

std::uint64_t reservation(unsigned places, std::uint64_t bytes) {
  // Half of a 47-bit address space for all segments; sanitizers keep most of it for their shadow.
#if defined(__riscv)
  // Sv39 leaves a program 2^38 bytes; qemu, which keeps books on every reserved page, is smaller, and a simulated
  // machine has as many addresses as it has memory.
  std::uint64_t const room = std::min(std::uint64_t{1} << 31, bytes / 2);
#else
  std::uint64_t const room = sanitized ? std::uint64_t{1} << 38 : std::uint64_t{1} << 46;
#endif
  bytes = std::min(bytes, room / places);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur / 2 / places);
  return std::max(bytes / (2 * huge_page) * (2 * huge_page), 2 * huge_page);
}

}  // namespace

std::byte* map_aligned(int file, std::uint64_t bytes, int protection) noexcept {
  // One huge page more, of which the ends are given back.
  void* const memory = mmap(nullptr, bytes + huge_page, file < 0 ? protection : PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto const address = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t const aligned = (address + huge_page - 1) / huge_page * huge_page;
  if (aligned > address) munmap(memory, aligned - address);
  if (std::uintptr_t const tail = address + huge_page - aligned) munmap(reinterpret_cast<void*>(aligned + bytes), tail);
  auto* const base = reinterpret_cast<std::byte*>(aligned);
  if (file < 0 || mmap(base, bytes, protection, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) != MAP_FAILED)
    return base;
  munmap(base, bytes);
  return nullptr;
}

std::uint64_t segment::bytes_of_each(unsigned places) {
  return reservation(places, process_memory_limit().bytes);
}

segment::segment(unsigned places, bool shared, std::uint64_t behind, unsigned on_host, segment_part in)
    : limit_(process_memory_limit()),
      places_(places),
      file_(in.file),
      part_(in),
      base_(in.base),
      behind_(in.behind),
      bytes_(reservation(places, limit_.bytes)),
      begins_small_(many(shared ? on_host : places)) {
  if (!reserve(shared) || !commit_behind(behind)) {
    release();
    throw error("segment",
                "cannot reserve " + std::to_string(bytes_ >> 20) + " MiB of address space for each of " +
                    std::to_string(places) + " places",
                "a larger `ulimit -v` or fewer places");
  }
  halves_[1].begin = bytes_ / 2;
  halves_[1].end = bytes_ / 2;
  if (!begins_small_)
    for (half& h : halves_) advise_huge_pages(h);
}

/// Advice only: where huge pages are off, small ones serve.
void segment::advise_huge_pages(half& h) {
  static_cast<void>(madvise(base_ + h.begin, bytes_ / 2, MADV_HUGEPAGE));
  h.huge = true;
}

bool segment::reserve(bool shared) {
  if (part_.base != nullptr) return mprotect(base_, bytes_, PROT_NONE) == 0;
  if (shared) {
    file_ = memfd_create("tess-segment", MFD_CLOEXEC);
    if (file_ < 0 || fchmod(file_, 0600) != 0 || ftruncate(file_, static_cast<off_t>(bytes_ + behind_bytes)) != 0) {
      release();
      throw error("segment", "the system gives no shared memory", "Linux 4.14 or later with CONFIG_MEMFD_CREATE");
    }
  }
  base_ = map_aligned(file_, bytes_ + behind_bytes, PROT_NONE);
  behind_ = base_ + bytes_;
  return base_ != nullptr;
}

bool segment::commit_behind(std::uint64_t bytes) {
  // Not every emulator takes a range of no bytes.
  if (bytes == 0) return true;
  std::uint64_t const offset = part_.base != nullptr ? part_.behind_offset : bytes_;
  if (file_ >= 0 && fallocate(file_, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) return false;
  return part_.base != nullptr || mprotect(behind_, bytes, PROT_READ | PROT_WRITE) == 0;
}

segment::~segment() {
  release();
  std::uint64_t const committed = halves_[0].end + halves_[1].end - halves_[1].begin;
  committed_bytes().fetch_sub(committed, std::memory_order_relaxed);
}

void segment::release() noexcept {
  if (part_.base != nullptr) return;
  if (base_ != nullptr) munmap(base_, bytes_ + behind_bytes);
  if (file_ >= 0) close(file_);
}

bool segment::commit(std::uint64_t offset, std::uint64_t bytes) {
  if (offset > bytes_ || bytes > bytes_ - offset) return false;
  std::lock_guard const lock(mutex_);
  std::uint64_t const end = offset + bytes;
  if (offset < bytes_ / 2 && end > bytes_ / 2) return false;
  return offset < bytes_ / 2 ? grow(halves_[0], end, bytes_ / 2) : grow(halves_[1], end, bytes_);
}

memory_room segment::room() const {
  std::uint64_t const used = committed_bytes().load(std::memory_order_relaxed);
  std::uint64_t const most = commit_limit(limit_);
  std::uint64_t const left = most - std::min(used, most);
  bool const by_others = most < limit_.bytes;
  return {left, most, left / places_, by_others ? "the memory that was free when the program began" : limit_.name};
}

bool segment::grow(half& h, std::uint64_t end, std::uint64_t limit) {
  if (end <= h.end) return true;
  std::uint64_t const have = h.end - h.begin;
  // Grow by what is there already, in steps of at most 64 MiB, so that few calls suffice and little is committed idly.
  std::uint64_t const unit = h.huge || end - h.begin > small_half_max ? huge_page : small_step;
  std::uint64_t const step = std::clamp(have, unit, commit_step_max);
  // Near the machine's limit, only what was asked for.
  return extend(h, std::min((end + step - 1) / unit * unit, limit)) ||
         extend(h, std::min((end + unit - 1) / unit * unit, limit));
}

bool segment::extend(half& h, std::uint64_t wanted) {
  std::uint64_t const more = wanted - h.end;
  // The places of other processes have taken theirs, too, if segments are shared.
  bool const is_free = file_ < 0 || more < commit_step_max || more <= available_memory();
  if (committed_bytes().fetch_add(more, std::memory_order_relaxed) + more > commit_limit(limit_) || !is_free) {
    committed_bytes().fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  if (mprotect(base_ + h.end, more, PROT_READ | PROT_WRITE) != 0 || !fill(h.end, more, h.huge)) {
    static_cast<void>(mprotect(base_ + h.end, more, PROT_NONE));
    committed_bytes().fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  h.end = wanted;
  if (!h.huge && wanted - h.begin > small_half_max) {
    advise_huge_pages(h);
    // What is there already becomes a huge page, too, if the system has one at hand.
    static_cast<void>(madvise(base_ + h.begin, huge_page, madvise_collapse));
  }
  return true;
}

/// Gives the file pages; `huge`: such ones if the system has them.
bool segment::fill(std::uint64_t begin, std::uint64_t bytes, bool huge) {
  if (file_ < 0) return true;
  auto const allocate = [&](std::uint64_t offset, std::uint64_t size) {
    return fallocate(file_, 0, static_cast<off_t>(part_.offset + offset), static_cast<off_t>(size)) == 0;
  };
  // A range without any page has nothing to collapse.
  bool started = huge;
  for (std::uint64_t i = 0; i < bytes && started; i += huge_page) started = allocate(begin + i, 1);
  if (started && madvise(base_ + begin, bytes, madvise_collapse) == 0) return true;
  return allocate(begin, bytes);
}

}  // namespace tess::detail
