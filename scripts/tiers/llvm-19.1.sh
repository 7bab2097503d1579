# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Our patches of LLVM 19.1: every commit builds, LLVM's own tests; a download of 164 MB once.
install_packages patches patches-19
part series run_counted "patches of LLVM 19.1" "$KPACK_SOURCE_DIR/llvm-project-patches/check" \
  --each --jobs="$KPACK_JOBS" 19.1
