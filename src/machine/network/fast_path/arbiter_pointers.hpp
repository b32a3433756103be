// arbiter_pointers: reads and writes the round-robin pointers of routers and nodes at both ends of links.
//
//   Once a packet has passed and its credits are back, these pointers are its only effect on later packets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "machine/network/flit_engine.hpp"

namespace tess::machine {

/// Calls f with each pointer that packets of these channels move at the ends of these links.
template <class F>
void for_each_pointer(flit_engine& engine, std::span<std::uint32_t const> links, std::uint32_t channels, F&& f) {
  for (std::uint32_t const link : links) {
    link_ends const& ends = engine.shape().ends(link);
    if (ends.from_node)
      engine.injector_at(ends.source).for_each_pointer(f);
    else
      engine.router_at(ends.source).for_each_output_pointer(ends.source_port, channels, f);
    if (!ends.to_node) engine.router_at(ends.target).for_each_input_pointer(ends.target_port, channels, f);
  }
}

inline void append_pointers(flit_engine& engine, std::span<std::uint32_t const> links, std::uint32_t channels,
                            std::u16string& to) {
  for_each_pointer(engine, links, channels, [&](auto const& pointer) { to.push_back(static_cast<char16_t>(pointer)); });
}

inline void restore_pointers(flit_engine& engine, std::span<std::uint32_t const> links, std::uint32_t channels,
                             std::u16string_view from) {
  std::size_t next = 0;
  for_each_pointer(engine, links, channels, [&](auto& pointer) {
    pointer = static_cast<std::remove_reference_t<decltype(pointer)>>(from[next++]);
  });
}

}  // namespace tess::machine
