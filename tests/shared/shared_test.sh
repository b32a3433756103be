#!/usr/bin/env bash
# shared_test: shared objects built by `tess c++ --shared` call at all places; wrong uses are refused with a remedy.
# Method: library and program compiled outside the tree, optimised and not, run on two fabrics with 1, 2 and 4 places.
set -euo pipefail
readonly tess=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly here scratch
cd "$scratch"

expect() {  # TEXT COMMAND...: prints just this
  local expected=$1 text
  shift
  text=$("$@")
  [[ $text == "$expected" ]] || { echo "$*: expected \"$expected\", got: $text" >&2; exit 1; }
}

refuse() {  # CODE TEXT COMMAND...: fails with this code and says this
  local expected=$1 says=$2 code=0 text
  shift 2
  text=$("$@" 2>&1) || code=$?
  [[ $code == "$expected" && $text == *"$says"* ]] ||
    { echo "$*: expected code $expected and \"$says\", got $code: $text" >&2; exit 1; }
}

"$tess" c++ --shared -c "$here/library.cpp" -o library.o
for optimised in -O3 -O0; do
  if [[ $optimised == -O0 ]]; then
    "$tess" c++ --shared -O0 -Wall -Wextra -Werror "$here/library.cpp" -o liblibrary.so
  else
    "$tess" c++ --shared library.o -o liblibrary.so
  fi
  # shellcheck disable=SC2016
  "$tess" c++ "$optimised" "$here/program.cpp" -L. -llibrary '-Wl,-rpath,$ORIGIN' -o program
  for fabric in smp hostile; do
    for places in 1 2 4; do
      expect "5 checks for each of $places places" "$tess" run -n "$places" --fabric "$fabric" ./program
    done
    expect '5 checks for each of 3 places' "$tess" run -n 3 --workers 2 --fabric "$fabric" ./program
  done
done

"$tess" c++ --shared "$here/plugin.cpp" -o plugin.so
"$tess" c++ "$here/opener.cpp" -o opener
for places in 1 2 4; do
  expect "$((places * (places + 1) / 2))" "$tess" run -n "$places" ./opener before ./plugin.so
  refuse 1 'plugin.so was loaded while the job ran; expected a shared object that is linked to the program' \
    "$tess" run -n "$places" ./opener late ./plugin.so
done

refuse 2 'tess c++ --shared' "$tess" c++ -shared "$here/plugin.cpp" -o wrong.so
refuse 1 'build it by `tess c++ --shared`' "$tess" c++ -fPIC -c "$here/plugin.cpp" -o wrong.o
"$tess" c++ --shared "$here/plugin.cpp" -Wl,--build-id=none -o nameless.so
refuse 2 'nameless.so: a shared object without build id' "$tess" run -n 2 ./opener before ./nameless.so
mkdir copy
cp plugin.so copy/
refuse 2 'plugin.so: the same shared object loaded twice' \
  env LD_PRELOAD="$PWD/copy/plugin.so" ./opener before ./plugin.so
