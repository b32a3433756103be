// rmem_reason: why a memory server refused a request; the numbers are those of the protocol and of tess/rmem.h.
#pragma once

#include <cstdint>

namespace tess::rmem {

/// Why a server refused.
enum class reason : std::uint16_t {
  ok,  ///< not refused
  no_right,
  out_of_bounds,
  no_region,
  no_name,
  name_taken,
  full,
  disk_full,
  bad_token,
  bad_request,
  revoked,
  not_serving,  ///< a replicated server that is not the primary
};

}  // namespace tess::rmem
