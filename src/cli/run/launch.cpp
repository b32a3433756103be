// launch: the command line for each launcher; always a vector, never a shell.
#include "cli/run/launch.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "cli/process/process.hpp"
#include "cli/run/collect_output.hpp"
#include "cli/run/owner.hpp"
#include "cli/run/pes.hpp"
#include "cli/run/supervise.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

bool in_path(std::string_view program) {
  std::string const path = environment_variable("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t const end = std::min(path.find(':', begin), path.size());
    fs::path const file = fs::path(path.substr(begin, end - begin)) / program;
    if (::access(file.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

struct launcher {
  std::string program;
  bool slurm = false;
};

std::optional<launcher> find_launcher(std::string& why_not) {
  if (!environment_variable("SLURM_JOB_ID").empty() && in_path("srun")) return launcher{"srun", true};
  if (in_path("mpirun")) {
    std::string const version = output_of("mpirun", {"--version"}).value_or("");
    if (version.contains("Open MPI") || version.contains("OpenRTE") || version.contains("prte"))
      return launcher{"mpirun"};
    why_not = "mpirun here is not Open MPI's, and MPICH's has no PMIx; ";
  }
  if (in_path("prterun")) return launcher{"prterun"};
  return std::nullopt;
}

unsigned processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

words passed_variables;

/// Other hosts get only the variables that are named.
words exported_variables() {
  words names = passed_variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view const text = *entry;
    bool const ours = text.starts_with("TESS_") || text.starts_with("SHMEM_") || text.starts_with("SMA_");
    if (ours || text.starts_with("UCX_")) names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

launcher need_launcher(std::string const& places) {
  std::string why_not;
  if (auto const found = find_launcher(why_not)) return *found;
  throw usage_error{fmt::format(
      "{}{} places on the fabric ucx need a launcher: mpirun (apt-get install openmpi-bin), prterun or srun", why_not,
      places)};
}

words words_for(launcher const& by, std::string const& places, std::string const& hosts, bool tags) {
  if (by.slurm) {
    // One Ctrl-C ends the job, as for other launchers.
    words w{"--mpi=pmix", "--no-kill", "--kill-on-bad-exit=0", "--quit-on-interrupt", "-n", places};
    if (!hosts.empty()) w.push_back("--nodelist=" + hosts);
    if (tags) w.emplace_back("--label");
    return w;
  }
  words w{"-n", places, "--oversubscribe"};
  if (::geteuid() == 0) w.emplace_back("--allow-run-as-root");
  if (tags) w.emplace_back("--tag-output");
  // A place that fails is reported by the others; we compute the exit code.
  w.insert(w.end(), {"--enable-recovery", "--quiet"});
  if (hosts.empty()) return w;
  w.insert(w.end(), {"--host", hosts});
  for (std::string const& name : exported_variables()) w.insert(w.end(), {"-x", name});
  return w;
}

}  // namespace

void pass_variable(std::string const& name) {
  passed_variables.push_back(name);
}

words launcher_words(unsigned processes) {
  std::string const number = std::to_string(processes);
  launcher const by = need_launcher(number);
  words all{by.program};
  words const options = words_for(by, number, "", false);
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

int launch(fs::path const& program, words const& arguments) {
  std::string places = environment_variable("TESS_PLACES");
  // We were started by a launcher: this process is one of the places.
  if (!environment_variable("PMIX_RANK").empty() || places == "1") become(program, arguments);
  std::string why_not;
  if (places.empty() && !find_launcher(why_not)) become(program, arguments);
  launcher const by = need_launcher(places);
  if (places.empty()) ::setenv("TESS_PLACES", (places = std::to_string(processors())).c_str(), 1);
  std::string const hosts = environment_variable("TESS_HOSTS");
  bool const here_only = hosts.empty() && !by.slurm;
  // On this host this command tags the lines itself.
  bool const tags = !environment_variable("TESS_TAG_OUTPUT").empty();
  if (!here_only) ::setenv("TESS_EXIT_FILE", "-", 1);
  words all{by.program};
  words const options = words_for(by, places, hosts, tags && !here_only);
  all.insert(all.end(), options.begin(), options.end());
  all.push_back(fs::absolute(program).string());
  all.insert(all.end(), arguments.begin(), arguments.end());
  // PEs end each with its own code.
  unsigned reports = 1;
  if (is_openshmem_program(program)) std::from_chars(places.data(), places.data() + places.size(), reports);
  return run_owned([&](owner const& self) {
    if (!here_only) return supervise(self, all, reports);
    int const code = run_collecting(self, all, tags, reports);
    return wrote_standard_output() || code != exit_fine ? code : exit_failed;
  });
}

}  // namespace tess::cli
