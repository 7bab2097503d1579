# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The parts that scripts/check and its tiers are made of: suites, fuzzers, and
# the record of what a tier has done. Sourced, never run. Every part adds to
# $passed, $failed and $skipped, and says how long it took.

passed=0
failed=0
skipped=0
run_name=scripts/check
# What scripts/check-times reads: a line for each part, and for each folder of a suite.
time_records=()
# CPU-s that tests of a folder are meant to take at most in the release suite.
declare -A cpu_meant=([ConvBuilder]=60)
lit=/usr/lib/llvm-22/bin/lit
sanitized_dir=$KPACK_BUILD_DIR-asan
# libLLVM is not instrumented: containers that cross its border look poisoned.
export ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1

# cpu_ticks: processor time of this shell and of its children that have ended, with
# theirs. proc(5): after the program's name, utime to cstime are fields 14 to 17.
cpu_ticks() {
  local stat
  stat=$(</proc/$$/stat)
  set -- ${stat##*) }
  echo $((${12} + ${13} + ${14} + ${15}))
}

# took NAME: ends a part, which began where the last one ended.
began=${EPOCHREALTIME/[.,]/}
began_ticks=$(cpu_ticks)
took() {
  local now=${EPOCHREALTIME/[.,]/} ticks seconds
  ticks=$(cpu_ticks)
  seconds=$(((now - began) / 1000000))
  say "$1: $((seconds / 60)) min $((seconds % 60)) s"
  time_records+=("$(printf 'part\t%s\t%d\t%d' "$1" $((now - began)) $((ticks - began_ticks)))")
  began=$now
  began_ticks=$ticks
}

# configure_suite DIR [CMAKE ARGS...]
configure_suite() {
  local dir=$1
  shift
  mkdir -p "$dir"
  configure_build "$dir" -DKPACK_BUILD_TESTS=ON -DKPACK_PRODUCTS="$(all_products)" "$@"
}

# -O1 compiles faster than -O2, and what it makes runs no slower under sanitizers;
# -O0 runs two to three times as long.
configure_sanitized() {
  local flags='-O1 -gline-tables-only -DNDEBUG'
  configure_suite "$sanitized_dir" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKPACK_SANITIZE=address,undefined \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="$flags" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$flags"
}

# build_suite DIR NAME
build_suite() {
  say "$2: building"
  ninja -C "$1" -j "$KPACK_JOBS" --quiet check-depends
  took "$2: configure and build"
}

# run_tests DIR NAME [FILTER [LIT OPTIONS...]]: what is built, through lit; adds to
# the totals.
run_tests() {
  local dir=$1 name=$2 filter=${3-.} results counts good bad other
  shift $(($# < 3 ? $# : 3))
  say "$name: testing"
  results=$dir/lit-results.json
  rm -f "$results" "$dir/lit-cpu.txt"
  KPACK_TEST_CPU=$dir/lit-cpu.txt "$lit" -qv -j "$KPACK_JOBS" --filter="$filter" "$@" --time-tests -o "$results" "$dir/test" >"$dir/lit.log" 2>&1 || true
  # No test is skipped for want of a tool: what is, is for another LLVM or build.
  counts=$(python3 - "$results" <<'PY'
import json, sys
codes = [test["code"] for test in json.load(open(sys.argv[1]))["tests"]]
codes = [code for code in codes if code != "EXCLUDED"]
good = codes.count("PASS")
skipped = codes.count("UNSUPPORTED")
print(good, len(codes) - good - skipped, skipped)
PY
) || fail "$name: lit did not finish; see $dir/lit.log"
  read -r good bad other <<<"$counts"
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + other))
  if [ "$bad" != 0 ]; then tail -500 "$dir/lit.log"; fi
  say "$name: $good passed, $bad failed, $other skipped"
  took "$name: tests"
  [ ! -s "$dir/lit-cpu.txt" ] || mapfile -t -O ${#time_records[@]} time_records < <(sum_cpu "$dir/lit-cpu.txt" "$name")
}

# sum_cpu FILE SUITE: records of what test/measured.py wrote, by folder. Nothing fails by
# them: how long a test takes is not the same on every machine.
sum_cpu() {
  local folder
  python3 - "$1" "$2" "$(for folder in "${!cpu_meant[@]}"; do echo "$folder=${cpu_meant[$folder]}"; done)" <<'PY'
import collections, re, sys
folders = collections.Counter()
for line in open(sys.argv[1]):
    seconds, name = line.split(" ", 1)
    # Of unit tests it is the program's.
    folder = re.sub(r"^Conv.*", "ConvBuilder", name.split(" :: ")[1].split("/")[0])
    folders[folder] += float(seconds)
meant = dict(pair.split("=") for pair in sys.argv[3].split())
for folder, seconds in folders.items():
    print("tests", sys.argv[2], folder, "%.2f" % seconds, *([meant[folder]] if folder in meant else []), sep="\t")
PY
}

# run_suite BUILD_DIR NAME [FILTER]
run_suite() {
  build_suite "$1" "$2"
  run_tests "$@"
}

# run_quick DIR: the tests that test/slow.txt does not name, and which of them took
# long. A test that is named there and does not exist is a failure.
run_quick() {
  local dir=$1 slow=$KPACK_SOURCE_DIR/test/slow.txt pattern
  cpu_meant=([ConvBuilder]=10)
  pattern=$(sed -n 's/[].+[]/\\&/g; /^[^#]* :: /p' "$slow" | paste -sd'|')
  GTEST_FILTER=-$(sed -n 's/^gtest //p' "$slow" | paste -sd:) \
    run_tests "$dir" quick . --filter-out="^($pattern)\$"
  "$lit" --show-tests "$dir/test" >"$dir/lit-tests.txt"
  run_command "test/slow.txt" python3 - "$dir/lit-results.json" "$dir/lit-tests.txt" "$slow" <<'PY'
import json, sys
ran = [(test["elapsed"] or 0, test["name"]) for test in json.load(open(sys.argv[1]))["tests"]]
known = {line.strip() for line in open(sys.argv[2])}
gone = [line.strip() for line in open(sys.argv[3]) if " :: " in line and line.strip() not in known]
for name in gone:
    print("check: error: test/slow.txt: no test '%s'; remove the line, or give it the new name" % name)
print("slowest: " + ", ".join("%s %.1f s" % (name.split(":: ")[1], seconds) for seconds, name in sorted(ran)[:-6:-1]))
sys.exit(bool(gone))
PY
}

# run_fuzzer FUZZER SECONDS: from its seeds; a crash is a failure. A short run
# tries a few thousand inputs, the same every time where the code reads no clock:
# it judges the change, not its luck. A long one looks for more.
run_fuzzer() {
  local fuzzer=$1 seconds=$2 name dir seeds
  local -a fixed=() choice=(-jobs="$KPACK_JOBS" -workers="$KPACK_JOBS")
  name=$(basename "$fuzzer")
  dir=$(dirname "$fuzzer")
  seeds=$KPACK_SOURCE_DIR/fuzz/corpus/$name
  if [ "$seconds" -lt 60 ]; then
    choice=(-seed=1 -runs=10000)
    ! setarch --addr-no-randomize true 2>/dev/null || fixed=(setarch --addr-no-randomize)
    rm -rf "$dir/work/$name"
  fi
  mkdir -p "$dir/work/$name"
  [ -d "$seeds" ] || seeds=
  say "fuzzing $name for $seconds s"
  # In its own folder: parallel jobs write their logs to where they are.
  if (cd "$dir/work" && "${fixed[@]}" "$fuzzer" "${choice[@]}" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 \
    -malloc_limit_mb=512 -artifact_prefix="$dir/work/$name-" "$dir/work/$name" ${seeds:+"$seeds"}) >"$dir/$name.log" 2>&1; then
    passed=$((passed + 1))
  else
    tail -40 "$dir/$name.log"
    failed=$((failed + 1))
  fi
}

# run_fuzzers BUILD_DIR SECONDS: one after the other.
run_fuzzers() {
  local fuzzer
  for fuzzer in "$1"/fuzz/*-fuzzer; do
    [ -x "$fuzzer" ] || continue
    run_fuzzer "$fuzzer" "$2"
  done
  took fuzzers
}

# run_command NAME COMMAND...: one test that says by its exit status what it found.
run_command() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    say "$name: failed"
    failed=$((failed + 1))
  fi
  took "$name"
}

# run_counted NAME COMMAND...: tests whose command ends with how many passed and failed,
# each of which counts. What it says is copied to stderr by a process, not by its name:
# a log that is opened once more is overwritten.
run_counted() {
  local name=$1 last
  shift
  last=$("$@" | tee >(cat >&2) | tail -n 1) || true
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    say "$name: did not come to its end"
    failed=$((failed + 1))
  fi
  took "$name"
}

# run_accepted NAME ARGUMENTS...: ROCm's tests that must pass.
run_accepted() {
  local name=$1
  shift
  run_counted "$name" "$KPACK_SOURCE_DIR/scripts/accept" --pinned "$@"
}

# accept_stacks GPU: a part for each release of ROCm.
accept_stacks() {
  local release
  install_packages accept
  configure_suite "$KPACK_BUILD_DIR"
  build_suite "$KPACK_BUILD_DIR" release
  for release in 5.7 6.4; do
    part "$release" run_accepted "ROCm $release on $1" --rocm="$release" --gpu="$1"
  done
}

#===------------------------------------------------------------------------===#
# Tiers: parts whose results are written down, and not run again when they were
# good at this commit. A record is a line a part:
#   COMMIT PART PASSED FAILED SKIPPED SECONDS
#===------------------------------------------------------------------------===#

tier_seconds=

# The commit that is tested; "-dirty" where files differ from it.
tested_commit() {
  local commit
  commit=$(git -C "$KPACK_SOURCE_DIR" rev-parse HEAD 2>/dev/null) || { echo unknown-dirty; return; }
  [ -z "$(git -C "$KPACK_SOURCE_DIR" status --porcelain)" ] || commit+=-dirty
  echo "$commit"
}

# part NAME COMMAND...: within run_tier.
part() {
  local name=$1 good bad other seconds before line
  shift
  line=$(awk -v c="$commit" -v p="$name" '$1 == c && $2 == p && $4 == 0 && c !~ /-dirty$/' "$records" | tail -1)
  if [ -n "$line" ]; then
    read -r _ _ good bad other seconds <<<"$line"
    say "$tier: $name: $good passed before, at this commit"
    passed=$((passed + good))
    skipped=$((skipped + other))
    return
  fi
  if [ $((SECONDS - tier_began)) -ge "$tier_seconds" ]; then
    say "$tier: $name: not begun, the tier's $((tier_seconds / 60)) minutes are over; the same command goes on here"
    unfinished+=("$name")
    return
  fi
  good=$passed bad=$failed other=$skipped before=$SECONDS
  "$@"
  printf '%s %s %s %s %s %s\n' "$commit" "$name" $((passed - good)) $((failed - bad)) $((skipped - other)) \
    $((SECONDS - before)) >>"$records"
}

# suite_in_parts DIR NAME: one part for each folder of test/, one for unittests/.
suite_in_parts() {
  local folder
  part unittests run_tests "$1" "$2, unittests" '^kpack-Unit ::'
  for folder in "$KPACK_SOURCE_DIR"/test/*/; do
    # Some hold nothing but what unit tests read.
    [ -n "$(find "$folder" -name Inputs -prune -o -type f \( -name '*.test' -o -name '*.cpp' -o -name '*.hip' \) -print -quit)" ] ||
      continue
    folder=$(basename "$folder")
    case $folder in
    Engines | Inputs | Unit) ;;
    *) part "$folder" run_tests "$1" "$2, $folder" "^kpack :: $folder/" ;;
    esac
  done
}

