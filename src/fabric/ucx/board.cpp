// board: a memory file; introductions are appended to it, and each has pages from the moment of its entry.
#include "fabric/ucx/board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

namespace tess::detail {

namespace {

/// Address space for each introduction, which has some 700 bytes on a host with one network.
constexpr std::uint64_t introduction_bytes_max = 16384;
constexpr unsigned size_bits = 24;

}  // namespace

struct host_board::contents {
  std::uint64_t used;  ///< bytes of introductions
  std::uint32_t reported;
};

namespace {

constexpr std::uint64_t front_bytes = 64;

constexpr std::uint64_t tables_bytes(place_id places) noexcept {
  return front_bytes + 2 * sizeof(std::uint64_t) * std::uint64_t{places};
}
constexpr std::uint64_t board_bytes(place_id places) noexcept {
  return tables_bytes(places) + introduction_bytes_max * places;
}

}  // namespace

host_board::host_board(place_id places) : places_(places), file_(memfd_create("tess-board", MFD_CLOEXEC)) {
  std::uint64_t const bytes = board_bytes(places);
  bool const made = file_ >= 0 && fchmod(file_, 0600) == 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0 &&
                    fallocate(file_, 0, 0, static_cast<off_t>(tables_bytes(places))) == 0;
  void* const memory =
      made ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    if (file_ >= 0) close(file_);
    throw error("--fabric ucx", "no shared memory for the addresses of " + std::to_string(places) + " places",
                "more memory, or a larger `ulimit -v`");
  }
  memory_ = static_cast<std::byte*>(memory);
}

host_board::~host_board() {
  munmap(memory_, board_bytes(places_));
  close(file_);
}

std::unique_ptr<host_board> host_board::open(segment_place const& where, place_id places) noexcept {
  int const file = open_file_of(where, board_bytes(places));
  if (file < 0) return nullptr;
  void* const memory = mmap(nullptr, board_bytes(places), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  return std::unique_ptr<host_board>(new host_board(places, file, static_cast<std::byte*>(memory)));
}

segment_place host_board::place() const {
  return describe_segment(file_, board_bytes(places_));
}

host_board::contents& host_board::header() const noexcept {
  return *reinterpret_cast<contents*>(memory_);
}
std::uint64_t* host_board::entry(place_id p) const noexcept {
  return reinterpret_cast<std::uint64_t*>(memory_ + front_bytes) + p;
}
std::int64_t* host_board::stamp_of(place_id p) const noexcept {
  return reinterpret_cast<std::int64_t*>(memory_ + front_bytes + sizeof(std::uint64_t) * places_) + p;
}

std::span<std::byte const> host_board::introduction(place_id p) const noexcept {
  // acquire: the bytes.
  std::uint64_t const found = std::atomic_ref(*entry(p)).load(std::memory_order_acquire);
  std::uint64_t const offset = found >> size_bits;
  std::uint64_t const bytes = found & ((std::uint64_t{1} << size_bits) - 1);
  if (found == 0 || offset + bytes > board_bytes(places_)) return {};
  return {memory_ + offset, bytes};
}

std::span<std::byte const> host_board::enter(place_id p, std::span<std::byte const> bytes) {
  std::uint64_t const rounded = (bytes.size() + 7) / 8 * 8;
  std::uint64_t const offset =
      tables_bytes(places_) + std::atomic_ref(header().used).fetch_add(rounded, std::memory_order_relaxed);
  if (bytes.size() >> size_bits != 0 || offset + rounded > board_bytes(places_) ||
      fallocate(file_, 0, static_cast<off_t>(offset), static_cast<off_t>(rounded)) != 0)
    throw error("--fabric ucx", "no shared memory for the address of place " + std::to_string(p), "more memory");
  std::memcpy(memory_ + offset, bytes.data(), bytes.size());
  std::uint64_t none = 0;
  // release: the bytes. If another place was faster, its entry stays.
  std::atomic_ref(*entry(p)).compare_exchange_strong(none, offset << size_bits | bytes.size(),
                                                     std::memory_order_release, std::memory_order_relaxed);
  return introduction(p);
}

void host_board::stamp(place_id p, clock::time_point now) noexcept {
  std::atomic_ref(*stamp_of(p)).store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

host_board::clock::time_point host_board::stamped(place_id p) const noexcept {
  return clock::time_point(clock::duration(std::atomic_ref(*stamp_of(p)).load(std::memory_order_relaxed)));
}

bool host_board::take_report() noexcept {
  return std::atomic_ref(header().reported).exchange(1, std::memory_order_relaxed) == 0;
}

}  // namespace tess::detail
