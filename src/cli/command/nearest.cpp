// nearest: edit distance by rows (optimal string alignment).
#include "cli/command/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tess::cli {

std::size_t edit_distance(std::string_view source, std::string_view target) {
  std::vector<std::size_t> before_last(target.size() + 1);
  std::vector<std::size_t> last(target.size() + 1);
  std::vector<std::size_t> row(target.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= source.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= target.size(); ++j) {
      std::size_t const replaced = last[j - 1] + (source[i - 1] == target[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      bool const swapped = i > 1 && j > 1 && source[i - 1] == target[j - 2] && source[i - 2] == target[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[target.size()];
}

std::string nearest(std::string_view given, std::span<std::string const> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (auto const& candidate : candidates) {
    std::size_t const distance = edit_distance(given, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tess::cli
