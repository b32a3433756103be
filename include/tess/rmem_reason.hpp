// rmem_reason: why a memory server said no, as it travels and as rmem::refused has it.
#pragma once

#include <cstdint>

namespace tess::rmem {

/// Why a server refused.
enum class reason : std::uint16_t {
  ok,  ///< of no refusal
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
  not_serving,  ///< the second of two servers, which serves when the first is gone
};

}  // namespace tess::rmem
