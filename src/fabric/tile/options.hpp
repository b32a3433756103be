// options: how places on tiles use the hardware of a simulated machine, from the environment.
//
// Errors   tess::error: the variable, its value and the values that it may have.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tess/error.hpp"

namespace tess::detail {

/// How words of other tiles are reached.
enum class word_path : std::uint8_t {
  automatic,     ///< by instructions if the machine has them, else by addresses
  instructions,  ///< of xBGAS
  addresses,     ///< loads, stores and AMOs of global addresses; compare-and-swap by the adapter
  messages       ///< a hart of the owner performs the operation
};

struct tile_options {
  word_path words = word_path::automatic;  ///< TESS_WORDS
  bool interfaces = true;                  ///< TESS_INTERFACES: events and blocks use network interfaces
  bool by_kernel = false;                  ///< TESS_SYSTEM, set by the machine: the system kernel takes the messages
};

[[nodiscard]] inline tile_options read_tile_options() {
  auto const text = [](char const* name) {
    char const* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  tile_options options;
  if (std::string const words = text("TESS_WORDS"); words == "instructions")
    options.words = word_path::instructions;
  else if (words == "addresses")
    options.words = word_path::addresses;
  else if (words == "messages")
    options.words = word_path::messages;
  else if (!words.empty())
    throw error("TESS_WORDS", "`" + words + "`", "instructions, addresses or messages");
  if (std::string const interfaces = text("TESS_INTERFACES"); interfaces == "0")
    options.interfaces = false;
  else if (!interfaces.empty() && interfaces != "1")
    throw error("TESS_INTERFACES", "`" + interfaces + "`", "a number from 0 to 1");
  options.by_kernel = text("TESS_SYSTEM") == "kernel";
  return options;
}

}  // namespace tess::detail
