// new_file: written beside its name, synchronised, and renamed.
#include "graph/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace graph {

namespace {

// What a link names is replaced, not the link. Only files are: a device of that name stays.
std::string file_of(std::string const& path) {
  std::error_code ignored;  // what is wrong with the path, opening will say
  auto const there = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    throw std::runtime_error(fmt::format("{} cannot be written: it is no regular file", path));
  if (!std::filesystem::is_symlink(path, ignored)) return path;
  std::filesystem::path const named = std::filesystem::weakly_canonical(path, ignored);
  return named.empty() ? path : named.string();
}

}  // namespace

new_file::new_file(std::string const& path)
    : path_(file_of(path)),
      partial_(fmt::format("{}.{}.partial", path_, ::getpid())),
      descriptor_(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(errno);
}

new_file::~new_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

void new_file::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void new_file::set_size(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail(errno);
}

void new_file::append(std::string_view bytes) {
  write_at(end_, bytes);
  end_ += bytes.size();
}

void new_file::finish() {
  if (::fsync(descriptor_) != 0) fail(errno);
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
  ::close(std::exchange(descriptor_, -1));
  // The new name is on the disk when its folder is; a folder that cannot be opened only makes that later.
  auto const slash = path_.rfind('/');
  std::string const folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  int const of_folder = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (of_folder < 0) return;
  ::fsync(of_folder);
  ::close(of_folder);
}

void new_file::fail(int problem) const {
  throw std::runtime_error(fmt::format("{} cannot be written: {}", path_, std::generic_category().message(problem)));
}

}  // namespace graph
