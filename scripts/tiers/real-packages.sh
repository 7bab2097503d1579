# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's ROCm packages and applications, converted, packed and measured, in 30 minutes; downloads of 2.6 GB once.
tier_seconds=$((${KPACK_TIER_MINUTES:-30} * 60))
configure_suite "$KPACK_BUILD_DIR"
say "kpack: building"
ninja -C "$KPACK_BUILD_DIR" -j "$KPACK_JOBS" --quiet kpack raw-zstd
took "kpack: built"
sizes=$KPACK_BUILD_DIR/nightly/real-packages-sizes.json
while read -r package; do
  part "$package" run_command "$package" "$KPACK_SOURCE_DIR/scripts/real-packages" --build="$KPACK_BUILD_DIR" \
    --json="$sizes" "$package"
done < <("$KPACK_SOURCE_DIR/scripts/real-packages" --list=nightly)
part total run_command total "$KPACK_SOURCE_DIR/scripts/real-packages" --total="$sizes"
