#!/usr/bin/env bash
# install_test: what is installed is enough to build and run a program outside the tree, wherever the prefix lies.
# Method: install to a temporary prefix; build hello.cpp by find_package, also with a shared library, by `tess c++`,
# and a unit for simulated machines; move the prefix; again.
set -euo pipefail
readonly build=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly here scratch

expect() {  # WHAT COMMAND...: its output must be that of hello on two places
  local what=$1 text
  shift
  echo "-- $what: $*"
  text=$("$@")
  if [[ $text != 'hello from one of 2 places' ]]; then
    echo "$what: expected \"hello from one of 2 places\", got: $text" >&2
    exit 1
  fi
}

both_ways() {  # PREFIX
  local prefix=$1
  cmake -S "$here" -B "$prefix-hello" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_BUILD_TYPE=Release
  cmake --build "$prefix-hello"
  expect find_package "$prefix/bin/tess" run "$prefix-hello/hello" -n 2
  expect 'find_package, shared' "$prefix/bin/tess" run "$prefix-hello/greeter" -n 2
  "$prefix/bin/tess" c++ "$here/hello.cpp" -o "$scratch/hello"
  expect 'tess c++' "$prefix/bin/tess" run "$scratch/hello" -n 2
  "$prefix/bin/tess" c++ --races "$here/hello.cpp" -o "$scratch/hello"
  expect 'tess c++ --races' "$prefix/bin/tess" run "$scratch/hello" -n 2
  expect 'without tess' env TESS_PLACES=2 "$scratch/hello"
  "$prefix/bin/tess" unit build "$here/../../examples/units/filter.cpp" -o "$scratch/filter.so"
}

cmake --install "$build" --prefix "$scratch/first" >/dev/null
both_ways "$scratch/first"
mv "$scratch/first" "$scratch/second place"
both_ways "$scratch/second place"
"$build/bin/tess" c++ "$here/hello.cpp" -o "$scratch/hello"
expect 'tess c++ of the build tree' "$build/bin/tess" run -n 2 "$scratch/hello"
