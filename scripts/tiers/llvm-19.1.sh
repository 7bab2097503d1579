# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Our patches of LLVM 19.1: every commit builds, LLVM's own tests; a download of 164 MB once.
install_packages nightly patches patches-19
# Its code objects and archives are compared with those of our own tools, of the same LLVM.
dir=$KPACK_BUILD_DIR-llvm19
KPACK_LLVM_VERSION=19 configure_suite "$dir"
say "kpack with LLVM 19: building"
ninja -C "$dir" -j "$KPACK_JOBS" --quiet kpack kpack-run kpack-clang++ ld.kpack KpackPlugin \
  ClangKpack fakehip softgpu-run
took "kpack with LLVM 19: built"
part series run_counted "patches of LLVM 19.1" "$KPACK_SOURCE_DIR/llvm-project-patches/check" \
  --each --kpack="$dir/bin" --jobs="$KPACK_JOBS" 19.1
