//===- ClangOptions.h - clang's option table --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hides where LLVM's releases keep the table of clang's options; the only
// version-dependent file of this library.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_CLANGOPTIONS_H
#define KPACK_LIB_DRIVER_CLANGOPTIONS_H

#include "llvm/Config/llvm-config.h"

#if LLVM_VERSION_MAJOR >= 22
#include "clang/Options/Options.h"
namespace kpack::driver {
namespace options = clang::options;
using clang::getDriverOptTable;
/// The tool that finds the GPUs for --offload-arch=native.
inline constexpr options::ID ArchTool = options::OPT_offload_arch_tool_EQ;
inline constexpr options::ID NoDeviceLibs = options::OPT_no_offloadlib;
inline constexpr options::ID WantDeviceLibs = options::OPT_offloadlib;
inline constexpr options::ID NoHipHeaders = options::OPT_no_offload_inc;
} // namespace kpack::driver
#else
#include "clang/Driver/Options.h"
namespace kpack::driver {
namespace options = clang::driver::options;
using clang::driver::getDriverOptTable;
inline constexpr options::ID ArchTool = options::OPT_amdgpu_arch_tool_EQ;
inline constexpr options::ID NoDeviceLibs = options::OPT_nogpulib;
inline constexpr options::ID WantDeviceLibs = options::OPT_INVALID;
inline constexpr options::ID NoHipHeaders = options::OPT_nogpuinc;
} // namespace kpack::driver
#endif

#endif // KPACK_LIB_DRIVER_CLANGOPTIONS_H
