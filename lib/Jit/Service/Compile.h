//===- Jit/Service/Compile.h - a source to a shared object ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a compiler for a program that is not one: no shell, no signal handler,
// no child whose status the program could take away (SIGCHLD may be ignored),
// nothing left behind when either of them is killed. All of this is possible
// because the work is done by a helper, the program kpack-jit-compile
// (CompileHelper.h), which is alone in its process; what happened comes back
// through a pipe. Host and device half of a HIP source are compiled side by
// side, for one architecture.
//
// What is compiled again and what is not: SourceCache.h.
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

/// Whether precompiled headers are kept in the cache and used (SourceCache
/// only). They save time and change nothing else: neither key nor machine code.
enum class PchPolicy {
  Off,
  Auto, ///< made in the background once a slow family is missed again
  On,   ///< made before the first compile that can use them: for prebuilding
};
/// Of the words "off", "auto" and "on"; nothing for another.
std::optional<PchPolicy> pchPolicyOf(std::string_view Word);

/// A file that is in memory only.
struct MemoryFile {
  std::string Name; ///< as it is included: relative, without ".."
  std::string Text;
};

/// A source that is no file. The three parts are one file for the compiler;
/// messages count lines in Text alone, as its author does.
struct SourceText {
  std::string Before; ///< constants
  std::string Text;
  std::string After;               ///< the table of functions (EntryTable.h)
  std::vector<MemoryFile> Headers; ///< found by quotes and by brackets
};

/// What is made of a source.
enum class CompileOutput {
  SharedObject, ///< of this machine, with the device code in it
  CodeObject,   ///< the device code alone; Hip only
  Ptx,          ///< likewise, as text for GPUs of NVIDIA
};
inline bool isDeviceCode(CompileOutput Output) {
  return Output != CompileOutput::SharedObject;
}
/// What entries with it are called: "shared-object", "code-object", "ptx".
inline const char *kindOf(CompileOutput Output) {
  return Output == CompileOutput::SharedObject ? "shared-object"
         : Output == CompileOutput::CodeObject ? "code-object"
                                               : "ptx";
}

/// One source and how it is compiled.
struct CompileRequest {
  std::string Name;     ///< for messages
  std::string Compiler; ///< absolute path of a clang++
  /// Absolute path; of a Text the name that messages have for it.
  std::string Source;
  /// In the place of a file. Relative paths in flags lead nowhere then.
  std::optional<SourceText> Text;
  CompileOutput Output = CompileOutput::SharedObject;
  /// Name expressions of the table of functions that the source ends with, in
  /// its order: the product says what they are. Empty: there is none.
  std::vector<std::string> Entries;
  /// Where relative paths in flags start; empty: the source's folder.
  std::string Directory;
  Language Lang = Language::Cxx;
  /// Target id of the device code, "sm_90" of Ptx; Hip only.
  std::string Target;
  /// In their order, without inputs and outputs: see splitFlags().
  std::vector<std::string> Flags;
  std::vector<std::string> LinkFlags;
  /// The functions that the shared object exports, and nothing else. Empty: all
  /// that the source emits, so that one entry serves all who ask.
  std::vector<std::string> Symbols;
  PchPolicy Pch = PchPolicy::Auto;
  /// Compiles of this user at once, which this one is among; 0: processors.
  unsigned Jobs = 0;
  /// For Auto: processor time of a compile that is worth it.
  double PchSeconds = 3;
  /// The caller's way to give up; not part of the key.
  StopCallback Stop;
};

/// Where a request's precompiled headers are, by SourceCache.
struct PchPlace {
  std::string Store; ///< directory of a store; empty: none are used
  KeyRecord Key;     ///< its last field is "preamble"
  /// Whether they have what a kernel of the family instantiates.
  bool WithKernels = false;
};

/// What one question to the helper may take.
struct CompileLimits {
  double Seconds = 0; ///< waiting for a turn included; 0: no limit
  unsigned Jobs = 0;  ///< see CompileRequest
};

/// What a compile can be shown as.
enum class CompileText { Ir, Assembly };

/// What a build's command line says, sorted by who needs it.
struct SplitFlags {
  std::vector<std::string> Compile;
  std::vector<std::string> Link;
  Language Lang = Language::Cxx;
  std::vector<std::string> Targets; ///< of --offload-arch=
};

/// Takes apart \p Flags (without compiler and source): inputs, outputs,
/// dependency files and what chooses the target are dropped. The input is
/// \p Source, however it is named from \p Directory.
SplitFlags splitFlags(const std::vector<std::string> &Flags,
                      const std::string &Source,
                      const std::string &Directory = {});

/// \p Flags without those that only say where files are: part of a key by
/// content, which those files are part of themselves.
std::vector<std::string>
flagsWithoutPaths(const std::vector<std::string> &Flags);

class ServerProcess;

/// Thread-safe: every call has a process of its own. Errors of all calls:
/// InvalidArgument, what the compiler said and the command; KernelNotFound, the
/// source does not define a symbol; FileNotFound, no compiler or helper;
/// IoError and OutOfMemory, may be different the next time.
class CompileService {
public:
  /// \p Helper is the path of kpack-jit-compile. Copies share one server.
  explicit CompileService(std::string Helper,
                          CompileRoute Route = CompileRoute::Fork);

  /// Before the first call. Errors of all calls then also are IoError with
  /// Errc::CompileTimeout.
  void setLimits(CompileLimits L) { Limits = L; }

  /// The shared object, and what the compiler had to say (warnings).
  Result<Product> compile(const CompileRequest &Request,
                          const PchPlace &Headers = {}) const;

  /// Whether it compiles, as far as the front end knows; nothing is made.
  Status check(const CompileRequest &Request) const;

  /// LLVM IR or assembly of what compile() makes, optimized; of a HIP source
  /// its device code.
  Result<std::string> show(const CompileRequest &Request,
                           CompileText What) const;

  /// What the compile reads besides the source. Files: headers of both halves,
  /// what assembly takes in, and device libraries; Named: what flags name.
  /// Absolute paths, none twice. Facts: "processor", of each command that makes
  /// code; "native" where that was asked of this machine; "dated" where the
  /// time of the compile may be in the outcome.
  Result<FileNames> scan(const CompileRequest &Request) const;

  /// What a compile takes besides the source and what it includes, the same for
  /// all sources with these link flags. Files: programs with their shared
  /// libraries; Linked: objects, archives and linker scripts of the link, no
  /// shared objects; Note: what the compiler says of itself.
  Result<FileNames> tools(const CompileRequest &Request) const;

private:
  Result<Message> ask(const CompileRequest &Request, const char *What,
                      const PchPlace &Headers) const;
  Result<FileNames> askNames(const CompileRequest &Request,
                             const char *What) const;

  std::string Helper;
  std::shared_ptr<ServerProcess> Server; ///< null: there is none
  CompileLimits Limits;
};

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILE_H
