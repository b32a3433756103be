// address_map_test: every byte has one home, edges included; overlaps are found; the local window is its own inverse.
//
// Method: a small map; addresses at both sides of each edge.
#include "machine/map/address_map.hpp"

#include <gtest/gtest.h>

namespace {

using tess::machine::address_map;
using tess::machine::local_window;
using tess::machine::local_window_end;
using tess::machine::region;
using tess::machine::region_kind;

constexpr std::uint64_t high = local_window_end;

TEST(an_address_map, finds_the_region_of_every_byte_and_nothing_between) {
  address_map const map({{region_kind::partition, 1, high + 0x3000, 0x1000, 5, 64},
                         {region_kind::tlm, 0, high, 0x1000},
                         {region_kind::tlm, 1, high + 0x1000, 0x1000}});
  EXPECT_EQ(map.find(high - 1), nullptr);
  EXPECT_EQ(map.find(high)->tile, 0U);
  EXPECT_EQ(map.find(high + 0xfff)->tile, 0U);
  EXPECT_EQ(map.find(high + 0x1000)->tile, 1U);
  EXPECT_EQ(map.find(high + 0x2000), nullptr);
  EXPECT_EQ(map.find(high + 0x2fff), nullptr);
  EXPECT_EQ(map.find(high + 0x3000)->memory_offset, 64U);
  EXPECT_EQ(map.find(high + 0x4000), nullptr);
  EXPECT_EQ(map.find(~std::uint64_t{0}), nullptr);
  EXPECT_EQ(map.of(region_kind::tlm, 1)->base, high + 0x1000);
  EXPECT_EQ(map.of(region_kind::device, 1), nullptr);
}

TEST(an_address_map, finds_overlaps_and_what_lies_in_the_local_window) {
  region const one{region_kind::tlm, 0, high, 0x1000};
  EXPECT_FALSE(address_map::overlap({{region_kind::tlm, 1, high + 0x1000, 8}, one}));
  EXPECT_TRUE(address_map::overlap({{region_kind::tlm, 1, high + 0xfff, 8}, one}));
  EXPECT_TRUE(address_map::overlap({{region_kind::tlm, 1, high - 1, 8}}));
  EXPECT_TRUE(address_map::overlap({{region_kind::tlm, 1, ~std::uint64_t{0} - 3, 8}}));
}

TEST(a_local_window, is_another_name_of_the_tlm_the_tail_of_the_partition_and_the_devices) {
  local_window const window{
      .tlm_base = high, .tlm_bytes = 0x1000, .tail_base = high + 0x8000, .tail_bytes = 0x2000, .device_base = 3 * high};
  EXPECT_EQ(window.global(0), high);
  EXPECT_EQ(window.global(0xfff), high + 0xfff);
  EXPECT_EQ(window.global(0x1000), high + 0x8000);
  EXPECT_EQ(window.global(0x2fff), high + 0x9fff);
  EXPECT_EQ(window.global(0x3000), std::nullopt);
  EXPECT_EQ(window.global(tess::machine::registers::own_devices - 1), std::nullopt);
  EXPECT_EQ(window.global(tess::machine::registers::own_devices), 3 * high);
  EXPECT_EQ(window.global(high - 1), 3 * high + tess::machine::registers::devices_bytes - 1);
  EXPECT_EQ(window.global(high + 0x123456), high + 0x123456);
  for (std::uint64_t at = 0; at < 0x3000; at += 0x7f) EXPECT_EQ(window.local(*window.global(at)), at);
  EXPECT_EQ(window.local(high + 0x1000), std::nullopt);
}

TEST(a_local_window, has_only_a_part_of_an_image_in_the_tlm_if_the_rest_is_in_memory) {
  local_window const window{.tlm_base = high,
                            .tlm_bytes = 0x3000,
                            .tail_base = high + 0x8000,
                            .tail_bytes = 0x6000,
                            .device_base = 3 * high,
                            .tlm_first = 0x1000,
                            .in_memory = true};
  EXPECT_EQ(window.global(0xfff), high + 0x8fff);
  EXPECT_EQ(window.global(0x1000), high + 0x1000);
  EXPECT_EQ(window.global(0x2fff), high + 0x2fff);
  EXPECT_EQ(window.global(0x3000), high + 0xb000);
  EXPECT_EQ(window.global(0x6000), std::nullopt);
  EXPECT_EQ(window.program_bytes(), 0x6000U);
  for (std::uint64_t at = 0; at < 0x6000; at += 0x7f) EXPECT_EQ(window.local(*window.global(at)), at);
  // Neither the rest of the TLM nor the hole in the tail has a name in the window.
  EXPECT_EQ(window.local(high), std::nullopt);
  EXPECT_EQ(window.local(high + 0x9000), std::nullopt);
  EXPECT_EQ(window.together(0xf00, 0x1000), 0x100U);
  EXPECT_EQ(window.together(0x2f00, 0x1000), 0x100U);
  EXPECT_EQ(window.together(0x3000, 0x1000), 0x1000U);
}

}  // namespace
