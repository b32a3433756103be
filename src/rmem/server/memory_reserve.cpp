// memory_reserve: a handler of operator new, which has nothing but what is global.
#include "rmem/server/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tess::memd::spare_memory {

namespace {

/// More than the changes of any one request take.
constexpr std::size_t bytes = std::size_t{1} << 20;

std::atomic<void*> spare{nullptr};

void give_up() {
  void* const kept = spare.exchange(nullptr);
  if (kept == nullptr) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

void keep() {
  static_cast<void>(is_there());
  std::set_new_handler(give_up);
}

bool is_there() noexcept {
  if (spare.load() != nullptr) return true;
  void* const fresh = std::malloc(bytes);
  if (fresh == nullptr) return false;
  void* nothing = nullptr;
  if (!spare.compare_exchange_strong(nothing, fresh)) std::free(fresh);
  return true;
}

}  // namespace tess::memd::spare_memory
