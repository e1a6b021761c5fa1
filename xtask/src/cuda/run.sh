#!/bin/sh
# Runs every program of this bundle on the machine's NVIDIA GPU: one line for each, and a closing
# one. The exit status is 0 where all have passed. Arguments are parts of names: only programs with
# one of them are run. SCYTHE_PREFIX is the folder of an installed Scythe, which programs need that
# compile source text. The programs then use its libraries instead of the bundle's.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
libraries=${SCYTHE_PREFIX:+$SCYTHE_PREFIX/lib}
libraries=${libraries:-$here/lib}
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export ONEAPI_DEVICE_SELECTOR="cuda:*;native_cpu:*" SYCL_CACHE_DIR="$work/cache"
limit=${LIMIT:-120}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1
uname -sr
passed=0 failed=0 skipped=0 names=
while read -r name needs; do
  wanted=${1:+no}
  for part in "$@"; do
    case $name in *"$part"*) wanted= ;; esac
  done
  [ -z "$wanted" ] || continue
  if [ "$needs" = compiler ] && [ -z "${SCYTHE_PREFIX:-}" ]; then
    skipped=$((skipped + 1))
    printf 'skip   %-48s needs SCYTHE_PREFIX, the folder of an installed Scythe\n' "$name"
    continue
  fi
  { read -r arguments; cat >"$work/expected"; } <"$here/cases/$name"
  start=$(date +%s%N)
  # Arguments are words.
  # shellcheck disable=SC2086
  (cd "$work" && timeout "$limit" "$here/bin/$name" $arguments) >"$work/output" 2>&1 </dev/null
  status=$?
  took=$((($(date +%s%N) - start) / 1000000))
  why=
  [ "$status" = 0 ] || why="exit status $status"
  while [ -z "$why" ] && read -r text; do
    grep -qF -- "$text" "$work/output" || why="the output lacks '$text'"
  done <"$work/expected"
  if [ -z "$why" ]; then
    passed=$((passed + 1))
    printf 'ok     %-48s %6d ms\n' "$name" "$took"
  else
    failed=$((failed + 1)) names="$names $name"
    printf 'FAILED %-48s %6d ms  %s\n' "$name" "$took" "$why"
    tail -n "${LINES_SHOWN:-15}" "$work/output" | cut -c1-600 | sed 's/^/       | /'
  fi
done <"$here/list"

# Programs with a fault: compute-sanitizer must name the fault's line, and report nothing without
# it.
PATH="$PATH:/usr/local/cuda/bin"
if command -v compute-sanitizer >"$work/found"; then
  while read -r name tool place; do
    wanted=${1:+no}
    for part in "$@"; do
      case $name in *"$part"*) wanted= ;; esac
    done
    [ -z "$wanted" ] || continue
    why=
    timeout "$limit" compute-sanitizer --tool "$tool" --error-exitcode 9 "$here/bin/$name" fault \
      >"$work/output" 2>&1 </dev/null
    status=$?
    [ "$status" = 9 ] || why="exit status $status of $tool, expected 9"
    [ -n "$why" ] || grep -qF -- "$place" "$work/output" || why="$tool does not name $place"
    if [ -z "$why" ]; then
      timeout "$limit" compute-sanitizer --tool "$tool" --error-exitcode 9 "$here/bin/$name" \
        >"$work/output" 2>&1 </dev/null || why="$tool reports a fault where there is none"
    fi
    if [ -z "$why" ]; then
      passed=$((passed + 1))
      printf 'ok     %-48s %s names %s\n' "$name" "$tool" "$place"
    else
      failed=$((failed + 1)) names="$names $name"
      printf 'FAILED %-48s %s\n' "$name" "$why"
      tail -n 30 "$work/output" | cut -c1-600 | sed 's/^/       | /'
    fi
  done <"$here/faults"
else
  echo "compute-sanitizer is not installed: programs with faults are not run"
fi
[ "$failed" = 0 ] || echo "failed:$names"
echo "cuda: $passed programs passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
