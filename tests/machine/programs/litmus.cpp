// litmus: four harts that try to observe outcomes that RVWMO forbids: MP, SB, LB, IRIW, 2+2W with fences, CoRR without,
// and LR/SC next to AMOs. Prints the numbers of forbidden outcomes, which must be 0. The argument places the words:
// "static" in the tile-local memory, "mapped" behind the L2.
//
// Source: J. Alglave, L. Maranget, M. Tautschnig, "Herding cats", TOPLAS 36(2), 2014, for the names.
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr int harts = 4;
constexpr int rounds = 150;

struct alignas(64) word {
  std::uint64_t volatile value;
};
struct shared {
  word x, y, z, w, sum;
};
struct seen {
  std::uint64_t first[harts];
  std::uint64_t second[harts];
};

void fence() {
  asm volatile("fence rw, rw" ::: "memory");
}

// All harts leave it together; what is shared by it lies in the tile-local memory.
class barrier {
 public:
  void wait() {
    std::uint64_t const before = phase_.load();
    if (arrived_.fetch_add(1) + 1 == harts) {
      arrived_.store(0);
      phase_.store(before + 1);
      return;
    }
    while (phase_.load() == before) asm volatile(".4byte 0x0100000f");  // pause
  }

 private:
  alignas(64) std::atomic<std::uint64_t> arrived_{0};
  alignas(64) std::atomic<std::uint64_t> phase_{0};
};

barrier all;
seen last;

// A different number of cycles for every hart and round, so that all orders are tried.
void skew(int hart, int round) {
  for (int i = (round * (2 * hart + 3) + 5 * hart) % 41; i > 0; --i) asm volatile("nop");
}

using body = std::function<void(int hart, shared& on)>;
using verdict = std::function<bool(shared const& on)>;

void run(char const* name, shared& on, body const& each, verdict const& forbidden) {
  int bad = 0;
  auto const work = [&](int hart) {
    for (int round = 0; round < rounds; ++round) {
      if (hart == 0) {
        for (word* const each : {&on.x, &on.y, &on.z, &on.w}) each->value = 0;
        last = {};
      }
      all.wait();
      skew(hart, round);
      each(hart, on);
      all.wait();
      if (hart == 0 && forbidden(on)) ++bad;
      all.wait();
    }
  };
  std::vector<std::thread> others;
  for (int hart = 1; hart < harts; ++hart) others.emplace_back(work, hart);
  work(0);
  for (auto& one : others) one.join();
  std::printf("%s: %d of %d\n", name, bad, rounds);
}

// Two stores, two loads, in this order and with a fence between.
void store_store(word& first, std::uint64_t a, word& second, std::uint64_t b) {
  first.value = a;
  fence();
  second.value = b;
}
void load_load(int hart, word const& first, word const& second, bool fenced = true) {
  last.first[hart] = first.value;
  if (fenced) fence();
  last.second[hart] = second.value;
}

void message_passing(shared& on) {
  run(
      "MP", on,
      [](int hart, shared& s) {
        if (hart == 0) return store_store(s.x, 1, s.y, 1);
        load_load(hart, s.y, s.x);
      },
      [](shared const&) {
        for (int hart = 1; hart < harts; ++hart)
          if (last.first[hart] == 1 && last.second[hart] == 0) return true;
        return false;
      });
}

void store_buffering(shared& on) {
  run(
      "SB", on,
      [](int hart, shared& s) {
        word* const pairs[] = {&s.x, &s.y, &s.z, &s.w};
        pairs[hart]->value = 1;
        fence();
        last.first[hart] = pairs[hart ^ 1]->value;
      },
      [](shared const&) {
        return (last.first[0] == 0 && last.first[1] == 0) || (last.first[2] == 0 && last.first[3] == 0);
      });
}

void load_buffering(shared& on) {
  run(
      "LB", on,
      [](int hart, shared& s) {
        word* const pairs[] = {&s.x, &s.y, &s.z, &s.w};
        last.first[hart] = pairs[hart]->value;
        fence();
        pairs[hart ^ 1]->value = 1;
      },
      [](shared const&) {
        return (last.first[0] == 1 && last.first[1] == 1) || (last.first[2] == 1 && last.first[3] == 1);
      });
}

void independent_reads(shared& on) {
  run(
      "IRIW", on,
      [](int hart, shared& s) {
        if (hart == 0) s.x.value = 1;
        if (hart == 1) s.y.value = 1;
        if (hart == 2) load_load(hart, s.x, s.y);
        if (hart == 3) load_load(hart, s.y, s.x);
      },
      [](shared const&) {
        return last.first[2] == 1 && last.second[2] == 0 && last.first[3] == 1 && last.second[3] == 0;
      });
}

void coherent_reads(shared& on) {
  run(
      "CoRR", on,
      [](int hart, shared& s) {
        if (hart == 0) {
          s.x.value = 1;
          s.x.value = 2;
        } else {
          load_load(hart, s.x, s.x, false);
        }
      },
      [](shared const&) {
        for (int hart = 1; hart < harts; ++hart)
          if (last.first[hart] > last.second[hart]) return true;
        return false;
      });
}

void two_writes(shared& on) {
  run(
      "2+2W", on,
      [](int hart, shared& s) {
        if (hart == 0) store_store(s.x, 1, s.y, 2);
        if (hart == 1) store_store(s.y, 1, s.x, 2);
        if (hart == 2) store_store(s.z, 1, s.w, 2);
        if (hart == 3) store_store(s.w, 1, s.z, 2);
      },
      [](shared const& s) { return (s.x.value == 1 && s.y.value == 1) || (s.z.value == 1 && s.w.value == 1); });
}

// Adds by LR and SC, giving up never.
void add_reserved(word& to) {
  std::uint64_t old = 0;
  std::uint64_t failed = 0;
  asm volatile(
      "1: lr.d %0, (%2)\n"
      "   addi %0, %0, 1\n"
      "   sc.d %1, %0, (%2)\n"
      "   bnez %1, 1b\n"
      : "=&r"(old), "=&r"(failed)
      : "r"(&to.value)
      : "memory");
}

void reserved_sum(shared& on) {
  on.sum.value = 0;
  std::uint64_t expected = 0;
  run(
      "LR/SC", on,
      [](int hart, shared& s) {
        for (int i = 0; i < 4; ++i) {
          if (hart % 2 == 0) {
            add_reserved(s.sum);
          } else {
            asm volatile("amoadd.d zero, %0, (%1)" ::"r"(1L), "r"(&s.sum.value) : "memory");
          }
        }
      },
      [&](shared const& s) {
        expected += 4 * harts;
        return s.sum.value != expected;
      });
}

shared in_program;

}  // namespace

int main(int count, char** words) {
  shared* on = &in_program;
  if (count > 1 && std::strcmp(words[1], "mapped") == 0) {
    void* const memory = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    on = static_cast<shared*>(memory);
  }
  for (auto* const each :
       {message_passing, store_buffering, load_buffering, independent_reads, coherent_reads, two_writes, reserved_sum})
    each(*on);
}
