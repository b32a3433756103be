// leased_memory: two memfds; the epoch's is sealed against writing once the server has mapped it.
#include "rmem/store/leased_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "rmem/wire/message.hpp"

namespace tess::memd {

namespace {

void* map_sealed(int file, std::uint64_t size, int seals) {
  if (file < 0 || fchmod(file, 0600) != 0 || ftruncate(file, static_cast<off_t>(size)) != 0) return nullptr;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | seals) == 0) return memory;
  munmap(memory, size);
  return nullptr;
}

}  // namespace

std::unique_ptr<leased_memory> leased_memory::make(std::uint64_t size) {
  std::unique_ptr<leased_memory> made(new leased_memory);
  made->size_ = size;
  made->file_ = memfd_create("tess-region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  made->epoch_file_ = memfd_create("tess-epoch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  made->bytes_ = static_cast<std::byte*>(map_sealed(made->file_, size, 0));
  made->epoch_ =
      static_cast<std::uint64_t*>(map_sealed(made->epoch_file_, wire::lease_epoch_bytes, F_SEAL_FUTURE_WRITE));
  if (made->bytes_ == nullptr || made->epoch_ == nullptr) return nullptr;
  std::atomic_ref(*made->epoch_).store(wire::lease_valid, std::memory_order_seq_cst);
  return made;
}

leased_memory::~leased_memory() {
  if (epoch_ != nullptr) {
    end();
    munmap(epoch_, wire::lease_epoch_bytes);
  }
  if (bytes_ != nullptr) {
    empty(0, size_);
    munmap(bytes_, size_);
  }
  if (file_ >= 0) close(file_);
  if (epoch_file_ >= 0) close(epoch_file_);
}

int leased_memory::read_only_file() const {
  return open(("/proc/self/fd/" + std::to_string(file_)).c_str(), O_RDONLY | O_CLOEXEC);
}

void leased_memory::end() {
  std::atomic_ref(*epoch_).store(0, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void leased_memory::empty(std::uint64_t offset, std::uint64_t size) {
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(size)) != 0)
    std::memset(bytes_ + offset, 0, size);
}

void copy_without_holes(int file, std::byte const* from, std::uint64_t begin, std::uint64_t end, std::byte* to) {
  for (std::uint64_t at = begin; at < end;) {
    off_t const found = lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (found < 0) return;  // holes to the end
    auto const data = static_cast<std::uint64_t>(found);
    if (data >= end) return;
    off_t const hole = lseek(file, found, SEEK_HOLE);
    std::uint64_t const stop = hole < 0 ? end : std::min(end, static_cast<std::uint64_t>(hole));
    std::memcpy(to + (data - begin), from + data, stop - data);
    at = stop;
  }
}

}  // namespace tess::memd
