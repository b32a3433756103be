// memory_reserve: installed as a new-handler, which can only use global state.
#include "rmem/server/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tess::memd::memory_reserve {

namespace {

/// More than any one request needs.
constexpr std::size_t bytes = std::size_t{1} << 20;

std::atomic<void*> reserve{nullptr};

void release() {
  void* const kept = reserve.exchange(nullptr);
  if (kept == nullptr) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

void install() {
  static_cast<void>(is_available());
  std::set_new_handler(release);
}

bool is_available() noexcept {
  if (reserve.load() != nullptr) return true;
  void* const fresh = std::malloc(bytes);
  if (fresh == nullptr) return false;
  void* nothing = nullptr;
  if (!reserve.compare_exchange_strong(nothing, fresh)) std::free(fresh);
  return true;
}

}  // namespace tess::memd::memory_reserve
