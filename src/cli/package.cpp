// package: by the Python that ./tess prepared, or the system's.
#include "cli/package.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include "cli/process/process.hpp"

namespace tess::cli {

void become_module(tree const& here, std::string const& command, std::string const& module, words const& arguments) {
  char const* const prepared = ::getenv("TESS_PYTHON");
  std::string const interpreter = prepared == nullptr || *prepared == '\0' ? "/usr/bin/python3" : prepared;
  if (!is_executable_file(interpreter))
    throw usage_error{fmt::format("{}: there is no {}; install Python 3.11 or later", command, interpreter)};
  std::string path = (here.share() / "python").string();
  if (char const* const more = ::getenv("PYTHONPATH"); more != nullptr && *more != '\0')
    path += fmt::format(":{}", more);
  ::setenv("PYTHONPATH", path.c_str(), 1);
  // -P: a folder named tessera in the current one is not used as the package.
  words all{"-P", "-m", module};
  all.insert(all.end(), arguments.begin(), arguments.end());
  become(interpreter, all);
}

}  // namespace tess::cli
