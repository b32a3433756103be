// saved: a graph comes back as it was saved, and no damage is taken for a graph. Method: graphs of each kind; every
// byte of the header and of small sections changed, the file cut anywhere, other versions.
#include "graph/saved.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include "graph/name_table.hpp"
#include "test_file.hpp"

namespace {

using graph_test::error_of;
using graph_test::test_directory;

graph::csr example(bool directed, bool weighted, bool with_in, int names) {
  std::vector<std::uint32_t> const sources{0, 0, 1, 3, 3, 2}, targets{1, 2, 2, 0, 3, 0};
  std::vector<double> const weights{1, 2.5, -3, 4, 5, 6};
  graph::csr made = graph::make_csr(5, sources, targets, weighted ? weights : std::vector<double>{},
                                    {.directed = directed, .self_loops = graph::self_loops_rule::keep, .threads = 2});
  if (with_in) graph::transpose(made);
  if (names == 1) made.names = std::make_shared<graph::dictionary>(std::vector<std::int64_t>{7, -7, 0, 1, 2}, "x");
  if (names == 2)
    made.names = std::make_shared<graph::dictionary>(std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'},
                                                     std::vector<std::int64_t>{0, 1, 2, 4, 5, 6}, "x");
  return made;
}

void expect_same(graph::csr_rows const& a, graph::csr_rows const& b) {
  EXPECT_TRUE(std::ranges::equal(a.offsets, b.offsets));
  EXPECT_TRUE(std::ranges::equal(a.targets, b.targets));
  EXPECT_TRUE(std::ranges::equal(a.weights, b.weights));
}

void expect_same(graph::csr const& a, graph::csr const& b) {
  EXPECT_EQ(a.directed, b.directed);
  EXPECT_EQ(a.self_loops, b.self_loops);
  EXPECT_EQ(a.vertices(), b.vertices());
  expect_same(a.out, b.out);
  expect_same(a.in, b.in);
  ASSERT_EQ(a.names == nullptr, b.names == nullptr);
  if (!a.names) return;
  EXPECT_EQ(a.names->are_integers(), b.names->are_integers());
  for (std::uint32_t v = 0; v < a.vertices(); ++v) EXPECT_EQ(a.names->label(v), b.names->label(v));
}

std::string contents(std::string const& path) {
  std::ifstream from(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

TEST(saved, graphs_come_back) {
  test_directory const directory;
  std::string const path = directory.path("x.tgr");
  for (bool const directed : {false, true})
    for (bool const weighted : {false, true})
      for (bool const with_in : {false, true})
        for (int const names : {0, 1, 2}) {
          graph::csr const made = example(directed, weighted, with_in, names);
          graph::save(made, path);
          expect_same(graph::open_saved(path), made);
          expect_same(graph::check_saved(path), made);
        }
  graph::csr const none;
  graph::save(none, path);
  EXPECT_EQ(graph::check_saved(path).vertices(), 0);
}

TEST(saved, names_are_found_in_the_file) {
  test_directory const directory;
  std::string const path = directory.path("x.tgr");
  graph::save(example(true, false, false, 2), path);
  graph::csr const opened = graph::open_saved(path);
  EXPECT_EQ(opened.names->find("cd"), 2);
  EXPECT_EQ(opened.names->find("x"), std::nullopt);
}

TEST(saved, refuses_every_changed_byte) {
  test_directory const directory;
  for (int const names : {1, 2}) {
    std::string const path = directory.path("x.tgr");
    graph::save(example(true, true, true, names), path);
    std::string const whole = contents(path);
    // The header, and the begin of each section, where its bytes are.
    for (std::size_t at = 0; at < whole.size(); ++at) {
      bool const empty = at < 4088 && at >= 256 && at % 97 != 0;
      bool const unused = at >= 4096 && (at % 4096 >= 64 || at % 3 != 0);
      if (empty || unused) continue;
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
      std::string const other = directory.write("y.tgr", damaged);
      bool const is_padding = at >= 4096 && error_of([&] { graph::check_saved(other); }).empty();
      if (is_padding) {
        // Bytes between sections mean nothing.
        EXPECT_EQ(whole[at], 0) << at;
        continue;
      }
      EXPECT_NE(error_of([&] { graph::check_saved(other); }), "") << at;
      // Whatever opening says, it does not crash.
      (void)error_of([&] { (void)graph::open_saved(other); });
    }
  }
}

TEST(saved, refuses_truncated_and_other_files) {
  test_directory const directory;
  std::string const path = directory.path("x.tgr");
  graph::save(example(true, false, false, 2), path);
  std::string const whole = contents(path);
  for (std::size_t const size : {0UL, 1UL, 4095UL, 4096UL, 8000UL, whole.size() - 1})
    EXPECT_NE(error_of([&] { (void)graph::open_saved(directory.write("y.tgr", whole.substr(0, size))); }), "") << size;
  EXPECT_EQ(error_of([&] { (void)graph::open_saved(directory.write("y.tgr", whole.substr(0, 4096))); }),
            "y.tgr: a file of 4096 bytes, expected " + std::to_string(whole.size()) + " bytes, as its header says");
  EXPECT_EQ(error_of([&] { (void)graph::open_saved(directory.write("y.tgr", "TGR")); }),
            "y.tgr: a file of 3 bytes, expected a saved graph, which has at least a page");
  EXPECT_EQ(error_of([&] { (void)graph::open_saved(directory.write("y.tgr", std::string(5000, 'x'))); }),
            "y.tgr: not a saved graph, expected a file that `tess graph convert` or save() wrote");
  std::string other = whole;
  other[8] = 2;
  EXPECT_EQ(error_of([&] { (void)graph::open_saved(directory.write("y.tgr", other)); }),
            "y.tgr: version 2 of saved graphs, expected 1 (make it again)");
  other = whole;
  std::swap(other[12], other[15]);
  std::swap(other[13], other[14]);
  EXPECT_EQ(
      error_of([&] { (void)graph::open_saved(directory.write("y.tgr", other)); }),
      "y.tgr: words with the bytes in another order, expected a graph saved on a machine with the order of this one");
  EXPECT_EQ(error_of([&] { (void)graph::open_saved(directory.path("none.tgr")); }),
            "none.tgr: No such file or directory, expected a file that can be read");
}

// A header that says what is not so, with a checksum that fits.
TEST(saved, opening_verifies_what_leads_to_memory) {
  test_directory const directory;
  std::string const path = directory.path("x.tgr");
  graph::save(example(true, false, false, 2), path);
  std::string const whole = contents(path);
  auto const changed = [&](std::size_t at, std::uint64_t value, std::size_t bytes = 8) {
    std::string damaged = whole;
    std::memcpy(damaged.data() + at, &value, bytes);
    std::uint64_t const sum =
        graph::detail::hash(std::string_view(damaged).substr(0, 4088), {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U});
    std::memcpy(damaged.data() + 4088, &sum, 8);
    std::string const text = error_of([&] { (void)graph::open_saved(directory.write("y.tgr", damaged)); });
    return text.substr(0, text.find(", expected"));
  };
  EXPECT_EQ(changed(24, 6), "y.tgr: a section of another size than its header says");
  EXPECT_EQ(changed(24, ~std::uint64_t{0}), "y.tgr: 18446744073709551615 vertices");
  EXPECT_EQ(changed(32, 7), "y.tgr: a section of another size than its header says");
  EXPECT_EQ(changed(40, 2), "y.tgr: another number of self-loops than its header says");
  EXPECT_EQ(changed(16, 25), "y.tgr: flags that contradict each other");
  EXPECT_EQ(changed(56, 4097), "y.tgr: a section lies beyond its end");
  EXPECT_EQ(changed(56, std::uint64_t{1} << 40), "y.tgr: a section lies beyond its end");
  EXPECT_EQ(changed(4096 + 8, 100), "y.tgr: rows that do not follow each other");
  EXPECT_EQ(changed(4096 + 40, 5), "y.tgr: rows that do not cover the entries");
  EXPECT_EQ(changed(8192, 5, 4), "y.tgr: a row that is not in order, that of vertex 0");
  EXPECT_EQ(changed(8192 + 4, 5, 4), "y.tgr: an edge from 0 to no vertex");
}

TEST(saved, nothing_is_left_of_a_file_that_cannot_be_written) {
  test_directory const directory;
  graph::csr const made = example(true, false, false, 0);
  EXPECT_THROW(graph::save(made, directory.path("none/x.tgr")), std::runtime_error);
  std::filesystem::create_directory(directory.path("y.tgr"));
  EXPECT_THROW(graph::save(made, directory.path("y.tgr")), std::runtime_error);
  std::string const kept = directory.write("x.tgr", "old");
  std::filesystem::create_symlink("x.tgr", directory.path("link.tgr"));
  // As on a full disk: no file may grow beyond two pages.
  auto const before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  rlimit const small{.rlim_cur = 8192, .rlim_max = limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string wrong;
  try {
    graph::save(made, kept);
  } catch (std::runtime_error const& e) {
    wrong = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(wrong, kept + " cannot be written: File too large");
  EXPECT_EQ(contents(kept), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path("")), {}), 3);
  graph::save(made, directory.path("link.tgr"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path("link.tgr")));
  expect_same(graph::open_saved(kept), made);
}

}  // namespace
