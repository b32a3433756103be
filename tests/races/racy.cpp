// racy: programs with a race each. Usage: racy NAME. The two lines that race are marked `// NAME`, a race of a line
// with itself by one mark.
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cases.hpp"

namespace {

using tess::task;

long total;
long table[8];
struct settings_of_all {
  long values[30];
};

int last_place() {
  return static_cast<int>(tess::places()) - 1;
}

task<void> handlers_of_a_place() {
  auto const counts = co_await tess::place_local<long>::make(0L);
  co_await tess::finish([&] {
    for (int i = 0; i < 8; ++i)
      tess::at_async(
          last_place(),
          [](tess::place_local<long> c) {
            *c += 1;  // handlers_of_a_place
          },
          counts);
  });
  co_await tess::place_local<long>::release(counts);
}

task<void> call_often() {
  for (int i = 0; i < 4; ++i)
    co_await tess::at(last_place(), [] {
      ++total;  // calls_of_two_tasks
    });
}
task<void> calls_of_two_tasks() {
  co_await tess::finish([] {
    tess::spawn(call_often());
    tess::spawn(call_often());
  });
}

task<void> add_to(std::shared_ptr<long> sum) {
  co_await tess::yield();
  *sum += 1;  // heap_of_two_tasks
}
task<void> heap_of_two_tasks() {
  auto const sum = std::make_shared<long>(0);
  co_await tess::finish([&] {
    tess::spawn(add_to(sum));
    tess::spawn(add_to(sum));
  });
}

task<void> global_of_two_lines() {
  co_await tess::finish([] {
    tess::spawn([] {
      total = 1;  // global_of_two_lines
    });
    tess::spawn([] {
      total = 2;  // global_of_two_lines
    });
  });
}

task<void> read_while_a_handler_writes() {
  co_await tess::finish([]() -> task<void> {
    tess::at_async(tess::here(), [] {
      total = 3;  // read_while_a_handler_writes
    });
    co_await tess::yield();
    if (total == 77) std::puts("never");  // read_while_a_handler_writes
  });
}

task<void> overlapping_forall() {
  co_await tess::forall(
      0, 16,
      [](std::uint64_t i) {
        ++table[i % 8];  // overlapping_forall
      },
      1);
}

task<void> variable_of_the_spawner() {
  long sum = 0;
  co_await tess::finish([&] {
    for (int i = 0; i < 2; ++i)
      tess::spawn([&]() -> task<void> {
        co_await tess::yield();
        sum += 1;  // variable_of_the_spawner
      });
  });
  if (sum == 77) std::puts("never");
}

task<void> body_and_task() {
  long value = 0;
  co_await tess::finish([&]() -> task<void> {
    tess::spawn([&] {
      value = 5;  // body_and_task
    });
    co_await tess::yield();
    if (value == 77) std::puts("never");  // body_and_task
  });
}

task<void> word_and_plain() {
  auto const word = tess::allocate<std::uint64_t>();
  *word.local() = 0;
  co_await tess::finish([&] {
    tess::spawn(
        [](tess::global_ptr<std::uint64_t> w) -> task<void> {
          co_await tess::fetch_add(w, 1);  // word_and_plain
        },
        word);
    tess::spawn(
        [](tess::global_ptr<std::uint64_t> w) {
          *w.local() += 1;  // word_and_plain
        },
        word);
  });
  tess::deallocate(word);
}

task<void> put_and_reader() {
  auto const values = co_await tess::place_local<std::array<long, 8>>::make();
  co_await tess::finish([&] {
    tess::at_async(
        last_place(),
        [](tess::place_local<std::array<long, 8>> v) {
          if ((*v)[3] == 77) std::puts("never");  // put_and_reader
        },
        values);
    tess::spawn(
        [](tess::place_local<std::array<long, 8>> v) -> task<void> {
          std::vector<long> const from(8, 4);
          co_await tess::put(from, tess::global_ptr<long>::from_bits(v.of(last_place()).bits()));  // put_and_reader
        },
        values);
  });
  co_await tess::place_local<std::array<long, 8>>::release(values);
}

task<void> vector_of_two_tasks() {
  std::vector<std::string> lines;
  co_await tess::finish([&] {
    for (int i = 0; i < 2; ++i)
      tess::spawn([&] {
        lines.emplace_back("a line that is too long for the short form of a string");  // vector_of_two_tasks
      });
  });
}

task<void> map_of_two_handlers() {
  static std::map<long, long> numbers;
  co_await tess::finish([] {
    for (int i = 0; i < 2; ++i)
      tess::at_async(
          tess::here(),
          [](long k) {
            numbers[k] = k;  // map_of_two_handlers
          },
          long{i});
  });
}

task<void> mutex_on_one_side() {
  tess::mutex lock;
  long value = 0;
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      auto const held = co_await lock.guard();
      value += 1;  // mutex_on_one_side
    });
    tess::spawn([&]() -> task<void> {
      value += 2;  // mutex_on_one_side
      co_await tess::yield();
    });
  });
}

