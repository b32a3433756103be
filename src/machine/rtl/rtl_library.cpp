// rtl_library: dlopen, and the one function.
#include "machine/rtl/rtl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tess::machine {

rtl_library::rtl_library(std::filesystem::path const& file) : file_(file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  char const* const reason = handle == nullptr ? ::dlerror() : nullptr;
  if (handle == nullptr)
    throw rtl_error(fmt::format("{} cannot be loaded: {}", file.string(), reason == nullptr ? "" : reason));
  make_ = reinterpret_cast<maker>(::dlsym(handle, "tess_rtl_make"));  // NOLINT: as verilated/ defines it
  if (make_ == nullptr) throw rtl_error(fmt::format("{} is not the hardware of a unit", file.string()));
}

void* rtl_library::made(void const* parameters, unsigned long bytes) const {
  void* const unit = make_(parameters, bytes);
  if (unit == nullptr)
    throw rtl_error(
        fmt::format("{} was compiled for other ports than this simulator has; build both from the same "
                    "sources: ./tess build",
                    file_.string()));
  return unit;
}

}  // namespace tess::machine
