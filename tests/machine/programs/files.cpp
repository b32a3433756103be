// files: std::filesystem and streams on the folder in the first argument: sizes, lines, links, missing files.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

int main(int, char** words) {
  namespace fs = std::filesystem;
  fs::path const root = words[1];
  std::vector<std::string> names;
  for (auto const& entry : fs::recursive_directory_iterator{root})
    names.push_back(entry.path().lexically_relative(root).string() + (entry.is_directory() ? "/"
                                                                      : entry.is_symlink() ? "@"
                                                                                           : ""));
  std::sort(names.begin(), names.end());
  for (auto const& name : names) std::printf("%s\n", name.c_str());
  std::ifstream text{root / "text"};
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) std::printf("%d: %s\n", number, line.c_str());
  text.clear();
  text.seekg(4);
  text >> line;
  std::printf("%s %ju %d %d\n", line.c_str(), fs::file_size(root / "text"), fs::exists(root / "absent"),
              fs::is_directory(root / "folder"));
  std::error_code wrong;
  fs::file_size(root / "absent", wrong);
  std::printf("%s\n", wrong.message().c_str());
  std::printf("%s\n", fs::read_symlink(root / "link").c_str());
}
