// plain: C: printf, qsort, strings, setjmp, varargs, memory of all sizes.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;

static int by_text(void const* a, void const* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

static long sum(int count, ...) {
  va_list list;
  long total = 0;
  va_start(list, count);
  for (int k = 0; k < count; ++k) total += va_arg(list, long);
  va_end(list);
  return total;
}

static void leap(int depth) {
  if (depth == 0) longjmp(back, 7);
  leap(depth - 1);
}

int main(int argc, char** argv) {
  char* words[] = {"pear", "apple", "fig", "banana", "cherry"};
  qsort(words, 5, sizeof words[0], by_text);
  for (int k = 0; k < 5; ++k) printf("%s%c", words[k], k == 4 ? '\n' : ' ');
  printf("%d %s %ld %5.2f %-6s| %#o %e\n", argc, argv[1], sum(4, 1L, 2L, 3L, 1L << 40), 3.14159, "ab", 64, 1.5e-300);
  int const landed = setjmp(back);
  if (landed == 0) leap(20);
  printf("%d\n", landed);
  size_t total = 0;
  char* blocks[200];
  for (int k = 0; k < 200; ++k) {
    size_t const bytes = (size_t)k * k * 37 + 1;
    blocks[k] = malloc(bytes);
    memset(blocks[k], k, bytes);
    total += bytes;
  }
  for (int k = 0; k < 200; k += 2) free(blocks[k]);
  for (int k = 1; k < 200; k += 2) blocks[k] = realloc(blocks[k], (size_t)k * 5000);
  unsigned check = 0;
  for (int k = 1; k < 200; k += 2) check = check * 31 + (unsigned char)blocks[k][0];
  printf("%zu %u %s\n", total, check, strstr("needle in hay", "in"));
  return toupper('a') == 'A' ? 0 : 1;
}
