// launched: which process of a job a launcher made of this one.
//
//   `tess spawn` numbers its processes by TESS_RANK, launchers with PMIx by PMIX_RANK.
//
// Threads   any, while nobody changes the environment.
#pragma once

namespace tess::detail {

/// Set by `tess spawn`: the file by which its processes meet (spawned_job.hpp).
inline constexpr char spawned_job_variable[] = "TESS_SPAWNED";
inline constexpr char spawned_rank_variable[] = "TESS_RANK";

/// The number, as text; null: no launcher started this process.
[[nodiscard]] char const* launched_rank() noexcept;
/// A launcher started this process, and others that it counts before this one.
[[nodiscard]] bool launched_after_others() noexcept;

}  // namespace tess::detail
