//===- GpusOfMachine.cpp - GPUs of this machine ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each node has a file "properties"; nodes of CPUs have version 0.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/GpusOfMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

std::vector<std::string> kpack::gpusOfMachine(StringRef Topology) {
  std::vector<std::string> Gpus;
  std::error_code Ignored;
  for (sys::fs::directory_iterator I(Topology, Ignored), End;
       !Ignored && I != End; I.increment(Ignored)) {
    // The kernel's files have size 0.
    ErrorOr<std::unique_ptr<MemoryBuffer>> File =
        MemoryBuffer::getFileAsStream(I->path() + "/properties");
    if (!File)
      continue;
    SmallVector<StringRef> Lines;
    (*File)->getBuffer().split(Lines, '\n');
    for (StringRef Line : Lines) {
      unsigned Version = 0;
      if (!Line.consume_front("gfx_target_version ") ||
          Line.trim().getAsInteger(10, Version) || Version == 0)
        continue;
      // 90010 is gfx90a: decimal major, then minor and step in hexadecimal.
      std::string Id = "gfx" + std::to_string(Version / 10000);
      for (unsigned Part : {Version / 100 % 100, Version % 100})
        Id += "0123456789abcdef"[Part % 16];
      if (!is_contained(Gpus, Id))
        Gpus.push_back(Id);
    }
  }
  llvm::sort(Gpus);
  return Gpus;
}
