// ucx_wireup: PMIx as a client: who am I, how many are we, and what do the others say.
//
//   mpirun, prterun and srun --mpi=pmix start a server per host and name it in the environment. libpmix is loaded only
//   if one did. Values go by PMIx_Put, a fence that collects, and PMIx_Get.
#include <dlfcn.h>
#include <pmix.h>
#include <stdlib.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>

#include "fabric/ucx.hpp"

namespace tess::detail {

namespace {

struct pmix_library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Fence_nb) fence;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Error_string) error_string;
};

template <class Function>
void find(void* library, char const* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw error("libpmix.so.2", "has no function " + std::string(name), "PMIx 3 or later: apt-get install libpmix2");
}

pmix_library const& load_pmix() {
  static pmix_library const library = [] {
    void* const handle = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
      throw error("--fabric ucx", std::string("started by a launcher, but ") + dlerror(),
                  "PMIx: apt-get install libpmix2");
    pmix_library p{};
    find(handle, "PMIx_Init", p.init);
    find(handle, "PMIx_Finalize", p.finalize);
    find(handle, "PMIx_Put", p.put);
    find(handle, "PMIx_Commit", p.commit);
    find(handle, "PMIx_Fence_nb", p.fence);
    find(handle, "PMIx_Get", p.get);
    find(handle, "PMIx_Error_string", p.error_string);
    return p;
  }();
  return library;
}

void check(pmix_library const& pmix, pmix_status_t status, char const* call) {
  if (status == PMIX_SUCCESS) return;
  throw error("--fabric ucx", std::string(call) + ": " + pmix.error_string(status),
              "a launcher with PMIx: mpirun of openmpi-bin, prterun, or srun --mpi=pmix");
}

/// This process and its server, until the process ends: if one process left between two jobs, the server would take its
/// part in the fence of those that are in the next already as failed.
class pmix_session {
 public:
  static pmix_session const& of_process() {
    static pmix_session const session;
    return session;
  }
  pmix_session(pmix_session const&) = delete;
  pmix_session& operator=(pmix_session const&) = delete;

  pmix_library const& pmix = load_pmix();
  pmix_proc_t me{};

 private:
  pmix_session() { check(pmix, pmix.init(&me, nullptr, 0), "PMIx_Init"); }
  ~pmix_session() { pmix.finalize(nullptr, 0); }
};

/// One process, nobody else.
class lone_wireup final : public wireup {
 public:
  place_id place() const noexcept override { return 0; }
  place_id places() const noexcept override { return 1; }
  unsigned processes_here() const noexcept override { return 1; }
  std::vector<std::vector<std::byte>> exchange(std::span<std::byte const> mine) override {
    return {{mine.begin(), mine.end()}};
  }
  bool meet(std::chrono::milliseconds) noexcept override { return true; }
};

class pmix_wireup final : public wireup {
 public:
  explicit pmix_wireup(std::chrono::milliseconds patience)
      : pmix_(pmix_session::of_process().pmix), patience_(patience), me_(pmix_session::of_process().me) {
    places_ = number(PMIX_JOB_SIZE);
    here_ = number(PMIX_LOCAL_SIZE);
    if (places_ > 65535) throw error("--fabric ucx", std::to_string(places_) + " processes", "at most 65535 places");
  }

  place_id place() const noexcept override { return static_cast<place_id>(me_.rank); }
  place_id places() const noexcept override { return static_cast<place_id>(places_); }
  unsigned processes_here() const noexcept override { return here_; }

  std::vector<std::vector<std::byte>> exchange(std::span<std::byte const> mine) override {
    // A process may run several jobs, one after the other.
    std::string const key = "tess." + std::to_string(round()++);
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = const_cast<char*>(reinterpret_cast<char const*>(mine.data()));
    value.data.bo.size = mine.size();
    check(pmix_.put(PMIX_GLOBAL, key.c_str(), &value), "PMIx_Put");
    check(pmix_.commit(), "PMIx_Commit");
    if (!fence(patience_, true))
      throw error("--fabric ucx",
                  "not all of " + std::to_string(places_) + " places came within " +
                      std::to_string(patience_.count() / 1000) + " s",
                  "hosts that start the program, or a longer --failure-timeout");
    std::vector<std::vector<std::byte>> all(places_);
    for (std::uint32_t p = 0; p < places_; ++p) {
      if (p == me_.rank)
        all[p].assign(mine.begin(), mine.end());
      else
        all[p] = fetch(p, key);
    }
    return all;
  }

