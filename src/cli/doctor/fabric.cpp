// fabric: queries the libraries, then starts a job.
#include "cli/doctor/fabric.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>

#include <filesystem>

#include "cli/process/process.hpp"
#include "cli/run/launch.hpp"

namespace tess::cli {
namespace {

/// The library's version, from a function that returns it as text.
finding check_library(std::string const& what, char const* file, char const* function, std::string const& package) {
  void* const library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {what, "none", "apt-get install " + package, true};
  auto const version = reinterpret_cast<char const* (*)()>(::dlsym(library, function));
  return {what, version == nullptr ? "there" : version(), ""};
}

finding check_launcher() {
  constexpr auto* what = "launcher, several hosts";
  try {
    words const by = mpi_launcher_words(2);
    std::string const version = output_of(by[0], {"--version"}).value_or("");
    return {what, version.substr(0, version.find('\n')), ""};
  } catch (usage_error const&) {
    return {what, "none", "apt-get install openmpi-bin, or srun or prterun of your site", true};
  }
}

/// Devices that are up, without the loopback device.
std::string networks() {
  std::string names;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "unknown";
  for (ifaddrs const* a = all; a != nullptr; a = a->ifa_next) {
    bool const up = (a->ifa_flags & IFF_UP) != 0 && (a->ifa_flags & IFF_LOOPBACK) == 0;
    if (up && a->ifa_addr != nullptr && a->ifa_addr->sa_family == AF_INET)
      names += fmt::format("{}{}", names.empty() ? "" : ",", a->ifa_name);
  }
  ::freeifaddrs(all);
  return names.empty() ? "none" : names;
}

}  // namespace

std::vector<finding> check_fabric() {
  std::vector<finding> rows{
      check_library("UCX", "libucp.so.0", "ucp_get_version_string", "libucx0"),
      check_library("PMIx", "libpmix.so.2", "PMIx_Get_version", "libpmix2"),
      {"launcher, one host", "tess spawn", ""},
      check_launcher(),
  };
  std::string const chosen = environment_variable("UCX_TLS");
  rows.push_back({"transports, one host", chosen.empty() ? "posix,cma,self" : chosen + " (UCX_TLS)", ""});
  rows.push_back(
      {"transports, several hosts", chosen.empty() ? "what UCX finds, without sysv" : chosen + " (UCX_TLS)", ""});
  std::string const devices = environment_variable("UCX_NET_DEVICES");
  rows.push_back({"networks", devices.empty() ? networks() : devices + " (UCX_NET_DEVICES)", ""});
  std::error_code none;
  bool const verbs = std::filesystem::exists("/sys/class/infiniband", none) &&
                     !std::filesystem::is_empty("/sys/class/infiniband", none);
  rows.push_back({"InfiniBand and RoCE", verbs ? "there" : "none: TCP between hosts", ""});
  return rows;
}

int measure_pairs(tree const& here, unsigned places, std::string const& hosts) {
  ::setenv("TESS_FABRIC", "ucx", 1);
  ::setenv("TESS_PLACES", std::to_string(places).c_str(), 1);
  if (!hosts.empty()) ::setenv("TESS_HOSTS", hosts.c_str(), 1);
  return launch(here.programs() / "pairs", {});
}

}  // namespace tess::cli
