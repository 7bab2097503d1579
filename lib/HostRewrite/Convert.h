//===- Convert.h - conversion of fat binaries to host-only ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes the device code from a linked program or library and writes the files
// that ld.kpack would have written: a host-only binary with a marker, and
// archives for each target. Runs in this process, without other tools. If the
// sources can be linked again, linking with ld.kpack is better.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_CONVERT_H
#define KPACK_HOSTREWRITE_CONVERT_H

#include "Offload/DeviceDebug.h"
#include "Outputs/ArchiveId.h"
#include "Outputs/OlderArchives.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Support/UniqueFd.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kpack::hostrewrite {

/// The treatment of addresses in the host part of an ELF file.
enum class LayoutKind {
  /// Compact if that needs less than 4 KiB of padding in the file, or if Keep
  /// is not possible; otherwise Keep.
  Smallest,
  Keep,    ///< no address changes
  Compact, ///< frees the addresses of the device code; later ones move
};

struct ConvertOptions {
  std::string Input;
  /// The open input, or null; messages call it Input.
  std::shared_ptr<const UniqueFd> OpenInput;
  /// May be the input, which is then replaced atomically.
  std::string Output;
  /// Path of the archives; @GFXARCH@ in it stands for a target.
  std::string ArchivePath;
  /// Names the binary in the archives: code object I has the key "<name>#<I>".
  std::string KernelName;
  /// Without the target.
  ArchiveWriterOptions Archives;
  /// The treatment of DWARF in code objects.
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  LayoutKind Layout = LayoutKind::Smallest;
  /// An older binary with this kernel name at the output's path. Archives that
  /// only it uses, and that this conversion does not write, are removed.
  OlderBuild Replaced;
};

enum class InputKind {
  Fat,          ///< was converted now
  HostOnly,     ///< was converted earlier, or linked with ld.kpack
  NoDeviceCode, ///< has no HIP code
  DebugFile,    ///< debug information of a fat file; sections have no contents
  EmptyBundles, ///< has wrappers, but no code objects
};

struct Conversion {
  InputKind Kind = InputKind::NoDeviceCode;
  size_t WrapperCount = 0;
  /// The device code has no addresses any more.
  bool IsCompact = false;
  /// Targets of the code objects, sorted.
  std::vector<std::string> Targets;
  /// Bytes of the file before and after, and of .hip_fatbin.
  uint64_t InputSize = 0, OutputSize = 0, DeviceSize = 0;
  /// The archives that were written.
  std::vector<std::string> ArchivePaths;
  /// Archives of the replaced binary that were removed.
  std::vector<std::string> RemovedPaths;
  /// Whole messages about lost parts of the file, such as a signature.
  std::vector<std::string> Losses;
};

/// Converts one ELF or PE file, or copies one without device code; the kind
/// EmptyBundles is known only after all bundles were read. The outputs appear
/// together or not at all, with owner, permissions, extended attributes and
/// times of the input. The input is not written to.
///
/// After a success the process ignores interrupts, as after a link. Not
/// thread-safe. Fails if the input is no 64-bit program or library, is damaged
/// or has an unsafe layout, and if outputs cannot be written.
llvm::Expected<Conversion> convertFile(const ConvertOptions &Options);

/// The receiver of the code objects of files, converted one after another.
class CodeSink {
public:
  virtual ~CodeSink();
  /// Names the readers of the file whose code objects follow.
  virtual void limitTo(const Readers &Who) {}
  /// True if code for \p Target is kept. The archive_id includes the other code
  /// too, because it identifies the build.
  virtual bool wants(llvm::StringRef Target) { return true; }
  /// The bytes are valid during the call. An error ends the conversion.
  virtual llvm::Error add(const CodeObject &Object) = 0;
  /// Called after the last code object of a file; \p Id is its archive_id.
  virtual llvm::Error finish(llvm::StringRef Id) = 0;
};

/// A conversion whose code objects are in their sink. One thread creates,
/// commits and destroys it. Without commit() it leaves no output.
class StartedConversion {
public:
  virtual ~StartedConversion();
  /// Writes the file to a temporary name and verifies it. Runs in any thread.
  virtual void write() = 0;
  /// Renames the output; call it after write(), whose errors it returns.
  virtual llvm::Expected<Conversion> commit() = 0;
};

/// Like convertFile(), but \p Sink writes the archives, and the caller holds
/// interrupts meanwhile (Support/SignalWatch.h). The marker's search paths lead
/// to the archives from the output and from each of \p OtherNames, which are
/// hard links to the output in other folders. One thread may have any number of
/// conversions. Ignores Options.Archives.
llvm::Expected<std::unique_ptr<StartedConversion>>
startConversion(CodeSink &Sink, const ConvertOptions &Options,
                llvm::ArrayRef<std::string> OtherNames = {});

/// Returns the archive_id that a conversion of the file at \p Path would have,
/// empty if it is not fat. Reads all device code. Fails as convertFile().
llvm::Expected<std::string> archiveIdOfFile(const std::string &Path);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_CONVERT_H
