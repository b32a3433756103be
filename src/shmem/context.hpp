// context: streams of operations that are ordered and completed apart from each other, and teams of PEs.
//
//   Between PEs of one host every operation is complete when its call ends, so that a context has nothing to wait for;
//   it translates the numbers of PEs of its team.
//
// Threads   any; a team is used by one thread at a time.
// Errors    fail: an invalid context or team.
// Source    OpenSHMEM 1.5, sections 9.4 and 9.5.
#pragma once

#include <cstdint>

#include "shmem/call.hpp"
#include "shmem/shmem.hpp"

namespace tess::shmem {
struct told_line;
}

/// PEs start, start + stride, … of the world.
struct [[gnu::visibility("default")]] tess_shmem_team {
  int start = 0;
  int stride = 1;
  int size = 0;
  int me = 0;
  int id = -1;  ///< which flags it has; -1: not valid
  shmem_team_config_t config{0};
  std::uint64_t meetings = 0;  ///< how often its PEs have met
  std::uint64_t exchanges = 0;
  tess::shmem::told_line* mine = nullptr;   ///< what others told this PE
  tess::shmem::told_line* other = nullptr;  ///< what the other one of two PEs is told; null: otherwise
};

namespace tess::shmem {

/// Checked.
inline tess_shmem_team& of(shmem_team_t team) {
  if (team == nullptr || team->id < 0) [[unlikely]]
    fail("an invalid team", "SHMEM_TEAM_WORLD, or a team that was made and not destroyed");
  return *team;
}

inline int world_pe(tess_shmem_team const& team, int pe) {
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(team.size)) [[unlikely]]
    fail("there is no PE " + std::to_string(pe) + " in the team", "0 to " + std::to_string(team.size - 1));
  return team.start + pe * team.stride;
}

/// The PE of the world that is this one of the context's team.
inline int pe_of(shmem_ctx_t ctx, int pe) {
  if (ctx == SHMEM_CTX_DEFAULT) [[likely]]
    return pe;
  if (ctx == SHMEM_CTX_INVALID || ctx->team == nullptr) [[unlikely]]
    fail("an invalid context", "SHMEM_CTX_DEFAULT, or a context that was made and not destroyed");
  return world_pe(of(ctx->team), pe);
}

}  // namespace tess::shmem
