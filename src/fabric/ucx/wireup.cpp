// wireup: the PMIx client: the rank of this process, the size of the job, and the bytes that each gives to all.
//
//   mpirun, prterun and srun --mpi=pmix start a server per host and name it in the environment. libpmix is loaded only
//   in that case. Values travel by PMIx_Put, a fence that collects, and PMIx_Get of those that are needed.
#include <dlfcn.h>
#include <pmix.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/launched.hpp"
#include "fabric/ucx/spawned.hpp"
#include "fabric/ucx/ucx.hpp"

namespace tess::detail {

namespace {

struct pmix_library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Fence_nb) fence;
  decltype(&PMIx_Get) get;
  decltype(&PMIx_Get_nb) get_later;
  decltype(&PMIx_Error_string) error_string;
};

template <class Function>
void find_pmix(void* library, char const* name, Function& function) {
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
    find_pmix(handle, "PMIx_Init", p.init);
    find_pmix(handle, "PMIx_Finalize", p.finalize);
    find_pmix(handle, "PMIx_Put", p.put);
    find_pmix(handle, "PMIx_Commit", p.commit);
    find_pmix(handle, "PMIx_Fence_nb", p.fence);
    find_pmix(handle, "PMIx_Get", p.get);
    find_pmix(handle, "PMIx_Get_nb", p.get_later);
    find_pmix(handle, "PMIx_Error_string", p.error_string);
    return p;
  }();
  return library;
}

void check(pmix_library const& pmix, pmix_status_t status, char const* call) {
  if (status == PMIX_SUCCESS) return;
  throw error("--fabric ucx", std::string(call) + ": " + pmix.error_string(status),
              "a launcher with PMIx: mpirun of openmpi-bin, prterun, or srun --mpi=pmix");
}

/// The answer of another thread, which may come after the caller has given up waiting.
template <class Value>
struct answer {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  pmix_status_t status = PMIX_SUCCESS;
  Value value{};

  /// Empty: it did not come in that time.
  std::optional<pmix_status_t> wait(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, most, [&] { return done; })) return std::nullopt;
    return status;
  }
  void set(pmix_status_t to) {
    std::lock_guard const lock(mutex);
    done = true;
    status = to;
    changed.notify_all();
  }
};

/// For calls that wait without a limit for the launcher's server, which sometimes hangs (Open MPI 4.1 does when a
/// process ends during the start). Empty: no answer in that time; the thread that asked is abandoned.
template <class Value, class Call>
std::optional<pmix_status_t> ask(std::shared_ptr<answer<Value>> const& from, std::chrono::milliseconds most,
                                 Call call) {
  std::thread([from, call] { from->set(call(from->value)); }).detach();
  return from->wait(most);
}

/// The connection to the server, which lasts until the process ends: if a process left between two jobs, the server
/// would fail the fence of processes that are already in the next job.
class pmix_session {
 public:
  static pmix_session const& of_process(std::chrono::milliseconds patience) {
    static pmix_session const session(patience);
    return session;
  }
  pmix_session(pmix_session const&) = delete;
  pmix_session& operator=(pmix_session const&) = delete;

  pmix_library const& pmix = load_pmix();
  pmix_proc_t me{};

 private:
  static constexpr std::chrono::seconds finalize_timeout{2};

  explicit pmix_session(std::chrono::milliseconds patience) {
    auto const who = std::make_shared<answer<pmix_proc_t>>();
    auto const status =
        ask(who, patience, [this_pmix = &pmix](pmix_proc_t& to) { return this_pmix->init(&to, nullptr, 0); });
    if (!status)
      throw error("--fabric ucx",
                  "the launcher did not answer within " + std::to_string(patience.count() / 1000) + " s (PMIx_Init)",
                  "a launcher that works: does it say anything, and is a process of the job gone?");
    check(pmix, *status, "PMIx_Init");
    me = who->value;
  }
  ~pmix_session() {
    auto const end = std::make_shared<answer<int>>();
    static_cast<void>(
        ask(end, finalize_timeout, [this_pmix = &pmix](int&) { return this_pmix->finalize(nullptr, 0); }));
  }
};

/// A job of one process.
class single_wireup final : public process_wireup {
 public:
  place_id place() const noexcept override { return 0; }
  place_id places() const noexcept override { return 1; }
  unsigned processes_here() const noexcept override { return 1; }
  void introduce(std::span<std::byte const> mine) override { mine_.assign(mine.begin(), mine.end()); }
  std::vector<std::byte> introduction_of(place_id) override { return mine_; }
  std::vector<place_id> places_here() override { return {0}; }
  bool meet(std::chrono::milliseconds) noexcept override { return true; }

 private:
  std::vector<std::byte> mine_;
};

class pmix_wireup final : public process_wireup {
 public:
  pmix_wireup(std::chrono::milliseconds patience, std::string user)
      : user_(std::move(user)),
        pmix_(pmix_session::of_process(patience).pmix),
        patience_(patience),
        me_(pmix_session::of_process(patience).me) {
    places_ = number(PMIX_JOB_SIZE);
    here_ = number(PMIX_LOCAL_SIZE);
    if (places_ > 65535) throw error("--fabric ucx", std::to_string(places_) + " processes", "at most 65535 places");
  }

  place_id place() const noexcept override { return static_cast<place_id>(me_.rank); }
  place_id places() const noexcept override { return static_cast<place_id>(places_); }
  unsigned processes_here() const noexcept override { return here_; }
  int launcher() const noexcept override { return getppid(); }

