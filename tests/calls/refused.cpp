// refused: calls that would go wrong at another place or be lost, one for each number; refused.py reads what the
// compiler says.
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "tess/tess.hpp"

namespace {

struct linked {
  int value = 0;
  int* next = nullptr;
};
struct packed {
  unsigned low : 4 = 0, high : 4 = 0;
};
struct base {
  int* address = nullptr;
};
struct derived : base {
  int value = 0;
};
class guarded {
 public:
  explicit guarded(int* address) : address_(address) {}
  [[nodiscard]] int value() const { return *address_; }

 private:
  int* address_;
};
#if CASE == 22
struct looks {
  int number = 0;
  tess::task<int> look() {
    co_return co_await tess::at(0, [this] { return number; });
  }
};
#endif

[[maybe_unused]] int number_of(int n) {
  return n;
}

tess::task<void> calls(tess::global_ptr<int> word, std::span<int> numbers) {
  [[maybe_unused]] int local = 1;
  [[maybe_unused]] int* const address = &local;
  [[maybe_unused]] linked const l{1, &local};
  [[maybe_unused]] packed const p{};
  [[maybe_unused]] std::string_view const text = "text";
#if CASE == 1
  co_await tess::at(0, [&local] { return local; });
#elif CASE == 2
  co_await tess::at(0, [&] { return local; });
#elif CASE == 3
  co_await tess::at(0, [address] { return *address; });
#elif CASE == 4
  co_await tess::at(0, [numbers] { return numbers[0]; });
#elif CASE == 5
  co_await tess::at(0, [text] { return text.size(); });
#elif CASE == 6
  co_await tess::at(0, [l] { return l.value; });
#elif CASE == 7
  auto const inner = [&local] { return local; };
  co_await tess::at(0, [inner] { return inner(); });
#elif CASE == 8
  co_await tess::on_all_places([&]() -> tess::task<void> {
    ++local;
    co_return;
  });
#elif CASE == 9
  co_await tess::finish([&] { tess::at_async(0, [&local] { ++local; }); });
#elif CASE == 10
  auto const s = tess::make_stream<int>([&local](std::span<int const> items) { local += items[0]; });
  s.send(0, 1);
#elif CASE == 11
  co_await tess::at(0, [](std::string_view given) { return given.size(); }, text);
#elif CASE == 12
  co_await tess::at(0, [](std::span<int> given) { return given.size(); }, numbers);
#elif CASE == 13
  co_await tess::at(0, number_of, 1);
#elif CASE == 14
  tess::put(word, 1);
#elif CASE == 15
  auto const lost = tess::put(word, 1);
#elif CASE == 16
  tess::fetch_add(word, 1);
#elif CASE == 17
  tess::at(0, [] {});
#elif CASE == 18
  auto const lost = tess::get(word);
#elif CASE == 19
  tess::barrier();
#elif CASE == 20
  auto const lost = tess::barrier();
#elif CASE == 21
  tess::put(numbers, word);
#elif CASE == 23
  co_await tess::at(0, [p] { return p.low; });
#elif CASE == 24
  co_await tess::at(0, [](packed given) { return given.low; }, p);
#elif CASE == 25
  co_await tess::at(0, [numbers] { return std::span(numbers); });
#elif CASE == 26
  auto const lost = tess::finish([] {});
#elif CASE == 27
  auto const lost = tess::async(tess::all_reduce(1));
#elif CASE == 28
  auto const lost = tess::sleep_for(std::chrono::seconds(1));
#elif CASE == 29
  tess::sync_var<int> v;
  auto const lost = v.read_fe();
#elif CASE == 30
  auto const lost = tess::write_xf(tess::global_ptr<tess::sync_var<int> >(), 1);
#elif CASE == 31
  auto const lost = tess::with_timeout(tess::barrier(), std::chrono::seconds(1));
#elif CASE == 32
  static_cast<void>(co_await tess::broadcast(address));
#elif CASE == 33
  int* pointers[2] = {address, address};
  co_await tess::all_reduce(std::span<int*>(pointers), [](int* a, int*) { return a; });
#elif CASE == 34
  co_await tess::push(tess::global_ptr<tess::queue<int*> >(), address);
#elif CASE == 35
  std::function<int()> const any = [] { return 1; };
  co_await tess::at(0, any);
#elif CASE == 36
  co_await tess::at(0, [s = std::string("text")] { return s.size(); });
#elif CASE == 37
  co_await tess::at(0, std::bind(number_of, 3));
#elif CASE == 38
  co_await tess::at(0, [r = std::ref(local)] { return r.get(); });
#elif CASE == 39
  std::optional<int*> const perhaps = &local;
  co_await tess::at(0, [perhaps] { return **perhaps; });
#elif CASE == 40
  co_await tess::at(0, [both = std::tie(local)] { return std::get<0>(both); });
#elif CASE == 41
  co_await tess::at(0, [it = numbers.begin()] { return *it; });
#elif CASE == 42
  derived const d{};
  co_await tess::at(0, [d] { return d.value; });
#elif CASE == 43
  std::variant<int, int*> const one = &local;
  co_await tess::at(0, [one] { return one.index(); });
#elif CASE == 44
  co_await tess::at(0, [](char const* given) { return given[0]; }, "text");
#elif CASE == 45
  co_await tess::at(0, [](std::vector<int*> given) { return given.size(); }, std::vector<int*>{&local});
#elif CASE == 46
  co_await tess::at(
      0, [](std::map<std::string_view, int> given) { return given.size(); }, std::map<std::string_view, int>());
#elif CASE == 47
  co_await tess::sort(tess::global_array<int>(), [&](int a, int b) { return a + local < b; });
#elif CASE == 48
  auto const map = co_await tess::distributed_map<std::string, int>::make();
  co_await map.update("key", [&](int& value) { value += local; });
#elif CASE == 49
  auto const map = co_await tess::distributed_map<std::string, int*>::make();
  co_await map.insert("key", &local);
#elif CASE == 50
  auto const s = tess::make_stream<int*>([](std::span<int* const>) {});
  s.send(0, &local);
#elif CASE == 51
  co_await tess::at(0, [hidden = guarded(&local)] { return hidden.value(); });
#elif CASE == 52
  auto const generic = [&](auto x) { return x + local; };
  co_await tess::at(0, generic, 1);
#elif CASE == 53
  co_await tess::at(0, [f = [g = [&local] { return local; }] { return g(); }] { return f(); });
#elif CASE == 54
  co_await tess::at(0, [member = &linked::value] { return linked{}.*member; });
#elif CASE == 55
  co_await tess::at(0, [](std::pair<std::string, std::string_view>) {}, std::pair<std::string, std::string_view>());
#elif CASE == 56
  co_await tess::all_gather(std::string_view("text"));
#elif CASE == 57
  co_await tess::finish([]() -> tess::task<int> { co_return 1; });
#elif CASE == 58
  static_cast<void>(co_await tess::global_array<std::string>::make(3));
#elif CASE == 59
  static_cast<void>(tess::allocate<std::vector<int> >(3));
#else
  // What is right, or the caller's to answer for.
  co_await tess::at(0, [local] { return local; });
  co_await tess::at(0, [word] { return word.place(); });
  co_await tess::at(0, [](std::optional<int> given) { return given.value_or(0); }, std::optional<int>(3));
  co_await tess::at(0, tess::unchecked([&local] { return local; }));
  static_cast<void>(co_await tess::all_reduce(1, [&local](int a, int b) { return a + b + local; }));  // called here
  co_await tess::at(0, tess::unchecked([p] { return p.low; }));
  co_await tess::on_all_places(tess::unchecked([&]() -> tess::task<void> {
    ++local;
    co_return;
  }));
  co_await tess::finish([&]() -> tess::task<> { local = co_await tess::at(0, [] { return 1; }); });
  co_await tess::finish([] { return tess::barrier(); });
  static_cast<void>(co_await tess::global_array<linked>::make(3));
  co_await tess::put(word, 1);
  co_await tess::put(numbers, word);
  auto issued = tess::get(word);
  static_cast<void>(co_await issued);
#endif
}

}  // namespace

void compile() {
  static_cast<void>(calls({}, {}));
}
