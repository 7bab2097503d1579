# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A library of 10,000 kernels built with none of them compiled; some are called.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
rm -rf "$KPACK_BUILD_DIR"/ckjit-demo-* # of one that was killed
# How fast it is it only says; that results are exact is what it fails by.
part variants run_command "10000 kernels" env TMPDIR="$KPACK_BUILD_DIR" \
  "$KPACK_SOURCE_DIR/examples/ckjit/run" --build "$KPACK_BUILD_DIR" --variants 10000 --sample 4
