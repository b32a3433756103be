// socket_folder: opened once, and judged by what fstat(2) says of the open folder.
#include "rmem/wire/socket_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace tess::rmem {

namespace {
constexpr mode_t written_by_others = S_IWGRP | S_IWOTH;
}

std::filesystem::path socket_folder::own() {
  if (geteuid() == 0) return "/run/tess";
  char const* const user_folder = std::getenv("XDG_RUNTIME_DIR");
  if (user_folder != nullptr && *user_folder != '\0') return std::filesystem::path(user_folder) / "tess";
  return "/tmp/tess-" + std::to_string(geteuid());
}

socket_folder::socket_folder(std::filesystem::path const& socket, bool creates)
    : path_(socket.parent_path().empty() ? "." : socket.parent_path()) {
  bool const is_own = path_ == own();
  // Any user may search it: every server checks the rights of its clients. An existing folder keeps its mode.
  if (is_own && creates) static_cast<void>(mkdir(path_.c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH));
  folder_ = descriptor(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | (is_own ? O_NOFOLLOW : 0)));
  struct stat found{};
  if (!folder_.is_open() || fstat(folder_.number(), &found) != 0) {
    if (is_own && (errno == ENOTDIR || errno == ELOOP)) refuse("is no folder");
    return;
  }
  owner_ = found.st_uid;
  mode_ = found.st_mode;
  if (!is_own) return;
  if (owner_ != geteuid()) refuse("belongs to user " + std::to_string(owner_));
  if ((mode_ & written_by_others) != 0) refuse("can be written by other users");
}

void socket_folder::refuse(std::string const& why) const {
  throw std::runtime_error(path_.string() + ": the folder for the sockets of user " + std::to_string(geteuid()) + " " +
                           why + ", so any server there may be an impostor; remove it, or give unix:PATH");
}

void socket_folder::check_for_server() const {
  if (!folder_.is_open()) return;  // bind() says why
  bool const ours = owner_ == geteuid() || owner_ == 0;
  if (ours && ((mode_ & written_by_others) == 0 || (mode_ & S_ISVTX) != 0)) return;
  throw std::runtime_error(path_.string() + ": " +
                           (ours ? "other users can replace sockets in this folder"
                                 : "this folder belongs to user " + std::to_string(owner_)) +
                           "; listen in a folder of your own");
}

bool socket_folder::is_trusted(uid_t server) const {
  if (server == geteuid() || server == 0) return true;
  return folder_.is_open() && server == owner_ && (mode_ & written_by_others) == 0;
}

descriptor socket_folder::take_turn() const {
  descriptor readable(open(path_of(".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (readable.is_open() && flock(readable.number(), LOCK_EX | LOCK_NB) != 0 &&
         std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return readable;
}

std::string socket_folder::path_of(std::string const& name) const {
  return "/proc/self/fd/" + std::to_string(folder_.number()) + "/" + name;
}

}  // namespace tess::rmem
