# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ROCm 7.2's own tests that must pass, on five GPUs.
install_packages accept
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
for gpu in gfx90a gfx942 gfx1030 gfx1100 gfx1201; do
  part "$gpu" run_accepted "ROCm 7.2 on $gpu" --rocm=7.2 --gpu="$gpu"
done