  bool meet(std::chrono::milliseconds most) noexcept override { return fence(most, false); }

 private:
  /// Shared with the callback, which may come after we gave up.
  struct arrival {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    pmix_status_t status = PMIX_SUCCESS;
  };

  static unsigned& round() {
    static unsigned n = 0;
    return n;
  }

  void check(pmix_status_t status, char const* call) const { detail::check(pmix_, status, call); }

  std::uint32_t number(char const* key) {
    pmix_proc_t job = me_;
    job.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* value = nullptr;
    check(pmix_.get(&job, key, nullptr, 0, &value), key);
    std::uint32_t const n = value->data.uint32;
    free(value);
    return n;
  }

  std::vector<std::byte> fetch(std::uint32_t place, std::string const& key) {
    pmix_proc_t peer = me_;
    peer.rank = place;
    pmix_value_t* value = nullptr;
    check(pmix_.get(&peer, key.c_str(), nullptr, 0, &value), "PMIx_Get");
    if (value->type != PMIX_BYTE_OBJECT)
      throw error("--fabric ucx", "place " + std::to_string(place) + " gave no address", "the same program everywhere");
    auto const* const bytes = reinterpret_cast<std::byte const*>(value->data.bo.bytes);
    std::vector<std::byte> copy(bytes, bytes + value->data.bo.size);
    free(value->data.bo.bytes);
    free(value);
    return copy;
  }

  bool fence(std::chrono::milliseconds most, bool collect) noexcept {
    auto* const shared = new std::shared_ptr<arrival>(std::make_shared<arrival>());
    std::shared_ptr<arrival> const arrived = *shared;
    pmix_info_t info{};
    std::strncpy(info.key, PMIX_COLLECT_DATA, sizeof info.key - 1);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = collect;
    auto const done = [](pmix_status_t status, void* context) {
      std::unique_ptr<std::shared_ptr<arrival>> const mine(static_cast<std::shared_ptr<arrival>*>(context));
      std::lock_guard const lock((*mine)->mutex);
      (*mine)->done = true;
      (*mine)->status = status;
      (*mine)->changed.notify_all();
    };
    // The server is given the attributes later: they must outlive the call.
    info_ = info;
    if (pmix_.fence(nullptr, 0, &info_, 1, done, shared) != PMIX_SUCCESS) {
      delete shared;
      return false;
    }
    std::unique_lock lock(arrived->mutex);
    return arrived->changed.wait_for(lock, most, [&] { return arrived->done; }) && arrived->status == PMIX_SUCCESS;
  }

  pmix_library const& pmix_;
  std::chrono::milliseconds patience_;
  pmix_proc_t me_;
  pmix_info_t info_{};
  std::uint32_t places_ = 0;
  std::uint32_t here_ = 0;
};

bool is_set(char const* name) {
  char const* const value = getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::unique_ptr<wireup> make_wireup(std::chrono::milliseconds patience) {
  if (is_set("PMIX_RANK")) return std::make_unique<pmix_wireup>(patience);
  if (is_set("PMI_RANK") || is_set("PMI_FD"))
    throw error("--fabric ucx", "the launcher speaks PMI, not PMIx (MPICH's mpirun does)",
                "mpirun of openmpi-bin, prterun, or srun --mpi=pmix");
  if (is_set("SLURM_STEP_ID") && is_set("SLURM_STEP_NUM_TASKS") && getenv("SLURM_STEP_NUM_TASKS") != std::string("1"))
    throw error("--fabric ucx", "srun started several processes and no PMIx", "srun --mpi=pmix");
  return std::make_unique<lone_wireup>();
}

}  // namespace tess::detail