# beside_stress: from here to the end of the tier, four processes compute.
beside_stress() {
  stress -q -c 4 &
  stress_process=$!
}

# write_result: what is known of this commit, for people and for scripts.
write_result() {
  python3 - "$records" "$tier" "$commit" "${unfinished[@]}" <<'PY'
import json, os, sys
records, tier, commit, *unfinished = sys.argv[1:]
parts = {}
for line in open(records):
    fields = line.split()
    if fields[0] == commit:
        parts[fields[1]] = dict(zip(("passed", "failed", "skipped", "seconds"), map(int, fields[2:])))
total = {key: sum(part[key] for part in parts.values()) for key in ("passed", "failed", "skipped", "seconds")}
result = {"schema": "kpack.check.tier/1", "tier": tier, "commit": commit,
          "complete": not unfinished, "unfinished": unfinished, **total, "parts": parts}
path = os.path.join(os.path.dirname(records), tier + ".json")
with open(path + ".tmp", "w") as out:
    json.dump(result, out, indent=2)
    out.write("\n")
os.replace(path + ".tmp", path)
PY
}

# end_tier: also of one that was interrupted, or whose build failed: the shell is
# in no function any more then, so what is read here is not local.
end_tier() {
  [ -z "$stress_process" ] || kill "$stress_process" 2>/dev/null || true
  write_result
}

