// large_constants: more constants than an image memory of 2 MiB has, of which it reads one byte.
static char const constants[3 << 20] = {1};

int main(int count, char** words) {
  (void)words;
  return *(char const volatile*)(constants + count);
}
