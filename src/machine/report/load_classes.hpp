// load_classes: the colours of loads in pictures: seven classes from idle to busy, light to dark.
#pragma once

#include <algorithm>
#include <array>

namespace tess::machine {

struct load_class {
  double below;
  char const* colour;
  char const* dark_text;
  char const* name;
};

// Distinguishable with colour blindness (after viridis, reversed).
inline constexpr std::array load_classes{
    load_class{0.0001, "#eceff1", "#455a64", "idle"}, load_class{0.01, "#fde725", "#222", "< 1%"},
    load_class{0.05, "#7ad151", "#222", "< 5%"},      load_class{0.2, "#22a884", "#fff", "< 20%"},
    load_class{0.5, "#2a788e", "#fff", "< 50%"},      load_class{0.8, "#414487", "#fff", "< 80%"},
    load_class{2, "#440154", "#fff", "80% and more"},
};

[[nodiscard]] inline load_class const& class_of(double load) {
  return *std::ranges::find_if(load_classes, [&](load_class const& one) { return load < one.below || one.below > 1; });
}

}  // namespace tess::machine
