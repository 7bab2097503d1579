# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The smallest part of accept-gfx90a: rocRAND's own tests.
install_packages accept
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
for release in 5.7 6.4; do
  part "rocrand-$release" run_accepted "rocRAND of ROCm $release" --suite=rocrand --rocm="$release" --gpu=gfx90a
done
