//===- StaticLibrary.cpp - members of a static library --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StaticLibrary.h.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/StaticLibrary.h"

#include "llvm/Object/Archive.h"

using namespace kpack;
using namespace llvm;
using namespace llvm::object;

bool kpack::startsStaticLibrary(StringRef Bytes) {
  return Bytes.starts_with("!<arch>\n") || startsThinLibrary(Bytes);
}

bool kpack::startsThinLibrary(StringRef Bytes) {
  return Bytes.starts_with("!<thin>\n");
}

StaticLibrary::StaticLibrary(std::unique_ptr<Archive> Library)
    : Library(std::move(Library)) {}
StaticLibrary::StaticLibrary(StaticLibrary &&) = default;
StaticLibrary::~StaticLibrary() = default;

static Expected<StaticLibrary::Member>
readMember(const Archive::Child &Child, bool IsThin, MemoryBufferRef File) {
  constexpr size_t LongestName = 4096; // PATH_MAX
  Expected<StringRef> Name = Child.getName();
  if (!Name)
    return Name.takeError();
  if (Name->size() > LongestName)
    return createStringError("the name of a member is too long");
  Expected<StringRef> Bytes = Child.getBuffer();
  if (!Bytes)
    return Bytes.takeError();
  if (!IsThin && (Bytes->begin() < File.getBufferStart() ||
                  Bytes->begin() > File.getBufferEnd() ||
                  Bytes->size() > size_t(File.getBufferEnd() - Bytes->begin())))
    return createStringError("its member " + *Name + " is cut off");
  return StaticLibrary::Member{*Name, *Bytes};
}

Expected<StaticLibrary> StaticLibrary::read(MemoryBufferRef File) {
  Expected<std::unique_ptr<Archive>> Read = Archive::create(File);
  if (!Read)
    return Read.takeError();
  StaticLibrary New(std::move(*Read));
  Error Failure = Error::success();
  for (const Archive::Child &Child : New.Library->children(Failure)) {
    Expected<Member> M = readMember(Child, New.Library->isThin(), File);
    if (!M) {
      consumeError(std::move(Failure));
      return M.takeError();
    }
    New.Members.push_back(*M);
  }
  if (Failure)
    return std::move(Failure);
  return std::move(New);
}
