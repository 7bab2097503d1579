# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ROCm's own tests that must pass, of rocRAND, on gfx90a; scripts/accept --pinned has all.
install_packages accept
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
for release in 5.7 6.4; do
  part "rocrand-$release" run_command "rocRAND of ROCm $release" "$KPACK_SOURCE_DIR/scripts/accept" \
    --pinned --suite=rocrand --rocm="$release" --gpu=gfx90a
done
