//===- HostCompiler.h - the compiler that loads a plugin --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin is made for one LLVM major version. In another one it may crash or,
// worse, do nothing; clang checks a number for pass plugins only, and not every
// major version has a new one. So both plugins look for themselves before they
// touch anything of the compiler whose layout could differ. For the same reason
// messages go out with stdio here, not with LLVM's streams.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_HOSTCOMPILER_H
#define KPACK_LIB_PLUGIN_HOSTCOMPILER_H

namespace kpack::plugin {

/// False, after an error message on stderr that calls the plugin \p Library,
/// when the LLVM of this process is not of the major version the plugin was
/// made for. A program that does not tell its version passes.
bool hostCompilerFits(const char *Library);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_HOSTCOMPILER_H
