// running_server: a memory server on a thread of the test, and what the tests of clients have in common.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "key_file.hpp"
#include "rmem/server/server.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

inline constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

inline std::string fresh_address() {
  static std::atomic<int> number{0};
  return "unix:/tmp/tess-rmem-test-" + std::to_string(getpid()) + "-" + std::to_string(number++);
}

class running_server {
 public:
  explicit running_server(std::string const& at, std::uint64_t size = 64 * mebibyte, std::string const& tcp = {},
                          std::filesystem::path const& file = {})
      : server_(options(at, size, tcp, file)), thread_([this] { server_.run(); }) {}
  running_server(running_server const&) = delete;
  running_server& operator=(running_server const&) = delete;
  ~running_server() {
    server_.stop();
    thread_.join();
  }

 private:
  static memd::server::options options(std::string const& at, std::uint64_t size, std::string const& tcp,
                                       std::filesystem::path const& file) {
    memd::server::options o;
    o.proofs.key = common_key();
    o.size_bytes = size;
    o.file = file;
    o.listen.push_back(at);
    if (!tcp.empty()) o.listen.push_back(tcp);
    return o;
  }
  memd::server server_;
  std::thread thread_;
};

inline std::vector<char> random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> bytes(size);
  for (auto& b : bytes) b = static_cast<char>(random());
  return bytes;
}

/// A path for a server's file; the destructor removes the file and its journal.
struct kept_file {
  std::filesystem::path path = "/dev/shm/tess-rmem-" + std::to_string(getpid());
  kept_file() { remove(); }
  kept_file(kept_file const&) = delete;
  kept_file& operator=(kept_file const&) = delete;
  ~kept_file() { remove(); }

 private:
  void remove() const {
    for (char const* const end : {"", ".record", ".record.new"}) std::filesystem::remove(path.string() + end);
  }
};

template <class F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (refused const& no) {
    return no.what();
  }
  return "not refused";
}

}  // namespace tess::rmem
