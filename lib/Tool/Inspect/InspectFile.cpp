//===- InspectFile.cpp - reader of a file for kpack inspect ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one code object at a time: except for small bundles, decompressed bytes
// are dropped before the next one is read, and the file stays mapped. Entries
// of an archive with one ordinal are one code object, which is read once.
// Reports a damaged part and shows the others.
//
//===----------------------------------------------------------------------===//
#include "Offload/CodeObjectHeader.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/ArchivesOf.h"
#include "Tool/DeviceFile.h"
#include "Tool/Inspect/Inspect.h"
#include "ToolSupport/Demangle.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Magic.h"

#include <map>

using namespace kpack;
using namespace kpack::tool;
using namespace kpack::offload;
using namespace llvm;

bool InspectChoice::wantsKernel(StringRef Name) const {
  return Kernels.matches(Name) || Kernels.matches(demangleName(Name));
}

std::string InspectChoice::describe() const {
  return StringRef(TargetScope::describe() + Kernels.describe()).ltrim().str();
}

namespace {

/// Fills an InspectedFile with the parts of one file or of its archives.
class FileInspector {
public:
  FileInspector(Session &S, InspectChoice &Choice, InspectedFile &Output)
      : S(S), Choice(Choice), To(Output) {}

  /// Adds the parts of \p File, or the entries of an archive that \p Place
  /// selects.
  void add(const DeviceFile &File, const ArchivePlace &Place);
  /// The archive of the next add().
  std::string Archive;

private:
  void addPart(const DeviceCode &Code, const DevicePart &Part, StringRef Path);
  void addImage(const DeviceImage &Image, const DevicePart &Part,
                InspectedPart &Out, StringRef Path);
  InspectedImage inspectImage(const DeviceImage &Image, StringRef Object);

  Session &S;
  InspectChoice &Choice;
  InspectedFile &To;
  /// By ordinal, for the current archive.
  std::map<uint64_t, InspectedImage> Known;
};

} // namespace

/// Returns the kind of code in \p Bytes.
static std::string getFormat(StringRef Bytes) {
  if (isCodeObject(Bytes)) {
    unsigned Version = codeObjectVersion(Bytes);
    return Version ? "code object v" + std::to_string(Version) : "code object";
  }
  if (identify_magic(Bytes) == file_magic::bitcode)
    return "bitcode";
  if (Bytes.starts_with(StringRef("\x03\x02\x23\x07", 4)))
    return "SPIR-V";
  return "unknown";
}

InspectedImage FileInspector::inspectImage(const DeviceImage &Image,
                                           StringRef Object) {
  InspectedImage Out{Image.Target, Image.Bytes.size(), getFormat(Image.Bytes),
                     nullptr};
  if (!isCodeObject(Image.Bytes))
    return Out;
  Expected<CodeObjectFacts> Facts = readKernelFacts(Image.Bytes);
  if (!Facts) {
    S.error(Object + ": code object for " + Image.Target + ": " +
            toString(Facts.takeError()) + "; build it again");
    return Out;
  }
  if (Out.Target.empty())
    Out.Target = Facts->Target;
  // Without metadata, use the names of kernel descriptors.
  if (Facts->Target.empty())
    for (std::string &Name : getKernels(Image.Bytes))
      Facts->Kernels.emplace_back().Name = std::move(Name);
  if (!Choice.Kernels.empty())
    erase_if(Facts->Kernels, [&](const KernelFacts &Kernel) {
      return !Choice.wantsKernel(Kernel.Name);
    });
  Out.Kernels = std::make_shared<KernelList>(std::move(Facts->Kernels));
  return Out;
}

void FileInspector::addImage(const DeviceImage &Image, const DevicePart &Part,
                             InspectedPart &Out, StringRef Path) {
  // Without a target in the header, use that of the metadata.
  if (!Image.Target.empty()) {
    Choice.Seen.insert(Image.Target);
    if (!Choice.wants(Image.Target))
      return;
  }
  InspectedImage In = inspectImage(Image, Path);
  Choice.Seen.insert(In.Target);
  if (Image.Target.empty() && !Choice.wants(In.Target))
    return;
  if (Part.Entry)
    Known.emplace(Part.Entry->Ordinal, In);
  if (Choice.Kernels.empty() || (In.Kernels && !In.Kernels->empty()))
    Out.Images.push_back(std::move(In));
}

