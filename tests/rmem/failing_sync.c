// failing_sync: put before the C library: fdatasync fails while the file exists that FAILING_SYNC names.
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int fdatasync(int file) {
  char const* const flag = getenv("FAILING_SYNC");
  if (flag != NULL && access(flag, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fdatasync, file);
}
