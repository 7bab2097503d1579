//===- HostCompiler.h - version check of the loading compiler ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin is made for one LLVM major version. In another one it may crash or,
// worse, do nothing; clang checks a version number for pass plugins only, and
// not every major version changes it. So both plugins check the version before
// they touch any data of the compiler whose layout could differ. For the same
// reason they print messages with stdio, not with LLVM's streams.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_HOSTCOMPILER_H
#define KPACK_LIB_PLUGIN_HOSTCOMPILER_H

namespace kpack::plugin {

/// Returns false, after an error on stderr about the plugin \p Library, if the
/// LLVM of this process has another major version than the plugin's. A program
/// without a version passes.
bool hostCompilerFits(const char *Library);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_HOSTCOMPILER_H