void FileInspector::addPart(const DeviceCode &Code, const DevicePart &Part,
                            StringRef Path) {
  InspectedPart Out;
  Out.Archive = Archive;
  Out.Member = Part.Member;
  Out.Section = Part.Section;
  Out.Size = Part.Size;
  Out.PlainSize = Part.PlainSize;
  switch (Part.Form) {
  case DevicePart::InContainer:
    Out.Kind = containerKindName(Part.Code.Kind).str();
    Out.Version = Part.Code.Version;
    Out.Offset = Part.Offset;
    break;
  case DevicePart::RdcImage:
    Out.Kind = "-fgpu-rdc image";
    Out.Offset = Part.Offset;
    break;
  case DevicePart::ArchiveEntry:
    Out.Kind = "archive entry";
    Out.Key = std::string(Part.Entry->Binary);
    break;
  }
  // An archive has the target in its table.
  if (Part.Form != DevicePart::InContainer) {
    Choice.Seen.insert(Part.Target);
    if (!Choice.wants(Part.Target))
      return;
  }
  auto Same = Part.Entry ? Known.find(Part.Entry->Ordinal) : Known.end();
  if (Same != Known.end() && Same->second.Size == Part.PlainSize) {
    InspectedImage Image = Same->second;
    Image.Target = Part.Target;
    if (Choice.Kernels.empty() || (Image.Kernels && !Image.Kernels->empty()))
      Out.Images.push_back(std::move(Image));
  } else {
    auto Add = [&](const StreamedImage &Image) -> Error {
      addImage({Image.Target, Image.Bytes}, Part, Out, Path);
      return Error::success();
    };
    if (Error E = forEachImage(Code, Part, Path, Add))
      return S.error(std::move(E));
  }
  if (Out.Images.empty() && Choice.chooses())
    return;
  Choice.FoundAny = true;
  To.Parts.push_back(std::move(Out));
}

void FileInspector::add(const DeviceFile &File, const ArchivePlace &Place) {
  Known.clear();
  for (const DevicePart &Part : File.Code.Parts)
    if (!Part.Entry || Place.isOfBinary(*Part.Entry))
      addPart(File.Code, Part, File.Path);
}

/// Adds the entries of \p Binary in its archives.
static void addArchives(Session &S, FileInspector &Inspector,
                        const HostBinary &Binary) {
  Expected<std::vector<ArchivePlace>> Places = findArchives(Binary);
  if (!Places)
    return S.error(Places.takeError());
  auto Report = [&](Error E) { S.error(std::move(E)); };
  for (const ArchivePlace &Place : *Places) {
    Inspector.Archive = Place.Path;
    if (Expected<DeviceFile> File = openDeviceFile(Place.Path, Report))
      Inspector.add(*File, Place);
    else
      S.error(File.takeError());
  }
}

static std::string kindName(DeviceFileKind Kind, bool IsFat) {
  switch (Kind) {
  case DeviceFileKind::Containers:
    return "device code";
  case DeviceFileKind::Object:
    return IsFat ? "object" : "no device code";
  case DeviceFileKind::StaticLibrary:
    return IsFat ? "static library" : "no device code";
  case DeviceFileKind::KpackArchive:
    return "kpack archive";
  case DeviceFileKind::Linked:
  case DeviceFileKind::Other:
    return IsFat ? "fat" : "no device code";
  }
  return "";
}

std::optional<InspectedFile> tool::inspectFile(Session &S,
                                               const std::string &Path,
                                               InspectChoice &Choice,
                                               bool WithArchives) {
  auto Report = [&](Error E) { S.error(std::move(E)); };
  Expected<DeviceFile> Opened = openDeviceFile(Path, Report);
  if (!Opened) {
    S.error(Opened.takeError());
    return std::nullopt;
  }
  InspectedFile File;
  File.Path = Path;
  FileInspector Inspector(S, Choice, File);
  Inspector.add(*Opened, {Path, ""});
  bool IsFat = !File.Parts.empty();
  File.Kind = kindName(Opened->Code.Kind, IsFat);
  if (WithArchives && !Opened->BinaryProblem.empty())
    S.error(Opened->BinaryProblem);
  if (!Opened->hasMarker())
    return File;
  File.Kind = Opened->Binary->IsReference ? "reference"
              : IsFat                     ? "mixed"
                                          : "host-only";
  if (WithArchives)
    addArchives(S, Inspector, *Opened->Binary);
  return File;
}
