// graph_file: a graph of a test: edges as text, as a file while the object lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "distributed/distributed_graph.hpp"

namespace tess::test {

class graph_file {
 public:
  // `name` says the format; a .mtx has its heading in the text.
  graph_file(std::string const& name, std::string const& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "graph_file_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    folder_ = pattern;
    path_ = (folder_ / name).string();
    std::ofstream(path_) << text;
  }
  graph_file(graph_file const&) = delete;
  graph_file& operator=(graph_file const&) = delete;
  ~graph_file() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string const& path() const noexcept { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

// A directed graph of random edges, as a matrix; with acyclic edges each leads to a larger vertex.
inline std::string random_edges(std::uint64_t seed, unsigned vertices, unsigned edges, bool acyclic = false) {
  std::mt19937_64 draw(seed);
  std::string text = "%%MatrixMarket matrix coordinate integer general\n" + std::to_string(vertices) + " " +
                     std::to_string(vertices) + " " + std::to_string(edges) + "\n";
  for (unsigned e = 0; e < edges; ++e) {
    std::uint64_t a = draw() % vertices, b = draw() % vertices;
    if (acyclic && a > b) std::swap(a, b);
    text += std::to_string(a + 1) + " " + std::to_string(b + 1) + " " + std::to_string(draw() % 9 + 1) + "\n";
  }
  return text;
}

}  // namespace tess::test
