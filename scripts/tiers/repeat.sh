# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tests of SoftGpu, HipShim and Jit, 20 times, with many at once.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
# They keep the machine busy themselves: what others would compute beside them
# teaches nothing, and takes as long.
KPACK_JOBS=$((4 * KPACK_JOBS))
for round in {1..20}; do
  part "round-$round" run_tests "$KPACK_BUILD_DIR" "round $round" '(kpack|kpack-Unit) :: (SoftGpu|HipShim|Jit)/'
done
