// failures: wrong requests and wrong files are the user's, all others the simulator's.
#include "machine/command/failures.hpp"

#include <fmt/format.h>

#include <exception>

#include "machine/checkpoint/checkpoint_file.hpp"
#include "machine/command/run.hpp"
#include "machine/config/named_machines.hpp"
#include "machine/linux/elf.hpp"
#include "machine/linux/host_handles.hpp"

namespace tess::machine {
namespace {

int say(std::exception const& why, int code) {
  fmt::print(stderr, "tess-machine: {}\n", why.what());
  return code;
}

}  // namespace

int report_failure() {
  try {
    throw;
  } catch (elf_error const& wrong) {
    return say(wrong, exit_misuse);
  } catch (config_error const& wrong) {
    return say(wrong, exit_misuse);
  } catch (checkpoint_error const& wrong) {
    return say(wrong, exit_misuse);
  } catch (handle_error const& wrong) {
    return say(wrong, exit_misuse);
  } catch (wrong_use const& wrong) {
    return say(wrong, exit_misuse);
  } catch (std::exception const& failure) {
    return say(failure, exit_failed);
  }
}

}  // namespace tess::machine
