# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests that must pass: ROCm's own of rocRAND, on gfx90a, and ours of HIP, on every ROCm
# and five GPUs; scripts/accept --pinned has all.
install_packages demo demo-all accept
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
for release in 5.7 6.4; do
  part "rocrand-$release" run_accepted "rocRAND of ROCm $release" --suite=rocrand --rocm="$release" --gpu=gfx90a
done
part own run_accepted "our programs of HIP" --suite=own \
  --gpu=gfx90a,gfx1030,gfx942,gfx1100,gfx1201
