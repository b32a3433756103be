// extended_local: xBGAS on object 0 and its registers: the same effects as the standard instructions, with
// time and without.
#include <cstdio>
#include <limits>
#include <tess/machine/xbgas.hpp>

namespace {

namespace xbgas = tess::machine::xbgas;

int wrong = 0;

template <class T>
void check(char const* what, T got, std::type_identity_t<T> expected) {
  if (got == expected) return;
  ++wrong;
  std::printf("%s: %lld, not %lld\n", what, static_cast<long long>(got), static_cast<long long>(expected));
}

template <class T>
void words() {
  T around[3] = {static_cast<T>(0x11), static_cast<T>(-2), static_cast<T>(0x33)};
  check("get", xbgas::get(0, &around[1]), static_cast<T>(-2));
  xbgas::put(0, &around[1], static_cast<T>(0x5a));
  check("put", around[1], static_cast<T>(0x5a));
  check("before", around[0], static_cast<T>(0x11));
  check("behind", around[2], static_cast<T>(0x33));
}

template <class T>
void atomics() {
  constexpr T low = std::numeric_limits<T>::min();
  T word = 5;
  check("add", xbgas::fetch_add(0, &word, T{-7}), 5);
  check("swap", xbgas::swap(0, &word, 12), -2);
  check("xor", xbgas::fetch_xor(0, &word, 10), 12);
  check("or", xbgas::fetch_or(0, &word, 9), 6);
  check("and", xbgas::fetch_and(0, &word, 11), 15);
  check("min", xbgas::fetch_min(0, &word, low), 11);
  check("max", xbgas::fetch_max(0, &word, -3), low);
  check("maxu", xbgas::fetch_max_unsigned(0, &word, 4), -3);
  check("minu", xbgas::fetch_min_unsigned(0, &word, 4), -3);
  check("cas", xbgas::compare_swap(0, &word, 3, 8), 4);
  check("cas", xbgas::compare_swap(0, &word, 4, low), 4);
  check("word", word, low);
}

// Address management, the raw form, and extension registers in memory.
void registers() {
  std::uint64_t out = 0;
  std::uint64_t saved[2] = {};
  std::uint64_t source = 0x8877665544332211;
  asm volatile(
      "li t0, 40\n"
      ".insn i 0x7b, 5, x20, 2(t0)\n"        // eaddie e20, t0, 2
      ".insn i 0x03, 7, x21, -3(x20)\n"      // eaddix e21, e20, -3
      ".insn i 0x7b, 6, %[out], 100(x21)\n"  // eaddi out, e21, 100
      ".insn i 0x7b, 5, x10, 0(x0)\n"        // e10 = 0
      "mv a0, %[saved]\n"
      ".insn s 0x7b, 7, x20, 0(a0)\n"                 // ese e20, 0(a0)
      ".insn r 0x33, 7, 0x22, x10, x21, %[second]\n"  // erse e21 at {e10, second}
      : [out] "=&r"(out)
      : [saved] "r"(saved), [second] "r"(&saved[1])
      : "t0", "a0", "memory");
  check("eaddi", out, 139);
  check("ese", saved[0], 42);
  check("erse", saved[1], 39);
  asm volatile(
      ".insn i 0x7b, 5, x10, 0(x0)\n"
      "mv a0, %[saved]\n"
      ".insn i 0x77, 7, x22, 8(a0)\n"                // ele e22, 8(a0)
      ".insn i 0x7b, 6, %[out], 1(x22)\n"            // eaddi out, e22, 1
      ".insn r 0x33, 7, 0x55, x23, %[first], x10\n"  // erle e23 from {e10, first}
      ".insn i 0x7b, 6, x5, 0(x23)\n"                // eaddi t0, e23, 0
      "add %[out], %[out], t0\n"
      : [out] "=&r"(out)
      : [saved] "r"(saved), [first] "r"(saved)
      : "t0", "a0", "memory");
  check("ele and erle", out, 82);
  std::uint64_t loaded[4] = {};
  asm volatile(
      ".insn i 0x7b, 5, x11, 0(x0)\n"
      ".insn r 0x33, 2, 0x55, %[word], %[from], x11\n"  // erlw
      ".insn r 0x33, 6, 0x55, %[wide], %[high], x11\n"  // erlwu
      ".insn r 0x33, 4, 0x55, %[byte], %[high], x11\n"  // erlbu
      ".insn r 0x33, 1, 0x55, %[half], %[odd], x11\n"   // erlh
      : [word] "=&r"(loaded[0]), [wide] "=&r"(loaded[1]), [byte] "=&r"(loaded[2]), [half] "=&r"(loaded[3])
      : [from] "r"(&source), [high] "r"(reinterpret_cast<char*>(&source) + 4),
        [odd] "r"(reinterpret_cast<char*>(&source) + 6)
      : "memory");
  check("erlw", loaded[0], 0x44332211);
  check("erlwu", loaded[1], 0x88776655);
  check("erlbu", loaded[2], 0x55);
  check("erlh", loaded[3], 0xffffffffffff8877);
  std::uint64_t stored = 0;
  asm volatile(
      ".insn i 0x7b, 5, x11, 0(x0)\n"
      ".insn r 0x33, 3, 0x22, x11, %[data], %[to]\n"    // ersd data at {e11, to}
      ".insn r 0x33, 0, 0x22, x11, %[byte], %[high]\n"  // ersb
      :
      : [data] "r"(source), [to] "r"(&stored), [byte] "r"(0xabul), [high] "r"(reinterpret_cast<char*>(&stored) + 7)
      : "memory");
  check("ersd and ersb", stored, 0xab77665544332211);
}

}  // namespace

int main() {
  words<std::int64_t>();
  words<std::int32_t>();
  words<std::int16_t>();
  words<std::int8_t>();
  atomics<std::int64_t>();
  atomics<std::int32_t>();
  registers();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
