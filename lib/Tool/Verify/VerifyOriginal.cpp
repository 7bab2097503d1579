//===- VerifyOriginal.cpp - comparison with the original binary -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that is not the original differs everywhere, which would look like a
// failed conversion. No conversion changes the build id or the identity of the
// device code, so these two distinguish the cases. They are compared only if
// something differs, since the identity depends on every byte of device code.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Convert.h"
#include "HostRewrite/Verifier/Verifier.h"
#include "Offload/CodeObjectHeader.h"
#include "Offload/PeImage.h"
#include "Support/ElfNotes.h"
#include "Tool/Verify/Verify.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

/// Returns the build id in hexadecimal, or an empty string.
static std::string findBuildId(StringRef Bytes) {
  auto Text = [](StringRef Id) { return toHex(Id, /*LowerCase=*/true); };
  if (offload::PeImage::startsOne(Bytes)) {
    Expected<offload::PeImage> Image =
        offload::PeImage::read(Bytes, "original");
    return Image ? Text(Image->buildId())
                 : (consumeError(Image.takeError()), "");
  }
  std::vector<std::string_view> Ids =
      elfNotes({Bytes.data(), Bytes.size()}, "GNU", ELF::NT_GNU_BUILD_ID);
  return Ids.empty() ? "" : Text(Ids.front());
}

/// Returns the archive_id of a conversion of \p Original, or that of its
/// marker; nullopt if it is unknown.
static std::optional<std::string> findArchiveId(const std::string &Original) {
  Expected<std::string> Id = hostrewrite::archiveIdOfFile(Original);
  if (!Id)
    return consumeError(Id.takeError()), std::nullopt;
  if (!Id->empty())
    return *Id;
  Expected<HostBinary> Binary = readHostBinary(Original);
  if (!Binary)
    return consumeError(Binary.takeError()), std::nullopt;
  return Binary->Ref ? Binary->Ref->ArchiveId : "";
}

/// Returns the reason why \p Binary cannot be a conversion of \p Original, or
/// an empty string.
static std::string whyNotOriginal(StringRef Bytes, const std::string &Original,
                                  const HostBinary &Binary) {
  if (!looksLinked(Bytes.take_front(4)) || offload::isCodeObject(Bytes))
    return "it is no program or library";
  std::string Its = findBuildId(Bytes);
  std::string Ours = findBuildId(Binary.File->getBuffer());
  if (!Its.empty() && !Ours.empty())
    return Its == Ours ? "" : "its build id is " + Its + ", and not " + Ours;
  if (!Binary.Ref || Binary.Ref->ArchiveId.empty())
    return "";
  std::optional<std::string> Id = findArchiveId(Original);
  if (!Id || *Id == Binary.Ref->ArchiveId)
    return "";
  return Id->empty() ? "it has no device code" : "its device code is other";
}

std::vector<std::string>
tool::compareWithOriginal(const HostBinary &Binary,
                          const std::string &Original) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Original, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!File)
    return {Original + ": " + File.getError().message() +
            "; give the file that was converted"};
  std::vector<std::string> Problems = hostrewrite::compareHost(
      (*File)->getBuffer(), Binary.File->getBuffer(), Binary.Path);
  if (Problems.empty())
    return Problems;
  std::string Why = whyNotOriginal((*File)->getBuffer(), Original, Binary);
  if (Why.empty())
    return Problems;
  return {"--against=" + Original + ": is not the file that " + Binary.Path +
          " was converted from: " + Why + "; give that file"};
}
