//===- Pch.cpp - precompiled headers of similar sources -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/format/jit-cache.md, "Precompiled headers", describes the payload. A
// failure here never fails the compile.
//
//===----------------------------------------------------------------------===//
#include "Pch.h"

#include "PchInstantiations.h"

#include "Jit/Store/CompileLock.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/LittleEndian.h"

#include <ctime>
#include <fstream>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Larger payloads are not worth their space in a cache.
static constexpr uint64_t MaxPayload = uint64_t(1) << 30;

Pch::Pch(const PchPlace &Place, CompileJob &Work, Demangler Demangle)
    : Place(Place), Work(Work), Demangle(Demangle) {
  if (Place.Store.empty())
    return;
  Result<std::string> Source = readFile(Work.Request.Source);
  Result<std::unique_ptr<Store>> Opened = Store::open({Place.Store});
  if (!Source || !Opened)
    return;
  Start = parsePreamble(*Source);
  // Check that the preamble is still the one in the key.
  const KeyField &Last = Place.Key.Fields.back();
  if (Last.Name == "preamble" && Last.Hash == sha256(Start.Text))
    Root = std::move(*Opened);
}

static uint64_t numberAt(int File, uint64_t Offset) {
  char Bytes[8];
  if (readAt(File, Bytes, sizeof(Bytes), Offset) != ssize_t(sizeof(Bytes)))
    return ~uint64_t(0);
  return readLittleEndian(Bytes);
}

/// Copies a part of a file to a separate file.
static bool copyPart(int File, uint64_t Offset, uint64_t Size,
                     const std::string &Path) {
  Buffer Part;
  return Part.resize(Size) &&
         readAt(File, Part.data(), Size, Offset) == ssize_t(Size) &&
         writeFile(Path, Part.bytes()).ok();
}

bool Pch::find() {
  if (!isPossible())
    return false;
  std::optional<StoredEntry> Entry = Root->find(Place.Key.Id);
  if (!Entry || Entry->Info.Kind != "pch")
    return false;
  int File = Entry->File.get();
  uint64_t Count = numberAt(File, 0);
  if (Count == 0)
    return true; // a past attempt showed that it is impossible
  size_t Halves = Work.Request.Lang == Language::Hip ? 2 : 1;
  if (Count != Halves)
    return false;
  uint64_t Offset = 8 * (1 + Count);
  PchFiles Found;
  Found.PreambleBytes = Start.Bytes;
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Size = numberAt(File, 8 * (1 + I));
    if (Size > Entry->PayloadSize || Offset > Entry->PayloadSize - Size)
      return false;
    Found.Paths.push_back(Work.Folder + "/used-" + std::to_string(I) + ".pch");
    if (!copyPart(File, Offset, Size, Found.Paths.back())) {
      for (const std::string &Path : Found.Paths)
        ::unlink(Path.c_str());
      return false;
    }
    Offset += Size;
  }
  Files = std::move(Found);
  return true;
}

/// Returns the kernels of this source, which serves as the sibling.
std::vector<std::string> Pch::kernels() {
  std::vector<std::string> Names;
  std::string Path = Work.Folder + "/sibling.ll";
  if (Work.run({irCommand(Work.Request, Path)}, Work.Request.Directory).ok()) {
    std::ifstream Ir(Path);
    for (std::string Line; std::getline(Ir, Line);)
      if (std::string Name = kernelOfIrLine(Line); !Name.empty())
        Names.push_back(std::move(Name));
  }
  ::unlink(Path.c_str());
  return Names;
}

std::vector<std::string> Pch::instantiations(size_t Halves) {
  std::vector<std::string> Instantiations(Halves);
  std::vector<std::string> Kernels = kernels();
  if (Kernels.empty())
    return Instantiations;
  Result<std::vector<JobResult>> Texts =
      Work.run(preprocessCommands(Work.Request), Work.Request.Directory);
  for (size_t I = 0; Texts && I < Halves; ++I)
    Instantiations[I] =
        kernelInstantiations((*Texts)[I].Out, Kernels, Demangle);
  return Instantiations;
}

static std::string madePath(const CompileJob &Work, size_t Half) {
  return Work.Folder + "/made-" + std::to_string(Half) + ".pch";
}

/// Writes made-<half>.pch for each half.
bool Pch::compileHeaders(const std::vector<std::string> &Instantiations) {
  std::vector<Arguments> Commands;
  std::vector<std::string> Inputs;
  for (size_t I = 0; I < Instantiations.size(); ++I) {
    Inputs.push_back(Work.Folder + "/headers-" + std::to_string(I) + ".h");
    if (!writeFile(Inputs[I], Start.Text + Instantiations[I]).ok())
      return false;
    Commands.push_back(pchCommand(Work.Request, I, madePath(Work, I)));
  }
  return Work.run(Commands, Work.Request.Directory, Inputs).ok();
}

Result<std::string> Pch::payload() {
  std::string Payload, Headers;
  size_t Halves = Work.Request.Lang == Language::Hip ? 2 : 1;
  std::vector<std::string> Plain(Halves),
      Instantiated = Place.WithKernels ? instantiations(Halves) : Plain;
  bool IsBuilt = Instantiated != Plain && compileHeaders(Instantiated);
  if (!IsBuilt && !Work.stopped())
    IsBuilt = compileHeaders(Plain);
  if (Work.stopped())
    return Status(StatusCode::IoError, "compiling was interrupted");
  appendLittleEndian(Payload, IsBuilt ? Halves : 0);
  for (size_t I = 0; IsBuilt && I < Halves; ++I) {
    Result<std::string> Half = readFile(madePath(Work, I));
    if (!Half)
      return Half;
    ::unlink(madePath(Work, I).c_str());
    appendLittleEndian(Payload, Half->size());
    Headers += *Half;
  }
  if (Payload.size() + Headers.size() > MaxPayload) {
    Payload.clear();
    Headers.clear();
    appendLittleEndian(Payload, 0);
  }
  return Payload + Headers;
}

/// Makes the description of an auxiliary entry.
static EntryInfo describe(const KeyRecord &Key, const CompileRequest &Request,
                          const char *Title) {
  EntryInfo Info;
  Info.Key = Key;
  Info.Name = Title + Request.Name;
  Info.Kind = "pch";
  Info.Target = Request.Target;
  Info.Created = static_cast<uint64_t>(::time(nullptr));
  return Info;
}

bool Pch::make(double MaxWait) {
  if (!isPossible())
    return false;
  CompileLock Lock;
  auto IsThere = [&] { return Root->find(Place.Key.Id).has_value(); };
  switch (Lock.acquire(*Root, Place.Key.Id, MaxWait, IsThere, nullptr)) {
  case CompileLock::Outcome::Appeared:
    return true;
  case CompileLock::Outcome::Unlocked:
  case CompileLock::Outcome::Stopped: // impossible without a StopCallback
    return false;
  case CompileLock::Outcome::Owner:
    break;
  }
  std::string LogBefore = Work.Log;
  Result<std::string> Payload = payload();
  Work.Log = LogBefore; // warnings of headers appear again in compiles
  return Payload &&
         Root->publish(describe(Place.Key, Work.Request, "headers of "),
                       *Payload)
             .ok();
}

bool Pch::wasMissedBefore() {
  if (!isPossible())
    return false;
  KeyBuilder Key("kpack-jit missed 1");
  Key.addDigest("family", Place.Key.Id, toHex(Place.Key.Id).substr(0, 16));
  KeyRecord Note = Key.finish();
  if (Root->find(Note.Id))
    return true;
  (void)Root->publish(describe(Note, Work.Request, "first of the family of "),
                      "");
  return false;
}
