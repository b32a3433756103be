// embedded: a C program without any server: its own is started, serves it, and refuses in words.
#include <stdio.h>
#include <string.h>

#include "tess/rmem.h"

static int failed(char const* what) {
  fprintf(stderr, "embedded: %s: %s\n", what, tess_rmem_message());
  return 1;
}

int main(void) {
  static char text[100000];
  static char back[100000];
  struct tess_rmem_region made;
  struct tess_rmem_region found;
  memset(text, 'x', sizeof text);
  if (tess_rmem_create("matrix", 1000000, 0, &made) != TESS_RMEM_OK) return failed("create");
  if (tess_memwrite(made.base + 12345, text, sizeof text) != TESS_RMEM_OK) return failed("write");
  if (tess_rmem_open("matrix", TESS_RMEM_READ, &found) != TESS_RMEM_OK) return failed("open");
  if (found.base != made.base || found.size != 1000000) return failed("another region was found");
  if (tess_memread(back, found.base + 12345, sizeof back) != TESS_RMEM_OK) return failed("read");
  if (memcmp(text, back, sizeof text) != 0) return failed("other bytes came back");
  if (tess_memread(back, found.base + 999999, 2) != TESS_RMEM_OUT_OF_BOUNDS) return failed("bounds");
  if (strcmp(tess_rmem_message(), "2 bytes at offset 999999 leave region 'matrix', which has 1000000") != 0)
    return failed("the message");
  if (tess_rmem_open("none", TESS_RMEM_READ, &found) != TESS_RMEM_NO_NAME) return failed("no name");
  if (tess_rmem_remove(&made) != TESS_RMEM_OK) return failed("remove");
  if (tess_memread(back, made.base, 1) != TESS_RMEM_NO_REGION) return failed("a removed region is still there");
  puts("fine");
  return 0;
}
