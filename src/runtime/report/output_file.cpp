// output_file: writes and renames the file, reports every error; and escapes JSON strings.
#include "runtime/report/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tess/error.hpp"

namespace tess::detail {

output_file::output_file(std::string name)
    : name_(std::move(name)),
      partial_(name_ + "." + std::to_string(getpid()) + ".partial"),
      file_(std::fopen(partial_.c_str(), "w")) {
  if (file_ == nullptr) fail("cannot create it");
}

output_file::~output_file() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(partial_.c_str());
}

void output_file::fail(char const* what) {
  int const reason = errno;
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
  std::remove(partial_.c_str());
  throw error(name_, std::string(what) + ": " + std::strerror(reason), "a writable place with room");
}

void output_file::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot write it");
}

void output_file::close() {
  if (std::fflush(file_) != 0) fail("cannot write it");
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("cannot write it");
  if (std::rename(partial_.c_str(), name_.c_str()) != 0) fail("cannot rename it");
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
