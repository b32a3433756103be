// test_file: files that live as long as a test, and the text of the error that an action throws.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/edge_reader.hpp"
#include "graph/error.hpp"

namespace graph_test {

// A directory for one test, which fills it; it is removed at the end.
class test_directory {
 public:
  test_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "graph_test_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  test_directory(test_directory const&) = delete;
  test_directory& operator=(test_directory const&) = delete;
  ~test_directory() { std::filesystem::remove_all(path_); }

  std::string write(std::string const& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  [[nodiscard]] std::string path(std::string const& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string gzip(std::string_view text) {
  z_stream zlib{};
  deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&zlib, text.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(result.data());
  zlib.avail_out = static_cast<uInt>(result.size());
  deflate(&zlib, Z_FINISH);
  result.resize(zlib.total_out);
  deflateEnd(&zlib);
  return result;
}

// The text of the input_error that `action` throws, without the directory of the file that it names.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (graph::input_error const& error) {
    std::string const text = error.what();
    std::size_t const name_end = text.find(": ");
    std::size_t const slash = text.rfind('/', name_end);
    return slash == std::string::npos ? text : text.substr(slash + 1);
  }
  return "no error";
}

// All edges that `readers` readers get, one reader after the other; counts checked.
inline std::vector<graph::edge> read_all(graph::graph_input const& input, std::uint64_t readers = 1,
                                         graph::weight_rule rule = graph::weight_rule::any) {
  std::vector<graph::edge> all;
  std::uint64_t entries_count = 0;
  for (std::uint64_t reader = 0; reader < readers; ++reader) {
    graph::edge_reader edges(input, {reader, readers}, rule);
    for (std::vector<graph::edge> batch; edges.next(batch);) all.insert(all.end(), batch.begin(), batch.end());
    entries_count += edges.entries_count();
  }
  graph::check_entries(input, entries_count);
  return all;
}

}  // namespace graph_test
