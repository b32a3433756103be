// protocol: messages between client and server of remote memory on a machine with clusters.
//
//   A remote address names its server in the two highest bits, and a byte of that server's DDR in the others. Every
//   request is one message of five words, {operation, address or name, ...}; a response is {status, ...}. A write is
//   header, response (the server has opened a window for these bytes), data through the portal. A read is header, data:
//   the client has opened its window before, so that the server sends as soon as it has checked. A refusal is a
//   response. The last word of a read or write comes back in its response, so a client can have several under way.
//   Portals move whole lines; the bytes of a write at its ragged ends go in messages, and the server puts them in
//   place.
//
// Units     bytes; of `read` and `write` whole lines of 64.
// Source    RMem (MultiProg 2019): header, acknowledgement, data; the two steps of a read overlap.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tess/machine/portal.hpp>

namespace mppa {

enum class operation : std::uint64_t {
  create,       ///< {name, name, bytes} -> {status, address}
  open,         ///< {name, name} -> {status, address, bytes}
  grant,        ///< {address, cluster, rights} -> {status}
  read,         ///< {address, bytes, where, tag} -> data, or {status, tag last}
  write,        ///< {address, bytes, -, tag} -> {status, where, tag last}
  write_bytes,  ///< {address, bytes up to 16, word, word} -> {status}
  probe,        ///< {address, bytes, rights} -> {status}: what a request of any bytes would get
  // For the baseline: only portals, no regions and rights.
  bare_write,  ///< {bytes, times, windows} -> each time {ok, where}
  bare_read,   ///< {bytes, where} -> data; where null: {ok}, and then
  bare_allow,  ///< {bytes, where} -> data
  arrive,      ///< All clients get {ok, null} when all have arrived.
  leave,
};

enum class status : std::uint64_t {
  ok,
  no_region,      ///< The address is in no region, or the name is unknown.
  out_of_bounds,  ///< It begins in a region and ends beyond it.
  not_permitted,  ///< This cluster lacks the right.
  not_lines,      ///< Address or length is not a multiple of 64, or the length is 0.
  in_use,         ///< The name exists; or no window is free for a write.
  full,           ///< The server has no room.
  lost,           ///< The data were refused in transit.
  not_own,        ///< The data would go to a cluster that has not requested them.
};

inline std::string_view text_of(status one) {
  constexpr std::array<std::string_view, 9> all{
      "ok",
      "no region is there",
      "it ends behind the region",
      "this cluster lacks the right",
      "address and length must be whole lines of 64 bytes",
      "the name is taken, or no window is free",
      "the server has no room",
      "the data were refused on their way",
      "the data would go to a cluster that has not asked for them",
  };
  return all[static_cast<std::size_t>(one)];
}

/// The server's windows: one for each cluster, and the others for the further writes of any.
inline constexpr std::uint64_t windows_max = 32;
/// Bytes in a message of write_bytes.
inline constexpr std::uint64_t inline_bytes = 16;

inline constexpr unsigned server_shift = 62;
inline constexpr std::uint64_t offset_mask = (std::uint64_t{1} << server_shift) - 1;

/// A name of up to 16 bytes as two words.
inline std::array<std::uint64_t, 2> words_of(std::string_view name) {
  std::array<std::uint64_t, 2> words{};
  for (std::size_t i = 0; i < name.size() && i < sizeof words; ++i)
    words[i / 8] |= std::uint64_t{static_cast<unsigned char>(name[i])} << (8 * (i % 8));
  return words;
}

/// The cluster of a server: the clusters with DDR, in order.
inline std::uint64_t server_cluster(std::uint64_t server) {
  using namespace tess::machine;
  std::uint64_t const all = cluster::count();
  for (std::uint64_t number = 0; number < all; ++number)
    if (cluster::has_memory(number) && server-- == 0) return number;
  return all;
}

}  // namespace mppa
