// refused: types that cannot travel, one for each number; refused.py compiles each and reads what the compiler says.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "tess/at.hpp"
#include "tess/object.hpp"

struct friendly {
  int x;
};
struct with_virtual {
  virtual void f() {}
};
#if CASE == 1
struct bad {
  int id;
  std::string surname;
};
#elif CASE == 2
struct bad {
  std::vector<int> list;
};
#elif CASE == 3
struct bad {
  int* numbers;
};
#elif CASE == 4
struct bad {
  void* anything;
};
#elif CASE == 5
struct bad {
  std::unique_ptr<friendly> owned;
};
#elif CASE == 6
struct bad {
  std::optional<friendly*> maybe;
};
#elif CASE == 7
struct bad {
  std::variant<friendly*, int> either;
};
#elif CASE == 8
struct bad {
  tess::array<friendly> fine;
  struct inner {
    bad* p;
  };
  tess::array<inner> nested;
};
#elif CASE == 9
struct bad {
  with_virtual* object;
};
#elif CASE == 10
struct bad {
  int flags : 3;
  int more : 4;
};
#elif CASE == 11
struct bad {
  void (*callback)();
};
#elif CASE == 12
struct bad {
  std::string_view view;
};
#elif CASE == 13
struct bad {
  std::unordered_map<int, int> table;
};
#elif CASE == 14
struct [[gnu::packed]] bad {
  char c;
  friendly* p;
};
#elif CASE == 15
class bad {
 public:
  bad() = default;
  TESS_OBJECT(bad, void, a_)
 private:
  friendly* a_ = nullptr;
  friendly* forgotten_ = nullptr;
};
#elif CASE == 16
struct alignas(32) bad {
  long wide[4];
};
#elif CASE == 17
class bad {
 public:
  bad() = default;

 private:
  friendly* hidden_ = nullptr;
};
#elif CASE == 18
struct base_of_bad {
  int y;
};
struct bad : base_of_bad {
  int x;
};
#elif CASE == 24
struct bad {
  bad* next = nullptr;
  std::string surname;
};
#elif CASE == 25
struct bad {
  bad* next = nullptr;
  friendly* fine = nullptr;
  std::vector<int> list;
  with_virtual* object = nullptr;
};
#elif CASE == 26
struct text {
  friendly* fine = nullptr;
  std::string words;
};
struct bad {
  text* words = nullptr;
};
#else
struct bad {
  friendly* fine;
  int c_array[3];
  tess::array<friendly> data;
};
#endif

struct link_of_texts {
  link_of_texts* next = nullptr;
  std::string words;
};

#if CASE < 19 || (CASE > 23 && CASE < 27)
void* compile() {
  return tess::make<bad>();
}
#else
// Arguments and results by value.
#if CASE == 19
using argument = std::vector<std::shared_ptr<int> >;
#elif CASE == 20
using argument = std::vector<friendly*>;
#elif CASE == 21
using argument = std::string_view;
#elif CASE == 22
struct argument {
  std::string name;
  std::function<void()> action;
};
#elif CASE == 23
using argument = std::map<int, char const*>;
#elif CASE == 27
using argument = link_of_texts*;
#endif
void compile() {
  tess::at_async(0, [](argument) {}, argument());
}
#endif
