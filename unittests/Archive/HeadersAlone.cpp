//===- HeadersAlone.cpp - compile of the headers without exceptions -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The installed headers as a user's compiler sees them: C++17, and in programs
// that are built without exceptions and RTTI, as everything around LLVM is.
// That this compiles is the test.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/OutputFile.h"
#include "kpack/Support/TargetId.h"

static_assert(__cplusplus == 201703L, "this file is about C++17");
#ifdef __cpp_exceptions
#error "this file is about programs without exceptions"
#endif
#ifdef KPACK_ARCHIVE_LIBRARY
#error "this file is about programs that do not link libkpackArchive.a"
#endif

// Instantiates what is inline.
kpack::Status readOne(const std::string &Path) {
  auto Reader = kpack::ArchiveReader::open(Path);
  if (!Reader)
    return Reader.status();
  for (const kpack::ArchiveEntry &Entry : (*Reader)->entries())
    if (auto Content = (*Reader)->readVerified(Entry); !Content)
      return Content.status();
  return kpack::Status::success();
}
