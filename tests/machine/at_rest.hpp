// at_rest: nothing is under way in a grid: a lost answer leaves no event, so an empty calendar alone does not show it.
#pragma once

#include <gtest/gtest.h>

#include "machine/tile/grid.hpp"

namespace tess::machine {

inline void expect_at_rest(grid& g) {
  EXPECT_TRUE(g.clock.idle());
  for (auto const& one : g.tiles) {
    EXPECT_TRUE(one->network_adapter().idle()) << "tile " << one->number();
    if (one->interface() != nullptr) EXPECT_TRUE(one->interface()->idle()) << "tile " << one->number();
  }
}

}  // namespace tess::machine
