# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The whole suite of a build with LLVM 19; each header of ConvBuilder alone by its clang.
install_packages nightly
dir=$KPACK_BUILD_DIR-llvm19
KPACK_LLVM_VERSION=19 configure_suite "$dir"
build_suite "$dir" "LLVM 19"
export KPACK_CONV_COMPILED=all KPACK_CONV_COMPILERS=clang++-19
part conv-headers run_tests "$dir" "LLVM 19, headers and processors of convolutions" \
  'ConvBuilder/(capabilities|headers)'
unset KPACK_CONV_COMPILED KPACK_CONV_COMPILERS
suite_in_parts "$dir" "LLVM 19"
