#!/usr/bin/env bash
# compiler_test: a compiler that cannot compile the headers is refused by one line that names the remedy.
# Method: compile public headers by GCC, each alone, and configure a project with it by find_package.
set -euo pipefail
readonly source=$1 build=$2 gcc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly scratch

for header in tess task word at object rmem_array; do
  if "$gcc" -std=c++23 -fsyntax-only -I"$source/include" -include "tess/$header.hpp" -x c++ /dev/null \
    2>"$scratch/said"; then
    echo "tess/$header.hpp: compiled by $gcc, so this test is out of date" >&2
    exit 1
  fi
  said=$(grep -c 'error:' "$scratch/said")
  if ! grep -q 'error: .*Tessera needs Clang.*clang++-19' "$scratch/said" || ((said != 2)); then
    echo "tess/$header.hpp: expected the remedy, and that compilation stops there; got:" >&2
    head -20 "$scratch/said" >&2
    exit 1
  fi
done

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
if cmake -S "$source/tests/install" -B "$scratch/project" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER="$gcc" >"$scratch/said" 2>&1; then
  echo "find_package accepts $gcc" >&2
  exit 1
fi
if ! tr -s '\n ' ' ' <"$scratch/said" | grep -q 'Tessera needs Clang 18 or newer, and this is GNU .*clang++-19'; then
  echo "find_package: expected the remedy, got:" >&2
  cat "$scratch/said" >&2
  exit 1
fi
