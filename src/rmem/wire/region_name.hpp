// region_name: which names a region may have: text that a terminal shows as what it is.
//
//   A name may not contain control characters, which a terminal obeys, nor characters that change the direction or
//   break the line of the text around them: with those, one name can look like another. `.` is the server itself.
//
// Source   Unicode 15.0, property Bidi_Control, categories Cc, Zl and Zp; RFC 3629 for UTF-8.
#pragma once

#include <string_view>

namespace tess::rmem {

/// What is wrong with this name, as the end of a sentence; empty: nothing.
[[nodiscard]] std::string_view problem_of_name(std::string_view name);

}  // namespace tess::rmem
