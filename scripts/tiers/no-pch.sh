# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds without precompiled headers, which hide a missing #include: all by clang 22, the libraries without LLVM by g++ 12.
# build_without_pch COMPILER DIR [CMAKE ARGS...]
build_without_pch() {
  local compiler=$1 dir=$2
  shift 2
  configure_suite "$dir" -DKPACK_PCH=OFF -DCMAKE_CXX_COMPILER="$compiler" "$@"
  ninja -C "$dir" -j "$KPACK_JOBS" --quiet all check-depends
}
part clang run_command "clang 22 without precompiled headers" build_without_pch clang++-22 "$KPACK_BUILD_DIR-no-pch"
part g++ run_command "g++ 12 without precompiled headers" build_without_pch g++-12 "$KPACK_BUILD_DIR-no-pch-g++" \
  -DCMAKE_C_COMPILER=gcc-12 -DKPACK_ENABLE_LLVM=OFF
