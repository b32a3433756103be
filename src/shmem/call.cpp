// call: messages of misuse.
#include "shmem/call.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "shmem/exit_report.hpp"
#include "shmem/network.hpp"
#include "shmem/source_line.hpp"

namespace tess::shmem {

constinit thread_local current_call current [[gnu::tls_model("initial-exec")]];

void fail(std::string_view what, std::string_view expected) {
  std::string text = "shmem: ";
  if (own.pe >= 0 && own.pes > 1) text += "PE " + std::to_string(own.pe) + ": ";
  if (current.name != nullptr) text += std::string(current.name) + source_line(current.from) + ": ";
  text += std::string(what) + "; expected " + std::string(expected) + "\n";
  std::fflush(stdout);
  // One piece, so that the lines of PEs stay whole.
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text.data(), text.size());
  constexpr int misuse = 2;
  if (own.network != nullptr) own.network->end_others(misuse);
  report_exit(misuse);
  std::_Exit(misuse);
}

void fail_outside_job() {
  fail("outside of shmem_init and shmem_finalize", "a call between them");
}

}  // namespace tess::shmem
