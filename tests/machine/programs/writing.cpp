// writing: creates, appends to, renames and removes files below the folder in the first argument.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

int main(int, char** words) {
  namespace fs = std::filesystem;
  fs::path const root = words[1];
  std::error_code wrong;
  fs::remove_all(root / "made", wrong);
  std::printf("%d\n", fs::create_directories(root / "made/deep", wrong));
  std::ofstream{root / "made/a"} << "first\n";
  std::ofstream{root / "made/a", std::ios::app} << "second\n";
  fs::rename(root / "made/a", root / "made/deep/b", wrong);
  fs::resize_file(root / "made/deep/b", 8, wrong);
  std::ifstream in{root / "made/deep/b"};
  std::string line;
  while (std::getline(in, line)) std::printf("%s\n", line.c_str());
  std::FILE* const update = std::fopen((root / "made/deep/b").c_str(), "r+");
  std::fseek(update, 2, SEEK_SET);
  std::fputs("XY", update);
  std::rewind(update);
  char text[16] = {};
  std::printf("%zu ", std::fread(text, 1, sizeof text - 1, update));
  std::printf("%s\n", text);
  std::fclose(update);
  std::printf("%ju\n", fs::remove_all(root / "made", wrong));
}
