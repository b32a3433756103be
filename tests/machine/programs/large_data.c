// large_data: more data than a scratchpad of 2 MiB has, of which it touches one byte.
static char data[3 << 20];

int main(int count, char** words) {
  (void)words;
  data[count] = 1;
  return data[count + 1];
}
