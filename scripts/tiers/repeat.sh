# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tests of SoftGpu, HipShim and Jit, 20 times on a busy machine.
install_packages busy
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
beside_stress
for round in {1..20}; do
  part "round-$round" run_tests "$KPACK_BUILD_DIR" "round $round" '(kpack|kpack-Unit) :: (SoftGpu|HipShim|Jit)/'
done
