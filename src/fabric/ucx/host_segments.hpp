// host_segments: one file with the segments and the mailboxes of all processes of a host, mapped once.
//
//   Processes that map each other's segments one by one make as many mappings as there are pairs of them: a million
//   for a thousand. Where there are few, a file for each is better, because the system gives pages to one file at a
//   time only. The mailboxes lie side by side, so that a process that writes to all of them needs few page tables.
//
// Source   the file: process_wireup::segments_file.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "fabric/segment.hpp"
#include "fabric/ucx/ucx.hpp"

namespace tess::detail {

class host_segments {
 public:
  host_segments() = default;
  ~host_segments() { release(); }
  host_segments(host_segments const&) = delete;
  host_segments& operator=(host_segments const&) = delete;

  /// Before process_wireup::introduce(). If one process cannot, it has a file of its own, and those that joined reach
  /// each other by UCX only.
  void join(process_wireup& wires, std::uint64_t mailbox_bytes) noexcept {
    mailbox_bytes_ = (mailbox_bytes + page - 1) / page * page;
    segment_bytes_ = segment::bytes_of_each(wires.places());
    first_segment_ =
        (mailbox_bytes_ * wires.places() + segment::behind_bytes - 1) / segment::behind_bytes * segment::behind_bytes;
    bytes_ = first_segment_ + segment_bytes_ * wires.places();
    file_ = wires.segments_file(bytes_);
    if (file_ >= 0) memory_ = map_aligned(file_, bytes_, PROT_READ | PROT_WRITE);
    if (memory_ != nullptr) return;
    release();
    wires.stay_apart();
  }

  [[nodiscard]] bool joined() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] segment_part of(place_id p) const noexcept {
    if (!joined()) return {};
    std::uint64_t const offset = first_segment_ + segment_bytes_ * p;
    std::uint64_t const mailbox = mailbox_bytes_ * p;
    return {memory_ + offset, memory_ + mailbox, file_, offset, mailbox};
  }
  void release() noexcept {
    if (memory_ != nullptr) munmap(memory_, bytes_);
    if (file_ >= 0) close(file_);
    memory_ = nullptr;
    file_ = -1;
  }

 private:
  static constexpr std::uint64_t page = 4096;

  std::uint64_t mailbox_bytes_ = 0;
  std::uint64_t segment_bytes_ = 0;
  std::uint64_t first_segment_ = 0;
  std::uint64_t bytes_ = 0;
  std::byte* memory_ = nullptr;
  int file_ = -1;
};

}  // namespace tess::detail
