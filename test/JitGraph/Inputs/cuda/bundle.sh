#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bundle.sh <source folder> <folder with libraries of the build> <C++ compiler> <clang++> <output folder>
#
# Puts what a machine with a GPU of NVIDIA needs to execute the models of examples, and no
# compiler, into the output folder: there "sh run.sh" compares them with their loops, and
# measures calls. Kernels are compiled here, for a driver that is none.
set -eu
source=$1 libraries=$2 compiler=$3 clang=$4 output=$5
inputs=$source/test/JitGraph/Inputs
mkdir -p "$output/libraries"
"$compiler" -std=c++20 -O2 -Wall -Wextra -Werror -shared -fPIC "$inputs/cuda/fake-cuda.cpp" -o "$output/libfake-cuda.so"
"$compiler" -std=c++20 -O2 -Wall -Wextra -Werror -rdynamic "$inputs/gpu-models.cpp" "$inputs/cuda/carried.cpp" \
  -I "$source/include" -I "$source/examples" -L"$libraries" -lkpackJitGraph -lkpackGpuRuntime -lkpackSupport -lkpack_jit -ldl -o "$output/models"
cp -L "$libraries/libkpack_jit.so.0" "$output/libraries/"
# What another distribution may lack; not the C library.
ldd "$output/libraries/libkpack_jit.so.0" | sed -n 's/^.*\(zstd\|crypto\|stdc++\|gcc_s\).* => \(.*\) (.*$/\2/p' |
  while read -r library; do cp -L "$library" "$output/libraries/"; done
for how in launches graph; do
  for what in vad encoder halves times; do
    mkdir -p "$output/$what-$how"
    echo "$what $how"
    LD_PRELOAD=$output/libfake-cuda.so LD_LIBRARY_PATH=$libraries KPACK_JIT_GRAPH_WHERE=cuda FAKE_CUDA_COUNTS=1 \
      CARRIED_TO=$output/$what-$how KPACK_JIT_COMPILER=$clang KPACK_JIT_CACHE_DIR=$output/cache \
      "$output/models" "$what" "$how"
  done
done
rm -rf "$output/cache"
cat > "$output/run.sh" <<'RUN'
#!/bin/sh
here=$(dirname "$0")
for how in launches graph; do
  for what in vad encoder halves times; do
    echo "$what $how"
    LD_LIBRARY_PATH=$here/libraries:${LD_LIBRARY_PATH-} KPACK_JIT_GRAPH_WHERE=cuda CARRIED_FROM=$here/$what-$how \
      KPACK_JIT_COMPILER=/nonexistent "$here/models" "$what" "$how" || exit 1
  done
done
RUN
