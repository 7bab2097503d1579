# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Ten minutes of each fuzzer of what ConvBuilder reads: texts and JSON, measurements, code objects.
configure_sanitized
build_suite "$sanitized_dir" fuzzers
for fuzzer in "$sanitized_dir"/fuzz/conv-*-fuzzer; do
  part "$(basename "$fuzzer")" run_fuzzer "$fuzzer" 600
done
