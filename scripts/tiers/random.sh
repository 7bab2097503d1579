# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Random kernels against the CPU, random instructions against the reference, and many
# mutations of archives, markers and linked binaries, fat and host-only.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
configure_sanitized
build_suite "$sanitized_dir" sanitized
export KPACK_TEST_MUTATIONS=100000
part mutations run_tests "$sanitized_dir" mutations '/(ArchiveMutation|Runtime)Tests/'
# Of linked binaries 2,000 are loaded, too, and of fat ones all that can be converted.
part binaries run_tests "$KPACK_BUILD_DIR" "mutated binaries" 'HostRewrite/mutations.test'
part conversions run_tests "$KPACK_BUILD_DIR" "mutated binaries, converted" 'HostRewrite/convert-mutations.test'
unset KPACK_TEST_MUTATIONS
export KPACK_TEST_PACKED=1000
part packed run_tests "$KPACK_BUILD_DIR" "commands with mutated archives" 'kpack/mutated-archives.test'
unset KPACK_TEST_PACKED
for seeds in 1-20 21-40 41-60 61-80 81-100; do
  export KPACK_TEST_SEEDS=$seeds
  part "kernels-$seeds" run_tests "$KPACK_BUILD_DIR" "random kernels $seeds" 'SoftGpu/random.test'
done
unset KPACK_TEST_SEEDS
export KPACK_TEST_INSTRUCTIONS=10000000
part instructions run_tests "$KPACK_BUILD_DIR" "random instructions" 'SoftGpu/differential.test'
unset KPACK_TEST_INSTRUCTIONS