  void introduce(std::span<std::byte const> mine) override {
    // A process may run several jobs in sequence.
    key_ = user_ + "." + std::to_string(round()++);
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = const_cast<char*>(reinterpret_cast<char const*>(mine.data()));
    value.data.bo.size = mine.size();
    check(pmix_.put(PMIX_GLOBAL, key_.c_str(), &value), "PMIx_Put");
    check(pmix_.commit(), "PMIx_Commit");
    if (!fence(patience_, true))
      throw error("--fabric ucx",
                  "not all of " + std::to_string(places_) + " places came within " +
                      std::to_string(patience_.count() / 1000) + " s",
                  "hosts that start the program, or a longer --failure-timeout");
  }

  std::vector<std::byte> introduction_of(place_id place) override { return fetch(place, key_); }

  std::vector<place_id> places_here() override {
    pmix_proc_t job = me_;
    job.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* value = nullptr;
    std::vector<place_id> here;
    if (pmix_.get(&job, PMIX_LOCAL_PEERS, nullptr, 0, &value) == PMIX_SUCCESS && value != nullptr) {
      if (value->type == PMIX_STRING && value->data.string != nullptr) here = numbers_in(value->data.string);
      free(value);
    }
    // Otherwise all of them say where they are.
    if (std::ranges::find(here, place()) == here.end()) {
      here.resize(places_);
      std::iota(here.begin(), here.end(), place_id{0});
    }
    std::ranges::sort(here);
    return here;
  }

  bool meet(std::chrono::milliseconds most) noexcept override { return fence(most, false); }

 private:
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

  /// From a list with commas.
  [[nodiscard]] std::vector<place_id> numbers_in(std::string_view list) const {
    std::vector<place_id> found;
    for (char const *at = list.begin(), *const end = list.end(); at < end;) {
      std::uint32_t n = 0;
      auto const [next, wrong] = std::from_chars(at, end, n);
      if (wrong != std::errc{} || n >= places_) return {};
      found.push_back(static_cast<place_id>(n));
      at = next == end ? end : next + 1;
    }
    return found;
  }

  /// The server may wait for ever for the value of a place that has ended.
  std::vector<std::byte> fetch(std::uint32_t place, std::string const& key) {
    pmix_proc_t peer = me_;
    peer.rank = place;
    using introduction = answer<std::vector<std::byte>>;
    auto const said = std::make_shared<introduction>();
    auto const done = [](pmix_status_t status, pmix_value_t* value, void* context) {
      std::unique_ptr<std::shared_ptr<introduction>> const mine(static_cast<std::shared_ptr<introduction>*>(context));
      if (status == PMIX_SUCCESS && value != nullptr && value->type == PMIX_BYTE_OBJECT) {
        auto const* const bytes = reinterpret_cast<std::byte const*>(value->data.bo.bytes);
        (*mine)->value.assign(bytes, bytes + value->data.bo.size);
      }
      (*mine)->set(status);
    };
    auto* const context = new std::shared_ptr<introduction>(said);
    if (pmix_status_t const status = pmix_.get_later(&peer, key.c_str(), nullptr, 0, done, context);
        status != PMIX_SUCCESS) {
      delete context;
      check(status, "PMIx_Get_nb");
    }
    auto const status = said->wait(patience_);
    if (!status || *status == PMIX_ERR_NOT_FOUND)
      throw error("--fabric ucx", "place " + std::to_string(place) + " is gone before the job began",
                  "a look at what it said");
    check(*status, "PMIx_Get_nb");
    if (said->value.empty())
      throw error("--fabric ucx", "place " + std::to_string(place) + " gave no address", "the same program everywhere");
    return std::move(said->value);
  }

  bool fence(std::chrono::milliseconds most, bool collect) noexcept {
    auto const arrived = std::make_shared<answer<int>>();
    auto* const shared = new std::shared_ptr<answer<int>>(arrived);
    pmix_info_t info{};
    std::strncpy(info.key, PMIX_COLLECT_DATA, sizeof info.key - 1);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = collect;
    auto const done = [](pmix_status_t status, void* context) {
      std::unique_ptr<std::shared_ptr<answer<int>>> const mine(static_cast<std::shared_ptr<answer<int>>*>(context));
      (*mine)->set(status);
    };
    // The server reads the attributes later: they must outlive the call.
    info_ = info;
    if (pmix_.fence(nullptr, 0, &info_, 1, done, shared) != PMIX_SUCCESS) {
      delete shared;
      return false;
    }
    return arrived->wait(most) == PMIX_SUCCESS;
  }

  std::string user_;
  std::string key_;  ///< of the introductions
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

std::unique_ptr<process_wireup> make_wireup(std::chrono::milliseconds patience, std::string user) {
  if (is_set(spawned_job_variable)) return make_spawned_wireup(patience, std::move(user));
  if (is_set("PMIX_RANK")) return std::make_unique<pmix_wireup>(patience, std::move(user));
  if (is_set("PMI_RANK") || is_set("PMI_FD"))
    throw error("--fabric ucx", "the launcher speaks PMI, not PMIx (MPICH's mpirun does)",
                "mpirun of openmpi-bin, prterun, or srun --mpi=pmix");
  if (is_set("SLURM_STEP_ID") && is_set("SLURM_STEP_NUM_TASKS") && getenv("SLURM_STEP_NUM_TASKS") != std::string("1"))
    throw error("--fabric ucx", "srun started several processes and no PMIx", "srun --mpi=pmix");
  return std::make_unique<single_wireup>();
}

}  // namespace tess::detail
