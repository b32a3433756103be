// impostor_test: who may pretend to be a memory server. Method: another user (a process that has dropped root) makes
// folders and sockets at the addresses of servers, before this user does.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "other_user.hpp"
#include "rmem/wire/sockets.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

namespace fs = std::filesystem;

class impostor : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  }
};

template <class F>
std::string error_of(F&& f) {
  try {
    static_cast<void>(f());
  } catch (std::runtime_error const& failure) {
    return failure.what();
  }
  return "no error";
}

TEST_F(impostor, a_folder_of_another_user_serves_no_name) {
  fs::path const folder = "/tmp/tess-" + std::to_string(other_user);
  fs::remove_all(folder);
  fs::create_directory(folder);  // by root: for the other user, that is someone else
  int const wrong = as_other_user([&] {
    unsetenv("XDG_RUNTIME_DIR");
    auto const listening = error_of([] { return listen_at(full_address("a", true)); });
    auto const connecting = error_of([] { return connect_to("unix:/tmp/tess-65534/a.sock"); });
    if (listening.find("belongs to user 0, so any server there may be an impostor") == std::string::npos) return 1;
    return connecting == "no error" ? 2 : 0;
  });
  EXPECT_EQ(wrong, 0);
  fs::remove(folder);
  fs::create_directory_symlink("/run", folder);
  int const followed = as_other_user([] {
    unsetenv("XDG_RUNTIME_DIR");
    return error_of([] { return listen_at(full_address("a", true)); }).find("is no folder") == std::string::npos ? 1
                                                                                                                 : 0;
  });
  EXPECT_EQ(followed, 0);
  fs::remove(folder);
  int const served = as_other_user([&] {
    unsetenv("XDG_RUNTIME_DIR");
    umask(077);
    auto const s = listen_at(full_address("a", true));
    struct stat found{};
    if (stat((folder / "a.sock").c_str(), &found) != 0 || (found.st_mode & 07777) != 0666) return 1;
    return error_of([] { return connect_to(full_address("a", false)); }) == "no error" ? 0 : 2;
  });
  EXPECT_EQ(served, 0);
  fs::remove_all(folder);
}

TEST_F(impostor, a_server_does_not_listen_where_others_can_replace_its_socket) {
  fs::path const folder = "/tmp/tess-rmem-impostor-" + std::to_string(getpid());
  fs::create_directory(folder);
  ASSERT_EQ(chown(folder.c_str(), other_user, other_user), 0);
  std::string const at = "unix:" + (folder / "a.sock").string();
  EXPECT_NE(error_of([&] { return listen_at(at); }).find("this folder belongs to user 65534"), std::string::npos);
  ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  EXPECT_NE(error_of([&] { return listen_at(at); }).find("can replace sockets"), std::string::npos);
  fs::remove_all(folder);
}

TEST_F(impostor, a_client_talks_to_nobody_elses_process) {
  auto const path = fresh_address();
  auto const abstract = "unix:@tess-rmem-impostor-" + std::to_string(getpid());
  fs::path const folder = "/tmp/tess-rmem-impostors-own-" + std::to_string(getpid());
  fs::create_directory(folder);
  ASSERT_EQ(chown(folder.c_str(), other_user, other_user), 0);
  std::string const own = "unix:" + (folder / "a.sock").string();
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  pid_t const child = fork();
  if (child == 0) {
    static_cast<void>(setgid(other_user) == 0 && setuid(other_user) == 0);
    auto const a = listen_at(path);
    auto const b = listen_at(abstract);
    auto const c = listen_at(own);
    static_cast<void>(!write(ready[1], "r", 1));
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  for (auto const& at : {path, abstract})
    EXPECT_NE(error_of([&] { return connect_to(at); }).find("user 65534 listens there"), std::string::npos) << at;
  // Its owner alone decides who has sockets in that folder.
  EXPECT_EQ(error_of([&] { return connect_to(own); }), "no error");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  fs::remove(path.substr(5));
  fs::remove_all(folder);
  for (int const file : ready) close(file);
}

}  // namespace
}  // namespace tess::rmem
