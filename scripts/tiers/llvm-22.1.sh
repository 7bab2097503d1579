# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Our patches of LLVM 22.1: every commit builds, LLVM's own tests; a download of 197 MB once.
install_packages patches
configure_suite "$KPACK_BUILD_DIR"
say "kpack: building"
ninja -C "$KPACK_BUILD_DIR" -j "$KPACK_JOBS" --quiet kpack kpack-run kpack-clang++ ld.kpack KpackPlugin \
  ClangKpack fakehip softgpu-run
took "kpack: built"
part series run_counted "patches of LLVM 22.1" "$KPACK_SOURCE_DIR/llvm-project-patches/check" \
  --each --kpack="$KPACK_BUILD_DIR/bin" --jobs="$KPACK_JOBS" 22.1
