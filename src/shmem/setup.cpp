// setup: counts beginnings and ends.
#include "shmem/setup.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "shmem/address.hpp"
#include "shmem/call.hpp"
#include "shmem/delayed.hpp"
#include "shmem/describe_collectives.hpp"
#include "shmem/exit_report.hpp"
#include "shmem/layout.hpp"
#include "shmem/memory.hpp"
#include "shmem/network.hpp"
#include "shmem/observe.hpp"
#include "shmem/teams.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

int spins = 1;

namespace {

int beginnings = 0;

/// What a program began that ends well without shmem_finalize is completed, as it was implied before 1.2.
void end_of_program(int code, void*) {
  if (beginnings == 0 || code != 0 || !is_pe()) return;
  settle();
  complete_contexts();
}

/// A program of start_pes has its shmem_finalize here. One that fails may do so alone, and then ends the others, but
/// all may have something to say first.
void end_of_old_program(int code, void*) {
  if (beginnings == 0 || !is_pe()) return;
  if (code == 0) {
    beginnings = 1;
    return finalize();
  }
  std::fflush(nullptr);
  meet_for(std::chrono::seconds(1));
}

bool is_set(char const* name, char const* old_name) {
  return std::getenv(name) != nullptr || std::getenv(old_name) != nullptr;
}

/// What environment variables ask for (1.5, section 8).
void introduce() {
  if (own.pe != 0) return;
  if (is_set("SHMEM_VERSION", "SMA_VERSION"))
    std::fprintf(stderr, "%s: OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
  if (is_set("SHMEM_INFO", "SMA_INFO"))
    std::fputs(
        "SHMEM_VERSION         print the version of the library\n"
        "SHMEM_INFO            print this\n"
        "SHMEM_SYMMETRIC_SIZE  the most that shmem_malloc gives, as 512M or 1.5g; without it, what there is\n"
        "SHMEM_DEBUG           nothing; misuse is always reported\n",
        stderr);
}

}  // namespace

void init() {
  int provided = 0;
  init_thread(SHMEM_THREAD_SINGLE, &provided);
}

int init_thread(int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE)
    fail("thread level " + std::to_string(requested), "SHMEM_THREAD_SINGLE to SHMEM_THREAD_MULTIPLE");
  if (++beginnings == 1) {
    check_layout();
    own.process = getpid();
    begin(requested);
    // Spinning takes the processor from the one that is waited for, if there are not enough.
    auto const processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    int const pes_here = own.network == nullptr ? own.pes : own.network->pes_here();
    spins = pes_here <= processors ? 1'000 : 20;
    open_teams();
    open_heap();
    static bool const ends_with_program = on_exit(end_of_program, nullptr) == 0;
    static_cast<void>(ends_with_program);
    begin_observing();
    show_view(!observed);
    introduce();
    meet();
  }
  if (provided != nullptr) *provided = own.threads;
  return 0;
}

void finalize() {
  if (beginnings == 0) fail("outside of shmem_init", "a shmem_init for each shmem_finalize");
  if (--beginnings != 0) return;
  std::fflush(nullptr);
  settle();
  // The program's own code runs no more in the job.
  if (observed) begin_observed(describe::finalize());
  complete_contexts();
  meet();
  end_observing();
  close_teams();
  close_heap();
  end();
}

void start_pes(int /*npes*/) {
  if (beginnings != 0) return;
  init();
  on_exit(end_of_old_program, nullptr);
}

void global_exit(int status) {
  std::fflush(nullptr);
  std::uint32_t nobody = 0;
  if (own.control != nullptr)
    own.control->exit_code.compare_exchange_strong(nobody, static_cast<std::uint32_t>(status & 0xff) + 1);
  if (own.network != nullptr) own.network->end_others(status);
  report_exit(status & 0xff);
  // The launcher ends the others.
  std::_Exit(status & 0xff);
}

int my_pe() {
  return own.pe;
}

int n_pes() {
  return own.pes;
}

int pe_accessible(int pe) {
  return pe >= 0 && pe < own.pes ? 1 : 0;
}

int addr_accessible(void const* addr, int pe) {
  return pe_accessible(pe) != 0 && is_symmetric(addr, 1) ? 1 : 0;
}

void* ptr(void const* dest, int pe) {
  // The own object is at its own address.
  if (pe == own.pe && find_at(dest, 1, pe) != nullptr) return const_cast<void*>(dest);
#if defined(__riscv)
  if (pe_accessible(pe) != 0 && is_symmetric(dest, 1)) return pointer_to(dest, pe);
#endif
  return find_at(dest, 1, pe);
}

void query_thread(int* provided) {
  *provided = own.threads;
}

void query_initialized(int* initialized) {
  *initialized = beginnings != 0 ? 1 : 0;
}

void info_get_version(int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void info_get_name(char* name) {
  std::strncpy(name, SHMEM_VENDOR_STRING, SHMEM_MAX_NAME_LEN);
}

}  // namespace tess::shmem
