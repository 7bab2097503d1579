#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bundle.sh <source folder> <folder with libkpack_jit.so> <C++ compiler> <clang++> <output folder>
#
# Puts what a machine with a GPU of NVIDIA needs to run kernels.ptx, and no compiler, into
# the output folder: there "sh run.sh" says what became of each kernel. Exit status 3: there
# is no such GPU.
set -eu
source=$1 libraries=$2 compiler=$3 clang=$4 output=$5
mkdir -p "$output"
"$compiler" -std=c++20 -O2 -Wall -Wextra -Werror "$source/test/Jit/Inputs/ptx/ptx.cpp" -I "$source/include" \
  -L"$libraries" -lkpack_jit -ldl -o "$output/ptx"
mkdir -p "$output/libraries"
cp -L "$libraries/libkpack_jit.so.0" "$output/libraries/"
# What another distribution may lack; not the C library.
ldd "$output/libraries/libkpack_jit.so.0" | sed -n 's/^.*\(zstd\|crypto\|stdc++\|gcc_s\).* => \(.*\) (.*$/\2/p' |
  while read -r library; do cp -L "$library" "$output/libraries/"; done
KPACK_JIT_COMPILER=$clang KPACK_JIT_CACHE_DIR=$output/cache LD_LIBRARY_PATH=$libraries "$output/ptx" make "$output/kernels.ptx"
rm -rf "$output/cache"
cat > "$output/run.sh" <<'RUN'
#!/bin/sh
here=$(dirname "$0")
LD_LIBRARY_PATH=$here/libraries:${LD_LIBRARY_PATH-} exec "$here/ptx" run "$here/kernels.ptx"
RUN
