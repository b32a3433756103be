// journal_test: a server with a file has everything that was acknowledged after a restart, and refuses damaged files.
// Method: stores are created, changed and loaded again from their files, which are truncated and damaged at every byte;
// a small file system is filled.
#include "rmem/store/journal.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "rmem/store/persistent_store.hpp"

namespace tess::memd {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t size = 64 * page_allocator::page_bytes;
caller const owner{.user = 1001, .operates = false, .tokens = {}};
caller const other{.user = 1002, .operates = false, .tokens = {}};

std::string read_file(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(fs::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class a_server_with_a_file : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override {
    umount(folder.c_str());  // of the test with a full disk
    fs::remove_all(folder);
  }

  persistent_store open(std::uint64_t bytes = size, std::uint8_t number = 3) {
    return persistent_store({bytes, file, number, 1000});
  }
  std::string refusal(std::uint64_t bytes = size, std::uint8_t number = 3) {
    try {
      open(bytes, number);
    } catch (std::runtime_error const& e) {
      return e.what();
    }
    return "opened";
  }
  static std::uint64_t make(persistent_store& h, char const* name, std::string const& text) {
    auto const made = h.current().create(owner, text.size(), name, 0, 0);
    EXPECT_TRUE(made) << made.error().text;
    auto const to = made->made->memory.bytes(0, text.size());
    std::memcpy(to.data(), text.data(), text.size());
    return made->made->base;
  }
  static std::string text(persistent_store& h, caller const& who, char const* name) {
    auto const r = h.current().open(who, name, right_read, 0);
    if (!r) return r.error().text;
    auto const bytes = (*r)->memory.bytes(0, (*r)->size);
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
  }

  fs::path folder = fs::path("/dev/shm") / ("tess-journal-" + std::to_string(getpid()));
  fs::path file = folder / "memory";
  fs::path log = folder / "memory.record";
};

TEST_F(a_server_with_a_file, has_regions_names_and_rights_after_a_restart) {
  std::uint64_t base = 0;
  token shown{};
  token remote_owner{};
  {
    auto h = open();
    base = make(h, "kept", "the bytes");
    auto const gone = make(h, "gone", "secret");
    ASSERT_TRUE(h.current().grant(owner, base, right_read | right_grant, holder::user(1002)));
    ASSERT_TRUE(h.current().grant(other, base, right_read, holder::user(1003)));
    shown = h.current().grant_token(owner, base, right_read).value();
    auto const may =
        h.current().grant_token({.user = 1000, .operates = true, .tokens = {}}, server_address, right_allocate);
    remote_owner = *h.current().create({.user = {}, .operates = false, .tokens = {may->id}}, 10, "far", 0, 0)->owner;
    ASSERT_TRUE(h.current().link(owner, base, "also", 0, 0));
    ASSERT_TRUE(h.current().remove(owner, gone));
    ASSERT_TRUE(h.current().revoke({.user = 1000, .operates = true, .tokens = {}}, server_address, holder::any_user()));
  }
  for (int run = 0; run < 3; ++run) {
    auto h = open(size + static_cast<std::uint64_t>(run) * size);  // a larger size is accepted
    EXPECT_EQ(text(h, owner, "kept"), "the bytes");
    EXPECT_EQ(text(h, other, "also"), "the bytes");
    EXPECT_EQ(text(h, {.user = 1003, .operates = false, .tokens = {}}, "kept"), "the bytes");
    EXPECT_EQ(text(h, owner, "gone"), "no region has the name 'gone'");
    EXPECT_TRUE(h.current().is_valid(shown));
    EXPECT_TRUE(h.current().is_valid(remote_owner));
    EXPECT_EQ(h.current().open(owner, "kept", 0, 0).value()->base, base) << "addresses stay";
    EXPECT_FALSE(h.current().create(owner, 10, "new", 0, 0)) << "that local users may not create stays";
    EXPECT_FALSE(h.current().lend(const_cast<region&>(*h.current().open(owner, "kept", 0, 0).value())));
  }
}

TEST_F(a_server_with_a_file, has_the_parts_on_other_servers_and_leaves_their_addresses_free) {
  std::vector<wire::part> const others{{std::uint64_t{4} << wire::server_shift, 5'000'000},
                                       {std::uint64_t{5} << wire::server_shift, 77}};
  std::uint64_t base = 0;
  std::uint64_t behind = 0;
  {
    auto h = open();
    base = h.current().create(owner, 8192, "matrix", 0, 0, others).value().made->base;
    behind = make(h, "next", "n");
    EXPECT_GT(behind, base + 8192 + 5'000'077);
    EXPECT_EQ(h.current().create(owner, 10, "none", 0, 0, {{1, 0}}).error().why, wire::status::bad_request);
  }
  for (int run = 0; run < 2; ++run) {
    auto h = open();
    auto const* const r = h.current().open_at(owner, base + 5'000'000, right_write).value();
    EXPECT_EQ(r->base, base);
    EXPECT_EQ(r->size, 8192U);
    EXPECT_EQ(r->total_size, 8192U + 5'000'077U);
    EXPECT_EQ(r->other_parts, others);
    EXPECT_EQ(h.current().check(owner, base + 8192, 1, right_read).error().text,
              "from its byte 8192 on, region 'matrix' is on other servers: name all of them, as in TESS_RMEM=A+B");
    EXPECT_EQ(h.current().check(owner, base + 8191, 2, right_read).error().why, wire::status::out_of_bounds);
    EXPECT_TRUE(h.current().check(owner, base + 8191, 1, right_read));
    EXPECT_EQ(h.current().open(owner, "next", 0, 0).value()->base, behind);
  }
}

TEST_F(a_server_with_a_file, never_reuses_an_address_or_shows_freed_bytes) {
  std::uint64_t gone = 0;
  {
    auto h = open();
    gone = make(h, "secret", std::string(5000, 's'));
    ASSERT_TRUE(h.current().remove(owner, gone));
  }
  auto h = open();
  EXPECT_GT(make(h, "next", std::string(100, 'n')), gone);
  EXPECT_EQ(read_file(file).find("ssss"), std::string::npos);
}

TEST_F(a_server_with_a_file, an_incomplete_change_is_ignored_and_all_before_it_are_applied) {
  std::uintmax_t before = 0;
  {
    auto h = open();
    make(h, "first", "1");
    before = fs::file_size(log);
    make(h, "second", "2");
  }
  std::string const whole = read_file(log);
  for (std::size_t bytes = before; bytes < whole.size(); ++bytes) {
    write_file(log, whole.substr(0, bytes));
    auto h = open();
    EXPECT_EQ(text(h, owner, "first"), "1") << bytes;
    EXPECT_EQ(text(h, owner, "second"), "no region has the name 'second'") << bytes;
  }
  write_file(log, whole + std::string(100, '\0'));
  auto h = open();
  // Its byte was cleared above, while it belonged to no region.
  EXPECT_EQ(text(h, owner, "second"), std::string(1, '\0')) << "zeros at the end are what a loss of power leaves";
}

TEST_F(a_server_with_a_file, refuses_a_damaged_journal_and_changes_nothing) {
  {
    auto h = open();
    make(h, "a", "some bytes");
  }
  std::string const whole = read_file(log);
  std::string const bytes = read_file(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write_file(log, damaged);
    std::string const why = refusal();
    EXPECT_NE(why, "opened") << "byte " << i;
    EXPECT_TRUE(why.starts_with(file.string())) << why;
    EXPECT_TRUE(read_file(log) == damaged && read_file(file) == bytes) << "byte " << i;
  }
  write_file(log, whole);
  EXPECT_EQ(refusal(size / 2), file.string() + ": was made with --size 262144 bytes; give as much or more");
  EXPECT_EQ(refusal(size, 4), file.string() + ": its server has --number 3");
  fs::remove(log);
  EXPECT_NE(refusal().find("is missing"), std::string::npos);
}

TEST_F(a_server_with_a_file, refuses_files_of_others) {
  std::string const thesis(10000, 't');
  write_file(file, thesis);
  EXPECT_NE(refusal().find("is not a file of a memory server"), std::string::npos);
  EXPECT_EQ(read_file(file), thesis);
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_NE(refusal().find("cannot be opened"), std::string::npos);
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_NE(refusal().find("is not a regular file"), std::string::npos);
  fs::remove(file);
  auto const first = open();
  EXPECT_NE(refusal().find("another server uses it"), std::string::npos);
}

TEST_F(a_server_with_a_file, the_journal_does_not_grow_forever) {
  auto h = open();
  auto const base = make(h, "a", "x");
  std::uintmax_t most = 0;
  for (int i = 0; i < 30000; ++i) {
    ASSERT_TRUE(h.current().link(owner, base, "name", 0, 0));
    ASSERT_TRUE(h.current().unlink(owner, "name", 0));
    h.maintain();
    most = std::max(most, fs::file_size(log));
  }
  EXPECT_LT(most, 3U << 20);
}

/// In a mount namespace with a small file system.
TEST_F(a_server_with_a_file, a_full_disk_is_reported_and_loses_nothing) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=2M") != 0)
    GTEST_SKIP() << "needs root, to make a small file system";
  std::vector<std::uint64_t> made;
  {
    auto h = open(8U << 20);
    for (int i = 0;; ++i) {
      auto const r = h.current().create(owner, 64 * 1024, "r" + std::to_string(i), 0, 0);
      if (!r) {
        EXPECT_EQ(r.error().why, wire::status::disk_full);
        EXPECT_EQ(r.error().text, "the server's disk is full");
        break;
      }
      made.push_back(r->made->base);
      auto const to = r->made->memory.bytes(0, 64 * 1024);
      std::memset(to.data(), i + 1, to.size());
    }
    // The journal uses what is left, except the space reserved for changes that free some.
    std::size_t links = 0;
    while (links < 20000 && h.current().link(owner, made[links % made.size()], "l" + std::to_string(links), 0, 0))
      ++links;
    EXPECT_TRUE(h.current().remove(owner, made.back()));
    made.pop_back();
    EXPECT_TRUE(h.current().create(owner, 4096, "again", 0, 0)) << "there is space again";
  }
  ASSERT_GT(made.size(), 10U);
  {
    auto h = open(8U << 20);
    for (std::size_t i = 0; i < made.size(); ++i) {
      auto const r = h.current().check(owner, made[i], 64 * 1024, right_read);
      ASSERT_TRUE(r) << r.error().text;
      auto const bytes = (*r)->memory.bytes(0, 64 * 1024);
      EXPECT_TRUE(std::ranges::all_of(bytes, [&](std::byte b) { return b == static_cast<std::byte>(i + 1); })) << i;
    }
  }
}

}  // namespace
}  // namespace tess::memd
