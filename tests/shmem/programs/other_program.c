// other_program: the first word of its arguments tells which program each PE becomes, so that they differ.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* other_program FIRST OTHER: PE 0 becomes FIRST, all others OTHER. */
int main(int argc, char** argv) {
  char const* const pe = getenv("TESS_SHMEM_PE");
  if (argc != 3 || pe == NULL) return 2;
  char* const program = argv[pe[0] == '0' ? 1 : 2];
  execl(program, program, (char*)NULL);
  perror(program);
  return 2;
}
