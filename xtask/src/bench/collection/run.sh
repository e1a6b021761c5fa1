#!/bin/bash
# Builds the CUDA versions of this bundle with nvcc, all processors at a time, and runs each of them
# and the SYCL version of the same program in turn. The outputs go to a file in the folder $OUT (the
# current folder by default), which 'cargo xtask bench collection --results' reads. The file always
# holds everything that has run.
#
#   run.sh [--part I/N] [--seconds S] [--limit S] [--rounds N] [NAME]...
#
# --part runs the I-th of N parts of the programs. --seconds is the time for everything, 540 by
# default; --limit is the time of a run, 10 by default. Each round runs the programs that have
# succeeded so far, the quickest first.
part=1 parts=1 seconds=540 limit=10 rounds=3 names=
while [ $# -gt 0 ]; do
  case $1 in
    --part) part=${2%/*} parts=${2#*/}; shift ;;
    --seconds) seconds=$2; shift ;;
    --limit) limit=$2; shift ;;
    --rounds) rounds=$2; shift ;;
    -*) echo "run.sh: unknown option '$1'" >&2; exit 2 ;;
    *) names="$names $1" ;;
  esac
  shift
done
for number in "$part" "$parts" "$seconds" "$limit" "$rounds"; do
  case $number in
    '' | *[!0-9]* | 0*)
      echo "run.sh: '$number' is no positive number" >&2
      exit 2
      ;;
  esac
done
here=$(cd "$(dirname "$0")" && pwd) || exit 1
out=${OUT:-.}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
results=$out/pairs-$part-of-$parts.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export ONEAPI_DEVICE_SELECTOR="cuda:*" SYCL_CACHE_DIR="$work/cache"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
PATH="$PATH:/usr/local/cuda/bin"
ulimit -c 0
ulimit -f 2097152
start=$(date +%s)

left() { echo $((seconds - ($(date +%s) - start))); }

# Copies the beginning of an output, and later lines about times and verdicts. Each line gets a
# mark, and loses characters that no text has.
shorten() {
  head -c 33554432 "$1" | tr -cd '\11\12\40-\176\302\265' | awk '
    BEGIN { telling = "fail|pass|mismatch|incorrect|error|time|second|[0-9] *[(]?[mun]?s" }
    NR <= 80 || (kept < 120 && tolower($0) ~ telling) {
      print "| " substr($0, 1, 300)
      if (NR > 80) kept++
    }'
}

# Runs one version of a program: its name, the version, the file and the round. Sets status and
# milliseconds.
run() {
  local begin log="$work/output"
  begin=$(date +%s%N)
  (cd "$here/src/$1-cuda" && PROGRAM=$3 exec timeout -k 1 "$limit" sh -e "$here/cases/$1") \
    </dev/null >"$log" 2>&1
  status=$?
  milliseconds=$((($(date +%s%N) - begin) / 1000000))
  [ "$status" = 137 ] && status=124
  printf '== run %s %s %s %s %d.%03d -\n' "$1" "$2" "$4" "$status" \
    $((milliseconds / 1000)) $((milliseconds % 1000)) >>"$results"
  shorten "$log" >>"$results"
}

if [ -z "$names" ]; then
  names=$(awk -v part="$part" -v parts="$parts" 'NR % parts == part % parts' "$here/list")
fi
{
  echo "== machine"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit \
    --format=csv,noheader 2>/dev/null | head -1 | sed 's/^/| /'
  nvcc --version 2>/dev/null | tail -1 | sed 's/^/| /'
  sed 's/^/| /' "$here/version"
} >"$results"

export here work
printf '%s\n' $names | timeout -k 1 $((seconds / 2)) xargs -P "$(nproc)" -n 1 sh -c '
  timeout -k 1 150 make -C "$here/src/$1-cuda" ARCH=sm_90 >"$work/build-$1" 2>&1 </dev/null
  echo $? >"$work/status-$1"' build
for name in $names; do
  status=$(cat "$work/status-$name" 2>/dev/null || echo 124)
  echo "== build $name $status" >>"$results"
  if [ "$status" = 0 ]; then
    echo "0 $name" >>"$work/due"
  else
    grep -m 3 -iE 'error|undefined' "$work/build-$name" 2>/dev/null | cut -c 1-300 |
      sed 's/^/| /' >>"$results"
  fi
done
echo "built in $(($(date +%s) - start)) s: $(wc -l <"$work/due") of $(echo $names | wc -w)"

for round in $(seq "$rounds"); do
  : >"$work/next"
  count=0
  while read -r time name; do
    # A run that the end of the time would stop must not start.
    needed=$((round == 1 ? 2 * limit + 2 : time * 3 / 2000 + 2))
    [ "$(left)" -lt "$needed" ] && continue
    program=$here/src/$name-cuda/$(cat "$here/cases/$name.program")
    run "$name" other "$program" "$round"
    sum=$milliseconds
    [ "$status" = 0 ] || continue
    run "$name" sycl "$here/bin/$name" "$round"
    sum=$((sum + milliseconds))
    [ "$status" = 0 ] || continue
    echo "$sum $name" >>"$work/next"
    count=$((count + 1))
  done <"$work/due"
  echo "round $round: $count pairs, $(left) s left"
  sort -n "$work/next" >"$work/due"
done
echo "== end $(($(date +%s) - start))" >>"$results"
echo "results: $results"
