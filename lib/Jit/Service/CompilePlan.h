//===- Jit/Service/CompilePlan.h - command lines of a compile ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands that the helper runs for a request, as argument vectors: the
// halves of a HIP source, their preprocessing, the assembly that embeds device
// code, and the link. This file runs none of them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILEPLAN_H
#define KPACK_JIT_SERVICE_COMPILEPLAN_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

using Arguments = std::vector<std::string>;

/// Precompiled headers that replace the start of a source (Pch.h).
struct PchFiles {
  std::vector<std::string> Paths; ///< one for each half, or empty
  size_t PreambleBytes = 0;       ///< of the source, covered by the headers
};

/// Returns one command for Cxx, two for Hip (host first; a code object needs
/// only the second). They write host.o and device.co to \p Folder.
std::vector<Arguments> compileCommands(const CompileRequest &Request,
                                       const std::string &Folder,
                                       const PchFiles &Headers = {});

/// The same compiles with the front end alone.
std::vector<Arguments> checkCommands(const CompileRequest &Request);

/// Writes the result as text to \p Output; for a HIP source the device code.
Arguments showCommand(const CompileRequest &Request, CompileText Kind,
                      const std::string &Output);

/// Precompiles standard input for one half, to \p Output.
Arguments pchCommand(const CompileRequest &Request, size_t Half,
                     const std::string &Output);

/// Writes the unoptimized LLVM IR of the device half to \p Output.
Arguments irCommand(const CompileRequest &Request, const std::string &Output);

/// Preprocesses each half to standard output.
std::vector<Arguments> preprocessCommands(const CompileRequest &Request);

/// Returns true if precompiled headers cannot change the product. They can if
/// it records the file of a declaration.
bool allowsPch(const CompileRequest &Request);

/// One command per half; each prints a make rule with the files that it reads.
std::vector<Arguments> scanCommands(const CompileRequest &Request);

/// Print (-###) the commands of the driver for a compile and a link.
std::vector<Arguments> dryRunCommands(const CompileRequest &Request);

/// Prints the processor that the driver detects.
Arguments processorCommand(const CompileRequest &Request);

/// Assembles payload.s to payload.o in the current directory.
Arguments assembleCommand(const CompileRequest &Request);

/// Links \p Objects to \p Output, which exports only the names in
/// \p ExportsFile.
Arguments linkCommand(const CompileRequest &Request, const Arguments &Objects,
                      const std::string &ExportsFile,
                      const std::string &Output);

/// Returns true if a link without the compiler's libraries loads the same
/// shared libraries, namely none, for an object with the undefined symbols
/// \p Undefined.
bool needsNoLibraries(const CompileRequest &Request,
                      const std::vector<std::string> &Undefined);

/// Returns a version script that exports only \p Symbols.
std::string exportsScript(const std::vector<std::string> &Symbols);

/// Returns assembly that embeds the file "device.hipfb" of the current
/// directory as \p Symbol, in the form that the HIP runtime expects, and
/// reserves its handle as \p Handle unless that is empty.
std::string payloadAssembly(const std::string &Symbol,
                            const std::string &Handle);

/// Returns an uncompressed offload bundle with one code object.
std::string offloadBundle(const std::string &Target,
                          const std::string &CodeObject);

/// Returns the files after the colon of a make rule as compilers print it.
std::vector<std::string> filesOfMakeRule(const std::string &Rule);

/// Parses the commands in the output of -###.
std::vector<Arguments> commandsOfDryRun(const std::string &Text);

/// Returns the programs and device libraries among the words of the commands.
std::vector<std::string> filesOfDryRun(const std::vector<Arguments> &Commands);

inline bool startsWith(std::string_view Text, std::string_view Start) {
  return Text.substr(0, Start.size()) == Start;
}
bool isOneOf(std::string_view Text,
             std::initializer_list<std::string_view> Names);

/// Returns the folder of an absolute \p Path; "/" for files in the root.
std::string getFolder(const std::string &Path);

/// Resolves \p Path against \p Base and removes dots.
std::string absolute(const std::string &Path, const std::string &Base);

/// Quotes the arguments for a shell.
std::string shellQuoted(const Arguments &Args);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILEPLAN_H
