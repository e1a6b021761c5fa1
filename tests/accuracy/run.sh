#!/bin/sh
# Compiles the tests of the built-in functions with an installed Scythe and runs them: exact.cpp for
# results that must be exact, accuracy.cpp for the others.
#
#     tests/accuracy/run.sh PREFIX [--full] [--points N] [--table] [FUNCTION...]
#
# PREFIX is the tree that `cargo xtask stage` prints. Needs Debian's libmpfr-dev and clang++-22.
set -eu
if [ $# -lt 1 ] || [ ! -x "$1/bin/scythe" ]; then
  echo "run.sh: the first argument must be a folder that holds bin/scythe, not '${1:-}'" >&2
  exit 2
fi
prefix=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
clang++-22 -std=c++17 -O2 -c "$here/reference.cpp" -o "$scratch/reference.o"
# One image per kernel: only those that run are compiled.
"$prefix/bin/scythe" -fsycl -fsycl-device-code-split=per_kernel -O2 "$here/accuracy.cpp" "$scratch/reference.o" \
  -lmpfr -lgmp -o "$scratch/accuracy"
"$prefix/bin/scythe" -fsycl -fsycl-device-code-split=per_kernel -O2 "$here/exact.cpp" -o "$scratch/exact"
"$scratch/exact"
"$scratch/accuracy" "$@"
