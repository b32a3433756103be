// launched: reads the variables of launchers.
#include "base/launched.hpp"

#include <cstdlib>
#include <string_view>

namespace tess::detail {

char const* launched_rank() noexcept {
  for (char const* const name : {spawned_rank_variable, "PMIX_RANK"})
    if (char const* const rank = std::getenv(name); rank != nullptr && *rank != '\0') return rank;
  return nullptr;
}

bool launched_after_others() noexcept {
  char const* const rank = launched_rank();
  return rank != nullptr && std::string_view(rank) != "0";
}

}  // namespace tess::detail
