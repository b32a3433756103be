// loading: a graph's file that changes between two passes over it. Method: the file is replaced after it was opened;
// and the passes are given files that differ, as if nothing had noticed that.
#include "distributed/loading.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "graph/error.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using ::graph::distributed_graph;

class folder {
 public:
  folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "loading_test_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }

  std::string write(std::string const& name, std::string const& text) const {
    std::filesystem::path const made = path_ / (name + ".new");
    std::ofstream(made) << text;
    std::filesystem::rename(made, path_ / name);
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// 200 vertices on a ring, each with its `reach` successors; `turn` moves all edges on.
std::string ring(unsigned reach, unsigned turn = 0) {
  std::string text;
  for (unsigned v = 0; v < 200; ++v)
    for (unsigned k = 1; k <= reach; ++k) text += std::to_string(v) + " " + std::to_string((v + k + turn) % 200) + "\n";
  return text;
}

std::string error_of(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (std::exception const& e) {
    return e.what();
  }
  return "no error";
}

class loading_files : public on_layouts {};

TEST_P(loading_files, that_were_replaced_after_they_were_opened_are_refused) {
  folder const files;
  std::string const path = files.write("a.el", ring(2));
  run_here([&]() -> task<void> {
    auto const input = ::graph::open_graph(path);
    files.write("a.el", ring(9));
    std::exception_ptr error;
    try {
      co_await distributed_graph::load(input, ::graph::row_kinds::out);
    } catch (...) {
      error = std::current_exception();
    }
    EXPECT_TRUE(error_of(error).contains("a.el: the file changed while it was being read")) << error_of(error);
  });
}

struct path_text {
  char of[96] = {};
};

path_text text_of(std::string const& path) {
  path_text t;
  if (path.size() >= sizeof t.of) throw std::runtime_error("a path too long for this test");
  path.copy(t.of, path.size());
  return t;
}

// Counts the entries of one file, fills in those of another, and compares as distributed_graph::load does.
task<void> load_mixed(distributed_graph g, std::string counted, std::string filled) {
  auto const state = co_await ::graph::loading_everywhere::make();
  std::exception_ptr failed;
  try {
    co_await on_all_places(
        [](::graph::loading_everywhere l, distributed_graph of, path_text path) -> task<void> {
          l->input = ::graph::open_graph(path.of);
          l->first = static_cast<::graph::vertex>(of.begin_at(here()));
          l->count = static_cast<::graph::vertex>(of.end_at(here()) - of.begin_at(here()));
          l->kinds = 1;
          l->allocate_slots();
          co_return;
        },
        state, g, text_of(counted));
    co_await on_all_places(
        [](::graph::loading_everywhere l, distributed_graph of) -> task<void> { return read_to_count(l, of); }, state,
        g);
    co_await on_all_places(
        [](::graph::loading_everywhere l, path_text path) {
          l->number_entries(0);
          l->allocate_entries(0);
          l->input = ::graph::open_graph(path.of);
        },
        state, text_of(filled));
    co_await on_all_places(
        [](::graph::loading_everywhere l, distributed_graph of) -> task<void> { return read_to_fill(l, of); }, state,
        g);
    co_await on_all_places(
        [](::graph::loading_everywhere l, std::uint64_t vertices) -> task<void> { return l->tidy_rows(0, vertices); },
        state, g.vertices());
    std::uint64_t difference = 0;
    for (unsigned p = 0; p < places(); ++p)
      difference += co_await at(
          static_cast<place_id>(p),
          [](::graph::loading_everywhere l) { return l->counted_digest.load() - l->stored_digest.load(); }, state);
    if (difference != 0) throw error("the digests differ");
  } catch (...) {
    failed = std::current_exception();
  }
  co_await on_all_places([](::graph::loading_everywhere l) { l->release(); }, state);
  co_await ::graph::loading_everywhere::release(state);
  if (failed) std::rethrow_exception(failed);
}

TEST_P(loading_files, that_differ_between_counting_and_filling_are_noticed) {
  folder const files;
  std::string const counted = files.write("counted.el", ring(3));
  run_here([&]() -> task<void> {
    auto const g = co_await distributed_graph::load(::graph::open_graph(counted), ::graph::row_kinds::out);
    co_await load_mixed(g, counted, files.write("equal.el", ring(3)));
    struct {
      char const* what;
      std::string text;
    } const others[] = {{"more entries", ring(40)},
                        {"fewer entries", ring(2)},
                        {"other rows", ring(1) + ring(1) + "0 7\n0 8\n"},
                        {"as many entries in each row", ring(3, 1)},
                        {"vertices that were not there", ring(3) + "4000000000 1\n"}};
    for (auto const& [what, text] : others) {
      std::exception_ptr error;
      try {
        co_await load_mixed(g, counted, files.write("filled.el", text));
      } catch (...) {
        error = std::current_exception();
      }
      EXPECT_TRUE(error) << what;
    }
    co_await distributed_graph::release(g);
  });
}

INSTANTIATE_TEST_SUITE_P(all, loading_files,
                         testing::Values(layout{"smp", 1, 1}, layout{"smp", 3, 1, 2}, layout{"smp", 2, 2, 4},
                                         layout{"hostile", 3, 1, 2}),
                         name_of);

}  // namespace
}  // namespace tess::test
