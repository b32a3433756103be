// cases: a program that runs one of its cases, by name; without a name it lists them.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <tess/tess.hpp>

using case_list = std::map<std::string, std::function<tess::task<void>()>>;
#define CASE(name) {#name, name}

inline int run_case(int argc, char** argv, case_list const& cases) {
  return tess::run(argc, argv, [&](tess::args words) -> tess::task<int> {
    if (words.size() != 1 || !cases.contains(words[0])) {
      for (auto const& [name, body] : cases) std::printf("%s\n", name.c_str());
      co_return 2;
    }
    co_await cases.at(words[0])();
    co_return 0;
  });
}
