// plain: a shared object that is no unit, for tests.
extern "C" [[gnu::visibility("default")]] int plain() {
  return 1;
}
