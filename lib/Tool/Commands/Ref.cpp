//===- Ref.cpp - kpack ref: marker and wrappers of a binary ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the data of a binary about its device code: marker, search paths with
// their archives, wrappers; for a fat binary, the contents of its bundles, and
// for a file that is device code itself, its targets. Verify.cpp checks these.
// Sibling: Inspect.cpp, which also lists kernels.
//
//===----------------------------------------------------------------------===//
#include "Offload/FatBinary.h"
#include "Offload/HipSymbols.h"
#include "Tool/Command.h"
#include "Tool/HostBinary.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

struct BundleEntry {
  std::string Target;
  uint64_t Size;
};

/// A wrapper, and the data that it points to.
struct WrapperFacts {
  offload::Wrapper Wrapper;
  bool PointerOk = false;
  /// From the marker of a HIPK wrapper: the TU, and its targets.
  std::string Source;
  std::vector<std::string> BuiltFor;
  /// The bundle of a fat wrapper.
  std::vector<BundleEntry> Targets;
  /// The reason why the bundle could not be read.
  std::string Problem;
};

/// A container in a file that is only device code.
struct ContainerFacts {
  offload::Container Container;
  std::vector<BundleEntry> Targets;
};

struct BinaryFacts {
  HostBinary Binary;
  std::vector<WrapperFacts> Wrappers;
  std::vector<ContainerFacts> Containers;
};

} // namespace

static std::string magicName(uint32_t Magic) {
  switch (Magic) {
  case offload::WrapperMagicKpack:
    return "HIPK";
  case offload::WrapperMagicFat:
    return "HIPF";
  default:
    return "0x" + utohexstr(Magic, /*LowerCase=*/true, /*Width=*/8);
  }
}

/// Returns a function that adds images to \p Targets.
static auto adderTo(std::vector<BundleEntry> &Targets) {
  return [&](const offload::StreamedImage &Image) -> Error {
    Targets.push_back({Image.Target, Image.Bytes.size()});
    return Error::success();
  };
}

static WrapperFacts readWrapper(const HostBinary &Binary,
                                const offload::Wrapper &W) {
  WrapperFacts Facts;
  Facts.Wrapper = W;
  if (W.Magic == offload::WrapperMagicKpack) {
    Facts.PointerOk = !Binary.Linked.MarkerBytes.empty() &&
                      W.Pointer == Binary.Linked.MarkerAddress;
    return Facts;
  }
  if (W.Magic != offload::WrapperMagicFat)
    return Facts;
  std::vector<BundleEntry> Targets;
  if (Error E = forEachImageAt(Binary, W.Pointer, adderTo(Targets))) {
    Facts.Problem = toString(std::move(E));
    return Facts;
  }
  Facts.PointerOk = true;
  Facts.Targets = std::move(Targets);
  return Facts;
}

static StringRef kindOf(const BinaryFacts &Facts) {
  ArrayRef<WrapperFacts> Wrappers = Facts.Wrappers;
  auto HasMagic = [](uint32_t Magic) {
    return [Magic](const WrapperFacts &W) { return W.Wrapper.Magic == Magic; };
  };
  if (!Facts.Containers.empty())
    return "device code";
  if (Facts.Binary.IsReference)
    return "reference";
  if (Wrappers.empty())
    return "no device code";
  if (all_of(Wrappers, HasMagic(offload::WrapperMagicKpack)))
    return "host-only";
  if (all_of(Wrappers, HasMagic(offload::WrapperMagicFat)))
    return "fat";
  return "mixed";
}

/// Reads \p Path if it is only device code: a code object, or bundles. Returns
/// false if it is something else, or cannot be read.
static bool readContainerFile(Session &S, StringRef Path, BinaryFacts &Facts) {
  if (!sys::fs::is_regular_file(Path))
    return false;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!File || !offload::startsContainer((*File)->getBuffer()))
    return false;
  Facts.Binary.Path = Path.str();
  Facts.Binary.File = std::move(*File);
  Expected<std::vector<offload::Container>> All =
      offload::readContainers(Facts.Binary.File->getBuffer(), Path);
  if (!All) {
    S.error(All.takeError());
    return true;
  }
  for (const offload::Container &C : *All) {
    std::vector<BundleEntry> Targets;
    if (Error E = offload::forEachImage(C, Path, adderTo(Targets)))
      S.error(std::move(E));
    else
      Facts.Containers.push_back({C, std::move(Targets)});
  }
  return true;
}

