// executable: which libraries an executable file is written for, as its sections of texts say.
//
// Errors    none: a file that cannot be read is written for neither.
#pragma once

#include <filesystem>

namespace tess::cli {

/// It needs libshmem, or has its functions inside.
[[nodiscard]] bool is_openshmem_program(std::filesystem::path const& program);
/// It has the runtime, libtessera, inside.
[[nodiscard]] bool has_runtime(std::filesystem::path const& program);
/// It needs libmpi.
[[nodiscard]] bool is_mpi_program(std::filesystem::path const& program);

}  // namespace tess::cli
