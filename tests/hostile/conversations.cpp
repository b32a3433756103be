// conversations: broken conversations with a live `tess memd`, by its local socket as another user, and by TCP as
// strangers with and without the key; meanwhile its owner reads and writes, and must be answered within a second.
//
// Method: the conversations of tests/rmem/broken_conversation.hpp, from two threads. The region must not change, the
// server must go on, keep its size and its descriptors, and end in order. TESS names the command.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "rmem/broken_conversation.hpp"
#include "rmem/fresh_tcp_address.hpp"
#include "rmem/memd_process.hpp"
#include "rmem/other_user.hpp"
#include "rmem/running_server.hpp"
#include "rmem/wire/token.hpp"

namespace tess::hostile {
namespace {

using namespace rmem;

constexpr std::uint64_t grown_bytes_max = 64 * mebibyte;
constexpr auto answer_time_max = std::chrono::seconds(1);
/// More processes than processors can make an answer late; the server is at fault if that happens often.
constexpr int late_max = 3;

std::uint64_t memory_of(pid_t process) {
  std::ifstream from("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t pages = 0;
  from >> pages >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::size_t descriptors_of(pid_t process) {
  auto const all = std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// The kernel tells the server the effective user of the thread that connects.
void become_other_user() {
  if (geteuid() == 0) static_cast<void>(syscall(SYS_setresuid, -1, other_user, -1));
}

void speak_locally(campaign& c, std::string const& at, region const& r, std::string const& token) {
  become_other_user();
  auto random = c.draw(1);
  while (c.goes_on()) {
    auto const all = broken_conversation(r, token, random);
    auto const socket = connect_to(at);
    static_cast<void>(send(socket.number(), all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    if (random() % 4 == 0) static_cast<void>(shutdown(socket.number(), SHUT_WR));
    std::array<char, 4096> answers{};
    if (random() % 8 == 0) static_cast<void>(recv(socket.number(), answers.data(), answers.size(), 0));
    c.counted();
  }
}

void speak_by_tcp(campaign& c, std::string const& tcp, region const& r, std::string const& token) {
  auto random = c.draw(2);
  while (c.goes_on()) {
    auto const all = broken_conversation(r, token, random);
    say_by_tcp(tcp, all, static_cast<unsigned>(random()));
    c.counted();
  }
}

template <class F>
void report_exceptions(campaign& c, F&& speak) {
  try {
    speak();
  } catch (std::exception const& e) {
    c.failed(e.what());
  }
}

void run(campaign& c) {
  auto const at = fresh_address();
  auto const tcp = fresh_tcp_address();
  key_file const key("hostile", common_key());
  memd_process server({"--size", "16M", "--name", at, "--listen", tcp, "--key", key.path});
  client owner(at);
  auto const r = owner.create("kept", mebibyte);
  auto const bytes = random_bytes(mebibyte, 1);
  owner.memwrite(r.base, bytes.data(), bytes.size());
  auto const other = owner.create("other", mebibyte);
  auto const proof = token::parse(owner.grant_token(other.base, rights::read_write))->bytes();
  std::string const token(reinterpret_cast<char const*>(proof.data()), proof.size());
  auto const memory_before = memory_of(server.number());
  auto const descriptors_before = descriptors_of(server.number());
  std::thread locally([&] { report_exceptions(c, [&] { speak_locally(c, at, r, token); }); });
  std::thread by_tcp([&] { report_exceptions(c, [&] { speak_by_tcp(c, tcp, r, token); }); });
  int late = 0;
  auto const look = [&] {
    auto const begin = campaign::clock::now();
    std::vector<char> got(bytes.size());
    owner.memread(got.data(), r.base, got.size());
    if (got != bytes) c.failed("the region has changed");
    if (owner.list().size() != 2) c.failed("there is another region");
    if (owner.open("kept", rights::read_write).base != r.base) c.failed("the name has changed");
    if (campaign::clock::now() - begin > answer_time_max && ++late > late_max) c.failed("answers take a second");
  };
  report_exceptions(c, [&] {
    while (c.goes_on()) {
      look();
      if (memory_of(server.number()) > memory_before + grown_bytes_max) c.failed("the server grows");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  locally.join();
  by_tcp.join();
  report_exceptions(c, look);
  // Connections that were closed are noticed at once.
  for (int i = 0; i < 100 && descriptors_of(server.number()) > descriptors_before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (descriptors_of(server.number()) > descriptors_before) c.failed("connections stay open");
  server.signal(SIGTERM);
  if (int const status = server.end(); !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    c.failed("the server ended with status " + std::to_string(status));
}

}  // namespace
}  // namespace tess::hostile

int main(int argc, char** argv) {
  tess::hostile::campaign c("conversations", argc, argv);
  tess::hostile::report_exceptions(c, [&] { tess::hostile::run(c); });
  return c.end();
}