static std::optional<BinaryFacts> readFacts(Session &S,
                                            const std::string &Path) {
  BinaryFacts Facts;
  if (Error E = refuseNoBinary(Path, BinaryUse::Tell)) {
    S.error(std::move(E));
    return std::nullopt;
  }
  if (readContainerFile(S, Path, Facts)) {
    if (Facts.Containers.empty())
      return std::nullopt;
    return Facts;
  }
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary) {
    S.error(Binary.takeError());
    return std::nullopt;
  }
  Facts.Binary = std::move(*Binary);
  if (!Facts.Binary.MarkerProblem.empty())
    S.error(Path + ": " + Facts.Binary.MarkerProblem);
  for (const offload::Wrapper &W : Facts.Binary.Linked.Wrappers) {
    Facts.Wrappers.push_back(readWrapper(Facts.Binary, W));
    if (const std::optional<Marker> &Ref = Facts.Binary.Ref) {
      uint32_t Index = uint32_t(W.Reserved1);
      Facts.Wrappers.back().Source = std::string(Ref->Built.nameOf(Index));
      if (const std::vector<std::string> *Targets = Ref->Built.targetsOf(Index))
        Facts.Wrappers.back().BuiltFor = *Targets;
    }
    if (!Facts.Wrappers.back().Problem.empty())
      S.error(Facts.Wrappers.back().Problem);
  }
  return Facts;
}

/// True if an archive that was found lists \p Target.
static bool hasArchive(const HostBinary &Binary, StringRef Target) {
  for (const SearchPath &Path : Binary.SearchPaths)
    for (const FoundArchive &File : Path.Found)
      if (Result<std::unique_ptr<const ArchiveReader>> Archive =
              ArchiveReader::open(File.Path);
          Archive &&
          is_contained((*Archive)->architectures(), std::string_view(Target)))
        return true;
  return false;
}

static void printSearchPath(raw_ostream &OS, const SearchPath &Path) {
  OS << "  search path  " << printable(Path.Text) << '\n';
  for (const FoundArchive &A : Path.Found)
    OS << "    " << left_justify(A.Arch.empty() ? "any" : printable(A.Arch), 12)
       << ' ' << printable(A.Path) << '\n';
  if (!Path.Found.empty())
    return;
  OS << (Path.Unreachable ? "    unreadable   " : "    not found    ")
     << printable(Path.Place.whole()) << '\n';
}

static void printTargets(raw_ostream &OS, ArrayRef<BundleEntry> Targets) {
  for (const BundleEntry &Entry : Targets)
    OS << "    " << left_justify(printable(Entry.Target), 12) << ' '
       << Entry.Size << " bytes\n";
}

static void printWrapper(raw_ostream &OS, size_t Position,
                         const WrapperFacts &W) {
  OS << "  wrapper " << left_justify(std::to_string(Position), 4) << ' '
     << magicName(W.Wrapper.Magic);
  if (W.Wrapper.Magic == offload::WrapperMagicKpack)
    OS << ", index " << uint32_t(W.Wrapper.Reserved1)
       << (W.PointerOk ? ", points to the marker"
                       : ", does not point to the marker");
  if (!W.Source.empty())
    OS << ", " << printable(W.Source);
  if (!W.BuiltFor.empty())
    OS << ", for " << printable(join(W.BuiltFor, " "));
  OS << '\n';
  printTargets(OS, W.Targets);
}

static void printContainer(raw_ostream &OS, size_t Position,
                           const ContainerFacts &C) {
  OS << "  container " << left_justify(std::to_string(Position), 4) << ' '
     << offload::containerKindName(C.Container.Kind);
  if (C.Container.Version != 0)
    OS << " v" << C.Container.Version;
  OS << '\n';
  printTargets(OS, C.Targets);
}

static void printText(raw_ostream &OS, const BinaryFacts &Facts) {
  OS << printable(Facts.Binary.Path) << ": " << kindOf(Facts) << '\n';
  if (Facts.Binary.Ref) {
    OS << "  kernel name  " << printable(Facts.Binary.Ref->KernelName) << '\n';
    if (!Facts.Binary.Ref->ArchiveId.empty())
      OS << "  archive id   " << printable(Facts.Binary.Ref->ArchiveId) << '\n';
    for (const std::string &Target : Facts.Binary.Ref->Built.allTargets())
      OS << "  built for    " << left_justify(printable(Target), 12)
         << (hasArchive(Facts.Binary, Target) ? "" : " no archive") << '\n';
  }
  for (const SearchPath &Path : Facts.Binary.SearchPaths)
    printSearchPath(OS, Path);
  if (Facts.Binary.Ref)
    for (const std::string &Path : Facts.Binary.Ref->DebugPaths)
      OS << "  debug path   " << printable(Path) << '\n';
  for (const auto &[Position, W] : enumerate(Facts.Wrappers))
    printWrapper(OS, Position, W);
  for (const auto &[Position, C] : enumerate(Facts.Containers))
    printContainer(OS, Position, C);
}

