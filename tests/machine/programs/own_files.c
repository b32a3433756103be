// own_files: what a program finds about itself in /proc/self; the same on every system that runs it.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int data = 1;
static char text[1 << 16];

static char* read_all(char const* path) {
  int const file = open(path, O_RDONLY);
  memset(text, 0, sizeof text);
  for (ssize_t at = 0, got = 1; file >= 0 && got > 0; at += got) got = read(file, text + at, sizeof text - 1 - at);
  if (file < 0 || close(file) != 0) printf("%s: %s\n", path, strerror(errno));
  return text;
}

// The rights of the mapping with this address, and whether a name ends so.
static void find(void const* address, char const* what) {
  char rights[8] = "none";
  for (char* line = strtok(read_all("/proc/self/maps"), "\n"); line != 0; line = strtok(0, "\n")) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char found[8];
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, found) != 3) continue;
    if ((unsigned long)address >= begin && (unsigned long)address < end) strcpy(rights, found);
  }
  printf("%s: %.3s\n", what, rights);
}

int main(int argc, char** argv) {
  int local = argc;
  find((void const*)(unsigned long)&main, "code");
  find(&data, "data");
  find(&local, "stack");
  find(malloc(1000), "heap");
  find((void const*)8, "page 0");

  char const* word = read_all("/proc/self/cmdline");
  for (int k = 0; k < argc; ++k, word += strlen(word) + 1)
    printf("word %d is mine: %d\n", k, strcmp(word, argv[k]) == 0);

  char name[PATH_MAX];
  char mine[PATH_MAX];
  ssize_t const bytes = readlink("/proc/self/exe", name, sizeof name - 1);
  name[bytes < 0 ? 0 : bytes] = 0;
  printf("program: %d\n", realpath(argv[0], mine) != 0 && strcmp(name, mine) == 0);
  char magic[4] = "";
  int const program = open("/proc/self/exe", O_RDONLY);
  printf("opened: %d\n", read(program, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0);
  struct stat about;
  printf("its size: %d\n", stat("/proc/self/exe", &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 1000);
  printf("a link: %d\n", lstat("/proc/self/exe", &about) == 0 && S_ISLNK(about.st_mode));

  char const* const status = strstr(read_all("/proc/self/status"), "\nPid:");
  printf("number: %d\n", status != 0 && atoi(status + 5) == (int)getpid());

  int seen[64] = {0};
  DIR* const folder = opendir("/proc/self/fd");
  for (struct dirent* one; folder != 0 && (one = readdir(folder)) != 0;)
    if (one->d_name[0] != '.' && atoi(one->d_name) < 64) seen[atoi(one->d_name)] = 1;
  printf("descriptors: %d%d%d%d %d\n", seen[0], seen[1], seen[2], seen[program], seen[60]);
  char by_number[64];
  snprintf(by_number, sizeof by_number, "/proc/self/fd/%d", program);
  ssize_t const length = readlink(by_number, name, sizeof name - 1);
  name[length < 0 ? 0 : length] = 0;
  printf("leads to: %d\n", strcmp(name, mine) == 0);
  int const again = open(by_number, O_RDONLY);
  printf("opened again: %d\n", read(again, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0);
  printf("access: %d\n", access("/proc/self/maps", R_OK) == 0);
  printf("not there: %d\n", open("/proc/self/nothing", O_RDONLY) < 0 && errno == ENOENT);
  return 0;
}
