// oshrun: options of other launchers, which scripts give to oshrun.
#pragma once

#include <string_view>

namespace tess::cli {

/// Whether oshrun knows the option.
[[nodiscard]] bool is_launcher_option(std::string_view word);

}  // namespace tess::cli
