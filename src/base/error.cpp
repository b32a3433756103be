// error: the texts of the exceptions that users see, and the end of the process after a failed assertion.
#include "tess/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tess/assert.hpp"

namespace tess {

error::error(std::string const& where, std::string const& what, std::string const& expected)
    : std::runtime_error(where + ": " + what + (expected.empty() ? "" : "; expected " + expected)) {}

namespace {
std::string remote_text(place_id place, std::string const& type_name, std::string const& text) {
  // An exception that crosses several places keeps the text it got at the first.
  std::string const origin = "place " + std::to_string(place) + ": ";
  if (text.starts_with(origin)) return text;
  return origin + (type_name.empty() ? "" : type_name + ": ") + text;
}
}  // namespace

remote_error::remote_error(place_id place, std::string type_name, std::string const& text)
    : std::runtime_error(remote_text(place, type_name, text)), place_(place), type_name_(std::move(type_name)) {}

place_failed::place_failed(place_id place, std::string const& how)
    : std::runtime_error("place " + std::to_string(place) + " failed" + (how.empty() ? "" : " " + how)),
      place_(place) {}

namespace detail {

std::string to_text(std::source_location where) {
  std::string_view file = where.file_name();
  if (auto const slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(where.line());
}

void assertion_failed(char const* condition, std::source_location where) noexcept {
  std::fprintf(stderr, "tess: %s:%u: %s: assertion failed: %s (a bug in Tessera or a misuse of its interface)\n",
               where.file_name(), where.line(), where.function_name(), condition);
  std::abort();
}

void no_memory_for(char const* what) noexcept {
  std::fprintf(stderr, "tess: no memory is left for %s: the process ends here\n", what);
  std::_Exit(1);
}

}  // namespace detail
}  // namespace tess
