# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Minutes of each fuzzer, from its seeds and from what earlier runs found.
configure_sanitized
build_suite "$sanitized_dir" fuzzers
fuzzers=("$sanitized_dir"/fuzz/*-fuzzer)
for fuzzer in "${fuzzers[@]}"; do
  part "$(basename "$fuzzer")" run_fuzzer "$fuzzer" $((25 * 60 / ${#fuzzers[@]}))
done
