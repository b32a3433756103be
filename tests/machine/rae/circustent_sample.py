"""circustent_sample: the noted compare-and-swaps of SCATTER are a uniform sample of those on words of PE 0, whoever
issues them, and PTRCHASE follows as many words as it is told.

`python3 circustent_sample.py TESS PROGRAM`, the program being compiled for this computer.

Method: the index array of PE 0 is computed here, by splitmix64 as published; each noted word must be the one that its
number says. Any other PE's index array would give other words.
"""

import re
import subprocess
import sys

MASK = (1 << 64) - 1
PES, WORDS, ITERATIONS, SAMPLE = 3, 4096, 1000, 600


def splitmix(seed: int, k: int) -> int:
    z = (seed + (k + 1) * 0x9E3779B97F4A7C15) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def random_word(seed: int, k: int) -> int:
    return splitmix(splitmix(0, seed), k)


def run(*words: object) -> str:
    tess, program = sys.argv[1:]
    return subprocess.run([tess, "run", "-n", str(PES), program, *map(str, words)], check=True, capture_output=True,
                          text=True, timeout=60).stdout  # fmt: skip


def expected(number: int, pe: int) -> tuple[str, int]:
    i, which = divmod(number, 3)
    if which == 0:
        return "index", i + 1
    if which == 1:
        return "array", i
    return "array", random_word(1 ^ 0x6964, pe * (ITERATIONS + 1) + i + 1) % WORDS


def main() -> None:
    printed = run("--bench", "SCATTER_CAS", "--memsize", 8 * WORDS, "--iters", ITERATIONS, "--note", SAMPLE)
    found = [(int(number), array, int(word))
             for number, array, word in re.findall(r"^atomic (\d+) (\w+) (\d+)$", printed, re.MULTILINE)]  # fmt: skip
    numbers = [number for number, _, _ in found]
    assert len(found) == SAMPLE and numbers == sorted(set(numbers)), len(found)
    assert numbers != list(range(SAMPLE)), "the first ones are no sample"
    # Each tenth has 60 of 600 in the mean, with a standard deviation of 6.6.
    tenths = [sum(k * 300 <= number < (k + 1) * 300 for number in numbers) for k in range(10)]
    assert all(30 <= count <= 90 for count in tenths), tenths
    for number, array, word in found:
        assert (array, word) == expected(number, pe=0), (number, array, word)
    assert any((array, word) != expected(number, pe=1) for number, array, word in found)
    all_of_them = run("--bench", "SCATTER_CAS", "--memsize", 8 * WORDS, "--iters", 10, "--note", 1000)
    assert len(re.findall(r"^atomic ", all_of_them, re.MULTILINE)) == 30
    # A chase through one word, which is 0, ends where it began; the checksum of two PEs' arrays shows its size.
    for words in (1, 512):
        chased = run("--bench", "PTRCHASE_ADD", "--memsize", 64, "--iters", ITERATIONS, "--chase", words)
        assert " wrong 0 " in chased, chased
        sums = [random_word(random_word(1 ^ 0x6964, pe * words + k) % words, pe * words + k)
                for pe in range(PES) for k in range(words)]  # fmt: skip
        sums += [random_word(random_word(1, pe * 8 + k), pe * 8 + k) for pe in range(PES) for k in range(8)]
        assert f"checksum {sum(sums) & MASK}" in chased, (words, chased)


main()
