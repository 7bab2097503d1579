//===- HostRewrite/Convert.h - fat to host-only -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the device code out of a program or library that somebody else has
// linked, and writes what ld.kpack would have written: a host-only binary with
// a marker, and archives for each target. In this process, without any other
// tool. Sources that can be linked again are better linked with ld.kpack.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_CONVERT_H
#define KPACK_HOSTREWRITE_CONVERT_H

#include "Offload/DeviceDebug.h"
#include "Outputs/CodeObject.h"
#include "Outputs/OlderArchives.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Support/UniqueFd.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kpack::hostrewrite {

/// What becomes of the addresses of an ELF file's host part.
enum class LayoutKind {
  Smallest, ///< compact where that is possible, for a page of the file at most
  Keep,     ///< none changes
  Compact,  ///< the device code's are given up; what is after it moves
};

struct ConvertOptions {
  std::string Input;
  /// The input where it is open already; messages call it Input then.
  std::shared_ptr<const UniqueFd> OpenInput;
  /// May be the input; it is replaced at once and as a whole then.
  std::string Output;
  /// Of the archives, with @GFXARCH@ for one for each target.
  std::string ArchivePath;
  /// The binary in the archives: code object I has the key "<name>#<I>".
  std::string KernelName;
  /// Without the architecture.
  ArchiveWriterOptions Archives;
  /// What becomes of the DWARF of code objects.
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  LayoutKind Layout = LayoutKind::Smallest;
  /// A binary with this kernel name that has the output's name already:
  /// archives of it alone that are not written again go with it.
  OlderBuild Replaced;
};

enum class InputKind {
  Fat,          ///< was converted
  HostOnly,     ///< has been converted, or was linked with ld.kpack
  NoDeviceCode, ///< nothing of HIP in it
  DebugFile,    ///< debug information of a fat one: sections without contents
  EmptyBundles, ///< wrappers, and no code object for them
};

struct Conversion {
  InputKind Kind = InputKind::NoDeviceCode;
  size_t WrapperCount = 0;
  /// The device code has no addresses any more.
  bool IsCompact = false;
  /// That there are code objects for, sorted.
  std::vector<std::string> Targets;
  /// In bytes: of the file before and after, and of .hip_fatbin.
  uint64_t InputSize = 0, OutputSize = 0, DeviceSize = 0;
  /// The archives that were written.
  std::vector<std::string> ArchivePaths;
  /// Those that went with the binary that was replaced.
  std::vector<std::string> RemovedPaths;
  /// What of the file could not be kept, a signature for one: whole messages.
  std::vector<std::string> Losses;
};

/// Converts one ELF or PE file. One without device code is copied; that there
/// are EmptyBundles alone is known only when all bundles were read.
/// Outputs appear together or not at all, with owner, permissions, extended
/// attributes and times of the input, which is never written to.
///
/// After a success the process ignores interrupts, as after a link; one call at
/// a time. Errors: no 64-bit program or library, one that is damaged, or
/// one that cannot be taken apart safely; outputs that cannot be written.
llvm::Expected<Conversion> convertFile(const ConvertOptions &Options);

/// Takes the code objects of files that are converted one after another.
class CodeSink {
public:
  virtual ~CodeSink();
  /// What comes next is of a file that these may read.
  virtual void limitTo(const Readers &Who) {}
  /// Whether code for \p Target is to stay. What is left out still counts for
  /// the archive_id: it says which build a binary is of.
  virtual bool wants(llvm::StringRef Target) { return true; }
  /// Its bytes are valid during the call. An error ends the conversion.
  virtual llvm::Error add(const CodeObject &Object) = 0;
  /// All of the file's were added; \p Id is its archive_id.
  virtual llvm::Error finish(llvm::StringRef Id) = 0;
};

/// A file that is converted, once its code objects are with their sink. It is
/// made, committed and dropped by one thread; without a commit nothing of it
/// stays.
class StartedConversion {
public:
  virtual ~StartedConversion();
  /// Writes the file under a temporary name and verifies it; in any thread.
  virtual void write() = 0;
  /// Gives it its name; after write(), whose errors it returns.
  virtual llvm::Expected<Conversion> commit() = 0;
};

/// The same as convertFile(), but for archives, which are \p Sink's, and
/// interrupts, which are the caller's: they are to be held meanwhile
/// (Support/SignalWatch.h). In the marker the way to the archives is the
/// one from the output and from each of \p OtherNames, hard links to the output
/// in other folders. Any number of calls by one thread. Options.Archives is not
/// looked at.
llvm::Expected<std::unique_ptr<StartedConversion>>
startConversion(CodeSink &Sink, const ConvertOptions &Options,
                llvm::ArrayRef<std::string> OtherNames = {});

/// The archive_id that a conversion of the file at \p Path states; empty where
/// it is not fat. Reads all device code. Errors: as of convertFile().
llvm::Expected<std::string> archiveIdOfFile(const std::string &Path);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_CONVERT_H
