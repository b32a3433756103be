// witness_test: what a witness grants and what its file keeps; a server's file is set aside before it is replaced.
#include "rmem/replication/witness.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "rmem/store/persistent_store.hpp"

namespace tess::memd {
namespace {

namespace fs = std::filesystem;
using replication::witness;

struct folder {
  fs::path path = "/dev/shm/tess-witness-" + std::to_string(getpid());
  folder() { fs::create_directories(path); }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() { fs::remove_all(path); }
};

constexpr std::uint64_t pair = 77;

wire::message claim(std::uint64_t epoch, std::uint64_t follows, std::uint64_t copy) {
  return {.what = wire::operation::claim, .address = pair, .size = follows, .argument = epoch, .argument2 = copy};
}
bool grants(witness& w, wire::message const& m) {
  return w.decide(m).outcome == wire::status::ok;
}

TEST(rmem_witness, lets_one_of_two_leave_an_epoch) {
  witness w({});
  EXPECT_FALSE(grants(w, claim(2, 1, 10))) << "it does not know the pair";
  EXPECT_TRUE(grants(w, claim(1, 0, 10)));
  EXPECT_TRUE(grants(w, claim(2, 1, 20)));
  EXPECT_FALSE(grants(w, claim(2, 1, 10)));
  EXPECT_EQ(w.decide(claim(2, 1, 10)).address, 2U) << "the epoch on record";
  EXPECT_TRUE(grants(w, claim(2, 1, 20))) << "the answer may have been lost";
  EXPECT_FALSE(grants(w, claim(1, 0, 10))) << "a server that was left behind";
  EXPECT_TRUE(grants(w, claim(3, 2, 10)));
}

TEST(rmem_witness, keeps_what_it_has_granted) {
  folder const in;
  auto const file = in.path / "witness";
  {
    witness w(file);
    EXPECT_TRUE(grants(w, claim(1, 0, 10)));
    EXPECT_TRUE(grants(w, claim(2, 1, 20)));
  }
  witness again(file);
  EXPECT_FALSE(grants(again, claim(2, 1, 10)));
  EXPECT_TRUE(grants(again, claim(2, 1, 20)));
}

TEST(rmem_witness, refuses_a_damaged_file_and_grants_nothing_that_it_cannot_keep) {
  folder const in;
  auto const file = in.path / "witness";
  std::ofstream(file) << "something else\n1 2 3\n";
  EXPECT_THROW(witness{file}, std::runtime_error);
  EXPECT_THROW(witness{in.path / "none" / "witness"}, std::runtime_error);
  fs::remove(file);
  witness w(file);
  fs::remove_all(in.path);
  EXPECT_FALSE(grants(w, claim(1, 0, 10)));
  fs::create_directories(in.path);
  EXPECT_TRUE(grants(w, claim(1, 0, 10)));
}

TEST(rmem_witness, a_server_that_becomes_the_backup_sets_its_file_aside) {
  folder const in;
  auto const file = in.path / "bytes";
  constexpr std::uint64_t size = 64 * page_allocator::page_bytes;
  caller const owner{.user = 1001, .operates = false, .is_server = false, .tokens = {}};
  persistent_store::options const chosen{.size_bytes = size, .file = file, .number = 1, .operating_user = 1001};
  auto const names = [&](fs::path const& of) {
    auto options = chosen;
    options.file = of;
    persistent_store loaded(options);
    return loaded.current().regions().size();
  };
  {
    persistent_store kept(chosen);
    ASSERT_TRUE(kept.current().create(owner, 4096, "a", 0, 0));
    kept.clear(true);
    EXPECT_TRUE(kept.current().regions().empty());
    ASSERT_TRUE(kept.current().create(owner, 4096, "b", 0, 0));
    ASSERT_TRUE(kept.current().create(owner, 4096, "c", 0, 0));
  }
  EXPECT_EQ(names(file), 2U);
  EXPECT_EQ(names(file.string() + ".aside"), 1U);
  // A kill between the two files.
  fs::rename(file, in.path / "bytes.moved");
  fs::remove(file.string() + ".aside.record");
  EXPECT_EQ(names(file), 0U);
  EXPECT_TRUE(fs::exists(file.string() + ".aside.record"));
  persistent_store(chosen).remove_aside();
  EXPECT_FALSE(fs::exists(file.string() + ".aside"));
}

}  // namespace
}  // namespace tess::memd
