// launch: the command line for each launcher; always a vector, never a shell.
#include "cli/run/launch.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/launched.hpp"
#include "cli/process/process.hpp"
#include "cli/run/collect_output.hpp"
#include "cli/run/executable.hpp"
#include "cli/run/owner.hpp"
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

enum class launcher_kind : std::uint8_t { own, open_mpi, slurm };

struct launcher {
  std::string program;
  launcher_kind is;
};

/// Open MPI's, or PRRTE's.
std::optional<launcher> find_open_mpi(std::string& why_not) {
  if (in_path("mpirun")) {
    std::string const version = output_of("mpirun", {"--version"}).value_or("");
    if (version.contains("Open MPI") || version.contains("OpenRTE") || version.contains("prte"))
      return launcher{"mpirun", launcher_kind::open_mpi};
    why_not = "mpirun here is not Open MPI's, and MPICH's has no PMIx; ";
  }
  if (in_path("prterun")) return launcher{"prterun", launcher_kind::open_mpi};
  return std::nullopt;
}

launcher own_launcher() {
  return {fs::read_symlink("/proc/self/exe").string(), launcher_kind::own};
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

[[noreturn]] void refuse_without(std::string const& why_not, std::string const& for_what) {
  throw usage_error{fmt::format("{}{} needs mpirun (apt-get install openmpi-bin), prterun or srun", why_not, for_what)};
}

/// `program` may be one of MPI, whose library asks its own launcher who it is.
launcher choose(std::string const& hosts, fs::path const& program) {
  std::string const wanted = environment_variable("TESS_LAUNCHER");
  if (wanted == "tess") {
    if (hosts.empty()) return own_launcher();
    throw usage_error{"run: --launcher tess starts places of this host only; leave out --hosts, or take mpirun"};
  }
  if (!wanted.empty()) {
    if (!in_path(wanted)) throw usage_error{fmt::format("run: --launcher {}: it is not in the PATH", wanted)};
    return {wanted, wanted == "srun" ? launcher_kind::slurm : launcher_kind::open_mpi};
  }
  if (!environment_variable("SLURM_JOB_ID").empty() && in_path("srun")) return {"srun", launcher_kind::slurm};
  bool const of_mpi = is_mpi_program(program);
  if (hosts.empty() && !of_mpi) return own_launcher();
  std::string why_not;
  if (auto const found = find_open_mpi(why_not)) return *found;
  refuse_without(why_not, of_mpi ? "a program of MPI" : "a job of several hosts");
}

words words_for(launcher const& by, std::string const& places, std::string const& hosts, bool tags) {
  if (by.is == launcher_kind::own) return {"spawn", "-n", places, "--"};
  if (by.is == launcher_kind::slurm) {
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

/// Those of this command: each place has two streams here.
void need_files_for(unsigned places) {
  constexpr unsigned own = 64;
  rlim_t const files = 2 * rlim_t{places} + own;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
  limit.rlim_cur = files;
  if (files > limit.rlim_max || ::setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw usage_error{fmt::format("run: {} places need {} open files, and {} are allowed; a larger `ulimit -n`", places,
                                  files, limit.rlim_max)};
}

}  // namespace

void pass_variable(std::string const& name) {
  passed_variables.push_back(name);
}

words launcher_words(unsigned processes) {
  std::string const number = std::to_string(processes);
  launcher const by = own_launcher();
  words all{by.program};
  words const options = words_for(by, number, "", false);
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

words mpi_launcher_words(unsigned processes) {
  std::string why_not;
  auto const by = find_open_mpi(why_not);
  if (!by) refuse_without(why_not, "a program of MPI");
  words all{by->program};
  words const options = words_for(*by, std::to_string(processes), "", false);
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

int launch(fs::path const& program, words const& arguments) {
  std::string places = environment_variable("TESS_PLACES");
  // We were started by a launcher: this process is one of the places.
  if (tess::detail::launched_rank() != nullptr || places == "1") become(program, arguments);
  std::string const hosts = environment_variable("TESS_HOSTS");
  launcher const by = choose(hosts, program);
  if (places.empty()) ::setenv("TESS_PLACES", (places = std::to_string(processors())).c_str(), 1);
  bool const here_only = hosts.empty() && by.is != launcher_kind::slurm;
  // On this host this command tags the lines itself.
  bool const tags = !environment_variable("TESS_TAG_OUTPUT").empty();
  if (!here_only) ::setenv("TESS_EXIT_FILE", "-", 1);
  words all{by.program};
  words const options = words_for(by, places, hosts, tags && !here_only);
  all.insert(all.end(), options.begin(), options.end());
  all.push_back(fs::absolute(program).string());
  all.insert(all.end(), arguments.begin(), arguments.end());
  unsigned number = 1;
  std::from_chars(places.data(), places.data() + places.size(), number);
  if (here_only) need_files_for(number);
  // PEs end each with its own code.
  unsigned const reports = is_openshmem_program(program) ? number : 1;
  return run_owned([&](owner const& self) {
    if (!here_only) return supervise(self, all, reports);
    int const code = run_collecting(self, all, tags, reports);
    return wrote_standard_output() || code != exit_fine ? code : exit_failed;
  });
}

}  // namespace tess::cli
