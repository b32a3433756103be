// needs_time: a program that includes this says in its file that it runs on a machine with time only: it looks at
// units, at other tiles or at what caches hold. Without time (`--timing off`) it is refused before it starts.
//
// Source    a note (SHT_NOTE) of name "Tessera" and type 1, without contents: System V ABI, "Note Section".
#pragma once

#ifdef __riscv
asm(".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 1\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");
#endif
