// layers: the main function of the programs that show that each layer of the library links without those above it.
#include "tess/detail/tasks/completion.hpp"

namespace tess::detail {
// The one call upwards, which the runtime defines: a fabric completed an operation, so a task becomes runnable.
[[gnu::weak]] void notify_worker(std::uint32_t, std::uint64_t) noexcept {}
}  // namespace tess::detail

int main() {
  return 0;
}
