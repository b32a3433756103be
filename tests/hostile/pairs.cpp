// pairs: two servers that reach each other, and their witness, through faulty proxies; never do both serve, and what
// was acknowledged is there.
//
//   Networks are cut, delayed, drop their connections, pass one direction only, or end and return; servers are stopped
//   or killed, the witness, too. Clients reach both servers all the time, which is the worst case: whichever serves
//   would be believed.
//
// Method: writers remember what was acknowledged (acknowledged_writes.hpp). A thread asks both servers in turn whether
// they serve, and in which epoch. A server that serves in one epoch before and after the other one answered that it
// serves has served at the same time. After a few faults everything is repaired, and a server must serve again. Several
// pairs at once, because most of the time passes in waiting. TESS names the command.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "rmem/acknowledged_writes.hpp"
#include "rmem/client/connection.hpp"
#include "rmem/faulty_proxy.hpp"
#include "rmem/fresh_tcp_address.hpp"
#include "rmem/key_file.hpp"
#include "rmem/memd_process.hpp"
#include "rmem/running_server.hpp"

namespace tess::hostile {
namespace {

using namespace rmem;

/// A lease is half of the time-out.
std::vector<std::string> const leases{"TESS_FAILURE_TIMEOUT=1"};
constexpr unsigned pairs_at_once = 3;
constexpr int rounds_of_one = 8;
constexpr auto recovery_max = std::chrono::seconds(30);

struct keys {
  key_file secret{"secret", "a secret of both servers"};
  key_file key{"key", "a key of all their clients"};
};

/// Two servers and a witness, each of which reaches the others through proxies.
class distant_pair {
 public:
  distant_pair(keys const& proofs, std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    witness_ = std::make_unique<memd_process>(std::vector<std::string>{
        "--witness", "--name", at_witness_, "--secret", proofs.secret.path, "--file", folder_ / "witness"});
    for (std::size_t const i : {0U, 1U})
      servers_[i] = std::make_unique<memd_process>(
          std::vector<std::string>{"--size", "32M", "--name", tcp_[i], "--replicas", "2", "--peer",
                                   to_[1 - i]->address(), "--listen", local[i], "--witness-at",
                                   witness_by_[i]->address(), "--secret", proofs.secret.path, "--key", proofs.key.path,
                                   "--file", folder_ / std::to_string(i)},
          leases);
  }
  distant_pair(distant_pair const&) = delete;
  distant_pair& operator=(distant_pair const&) = delete;
  ~distant_pair() {
    for (auto& s : servers_) s.reset();
    witness_.reset();
    std::filesystem::remove_all(folder_);
    for (auto const& at : local) unlink(at.substr(at.find(':') + 1).c_str());
  }

  template <class Random>
  void break_something(Random& random) {
    using mode = faulty_proxy::mode;
    constexpr std::array faults{mode::stall, mode::refuse, mode::delay, mode::questions, mode::pass};
    auto const how = faults[random() % faults.size()];
    auto const i = random() % 2;
    switch (random() % 8) {
      case 0:
      case 1:  // both directions of the way between the servers
        for (auto& p : to_) p->set(how);
        break;
      case 2:
        to_[i]->set(how);
        break;
      case 3:
        for (auto& p : to_) p->drop_connections();
        break;
      case 4:
        witness_by_[i]->set(how);
        break;
      case 5:
        servers_[i]->signal(random() % 2 == 0 ? SIGSTOP : SIGCONT);
        break;
      case 6:
        servers_[i]->signal(SIGCONT);
        servers_[i]->restart();
        break;
      default:
        witness_->restart();
    }
  }
  void repair() {
    for (auto& p : to_) p->set(faulty_proxy::mode::pass);
    for (auto& p : witness_by_) p->set(faulty_proxy::mode::pass);
    for (auto& s : servers_) s->signal(SIGCONT);
  }
  [[nodiscard]] std::string both() const { return local[0] + "," + local[1]; }

  std::array<std::string, 2> const local{fresh_address(), fresh_address()};