static void printMarkerJson(json::OStream &J, const HostBinary &Binary) {
  if (!Binary.Ref)
    return J.attribute("marker", nullptr);
  J.attributeObject("marker", [&] {
    J.attribute("kernel_name", jsonText(Binary.Ref->KernelName));
    J.attribute("archive_id", jsonText(Binary.Ref->ArchiveId));
    attributeTexts(J, "debug_paths", Binary.Ref->DebugPaths);
    J.attributeArray("built_for", [&] {
      for (const std::string &Target : Binary.Ref->Built.allTargets())
        J.object([&] {
          J.attribute("target", jsonText(Target));
          J.attribute("has_archive", hasArchive(Binary, Target));
        });
    });
    J.attributeArray("search_paths", [&] {
      for (const SearchPath &Path : Binary.SearchPaths)
        J.object([&] {
          J.attribute("path", jsonText(Path.Text));
          J.attribute("resolved", jsonText(Path.Place.whole()));
          J.attribute("exists", !Path.Found.empty());
          J.attributeArray("files", [&] {
            for (const FoundArchive &A : Path.Found)
              J.object([&] {
                J.attribute("arch", jsonText(A.Arch));
                J.attribute("path", jsonText(A.Path));
              });
          });
        });
    });
  });
}

static void printTargetsJson(json::OStream &J, ArrayRef<BundleEntry> Targets) {
  J.attributeArray("targets", [&] {
    for (const BundleEntry &Entry : Targets)
      J.object([&] {
        J.attribute("target", jsonText(Entry.Target));
        J.attribute("size", Entry.Size);
      });
  });
}

static void printWrapperJson(json::OStream &J, const WrapperFacts &W) {
  J.object([&] {
    J.attribute("magic", magicName(W.Wrapper.Magic));
    J.attribute("version", W.Wrapper.Version);
    J.attribute("index", uint32_t(W.Wrapper.Reserved1));
    J.attribute("address", W.Wrapper.Address);
    J.attribute("pointer", W.Wrapper.Pointer);
    J.attribute("pointer_ok", W.PointerOk);
    J.attribute("source", jsonText(W.Source));
    attributeTexts(J, "built_for", W.BuiltFor);
    printTargetsJson(J, W.Targets);
  });
}

static void printContainerJson(json::OStream &J, const ContainerFacts &C) {
  J.object([&] {
    J.attribute("kind", offload::containerKindName(C.Container.Kind));
    J.attribute("version", C.Container.Version);
    J.attribute("offset", C.Container.Offset);
    J.attribute("size", C.Container.Bytes.size());
    printTargetsJson(J, C.Targets);
  });
}

static void printJson(json::OStream &J, const BinaryFacts &Facts) {
  J.object([&] {
    J.attribute("path", jsonText(Facts.Binary.Path));
    J.attribute("kind", kindOf(Facts));
    printMarkerJson(J, Facts.Binary);
    J.attributeArray("wrappers", [&] {
      for (const WrapperFacts &W : Facts.Wrappers)
        printWrapperJson(J, W);
    });
    J.attributeArray("containers", [&] {
      for (const ContainerFacts &C : Facts.Containers)
        printContainerJson(J, C);
    });
  });
}

static void runRef(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "binary");
  if (Paths.empty())
    return;
  if (!I.json()) {
    for (const std::string &Path : Paths)
      if (std::optional<BinaryFacts> Facts = readFacts(I.S, Path))
        printText(I.S.out(), *Facts);
    return;
  }
  kpack::printJson(I.S.out(), "kpack.ref/1", [&](json::OStream &J) {
    J.attributeArray("binaries", [&] {
      for (const std::string &Path : Paths)
        if (std::optional<BinaryFacts> Facts = readFacts(I.S, Path))
          printJson(J, *Facts);
    });
  });
}

const Command tool::RefCommand = {
    {"ref", "<binary>...", "tell what a binary says of its device code",
     "tell what a binary says of its device code\n\n"
     "Shows the marker, the archives that its search paths lead to, and each "
     "wrapper:\nHIPK points to the marker, HIPF to a bundle inside the binary, "
     "whose targets\nare listed. Environment variables of the loader are not "
     "looked at. Of files that\nare device code themselves (.co, .hsaco, "
     "bundles) the targets are listed.",
     "  $ kpack ref ./app\n"
     "  $ kpack ref lib/library/Kernels.co\n"
     "  $ kpack ref --json ./app | jq '.binaries[].wrappers[].magic'\n",
     RefOption},
    runRef};
