# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Minutes of each fuzzer, from its seeds and from what earlier runs found. Those of ConvBuilder: conv-fuzz.sh.
configure_sanitized
build_suite "$sanitized_dir" fuzzers
fuzzers=()
for fuzzer in "$sanitized_dir"/fuzz/*-fuzzer; do
  [[ $fuzzer = */conv-* ]] || fuzzers+=("$fuzzer")
done
for fuzzer in "${fuzzers[@]}"; do
  part "$(basename "$fuzzer")" run_fuzzer "$fuzzer" $((25 * 60 / ${#fuzzers[@]}))
done
