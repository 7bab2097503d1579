//===- Dumps.cpp - dumps of compiled programs -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command is the script that failures keep, with the files that it
// compiles.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/Dumps.h"

#include "Jit/Executor/Cache/Repro.h"

#include "Support/Files.h"
#include "kpack/Support/OutputFile.h"

#include <filesystem>

using namespace kpack;
using namespace kpack::jit;

/// Returns "saxpy.cpp-0123456789ab"; safe for any name of the source.
static std::string folderName(const CompileRequest &Request,
                              const StoredEntry &Entry) {
  std::string Name = Request.Name.substr(Request.Name.rfind('/') + 1);
  for (char &C : Name)
    if (!std::isalnum((unsigned char)C) && C != '.' && C != '-' && C != '_')
      C = '_';
  return Name + "-" + Entry.Info.Key.hex().substr(0, 12);
}

static Result<std::string> getPayload(const StoredEntry &Entry) {
  std::string Bytes(Entry.PayloadSize, '\0');
  if (readAt(Entry.File.get(), Bytes.data(), Bytes.size(), 0) ==
      ssize_t(Bytes.size()))
    return Bytes;
  return Status(StatusCode::IoError,
                Entry.Info.Name + ": the entry cannot be read; try again");
}

Status jit::dump(const DumpOptions &Options, const CompileService &Service,
                 const CompileRequest &Request, const StoredEntry &Entry) {
  std::string Folder = Options.Folder + "/" + folderName(Request, Entry) + "/";
  std::error_code Failed;
  std::filesystem::create_directories(Folder, Failed);
  if (Failed)
    return Status(StatusCode::IoError,
                  Folder + ": cannot be made: " + Failed.message() +
                      "; set KPACK_JIT_DUMP_DIR to a place that can be "
                      "written");
  if (Options.Source || Options.Command)
    for (const auto &[Name, Text] : reproFiles(Request))
      if (Name != "repro.sh" || Options.Command)
        if (Status Done = OutputFile::write(Folder + Name, Text); !Done.ok())
          return Done;
  auto Put = [&](const char *Name, Result<std::string> Bytes) {
    return Bytes ? OutputFile::write(Folder + Name, *Bytes) : Bytes.status();
  };
  if (Options.Ir)
    if (Status Done = Put("ir.ll", Service.show(Request, CompileText::Ir));
        !Done.ok())
      return Done;
  if (Options.Assembly)
    if (Status Done =
            Put("asm.s", Service.show(Request, CompileText::Assembly));
        !Done.ok())
      return Done;
  bool IsCode = Request.Output == CompileOutput::CodeObject;
  return Options.Object
             ? Put(IsCode ? "object.co" : "object.so", getPayload(Entry))
             : Status::success();
}
