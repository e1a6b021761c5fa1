#!/bin/sh
# Compiles the CUDA programs of this bundle with nvcc, runs them and the SYCL programs in turn, and prints the best time of each, what
# SYCL reaches of CUDA's speed, and whether that is enough. The exit status is 0 where all of it is.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export ONEAPI_DEVICE_SELECTOR="cuda:*" SYCL_CACHE_DIR="$work/cache"
rounds=${ROUNDS:-3} arch=${ARCH:-sm_90} status=0
PATH="$PATH:/usr/local/cuda/bin"

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null | head -1
nvcc --version | tail -1
: >"$work/sycl" >"$work/cuda"
while read -r name; do
  nvcc -O3 -std=c++17 -arch="$arch" -lcuda -o "$work/$name" "$here/cases/$name.cu" || { status=1; continue; }
  for round in $(seq "$rounds"); do
    "$work/$name" >"$work/output" 2>&1 || { status=1; echo "$name, CUDA, round $round:"; cat "$work/output"; }
    cat "$work/output" >>"$work/cuda"
    "$here/bin/$name" >"$work/output" 2>&1 || { status=1; echo "$name, SYCL, round $round:"; cat "$work/output"; }
    cat "$work/output" >>"$work/sycl"
  done
done <"$here/list"

awk -v sycl="$work/sycl" -v cuda="$work/cuda" '
  function best(file, times,   line, part) {
    while ((getline line < file) > 0) {
      if (split(line, part, " ") != 2 || part[2] + 0 <= 0) continue
      if (!(part[1] in times) || part[2] + 0 < times[part[1]]) times[part[1]] = part[2] + 0
      if (!(part[1] in known)) { known[part[1]] = 1; order[++count] = part[1] }
    }
  }
  BEGIN {
    best(cuda, theirs); best(sycl, ours)
    printf "%-16s %12s %12s %8s   %s\n", "", "CUDA, ms", "SYCL, ms", "", "limit"
    for (i = 1; i <= count; i++) {
      name = order[i]
      if (!(name in ours) || !(name in theirs)) { printf "%-16s %12s\n", name, "is missing"; missed++; continue }
      if (name == "launch") {
        ratio = ours[name] / theirs[name]; holds = ratio <= 1.15; limit = "at most 1.15x the time of the driver API"
      } else {
        ratio = theirs[name] / ours[name]; holds = ratio >= 0.98; limit = "at least 0.98x the speed"
      }
      if (!holds) missed++
      printf "%-16s %12.4f %12.4f %7.3fx   %s: %s\n", name, theirs[name] * 1e3, ours[name] * 1e3, ratio, limit, holds ? "holds" : "DOES NOT HOLD"
    }
    printf "cuda: %d measured, %d limits do not hold\n", count, missed
    exit missed > 0
  }' || status=1
exit "$status"
