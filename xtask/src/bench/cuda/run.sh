#!/bin/sh
# Compiles the CUDA programs of this bundle with nvcc, runs them and the SYCL programs in turn, and
# prints the best time of each, what SYCL reaches of CUDA's speed, by the best and by the median of
# the rounds, and whether the best is enough. The exit status is 0 where all of it is. ROUNDS says
# how often, 3 times by default; programs whose name is in MORE run five times as often, 'launch' by
# default, since times of launches differ much from one process to the next.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export ONEAPI_DEVICE_SELECTOR="cuda:*" SYCL_CACHE_DIR="$work/cache"
rounds=${ROUNDS:-3} more=${MORE-launch} arch=${ARCH:-sm_90} status=0
PATH="$PATH:/usr/local/cuda/bin"

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit \
  --format=csv,noheader 2>/dev/null | head -1
nvcc --version | tail -1
: >"$work/sycl" >"$work/cuda"
while read -r name; do
  nvcc -O3 -std=c++17 -arch="$arch" -lcuda -o "$work/$name" "$here/cases/$name.cu" || {
    status=1
    continue
  }
  times=$rounds
  case " $more " in *" $name "*) times=$((rounds * 5)) ;; esac
  for round in $(seq "$times"); do
    "$work/$name" >"$work/output" 2>&1 || {
      status=1
      echo "$name, CUDA, round $round:"
      cat "$work/output"
    }
    cat "$work/output" >>"$work/cuda"
    "$here/bin/$name" >"$work/output" 2>&1 || {
      status=1
      echo "$name, SYCL, round $round:"
      cat "$work/output"
    }
    cat "$work/output" >>"$work/sycl"
  done
done <"$here/list"

awk -v sycl="$work/sycl" -v cuda="$work/cuda" '
  # All times of each benchmark in the file, sorted.
  function read_times(file, times, counts,   line, part, name, at) {
    while ((getline line < file) > 0) {
      if (split(line, part, " ") != 2 || part[2] + 0 <= 0) continue
      name = part[1]
      for (at = counts[name]++; at > 0 && times[name, at] > part[2] + 0; at--)
        times[name, at + 1] = times[name, at]
      times[name, at + 1] = part[2] + 0
      if (!(name in known)) { known[name] = 1; order[++count] = name }
    }
  }
  function median(times, counts, name,   half) {
    half = int((counts[name] + 1) / 2)
    return counts[name] % 2 ? times[name, half] : (times[name, half] + times[name, half + 1]) / 2
  }
  BEGIN {
    read_times(cuda, theirs, their_count); read_times(sycl, ours, our_count)
    printf "%-16s %12s %12s %8s %8s   %s\n", "", "CUDA, ms", "SYCL, ms", "best", "median", "limit"
    for (i = 1; i <= count; i++) {
      name = order[i]
      if (!our_count[name] || !their_count[name]) {
        printf "%-16s %12s\n", name, "is missing"
        missed++
        continue
      }
      ratio = ours[name, 1] / theirs[name, 1]
      middle = median(ours, our_count, name) / median(theirs, their_count, name)
      if (name == "launch") {
        holds = ratio <= 1.15; limit = "at most 1.15x the time of the driver API"
      } else {
        ratio = 1 / ratio; middle = 1 / middle
        holds = ratio >= 0.98; limit = "at least 0.98x the speed"
      }
      if (!holds) missed++
      printf "%-16s %12.4f %12.4f %7.3fx %7.3fx   %s: %s\n", name, theirs[name, 1] * 1e3,
        ours[name, 1] * 1e3, ratio, middle, limit, holds ? "holds" : "DOES NOT HOLD"
    }
    printf "cuda: %d measured, %d limits do not hold\n", count, missed
    exit missed > 0
  }' || status=1
exit "$status"
