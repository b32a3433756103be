// spreading: declares in its file that it has a place on every tile, as programs of the runtime do; it has none.
__asm__(
    ".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 2\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");

int main(void) {
  return 0;
}
