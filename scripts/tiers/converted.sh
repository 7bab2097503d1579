# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converted programs and libraries on emulated GPUs: ROCm's tests, and what each linker writes.
install_packages demo demo-all accept
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
roots=$KPACK_BUILD_DIR/acceptance/roots

# What must pass as it was linked must pass converted.
part rocrand run_accepted "rocRAND, converted" --converted --suite=rocrand --rocm=5.7 --gpu=gfx90a
part rocsparse run_accepted "rocSPARSE, converted" --converted --suite=rocsparse --rocm=5.7 --gpu=gfx90a

# after_tool TOOL SUITE MINUTES: some of the tests, once a packager's tool has changed the
# files. rocSPARSE's program takes half a minute before the first one.
after_tool() {
  local last
  last=$("$KPACK_SOURCE_DIR/scripts/accept" --converted="$1" --suite="$2" --rocm=5.7 --gpu=gfx90a --budget="$3" |
    tee >(cat >&2) | tail -n 1) || true
  [[ $last =~ ^[1-9][0-9]*\ passed,\ 0\ failed$ ]]
}
for tool in strip objcopy debuglink llvm-strip patchelf; do
  part "rocrand-$tool" run_command "rocRAND after $tool" after_tool "$tool" rocrand 1
  part "rocsparse-$tool" run_command "rocSPARSE after $tool" after_tool "$tool" rocsparse 3
done

# gpu_matrix FOLDER ARGUMENTS...: what clang and each linker make; the last line has the figures.
gpu_matrix() (
  folder=$KPACK_BUILD_DIR/nightly/$1
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  cd "$folder"
  PATH=/usr/lib/llvm-22/bin:$PATH python3 -B "$KPACK_SOURCE_DIR/test/HostRewrite/Inputs/gpu_matrix.py" --all "$@" \
    "$KPACK_BUILD_DIR" /usr/lib/llvm-22/bin/clang++ "$KPACK_SOURCE_DIR" | tee figures
  grep -q ' [1-9][0-9]* runs, 0 failed$' figures
)
new_gpu_matrix() {
  python3 -B "$KPACK_SOURCE_DIR/acceptance/roots.py" 6.4 "$roots/unstable" &&
    gpu_matrix matrix-6.4 --rocm="$roots/unstable"
}
part matrix-5.2 run_command "linkers, ROCm 5.2" gpu_matrix matrix-5.2
part matrix-6.4 run_command "linkers, ROCm 6.4" new_gpu_matrix
