// key_file: a file with a key, which only its owner may read; it ends with the test.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace tess::rmem {

struct key_file {
  std::string path;
  key_file(std::string const& name, std::string const& text)
      : path("/dev/shm/tess-rmem-" + name + "-" + std::to_string(getpid())) {
    std::ofstream(path) << text << "\n";
    chmod(path.c_str(), S_IRUSR | S_IWUSR);
  }
  key_file(key_file const&) = delete;
  key_file& operator=(key_file const&) = delete;
  ~key_file() { unlink(path.c_str()); }
};

/// The key of all servers and clients by TCP of this test.
inline std::string const& common_key() {
  static std::string const key = "the key of all clients of a test";
  static key_file const file("common", key);
  setenv("TESS_RMEM_KEY", file.path.c_str(), 0);
  return key;
}

}  // namespace tess::rmem
