// report_file: a file that a run writes at its end.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>

#include "base/output_file.hpp"
#include "machine/command/run.hpp"

namespace tess::machine {

/// Opened before the run, so that a wrong name does not waste the run.
class report_file {
 public:
  explicit report_file(std::string const& name) try {
    if (!name.empty()) file_.emplace(name);
  } catch (std::exception const&) {
    throw wrong_use{fmt::format("{} cannot be written; give a file in a folder that you may write", name)};
  }
  [[nodiscard]] bool wanted() const noexcept { return file_.has_value(); }
  void write(std::string const& text) {
    file_->write(text);
    file_->close();
  }

 private:
  std::optional<tess::detail::output_file> file_;
};

}  // namespace tess::machine
