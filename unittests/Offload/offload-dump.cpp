//===- offload-dump.cpp - test tool: functions of lib/Offload -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test tool, not installed: runs one function of lib/Offload on a real
// object, so that lit tests can show what stock clang's modes look like.
//
//   offload-dump input FILE [REWRITTEN]     readLinkerInput
//   offload-dump image FILE TARGET OUT      the same: one image's bytes
//   offload-dump finish FILE OUT image|rdc TARGET=CODE...   finishHostObject
//   offload-dump linked FILE                readLinkedBinary
//
//===----------------------------------------------------------------------===//
#include "Offload/HostObject.h"
#include "Offload/LinkerInput.h"
#include "Offload/Wrappers.h"
#include "ToolSupport/Errors.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kpack::offload;

static ExitOnError Exit("offload-dump: error: ");

static std::unique_ptr<MemoryBuffer> open(StringRef File) {
  return Exit(errorOrToExpected(MemoryBuffer::getFile(
      File, /*IsText=*/false, /*RequiresNullTerminator=*/false)));
}

static void save(StringRef File, StringRef Bytes) {
  std::error_code EC;
  raw_fd_ostream OS(File, EC);
  Exit(errorCodeToError(EC));
  OS << Bytes;
}

static void printInput(const LinkerInput &Input) {
  for (const DevicePayload &Payload : Input.Payloads) {
    outs() << (Payload.Kind == PayloadKind::Rdc ? "rdc" : "image");
    if (Payload.Token)
      outs() << format(" token=%llx", (unsigned long long)*Payload.Token);
    outs() << '\n';
    for (const DeviceImage &Image : Payload.Images)
      outs() << "  " << Image.Target << ' ' << Image.Bytes.size() << '\n';
  }
  for (uint64_t Token : Input.FatBinRefs)
    outs() << format("fatbin-ref %llx\n", (unsigned long long)Token);
  for (const std::string &Name : Input.HandleRefs)
    outs() << "handle-ref " << Name << '\n';
  if (Input.HasAnonymousFatBin)
    outs() << "anonymous fat binary\n";
  if (Input.NeedsLinkerWrapper)
    outs() << "needs clang-linker-wrapper\n";
  outs() << (Input.Rewritten ? "rewritten\n" : "as it is\n");
}

static LinkerInput readInput(const MemoryBuffer &Object) {
  return Exit(
      readLinkerInput(Object.getMemBufferRef(), Object.getBufferIdentifier()));
}

static void input(ArrayRef<char *> Args) {
  std::unique_ptr<MemoryBuffer> Object = open(Args[0]);
  LinkerInput Input = readInput(*Object);
  printInput(Input);
  if (Args.size() == 2 && Input.Rewritten)
    save(Args[1], Input.Rewritten->getBuffer());
}

static void image(ArrayRef<char *> Args) {
  std::unique_ptr<MemoryBuffer> Object = open(Args[0]);
  LinkerInput Input = readInput(*Object);
  for (const DevicePayload &Payload : Input.Payloads)
    for (const DeviceImage &Image : Payload.Images)
      if (Image.Target == Args[1])
        return save(Args[2], Image.Bytes);
  Exit(kpack::objectError(Args[0], Twine("no device code for ") + Args[1]));
}

static void finish(ArrayRef<char *> Args) {
  std::unique_ptr<MemoryBuffer> Object = open(Args[0]);
  PayloadKind Kind =
      StringRef(Args[2]) == "rdc" ? PayloadKind::Rdc : PayloadKind::Image;
  std::vector<std::unique_ptr<MemoryBuffer>> Files;
  std::vector<DeviceImage> Images;
  for (StringRef Arg : Args.drop_front(3)) {
    auto [Target, File] = Arg.split('=');
    Files.push_back(open(File));
    Images.push_back({Target.str(), Files.back()->getBuffer()});
  }
  save(Args[1],
       Exit(finishHostObject(Object->getMemBufferRef(), Images, Kind)));
}

static void linked(ArrayRef<char *> Args) {
  std::unique_ptr<MemoryBuffer> File = open(Args[0]);
  LinkedBinary Binary =
      Exit(readLinkedBinary(File->getMemBufferRef(), Args[0]));
  for (const Wrapper &W : Binary.Wrappers) {
    StringRef Magic(File->getBufferStart() + W.FileOffset, 4);
    StringRef Place = "elsewhere";
    if (W.Pointer == Binary.MarkerAddress && W.Pointer != 0)
      Place = "the marker";
    outs() << "wrapper " << Magic << " points to " << Place
           << format(" reserved1=%llx\n", (unsigned long long)W.Reserved1);
  }
  outs() << "marker size " << Binary.MarkerBytes.size() << '\n'
         << (Binary.FatBinSize != 0 ? "fat\n" : "host-only\n");
}

int main(int Argc, char **Argv) {
  ArrayRef<char *> Args(Argv, Argc);
  StringRef Command = Args.size() > 2 ? Args[1] : "";
  Args = Args.drop_front(std::min<size_t>(Args.size(), 2));
  if (Command == "input")
    input(Args);
  else if (Command == "image" && Args.size() == 3)
    image(Args);
  else if (Command == "finish" && Args.size() > 2)
    finish(Args);
  else if (Command == "linked")
    linked(Args);
  else
    Exit(kpack::objectError("usage", "see the head of offload-dump.cpp"));
  return 0;
}
