// named_semaphore: opens the file of its argument, as sem_open does for a semaphore with a name.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int main(int count, char** words) {
  int const file = open(words[count - 1], O_RDWR | O_CREAT, 0600);
  printf("refused: %d\n", file < 0 && errno == EROFS);
  return 0;
}
