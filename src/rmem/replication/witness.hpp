// witness: `tess memd --witness`: of two servers that cannot reach each other, it lets one serve. It has no regions.
//
//   For each pair it keeps the latest epoch and whose it is. A server that serves already says so. A server that wants
//   to leave an epoch claims the next one: it is granted to the first, and again to the same one. A witness that does
//   not know the pair grants nothing, so one that has lost its file cannot do harm.
//
// Threads  one, the server's.
// Errors   std::runtime_error: the file is damaged, or cannot be written: then nothing is granted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "rmem/wire/message.hpp"

namespace tess::memd::replication {

class witness {
 public:
  /// The file keeps the epochs; empty: they are forgotten at the end.
  explicit witness(std::filesystem::path file);

  [[nodiscard]] wire::message decide(wire::message const& claim);

 private:
  struct record {
    std::uint64_t epoch = 0;
    std::uint64_t copy = 0;
    bool operator==(record const&) const = default;
  };
  void save() const;

  std::filesystem::path file_;
  std::map<std::uint64_t, record> pairs_;
};

}  // namespace tess::memd::replication
