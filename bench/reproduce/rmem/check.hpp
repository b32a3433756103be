// check: what the service promises: data arrive, and whoever lacks a right or leaves a region is refused.
#pragma once

namespace mppa {

/// On every cluster; the first two compute clusters are clients of the first server. The exit code: 0, all was right.
int check();

}  // namespace mppa
