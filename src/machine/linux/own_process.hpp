// own_process: what a program finds about itself and its computer in /proc and /sys: texts made when they are opened.
//
//   Everything is the simulated program's: nothing of the simulator or of the host is in it.
//
// Threads   none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/linux/address_space.hpp"
#include "machine/linux/elf.hpp"
#include "machine/linux/threads.hpp"

namespace tess::machine {

class own_process {
 public:
  // `path`: of the program's file. `shown`: the one that it sees. What is referred to lives longer.
  own_process(elf_image const& image, std::string path, std::string shown, std::vector<std::string> const& arguments,
              std::vector<std::string> const& environment, address_space const& space, threads const& tasks,
              machine_host const& host, std::uint64_t memory_bytes);

  // The rest of a path of /proc/self, without a slash at its begin; nothing: it is another path. Paths have neither
  // `..` nor double slashes.
  [[nodiscard]] static std::optional<std::string> name_in(std::string_view path);

  // What a file of /proc or /sys has; nothing: there is none with this path.
  [[nodiscard]] std::optional<std::string> text(std::string_view path) const;
  // The names of threads, for /proc/self/task.
  [[nodiscard]] std::vector<std::string> task_names() const;
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::string const& shown_path() const noexcept { return shown_path_; }

 private:
  [[nodiscard]] std::optional<std::string> own_text(std::string_view name) const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string maps() const;
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string stat() const;
  [[nodiscard]] std::string processors() const;
  [[nodiscard]] std::string memory() const;
  [[nodiscard]] std::uint64_t mapped_bytes() const;

  elf_image const& image_;
  std::string path_;
  std::string shown_path_;
  std::vector<std::string> const& arguments_;
  std::vector<std::string> const& environment_;
  address_space const& space_;
  threads const& threads_;
  machine_host const& host_;
  std::uint64_t memory_bytes_;
};

}  // namespace tess::machine
