# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Names and const in every source file, by clang-tidy.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release # some headers are generated
part dialect run_command dialect "$KPACK_SOURCE_DIR/scripts/tidy" --build="$KPACK_BUILD_DIR" --all
