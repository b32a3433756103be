// output_file: writes and renames the file, reports every error; and escapes JSON strings.
#include "base/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tess::detail {

std::string target_of(std::string const& name) {
  std::string target = name;
  // As many links as the system follows itself.
  for (int links = 0; links < 40; ++links) {
    std::error_code none;
    auto const next = std::filesystem::read_symlink(target, none);
    if (none) break;
    target = next.is_absolute() ? next : std::filesystem::path(target).parent_path() / next;
  }
  return target;
}

output_file::output_file(std::string name) : name_(std::move(name)), target_(target_of(name_)) {
  struct stat now{};
  bool const exists = stat(target_.c_str(), &now) == 0;
  if (exists && S_ISDIR(now.st_mode)) {
    errno = EISDIR;
    fail("cannot write it");
  }
  if (exists && !S_ISREG(now.st_mode)) {
    file_ = std::fopen(target_.c_str(), "w");
    if (file_ == nullptr) fail("cannot open it");
    return;
  }
  partial_ = target_ + "." + std::to_string(getpid()) + ".partial";
  file_ = std::fopen(partial_.c_str(), "w");
  if (file_ == nullptr) fail("cannot create it");
  // The new file may be read by whom the old one was.
  if (exists) static_cast<void>(fchmod(fileno(file_), now.st_mode & 07777));
}

output_file::~output_file() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!partial_.empty()) std::remove(partial_.c_str());
}

void output_file::fail(char const* what) {
  int const reason = errno;
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
  if (!partial_.empty()) std::remove(partial_.c_str());
  throw write_error(name_, std::string(what) + ": " + std::strerror(reason), "a writable place with room");
}

void output_file::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot write it");
}

void output_file::close() {
  if (std::fflush(file_) != 0) fail("cannot write it");
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("cannot write it");
  if (!partial_.empty() && std::rename(partial_.c_str(), target_.c_str()) != 0) fail("cannot rename it");
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    auto const u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\u%04x", u);
      out += hex;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace tess::detail
