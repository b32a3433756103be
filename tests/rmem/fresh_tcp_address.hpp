// fresh_tcp_address: an unused TCP address; each process has its own address of the loopback network.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>

namespace tess::rmem {

inline std::string fresh_tcp_address() {
  static std::atomic<int> number{20000};  // below the ports that clients are given
  auto const own = static_cast<unsigned>(getpid());
  auto const part = [own](unsigned shift) { return std::to_string((own >> shift) & 255U); };
  return "tcp:127." + std::to_string(1 + (own >> 16U)) + "." + part(8) + "." + part(0) + ":" + std::to_string(number++);
}

}  // namespace tess::rmem
