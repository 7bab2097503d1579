//===- DeviceFile.cpp - a file with its device code -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DeviceFile.h. Sections come first; a wrapper that leads to one of their
// containers adds nothing.
//
//===----------------------------------------------------------------------===//
#include "Tool/DeviceFile.h"
#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace kpack::offload;
using namespace llvm;

/// Adds containers of the wrappers of \p Binary that \p Code lacks.
static void addAtWrappers(const HostBinary &Binary, DeviceCode &Code,
                          function_ref<void(Error)> OnError) {
  std::set<uint64_t> Starts;
  for (const DevicePart &Part : Code.Parts)
    Starts.insert(Part.Offset);
  // Ordered by place: each ends where the next one begins, so that hostile ones
  // do not overlap.
  std::map<uint64_t, StringRef> Places;
  for (const Wrapper &W : Binary.Linked.Wrappers)
    if (StringRef Bytes = Binary.bytesAt(W.Pointer);
        W.Magic == WrapperMagicFat && !Bytes.empty())
      Places[uint64_t(Bytes.data() - Binary.File->getBufferStart())] = Bytes;
  for (auto It = Places.begin(); It != Places.end(); ++It) {
    auto [Offset, Bytes] = *It;
    if (!Starts.insert(Offset).second)
      continue;
    if (auto Next = std::next(It); Next != Places.end())
      Bytes = Bytes.take_front(Next->first - Offset);
    Expected<Container> Found = readContainer(Bytes, Binary.Path);
    if (!Found) {
      OnError(Found.takeError());
      continue;
    }
    DevicePart &Part = Code.Parts.emplace_back();
    Part.Code = *Found;
    Part.Offset = Offset;
    Part.Size = Found->Bytes.size();
    Part.PlainSize = Found->PlainSize;
  }
}

Expected<DeviceFile> tool::openDeviceFile(const std::string &Path,
                                          function_ref<void(Error)> OnError) {
  // A pipe may never end, and a device has no end.
  sys::fs::file_status Status;
  if (!sys::fs::status(Path, Status) && !sys::fs::is_regular_file(Status))
    return objectError(Path, "not a regular file; give files and folders");
  DeviceFile Out;
  Out.Path = Path;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!File)
    return objectError(Path, File.getError().message() +
                                 "; give a file that can be read");
  Out.File = std::move(*File);
  if (Error E =
          findDeviceCode(Out.File->getMemBufferRef(), Path).moveInto(Out.Code))
    return std::move(E);
  bool IsReference = isReference(Out.File->getBuffer());
  if (!IsReference && (Out.Code.Kind != DeviceFileKind::Linked ||
                       !looksLinked(Out.File->getBuffer().take_front(4))))
    return Out;
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary) {
    Out.BinaryProblem = toString(Binary.takeError());
    return Out;
  }
  if (!Binary->MarkerProblem.empty())
    OnError(objectError(Path, Binary->MarkerProblem));
  Out.Binary = std::move(*Binary);
  addAtWrappers(*Out.Binary, Out.Code, OnError);
  return Out;
}
