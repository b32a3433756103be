// folders: makes folders one below another as mkdir -p does, by an absolute and a relative path, and files and links.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_all(char* path) {
  for (char* at = path + 1;; ++at) {
    char const kept = *at;
    if (kept != '/' && kept != 0) continue;
    *at = 0;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) printf("%s\n", strerror(errno));
    if (kept == 0) return;
    *at = kept;
  }
}

int main(int argc, char** argv) {
  char path[PATH_MAX];
  if (argc < 2 || realpath(argv[1], path) == 0) return 1;
  strcat(path, "/one/two/three");
  make_all(path);
  struct stat about;
  printf("absolute: %d\n", stat(path, &about) == 0 && S_ISDIR(about.st_mode));
  snprintf(path, sizeof path, "./%s/a/./b//c/", argv[1]);
  make_all(path);
  printf("relative: %d\n", stat(path, &about) == 0 && S_ISDIR(about.st_mode));
  printf("again: %s\n", mkdir(argv[1], 0777) == 0 ? "yes" : strerror(errno));

  printf("into it: %d\n", chdir(argv[1]));
  FILE* const file = fopen("one/../one/two/file", "w");
  if (file == 0 || fputs("some text\n", file) < 0 || fclose(file) != 0) printf("%s\n", strerror(errno));
  printf("a link: %d\n", symlink("two/file", "one/link"));
  char text[32] = "";
  int const link = open("one/link", O_RDWR);
  printf("%d bytes by it\n", (int)read(link, text, sizeof text));
  printf("another name: %d\n", linkat(AT_FDCWD, "one/two/file", AT_FDCWD, "a/same", 0));
  printf("mode: %d\n", chmod("a/same", 0640) == 0 && stat("one/link", &about) == 0 && (about.st_mode & 0777) == 0640);
  struct timespec const times[2] = {{1000, 0}, {2000, 5}};
  printf("time: %d\n", utimensat(AT_FDCWD, "a/same", times, 0) == 0 && stat("a/same", &about) == 0 &&
                           about.st_mtim.tv_sec == 2000 && about.st_atim.tv_sec == 1000);
  printf("through a link to a folder: %d\n",
         symlink("one/two", "short") == 0 && mkdir("short/four", 0777) == 0 && stat("one/two/four", &about) == 0);
  printf("where: %d\n", chdir("short") == 0 && getcwd(path, sizeof path) != 0 && strstr(path, "/one/two") != 0);
  printf("up: %d\n", chdir("..") == 0 && stat("link", &about) == 0);
  return 0;
}
