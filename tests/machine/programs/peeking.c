// peeking: a program that tries to read what it was not given; prints a letter for each attempt: r refused, - not.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void attempt(char const* what, long result) {
  printf("%c %s\n", result < 0 ? 'r' : '-', what);
}
static long reads(char const* path) {
  char byte;
  int const file = open(path, O_RDONLY);
  return file < 0 ? -1 : read(file, &byte, 1) == 1 ? 0 : -1;
}
static long lists(char const* path) {
  DIR* const folder = opendir(path);
  return folder != 0 && readdir(folder) != 0 ? 0 : -1;
}

// peeking [SECRET]: run in a folder `given`, beside which the file `kept` and the folder `beyond` with `secret` are.
int main(int argc, char** argv) {
  char path[4096];
  char const* const secret = argc > 1 ? argv[1] : getenv("SECRET");
  struct stat about;
  attempt("by its path", reads(secret));
  attempt("its status", stat(secret, &about));
  attempt("whether it may be read", access(secret, R_OK));
  attempt("above", reads("../kept"));
  attempt("above, and down again", reads("../beyond/secret"));
  attempt("through a link", reads("link/secret"));
  attempt("through a link to a file", reads("absolute"));
  snprintf(path, sizeof path, "/proc/self/root%s", secret);
  attempt("from the root of a process", reads(path));
  snprintf(path, sizeof path, "/proc/thread-self/root%s", secret);
  attempt("of a thread", reads(path));
  snprintf(path, sizeof path, "/proc/%d/root%s", (int)getpid(), secret);
  attempt("by its number", reads(path));
  snprintf(path, sizeof path, "/proc/1/root%s", secret);
  attempt("of another process", reads(path));
  attempt("from where a process is", reads("/proc/self/cwd/../kept"));
  attempt("by a descriptor of ours", reads("/proc/self/fd/3"));
  snprintf(path, sizeof path, "/dev/../%s", secret);
  attempt("from another folder", reads(path));
  attempt("the folder above", lists(".."));
  attempt("the root", lists("/"));
  attempt("names in a folder elsewhere", stat("/etc/passwd", &about));
  int const here = open(".", O_RDONLY | O_DIRECTORY);
  int const above = openat(here, "..", O_PATH | O_DIRECTORY);
  attempt("from a descriptor", openat(above, "kept", O_RDONLY));
  attempt("written from a descriptor", openat(above, "made", O_WRONLY | O_CREAT, 0600));
  attempt("names of it", lists("/proc/self/fd/4"));
  if (chdir("..") == 0) attempt("from above", reads("kept"));
  attempt("not through a link", open("beyond/secret", O_RDONLY | O_NOFOLLOW));
  attempt("a file of the kernel", reads("/proc/1/cmdline"));
  attempt("another one", reads("/sys/kernel/notes"));
  return 0;
}
