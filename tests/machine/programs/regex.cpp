// regex: std::regex on a generated log.
#include <cstdio>
#include <map>
#include <regex>
#include <string>

int main() {
  std::string log;
  for (int k = 0; k < 120; ++k)
    log += "2024-0" + std::to_string(1 + k % 9) + "-1" + std::to_string(k % 10) + " host" + std::to_string(k % 7) +
           " took " + std::to_string(k * 37 % 1000) + "ms\n";
  std::regex const line{R"((\d{4})-(\d\d)-(\d\d) (host\d) took (\d+)ms)"};
  std::map<std::string, int> total;
  for (std::sregex_iterator k{log.begin(), log.end(), line}, end; k != end; ++k) {
    int time = 0;
    for (char digit : (*k)[5].str()) time = time * 10 + (digit - '0');
    total[(*k)[4]] += time;
  }
  for (auto const& [host, time] : total) std::printf("%s %d\n", host.c_str(), time);
  std::printf("%s\n", std::regex_replace(log.substr(0, 40), std::regex{"o(.)"}, "[$1]").c_str());
}
