# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# llama.cpp of Debian unstable on emulated GPUs, as packaged and converted; downloads of 0.7 GB once.
install_packages accept
configure_suite "$KPACK_BUILD_DIR"
say "kpack: building"
ninja -C "$KPACK_BUILD_DIR" -j "$KPACK_JOBS" --quiet kpack kpack-run
took "kpack: built"
for gpu in gfx90a gfx1030 gfx1100; do
  for way in packaged converted; do
    options=(--gpu="$gpu")
    [ $way = packaged ] || options+=(--converted)
    part "$gpu-$way" run_counted "llama.cpp on $gpu, $way" \
      python3 -B "$KPACK_SOURCE_DIR/acceptance/applications.py" --build="$KPACK_BUILD_DIR" "${options[@]}"
  done
done
