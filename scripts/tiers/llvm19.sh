# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The whole suite of a build with LLVM 19.
install_packages nightly
dir=$KPACK_BUILD_DIR-llvm19
KPACK_LLVM_VERSION=19 configure_suite "$dir"
build_suite "$dir" "LLVM 19"
suite_in_parts "$dir" "LLVM 19"
