# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds without precompiled headers, which hide a missing #include: all by clang 22, what g++ 12 can compile by it.
# build_without_pch DIR TARGETS [CMAKE ARGS...]
build_without_pch() {
  local dir=$1 targets=$2
  shift 2
  mkdir -p "$dir"
  configure_build "$dir" -DKPACK_PCH=OFF -DKPACK_PRODUCTS="$(all_products)" "$@"
  # shellcheck disable=SC2086 # several targets
  ninja -C "$dir" -j "$KPACK_JOBS" --quiet $targets
}
part clang run_command "clang 22 without precompiled headers" build_without_pch "$KPACK_BUILD_DIR-no-pch" "all check-depends"
# The libraries that HIP processes load; g++ 12 rejects some constant expressions of the
# others. It does not find the lld of this version.
part g++ run_command "g++ 12 without precompiled headers" build_without_pch "$KPACK_BUILD_DIR-no-pch-g++" \
  "kpackSupport kpackArchive rocm_kpack kpack_c kpack_hip" \
  -DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12 -DKPACK_ENABLE_LLVM=OFF -DKPACK_BUILD_TESTS=OFF \
  -DCMAKE_EXE_LINKER_FLAGS= -DCMAKE_SHARED_LINKER_FLAGS= -DCMAKE_MODULE_LINKER_FLAGS=
