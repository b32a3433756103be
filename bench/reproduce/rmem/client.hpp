// client: blocking access of a program on a compute cluster to remote memory in named regions.
//
// Units     bytes; whole, aligned lines of 64.
// Threads   one hart of the cluster: the one at its mailbox.
// Errors    every call returns a status; a refused one leaves both memories unchanged.
#pragma once

#include <string_view>
#include <tess/machine/mailbox.hpp>

#include "protocol.hpp"

namespace mppa {

class rmem_client {
 public:
  struct opened {
    status how = status::ok;
    std::uint64_t address = 0;  ///< remote
    std::uint64_t bytes = 0;
  };

  explicit rmem_client(tess::machine::mailbox& mail) : mail_(mail) {}

  [[nodiscard]] opened create(std::uint64_t server, std::string_view name, std::uint64_t bytes) {
    auto const [first, second] = words_of(name);
    auto const said = ask(server_cluster(server), {word(operation::create), first, second, bytes});
    return {static_cast<status>(said[0]), said[1], bytes};
  }
  [[nodiscard]] opened open(std::uint64_t server, std::string_view name) {
    auto const [first, second] = words_of(name);
    auto const said = ask(server_cluster(server), {word(operation::open), first, second});
    return {static_cast<status>(said[0]), said[1], said[2]};
  }
  [[nodiscard]] status grant(std::uint64_t address, std::uint64_t to, std::uint32_t rights) {
    return static_cast<status>(ask(server_at(address), {word(operation::grant), address, to, rights})[0]);
  }
  /// Returns when the data are in the server's memory.
  [[nodiscard]] status write(std::uint64_t address, void const* local, std::uint64_t bytes) {
    auto const said = ask(server_at(address), {word(operation::write), address, bytes});
    if (auto const how = static_cast<status>(said[0]); how != status::ok) return how;
    return sender_.send(reinterpret_cast<std::uint64_t>(local), bytes, said[1]) ? status::ok : status::lost;
  }
  /// Returns when the data are in local memory.
  [[nodiscard]] status read(void* local, std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t const server = server_at(address);
    if (!window_.open(reinterpret_cast<std::uint64_t>(local), bytes, server)) return status::not_lines;
    tess::machine::mailbox::send(server,
                                 {word(operation::read), address, bytes, tess::machine::cluster::global_name(local)});
    // The response is data or a refusal.
    mail_.wait_until([this] { return window_.is_closed() || !mail_.empty(); });
    if (window_.is_closed()) return status::ok;
    window_.close();
    return static_cast<status>(mail_.try_receive()->said[0]);
  }

 private:
  static std::uint64_t word(operation code) { return static_cast<std::uint64_t>(code); }
  /// Looked up once, since the table of clusters does not change.
  std::uint64_t server_at(std::uint64_t address) {
    std::uint64_t& known = servers_[address >> server_shift];
    if (known == 0) known = server_cluster(address >> server_shift) + 1;
    return known - 1;
  }
  tess::machine::mailbox::words ask(std::uint64_t server, tess::machine::mailbox::words const& said) {
    tess::machine::mailbox::send(server, said);
    return mail_.receive().said;
  }

  tess::machine::mailbox& mail_;
  tess::machine::receive_window window_{0};
  tess::machine::portal_sender sender_;
  std::array<std::uint64_t, 4> servers_{};
};

}  // namespace mppa
