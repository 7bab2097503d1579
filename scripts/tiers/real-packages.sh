# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's ROCm packages, converted and checked, one part each; downloads of 1.7 GB once.
configure_suite "$KPACK_BUILD_DIR"
say "kpack: building"
ninja -C "$KPACK_BUILD_DIR" -j "$KPACK_JOBS" --quiet kpack
took "kpack: built"
while read -r package; do
  part "$package" run_command "$package" "$KPACK_SOURCE_DIR/scripts/real-packages" --build="$KPACK_BUILD_DIR" \
    --json="$KPACK_BUILD_DIR/nightly/real-packages-sizes.json" "$package"
done < <("$KPACK_SOURCE_DIR/scripts/real-packages" --list=nightly)
