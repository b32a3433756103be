// error: what was wrong, where, and what is correct; and how exceptions travel between places.
//
//   tess::error, out_of_memory and place_failed from another place keep their type; any other exception thrown there
//   arrives as remote_error, which keeps the place, the type's name and the text (docs/internals/contract.md, 6).
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>

namespace tess {

/// Index of a place, 0 <= place < places().
using place_id = std::uint16_t;

/// Misuse or bad input, reported where it enters. what() has the form `where: what; expected …`.
class error : public std::runtime_error {
 public:
  error(std::string const& where, std::string const& what, std::string const& expected);
  explicit error(std::string const& text) : std::runtime_error(text) {}
};

/// An exception thrown at another place that cannot keep its own type.
class remote_error : public std::runtime_error {
 public:
  remote_error(place_id place, std::string type_name, std::string const& text);
  /// The place that threw it.
  [[nodiscard]] place_id place() const noexcept { return place_; }
  /// The thrown type's demangled name, also of one that is no std::exception.
  [[nodiscard]] std::string const& type_name() const noexcept { return type_name_; }

 private:
  place_id place_;
  std::string type_name_;
};

/// A place ended or cannot be reached; tasks that waited for it are resumed with this. what() names the place, its
/// host and how the failure was noticed.
class place_failed : public std::runtime_error {
 public:
  explicit place_failed(place_id place, std::string const& how = {});
  /// The place that failed.
  [[nodiscard]] place_id place() const noexcept { return place_; }

 private:
  place_id place_;
};

namespace detail {
/// `file:line` of a source location, the form that every message uses.
std::string to_text(std::source_location where);
}  // namespace detail

}  // namespace tess
