// refused: calls that would go wrong at another place or be lost, one for each number; refused.py reads what the
// compiler says.
#include <optional>
#include <span>
#include <string_view>

#include "tess/tess.hpp"

namespace {

struct linked {
  int value = 0;
  int* next = nullptr;
};
struct packed {
  unsigned low : 4 = 0, high : 4 = 0;
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
#else
  // What is right, or the caller's to answer for.
  co_await tess::at(0, [local] { return local; });
  co_await tess::at(0, [word] { return word.place(); });
  co_await tess::at(0, [](std::optional<int> given) { return given.value_or(0); }, std::optional<int>(3));
  co_await tess::at(0, tess::unchecked([&local] { return local; }));
  co_await tess::at(0, tess::unchecked([p] { return p.low; }));
  co_await tess::on_all_places(tess::unchecked([&]() -> tess::task<void> {
    ++local;
    co_return;
  }));
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
