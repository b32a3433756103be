// client: blocking access of a program on a compute cluster to remote memory in named regions.
//
//   Any bytes: whole lines at the same offset in a line go by portals from and to where they are. Other reads go
//   through a buffer of lines, and other writes, too, with their ragged ends in messages.
//
// Units     bytes.
// Threads   one hart of the cluster: the one at its mailbox.
// Errors    every call returns a status; a refused one leaves both memories unchanged.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ipc.hpp"
#include "protocol.hpp"
#include "rmem/store/rights.hpp"

namespace mppa {

class rmem_client {
 public:
  struct opened {
    status how = status::ok;
    std::uint64_t address = 0;  ///< remote
    std::uint64_t bytes = 0;
  };

  explicit rmem_client(mailbox& mail) : mail_(mail) {}

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
    auto const from = reinterpret_cast<std::uint64_t>(local);
    if ((address | from | bytes) % line_bytes == 0) return write_lines(address, from, bytes);
    // All or nothing, as for whole lines.
    if (status const how = probe(address, bytes, tess::memd::right_write); how != status::ok) return how;
    auto const* at = static_cast<unsigned char const*>(local);
    while (bytes != 0) {
      std::uint64_t const lines = bytes / line_bytes * line_bytes;
      std::uint64_t piece = std::min(bytes, line_bytes - address % line_bytes);
      status how = status::ok;
      if (address % line_bytes != 0 || lines == 0) {
        piece = std::min(piece, inline_bytes);
        how = write_inline(address, at, piece);
      } else if (reinterpret_cast<std::uint64_t>(at) % line_bytes == 0) {
        piece = lines;
        how = write_lines(address, reinterpret_cast<std::uint64_t>(at), piece);
      } else {
        piece = std::min(lines, buffer_bytes);
        std::memcpy(buffer_, at, piece);
        how = write_lines(address, reinterpret_cast<std::uint64_t>(buffer_), piece);
      }
      if (how != status::ok) return how;
      at += piece;
      address += piece;
      bytes -= piece;
    }
    return status::ok;
  }
  /// Returns when the data are in local memory.
  [[nodiscard]] status read(void* local, std::uint64_t address, std::uint64_t bytes) {
    auto const into = reinterpret_cast<std::uint64_t>(local);
    if ((address | into | bytes) % line_bytes == 0) return read_lines(into, address, bytes);
    if (status const how = probe(address, bytes, tess::memd::right_read); how != status::ok) return how;
    auto* at = static_cast<unsigned char*>(local);
    while (bytes != 0) {
      std::uint64_t const offset = address % line_bytes;
      std::uint64_t piece = bytes / line_bytes * line_bytes;
      status how = status::ok;
      if (offset == 0 && piece != 0 && reinterpret_cast<std::uint64_t>(at) % line_bytes == 0) {
        how = read_lines(reinterpret_cast<std::uint64_t>(at), address, piece);
      } else {
        // Regions are whole lines, so the lines around the bytes are in it. Where source and destination are alike,
        // only the first line goes through the buffer.
        bool const alike = (reinterpret_cast<std::uint64_t>(at) - address) % line_bytes == 0;
        piece = std::min(bytes, (alike ? line_bytes : buffer_bytes) - offset);
        std::uint64_t const lines = (offset + piece + line_bytes - 1) / line_bytes * line_bytes;
        how = read_lines(reinterpret_cast<std::uint64_t>(buffer_), address - offset, lines);
        if (how == status::ok) std::memcpy(at, buffer_ + offset, piece);
      }
      if (how != status::ok) return how;
      at += piece;
      address += piece;
      bytes -= piece;
    }
    return status::ok;
  }

 private:
  static constexpr std::uint64_t line_bytes = receive_window::line_bytes;
  static constexpr std::uint64_t buffer_bytes = 16384;

  status probe(std::uint64_t address, std::uint64_t bytes, std::uint32_t rights) {
    return static_cast<status>(ask(server_at(address), {word(operation::probe), address, bytes, rights})[0]);
  }
  status write_inline(std::uint64_t address, unsigned char const* from, std::uint64_t bytes) {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), from, bytes);
    auto const said = ask(server_at(address), {word(operation::write_bytes), address, bytes, words[0], words[1]});
    return static_cast<status>(said[0]);
  }
  status write_lines(std::uint64_t address, std::uint64_t local, std::uint64_t bytes) {
    auto const said = ask(server_at(address), {word(operation::write), address, bytes});
    if (auto const how = static_cast<status>(said[0]); how != status::ok) return how;
    return sender_.send(local, bytes, said[1]) ? status::ok : status::lost;
  }
  status read_lines(std::uint64_t local, std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t const server = server_at(address);
    if (!window_.open(local, bytes, server)) return status::not_lines;
    auto const* const into = reinterpret_cast<void const*>(local);
    mailbox::send(server, {word(operation::read), address, bytes, tess::machine::cluster::global_name(into)});
    // The response is data or a refusal.
    mail_.wait_until(window_.mask(), [this] { return window_.is_closed() || !mail_.empty(); });
    if (window_.is_closed()) return status::ok;
    window_.close();
    return static_cast<status>(mail_.try_receive()->said[0]);
  }
  static std::uint64_t word(operation code) { return static_cast<std::uint64_t>(code); }
  /// Looked up once, since the table of clusters does not change.
  std::uint64_t server_at(std::uint64_t address) {
    std::uint64_t& known = servers_[address >> server_shift];
    if (known == 0) known = server_cluster(address >> server_shift) + 1;
    return known - 1;
  }
  mailbox::words ask(std::uint64_t server, mailbox::words const& said) {
    mailbox::send(server, said);
    return mail_.receive().said;
  }

  mailbox& mail_;
  receive_window window_{0};
  portal_sender sender_;
  std::array<std::uint64_t, 4> servers_{};
  alignas(line_bytes) static inline unsigned char buffer_[buffer_bytes];
};

}  // namespace mppa
