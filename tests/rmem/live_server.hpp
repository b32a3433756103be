// live_server: a memory server on a thread of the test, with a local and a TCP address.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "fresh_tcp_address.hpp"
#include "key_file.hpp"
#include "rmem/server/server.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

class live_server {
 public:
  explicit live_server(std::uint64_t size = std::uint64_t{64} << 20, unsigned number = 0)
      : server_(options(size, number)), thread_([this] { server_.run(); }) {}
  live_server(live_server const&) = delete;
  live_server& operator=(live_server const&) = delete;
  ~live_server() {
    server_.stop();
    thread_.join();
  }

  [[nodiscard]] std::string const& local() const { return local_; }
  [[nodiscard]] std::string const& remote() const { return remote_; }

  /// A client by TCP with a token for this region.
  [[nodiscard]] std::unique_ptr<client> remote_client(region const& r, rights given = rights::read_write) const {
    client owner(local_);
    return std::make_unique<client>(remote_, std::vector<std::string>{owner.grant_token(r.base, given)});
  }

 private:
  memd::server::options options(std::uint64_t size, unsigned number) {
    static std::atomic<int> next{0};
    int const number_here = next++;
    local_ = "unix:@tess-rmem-live-" + std::to_string(getpid()) + "-" + std::to_string(number_here);
    remote_ = fresh_tcp_address();
    memd::server::options o;
    o.proofs.key = common_key();
    o.size_bytes = size;
    o.number = static_cast<std::uint8_t>(number);
    o.listen = {local_, remote_};
    return o;
  }

  std::string local_;
  std::string remote_;
  memd::server server_;
  std::thread thread_;
};

}  // namespace tess::rmem
