// check: checks of the service: data arrive, and requests without the right or outside of a region are refused.
#pragma once

namespace mppa {

/// Runs on every cluster; the first two compute clusters are clients of the first server. Returns the exit code.
int check();

}  // namespace mppa
