#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# attention.sh FOLDER SOURCE: what the pages about late kernels are run in.
#   FOLDER/rocm     a ROCm, whose hipcc compiles HIP without headers of its own
#   FOLDER/aiter    a project as aiter is, and with another library in its CMakeLists.txt
#   FOLDER/install  where its library will be, with a program that calls kernels of it
# ROCM_PATH is FOLDER/rocm for the pages, FAKE_FLAGS and CXXFLAGS are
# "-nogpulib -nogpuinc", and FAKE_VARIANTS says how many kernels there are.
set -eu
sh "$2/test/CkJit/Inputs/project/make-tree.sh" "$1" clang++-22
mkdir -p "$1/rocm/llvm/bin" "$1/install"
ln -s /usr/bin/clang++-22 "$1/rocm/llvm/bin/clang++"
cp "$2/test/Docs/Inputs/attention/train.py" "$1/install"
cd "$1/aiter"
cp "$2/test/Docs/Inputs/attention/CMakeLists.txt" .
python3 -B 3rdparty/minick/generate.py -d fwd -o generated --variants 2
mv generated/fmha_fwd_api.cpp pick_fwd.cpp