break_tier() {
  unfinished+=("what was left when it was broken off")
  end_tier
}

# run_tier NAME: its file calls part for each of its parts.
run_tier() {
  tier=$1
  tier_began=$SECONDS
  tier_seconds=$((${KPACK_TIER_MINUTES:-40} * 60)) # a tier's file may say less
  stress_process=
  unfinished=()
  install_packages build test
  mkdir -p "$KPACK_BUILD_DIR/nightly"
  records=$KPACK_BUILD_DIR/nightly/$tier.records
  touch "$records"
  commit=$(tested_commit)
  say "$tier: at $commit"
  trap break_tier EXIT
  . "$KPACK_SOURCE_DIR/scripts/tiers/$tier.sh"
  trap - EXIT
  end_tier
  # What has not run has not passed.
  failed=$((failed + ${#unfinished[@]}))
  say "$tier: $((SECONDS - tier_began)) s; ${KPACK_BUILD_DIR#"$KPACK_SOURCE_DIR"/}/nightly/$tier.json"
}

# print_times [FILE]: the table of all parts; also as JSON to FILE.
print_times() {
  printf '%s\n' "${time_records[@]}" | KPACK_JOBS=$KPACK_JOBS "$KPACK_SOURCE_DIR/scripts/check-times" --records \
    --commit="$(tested_commit)" --run="$run_name" ${1:+--write="$1"}
}

# close_check [FILE]: the table of times, which FILE keeps, the closing line, and the
# exit status.
close_check() {
  if [ ${#time_records[@]} != 0 ]; then
    print_times "$@" || failed=$((failed + 1))
  fi
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed = 0 ] && [ $passed -gt 0 ]
  exit
}
