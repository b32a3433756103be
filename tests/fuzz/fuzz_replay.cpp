// fuzz_replay: calls a fuzz target for each file of a corpus folder, so ordinary builds replay what fuzzing found.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

int main(int arguments_count, char** arguments) {
  if (arguments_count != 2) {
    std::fputs("usage: fuzz_replay CORPUS_FOLDER\n", stderr);
    return 2;
  }
  int files_count = 0;
  for (auto const& entry : std::filesystem::directory_iterator(arguments[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", entry.path().filename().c_str());
    std::fflush(stdout);  // the last name is the one that crashed
    LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
    ++files_count;
  }
  return files_count == 0 ? 1 : 0;
}