 private:
  std::filesystem::path folder_;
  std::array<std::string, 2> tcp_{fresh_tcp_address(), fresh_tcp_address()};
  std::string at_witness_ = fresh_tcp_address();
  std::array<std::unique_ptr<faulty_proxy>, 2> to_{std::make_unique<faulty_proxy>(tcp_[0]),
                                                   std::make_unique<faulty_proxy>(tcp_[1])};
  std::array<std::unique_ptr<faulty_proxy>, 2> witness_by_{std::make_unique<faulty_proxy>(at_witness_),
                                                           std::make_unique<faulty_proxy>(at_witness_)};
  std::unique_ptr<memd_process> witness_;
  std::array<std::unique_ptr<memd_process>, 2> servers_;
};

struct service {
  std::uint64_t epoch = 0;
  std::uint64_t instance = 0;
  bool operator==(service const&) const = default;
};

/// Nothing: it does not serve, or does not answer in time.
std::optional<service> service_of(std::string const& at) {
  try {
    auto const socket = connect_to(at, std::chrono::milliseconds(200));
    auto const asked = wire::encode({.what = wire::operation::hello, .id = 1});
    if (send(socket.number(), asked.data(), asked.size(), MSG_NOSIGNAL) < 0) return std::nullopt;
    wire::encoded bytes{};
    if (recv(socket.number(), bytes.data(), bytes.size(), MSG_WAITALL) != std::ssize(bytes)) return std::nullopt;
    auto const m = wire::decode(bytes);
    if (!m || m->outcome != wire::status::ok) return std::nullopt;
    return service{m->address, m->argument2};
  } catch (std::exception const&) {
    return std::nullopt;
  }
}

/// Asks the servers in turn, until it is told to stop.
void watch(campaign& c, distant_pair const& pair, std::atomic<bool> const& done) {
  std::map<std::uint64_t, std::uint64_t> instances;  // by the epoch in which they serve
  std::array<std::optional<service>, 2> last;
  for (std::size_t i = 0; !done; i = 1 - i) {
    auto const now = service_of(pair.local[i]);
    if (now) {
      auto const known = instances.emplace(now->epoch, now->instance).first->second;
      if (known != now->instance) return c.failed("both serve in epoch " + std::to_string(now->epoch));
      if (now == last[i] && last[1 - i])
        return c.failed("both serve, in epochs " + std::to_string(now->epoch) + " and " +
                        std::to_string(last[1 - i]->epoch));
    }
    last[i] = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool recovers(distant_pair const& pair) {
  auto const limit = campaign::clock::now() + recovery_max;
  while (campaign::clock::now() < limit) {
    for (auto const& at : pair.local)
      if (service_of(at)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

template <class Random>
void torment(campaign& c, distant_pair& pair, Random& random) {
  if (!recovers(pair)) return c.failed("two servers do not begin");
  acknowledged_writes writes(pair.both());
  for (int round = 0; round < rounds_of_one && c.goes_on(); ++round) {
    for (auto faults = 1 + random() % 5; faults > 0; --faults) {
      pair.break_something(random);
      c.counted();
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    }
    pair.repair();
    if (!recovers(pair)) {
      c.failed("no server serves, although everything is repaired");
      break;
    }
    if (auto const problem = writes.problem(); !problem.empty()) {
      c.failed(problem);
      break;
    }
  }
  pair.repair();
  if (auto const problem = writes.end(); !problem.empty()) c.failed(problem);
}

void run(campaign& c, keys const& proofs, unsigned thread) {
  auto random = c.draw(thread);
  auto const folder = std::filesystem::path("/dev/shm/tess-pairs-" + std::to_string(getpid()));
  try {
    while (c.goes_on()) {
      distant_pair pair(proofs, folder / std::to_string(thread));
      std::atomic<bool> done{false};
      std::thread watcher([&] { watch(c, pair, done); });
      try {
        torment(c, pair, random);
      } catch (std::exception const& e) {
        c.failed(e.what());
      }
      done = true;
      watcher.join();
    }
  } catch (std::exception const& e) {
    c.failed(e.what());
  }
}

}  // namespace
}  // namespace tess::hostile

int main(int argc, char** argv) {
  using namespace tess::hostile;
  campaign c("pairs", argc, argv);
  // Clients wait until everything is repaired; what servers hear is in `leases`.
  setenv("TESS_FAILURE_TIMEOUT", "40", 1);
  keys const proofs;
  setenv("TESS_RMEM_KEY", proofs.key.path.c_str(), 1);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < pairs_at_once; ++i) threads.emplace_back([&, i] { run(c, proofs, i + 1); });
  for (auto& t : threads) t.join();
  return c.end();
}
