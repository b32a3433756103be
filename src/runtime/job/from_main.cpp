// from_main: runs a job with the settings of the environment; errors at its start become a text and an exit code.
#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>

#include "base/heartbeat.hpp"
#include "base/output.hpp"
#include "base/output_file.hpp"
#include "base/standard_output.hpp"
#include "runtime/job/job.hpp"
#include "runtime/processes/shutdown.hpp"
#include "tess/run.hpp"

namespace tess {

namespace {

int run_reporting(settings& s, args words, detail::function_ref<task<int>(args)> app) {
  try {
    s = settings::from_environment();
    if (s.fabric.empty() && settings::started_by_launcher()) s.fabric = "ucx";
    std::optional<detail::launcher_heartbeat> pulse;
    if (s.exit_file == "-")
      pulse.emplace(std::chrono::milliseconds(static_cast<std::int64_t>(s.failure_timeout * 1e3)));
    return run(s, words, app);
  } catch (detail::reported_by_place_0 const&) {
    return 2;
  } catch (std::bad_alloc const& e) {
    std::fprintf(stderr, "tess: no memory to start the job: %s\n", e.what());
    return 1;
  } catch (detail::write_error const& e) {
    // The program has run: that is no wrong use.
    std::fprintf(stderr, "tess: %s\n", e.what());
    return 1;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "tess: %s\n", e.what());
    return 2;
  }
}

}  // namespace

int run(int argc, char** argv, detail::function_ref<task<int>(args)> app) {
  detail::check_standard_output_at_exit();
  detail::redirect_output();
  std::vector<std::string> const words(argv + std::min(argc, 1), argv + argc);
  settings s;
  int const code = run_reporting(s, words, app);
  // All surviving places have the same code.
  if (s.exit_file == "-")
    std::fprintf(stderr, "tess: exit code %d\n", code);
  else if (!s.exit_file.empty())
    if (std::FILE* const file = std::fopen(s.exit_file.c_str(), "w")) {
      std::fprintf(file, "%d\n", code);
      std::fclose(file);
    }
  return code;
}

}  // namespace tess
