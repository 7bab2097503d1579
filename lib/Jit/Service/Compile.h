//===- Jit/Service/Compile.h - compile of a source by a helper --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a compiler inside a program that is not one: without a shell, a signal
// handler or a child whose status the program could take (SIGCHLD may be
// ignored), and without leftovers if either of the two is killed. This works
// because a helper does the work, the program kpack-jit-compile
// (CompileHelper.h), which is alone in its process; its result comes back
// through a pipe. The host and the device half of a HIP source are compiled in
// parallel, for one architecture.
//
// SourceCache.h decides which sources are compiled again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILE_H
#define KPACK_JIT_SERVICE_COMPILE_H

#include "Jit/Service/CompileRoute.h"
#include "Jit/Store/Entry.h"
#include "Jit/Store/FileSet.h"
#include "Jit/Store/Message.h"
#include "Jit/Store/StopCallback.h"

#include <memory>

#include <optional>

namespace kpack::jit {

enum class Language { Cxx, Hip };

/// Use of precompiled headers in the cache (SourceCache only). They save time
/// and change neither key nor machine code.
enum class PchPolicy {
  Off,
  Auto, ///< built in the background once a slow family misses again
  On,   ///< built before the first compile that can use them; for prebuilding
};
/// Parses "off", "auto" or "on"; nullopt for another word.
std::optional<PchPolicy> parsePchPolicy(std::string_view Word);

/// A file in memory.
struct MemoryFile {
  std::string Name; ///< as included: relative, without ".."
  std::string Text;
};

/// A source in memory. The compiler sees the three parts as one file; messages
/// count lines in Text alone, as its author does.
struct SourceText {
  std::string Before; ///< constants
  std::string Text;
  std::string After;               ///< the table of functions (EntryTable.h)
  std::vector<MemoryFile> Headers; ///< found by #include "" and #include <>
};

/// The product of a compile.
enum class CompileOutput {
  SharedObject, ///< for this machine, with the device code in it
  CodeObject,   ///< the device code alone; Hip only
  Ptx,          ///< device code for NVIDIA GPUs, as text
};
inline bool isDeviceCode(CompileOutput Output) {
  return Output != CompileOutput::SharedObject;
}
/// Returns the kind of its entries: "shared-object", "code-object", "ptx".
inline const char *kindOf(CompileOutput Output) {
  return Output == CompileOutput::SharedObject ? "shared-object"
         : Output == CompileOutput::CodeObject ? "code-object"
                                               : "ptx";
}

/// A source and the way to compile it.
struct CompileRequest {
  std::string Name;     ///< for messages
  std::string Compiler; ///< absolute path of a clang++
  /// Absolute path; with Text, the source's name in messages.
  std::string Source;
  /// Replaces the file. Relative paths in flags then lead nowhere.
  std::optional<SourceText> Text;
  CompileOutput Output = CompileOutput::SharedObject;
  /// Name expressions of the table of functions at the source's end, in its
  /// order; Product::Functions describes them. Empty if there is no table.
  std::vector<std::string> Entries;
  /// Base of relative paths in flags; empty: the source's folder.
  std::string Directory;
  Language Lang = Language::Cxx;
  /// Target id of the device code, or "sm_90" for Ptx; Hip only.
  std::string Target;
  /// In command-line order, without inputs and outputs: see splitFlags().
  std::vector<std::string> Flags;
  std::vector<std::string> LinkFlags;
  /// The only functions that the shared object exports. Empty: all that the
  /// source emits, so that one entry serves all callers.
  std::vector<std::string> Symbols;
  PchPolicy Pch = PchPolicy::Auto;
  /// Limit of this user's concurrent compiles; 0: number of processors.
  unsigned Jobs = 0;
  /// For Auto: processor time of a compile, in seconds, that justifies the
  /// build.
  double PchSeconds = 3;
  /// Cancels the compile; not part of the key.
  StopCallback Stop;
};

/// The place of a request's precompiled headers, chosen by SourceCache.
struct PchPlace {
  std::string Store; ///< directory of a store; empty: use none
  KeyRecord Key;     ///< its last field is "preamble"
  /// True if they contain instantiations from a kernel of the family.
  bool WithKernels = false;
};

/// Limits of one helper call.
struct CompileLimits {
  double Seconds = 0; ///< includes waiting for a slot; 0: no limit
  unsigned Jobs = 0;  ///< see CompileRequest
};

/// Textual forms of a compile's result.
enum class CompileText { Ir, Assembly };

/// The flags of a build's command line, sorted by consumer.
struct SplitFlags {
  std::vector<std::string> Compile;
  std::vector<std::string> Link;
  Language Lang = Language::Cxx;
  std::vector<std::string> Targets; ///< of --offload-arch=
};

/// Splits \p Flags (without compiler and source). Drops inputs, outputs,
/// dependency files and target options. Recognizes the input \p Source under
/// any name relative to \p Directory.
SplitFlags splitFlags(const std::vector<std::string> &Flags,
                      const std::string &Source,
                      const std::string &Directory = {});

/// Returns \p Flags without those that only name places of files: the key holds
/// the content of these files.
std::vector<std::string>
flagsWithoutPaths(const std::vector<std::string> &Flags);

class ServerProcess;

/// Thread-safe: every call has a separate process. Errors of all calls:
/// InvalidArgument with the compiler's output and the command; KernelNotFound
/// if the source does not define a symbol; FileNotFound if the compiler or
/// helper is missing; IoError and OutOfMemory, which may pass.
class CompileService {
public:
  /// \p Helper is the path of kpack-jit-compile. Copies share one server.
  explicit CompileService(std::string Helper,
                          CompileRoute Route = CompileRoute::Fork);

  /// Call before the first compile. All calls may then also fail with IoError
  /// and Errc::CompileTimeout.
  void setLimits(CompileLimits L) { Limits = L; }

  /// Returns the product with the compiler's output (warnings).
  Result<Product> compile(const CompileRequest &Request,
                          const PchPlace &Headers = {}) const;

  /// Runs the front end alone and makes no product.
  Status check(const CompileRequest &Request) const;

  /// Returns the optimized LLVM IR or assembly of the compile; for a HIP source
  /// that of its device code.
  Result<std::string> show(const CompileRequest &Request,
                           CompileText Kind) const;

  /// Returns the inputs of a compile besides the source. Files: headers of both
  /// halves, files that assembly includes, and device libraries; Named: files
  /// that flags name. Absolute paths, each once. Facts: "processor" for each
  /// command that generates code; "native" if a flag asks for this machine's
  /// processor; "dated" if the product may contain the time of the compile.
  Result<FileNames> scan(const CompileRequest &Request) const;

  /// Returns the tools of a compile; they are the same for all sources with
  /// these link flags. Files: programs with their shared libraries; Linked:
  /// objects, archives and linker scripts of the link, but no shared objects;
  /// Note: the compiler's version text.
  Result<FileNames> tools(const CompileRequest &Request) const;

private:
  Result<Message> ask(const CompileRequest &Request, const char *Task,
                      const PchPlace &Headers) const;
  Result<FileNames> askNames(const CompileRequest &Request,
                             const char *Task) const;

  std::string Helper;
  std::shared_ptr<ServerProcess> Server; ///< null for CompileRoute::Fork
  CompileLimits Limits;
};

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILE_H