task<void> section_on_one_side() {
  co_await tess::finish([] {
    tess::spawn([] {
      tess::place_atomic([] {
        total += 1;  // section_on_one_side
      });
    });
    tess::spawn([] {
      total += 2;  // section_on_one_side
    });
  });
}

task<void> written_after_the_flag() {
  tess::sync_var<int> flag;
  long value = 0;
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      co_await flag.write_ef(1);
      value = 9;  // written_after_the_flag
    });
    tess::spawn([&]() -> task<void> {
      static_cast<void>(co_await flag.read_ff());
      if (value == 77) std::puts("never");  // written_after_the_flag
    });
  });
}

task<void> copy_of_a_struct() {
  auto const now_used = std::make_shared<settings_of_all>();
  auto const others = std::make_shared<settings_of_all>();
  co_await tess::finish([&] {
    for (int i = 0; i < 2; ++i)
      tess::spawn([=] {
        *now_used = *others;  // copy_of_a_struct
      });
  });
}

task<void> items_of_a_stream() {
  auto const items = tess::make_stream<long>([](std::span<long const> some) {
    for (long const i : some) total += i;  // items_of_a_stream
  });
  co_await tess::on_all_places(
      [](auto s) {
        for (long i = 0; i < 100; ++i) s.send(last_place(), i);
      },
      items);
  // Places that are one send one batch.
  co_await tess::finish([&]() -> task<void> {
    items.send(tess::here(), 1);
    tess::spawn([] {
      total += 1;  // items_of_a_stream
    });
    co_await tess::yield();
  });
}

task<void> plain_flag() {
  bool ready = false;
  co_await tess::finish([&] {
    tess::spawn([&] {
      ready = true;  // plain_flag
    });
    tess::spawn([&]() -> task<void> {
      while (!ready) co_await tess::yield();  // plain_flag
    });
  });
}

task<void> coroutine_handlers() {
  co_await tess::finish([] {
    for (int i = 0; i < 2; ++i)
      tess::at_async(last_place(), []() -> task<void> {
        long const before = total;  // coroutine_handlers
        co_await tess::yield();
        total = before + 1;  // coroutine_handlers
      });
  });
}

task<void> counter_that_is_not_awaited() {
  tess::counter done;
  long value = 0;
  co_await tess::finish([&]() -> task<void> {
    done.expect(1);
    tess::spawn([&] {
      value = 1;  // counter_that_is_not_awaited
      done.acknowledge();
    });
    co_await tess::yield();
    value = 2;  // counter_that_is_not_awaited
    co_await done;
  });
}

// The counts that the runtime keeps of tasks order nothing.
task<void> after_another_spawn() {
  long value = 0;
  co_await tess::finish([&]() -> task<void> {
    tess::spawn([&] {
      value = 1;  // after_another_spawn
    });
    for (int i = 0; i < 100; ++i) co_await tess::yield();
    tess::spawn([] {});
    value = 2;  // after_another_spawn
  });
}

task<void> relaxed_flag() {
  auto const flag = tess::allocate<long>();
  co_await tess::put(flag, 0);
  co_await tess::finish([&] {
    tess::spawn([flag]() -> task<void> {
      total = 5;  // relaxed_flag
      co_await tess::put(flag, 1, std::memory_order_relaxed);
    });
    tess::spawn([flag]() -> task<void> {
      while (co_await tess::get(flag, std::memory_order_relaxed) == 0) {
      }
      std::printf("%ld\n", total);  // relaxed_flag
    });
  });
  tess::deallocate(flag);
}

case_list const cases{CASE(after_another_spawn),
                      CASE(relaxed_flag),
                      CASE(handlers_of_a_place),
                      CASE(calls_of_two_tasks),
                      CASE(heap_of_two_tasks),
                      CASE(global_of_two_lines),
                      CASE(read_while_a_handler_writes),
                      CASE(overlapping_forall),
                      CASE(variable_of_the_spawner),
                      CASE(body_and_task),
                      CASE(word_and_plain),
                      CASE(put_and_reader),
                      CASE(vector_of_two_tasks),
                      CASE(map_of_two_handlers),
                      CASE(mutex_on_one_side),
                      CASE(section_on_one_side),
                      CASE(written_after_the_flag),
                      CASE(copy_of_a_struct),
                      CASE(items_of_a_stream),
                      CASE(plain_flag),
                      CASE(coroutine_handlers),
                      CASE(counter_that_is_not_awaited)};

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, cases);
}
