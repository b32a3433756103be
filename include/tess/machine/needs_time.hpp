// needs_time: including this header marks a program as one that runs only with time, since it uses units, other tiles
// or the contents of caches. Without time (`--timing off`) it is refused before it starts.
//
// Source    a note (SHT_NOTE) of name "Tessera" and type 1, without contents: System V ABI, "Note Section".
#pragma once

#ifdef __riscv
__asm__(
    ".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 1\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");
#endif
