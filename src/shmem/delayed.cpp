// delayed: does the operations that the header noted.
#include "shmem/delayed.hpp"

#include <cstddef>
#include <cstdint>

namespace tess::shmem {

constinit tess_shmem_delayed delayed{};

namespace {

/// Words are numbers of their size: what is loaded, stored and swapped are bits.
template <class Word>
void apply(tess_shmem_entry const& entry) {
  auto const word = static_cast<Word*>(entry.tess_word);
  auto const value = static_cast<Word>(entry.value);
  auto old = static_cast<Word>(entry.cond);
  switch (entry.what % 16) {
    case TESS_SHMEM_FETCH:
      old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
      break;
    case TESS_SHMEM_SWAP:
      old = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
      break;
    case TESS_SHMEM_COMPARE_SWAP:
      __atomic_compare_exchange_n(word, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      break;
    case TESS_SHMEM_FETCH_ADD:
      old = __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
      break;
    case TESS_SHMEM_FETCH_AND:
      old = __atomic_fetch_and(word, value, __ATOMIC_SEQ_CST);
      break;
    case TESS_SHMEM_FETCH_OR:
      old = __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST);
      break;
    case TESS_SHMEM_FETCH_XOR:
      old = __atomic_fetch_xor(word, value, __ATOMIC_SEQ_CST);
      break;
    default:
      __builtin_unreachable();
  }
  *static_cast<Word*>(entry.fetch) = old;
}

}  // namespace

}  // namespace tess::shmem

extern "C" void tess_shmem_settle(tess_shmem_delayed* delayed, std::size_t left) {
  while (delayed->made - delayed->done > left) {
    auto const& entry = delayed->entries[delayed->done % TESS_SHMEM_DELAYED];
    if (entry.what / 16 == sizeof(std::uint64_t))
      tess::shmem::apply<std::uint64_t>(entry);
    else
      tess::shmem::apply<std::uint32_t>(entry);
    ++delayed->done;
  }
  tess_shmem_view.undone = delayed->made != delayed->done ? 1 : 0;
}
