// xml: text in a picture.
#pragma once

#include <string>
#include <string_view>

namespace tess::machine {

/// As content or as an attribute; control characters become spaces.
[[nodiscard]] inline std::string xml_escaped(std::string_view text) {
  std::string safe;
  for (char const c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '"') {
      safe += "&quot;";
    } else {
      safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return safe;
}

}  // namespace tess::machine
