#!/bin/sh
# Builds the project by hand: what CMakeLists.txt and Makefile say, command by command.
#
#   SCYTHE=/opt/scythe/bin/scythe FLAGS="-O2 -fsycl-host-compiler=g++" ./build.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-build}
scythe=${SCYTHE:-scythe}
flags="-fsycl -std=c++17 ${FLAGS:--O2} -I$here/include"
mkdir -p "$out"

# Objects: each holds its host code and, in a section, its device code. $flags is a list of words.
for source in plate/material plate/edge plate/summarise stencil/heat stencil/diffuse \
  app/expected app/main; do
  $scythe $flags -fPIC -c "$here/$source.cpp" -o "$out/$(basename $source).o"
done

# The static library: device code is linked where the library is.
rm -f "$out/libstencil.a"
ar rcs "$out/libstencil.a" "$out/heat.o" "$out/diffuse.o"

# The shared library brings its device code along, linked. Others may call its SYCL_EXTERNAL
# functions.
$scythe -fsycl -shared "$out/material.o" "$out/edge.o" "$out/summarise.o" -o "$out/libplate.so"

$scythe -fsycl "$out/main.o" "$out/expected.o" "$out/libstencil.a" -L"$out" -lplate \
  -Wl,-rpath,'$ORIGIN' -o "$out/heat"
