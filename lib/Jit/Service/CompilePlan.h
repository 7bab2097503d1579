//===- Jit/Service/CompilePlan.h - command lines of a compile ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compile helper runs for a request, as argument vectors: the halves
// of a HIP source, their preprocessing alone, the assembly that embeds device
// code, the link. Nothing is run here.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILEPLAN_H
#define KPACK_JIT_SERVICE_COMPILEPLAN_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

using Arguments = std::vector<std::string>;

/// Precompiled headers that stand for the start of a source (Pch.h).
struct PchFiles {
  std::vector<std::string> Paths; ///< one for each half; empty: none
  size_t PreambleBytes = 0;       ///< of the source, that are in them
};

/// One for Cxx, two for Hip (host first), of which a code object needs the
/// second only. Objects are written to \p Folder: host.o and device.co.
std::vector<Arguments> compileCommands(const CompileRequest &Request,
                                       const std::string &Folder,
                                       const PchFiles &Headers = {});

/// The same compiles as far as the front end goes.
std::vector<Arguments> checkCommands(const CompileRequest &Request);

/// What is compiled, as text to \p Output: the device code of a HIP source.
Arguments showCommand(const CompileRequest &Request, CompileText What,
                      const std::string &Output);

/// Precompiles its standard input for one half, to \p Output.
Arguments pchCommand(const CompileRequest &Request, size_t Half,
                     const std::string &Output);

/// The device half as LLVM IR, to \p Output: the front end alone.
Arguments irCommand(const CompileRequest &Request, const std::string &Output);

/// Each half preprocessed, printed.
std::vector<Arguments> preprocessCommands(const CompileRequest &Request);

/// Whether headers that are compiled beforehand cannot change the outcome.
/// They can where it says which file a declaration is from.
bool allowsPch(const CompileRequest &Request);

/// As many, each printing a make rule with the files it reads.
std::vector<Arguments> scanCommands(const CompileRequest &Request);

/// Print (-###) what the driver would run for a compile and a link.
std::vector<Arguments> dryRunCommands(const CompileRequest &Request);

/// Prints what the driver takes this machine's processor for.
Arguments processorCommand(const CompileRequest &Request);

/// payload.s to payload.o, in the current directory.
Arguments assembleCommand(const CompileRequest &Request);

/// \p Objects to \p Output; only what \p ExportsFile lists is exported.
Arguments linkCommand(const CompileRequest &Request, const Arguments &Objects,
                      const std::string &ExportsFile,
                      const std::string &Output);

/// Whether a link without the compiler's libraries gives a file that loads the
/// same ones, for an object with these symbols \p Undefined: none.
bool needsNoLibraries(const CompileRequest &Request,
                      const std::vector<std::string> &Undefined);

/// The version script that exports \p Symbols and nothing else.
std::string exportsScript(const std::vector<std::string> &Symbols);

/// Assembly of an object that holds the file "device.hipfb" in the current
/// directory as \p Symbol, as the HIP runtime expects it, and room for its
/// handle as \p Handle, unless that is empty.
std::string payloadAssembly(const std::string &Symbol,
                            const std::string &Handle);

/// An uncompressed offload bundle with one code object.
std::string offloadBundle(const std::string &Target,
                          const std::string &CodeObject);

/// The files that a make rule, as compilers print it, names after the colon.
std::vector<std::string> filesOfMakeRule(const std::string &Rule);

/// The commands in what -### prints.
std::vector<Arguments> commandsOfDryRun(const std::string &Text);

/// Programs and device libraries among the words of these commands.
std::vector<std::string> filesOfDryRun(const std::vector<Arguments> &Commands);

inline bool startsWith(std::string_view Text, std::string_view Start) {
  return Text.substr(0, Start.size()) == Start;
}
bool isOneOf(std::string_view Text,
             std::initializer_list<std::string_view> Names);

/// The folder that \p Path, which is absolute, is in; of the root itself.
std::string folderOf(const std::string &Path);

/// \p Path as it is seen from \p Base, without dots.
std::string absolute(const std::string &Path, const std::string &Base);

/// As a person would type it.
std::string shellQuoted(const Arguments &Args);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILEPLAN_H
