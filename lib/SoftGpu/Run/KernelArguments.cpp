//===- KernelArguments.cpp - kernel arguments from a command line ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer has the same address for the kernel as for this program: the
// MemoryMap has its range, and the argument is its address, 8 bytes. An empty
// buffer owns one byte, so that it has an address, but has no range in the map.
//
// Integers are read with 128 bits and a sign, and then have to fit into the
// kind: i8:-1 is the byte 0xff, and u8:-1 and u8:256 are errors. A value that
// was silently truncated would look like a fault of the kernel.
//
// OutputFile writes outputs and replaces a file as a whole.
//
//===----------------------------------------------------------------------===//
#include "KernelArguments.h"

#include "ToolSupport/Errors.h"
#include "kpack/Support/OutputFile.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;

/// A larger buffer is a typing mistake.
static constexpr uint64_t MaxBufferBytes = uint64_t(1) << 32;

static Error wrong(StringRef Text, const Twine &Problem) {
  return objectError(("--arg=" + Text).str(), Problem);
}

Arguments::~Arguments() {
  for (const Buffer &B : Buffers) {
    auto Begin = reinterpret_cast<uint64_t>(B.Bytes->getBufferStart());
    Memory.remove(Begin, Begin + B.Size);
  }
}

void Arguments::addValue(const void *Bytes, size_t Size) {
  const auto *First = static_cast<const uint8_t *>(Bytes);
  Values.emplace_back(First, First + Size);
}

/// Accepts integers in any base of C, also negative, and floats as in C.
Error Arguments::addNumber(StringRef Kind, StringRef Digits) {
  std::string Text = (Kind + ":" + Digits).str();
  unsigned Bits = 0;
  Kind.drop_front().getAsInteger(10, Bits);
  if (Kind[0] == 'f') {
    const fltSemantics &Format = Bits == 16   ? APFloat::IEEEhalf()
                                 : Bits == 32 ? APFloat::IEEEsingle()
                                              : APFloat::IEEEdouble();
    APFloat Value(Format);
    auto Status = Value.convertFromString(Digits, APFloat::rmNearestTiesToEven);
    if (!Status) {
      consumeError(Status.takeError());
      return wrong(Text, "not a number; give one as C does");
    }
    uint64_t Pattern = Value.bitcastToAPInt().getZExtValue();
    addValue(&Pattern, Bits / 8);
    return Error::success();
  }
  APSInt Value(128, /*isUnsigned=*/false);
  bool Negative = Digits.consume_front("-");
  APInt Magnitude;
  if (Digits.getAsInteger(0, Magnitude) || Magnitude.getActiveBits() > 64)
    return wrong(Text, "not an integer; give one as C does");
  Value = APSInt(Magnitude.zextOrTrunc(128), /*isUnsigned=*/false);
  if (Negative)
    Value = -Value;
  bool Fits = Kind[0] == 'i' ? Value.isSignedIntN(Bits) : Value.isIntN(Bits);
  if (!Fits)
    return wrong(Text, "does not fit into " + Twine(Bits) +
                           " bits; give another kind");
  uint64_t Pattern = Value.trunc(64).getZExtValue();
  addValue(&Pattern, Bits / 8);
  return Error::success();
}

Error Arguments::addBuffer(uint64_t Size, StringRef Contents,
                           StringRef Output) {
  // hipMalloc aligns to 256 bytes. With a size of 0 there would be no address.
  std::unique_ptr<WritableMemoryBuffer> Bytes =
      WritableMemoryBuffer::getNewUninitMemBuffer(std::max<uint64_t>(Size, 1),
                                                  "", Align(256));
  if (!Bytes)
    return createStringError("command line: out of memory for a buffer of " +
                             Twine(Size) + " bytes; give a smaller one");
  std::memset(Bytes->getBufferStart(), 0, Bytes->getBufferSize());
  if (!Contents.empty())
    std::memcpy(Bytes->getBufferStart(), Contents.data(), Contents.size());
  auto Begin = reinterpret_cast<uint64_t>(Bytes->getBufferStart());
  Memory.add({Begin, Begin + Size, /*Writable=*/true, "allocation"});
  addValue(&Begin, sizeof(Begin));
  Buffers.push_back({std::move(Bytes), Size, Output.str()});
  return Error::success();
}

Expected<std::unique_ptr<MemoryBuffer>> softgpu::readInput(StringRef Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return objectError(Path, "cannot read: " + File.getError().message() +
                                 "; give a readable file");
  return std::move(*File);
}

Error Arguments::addFileValue(StringRef Path) {
  auto File = readInput(Path);
  if (!File)
    return File.takeError();
  addValue((*File)->getBufferStart(), (*File)->getBufferSize());
  return Error::success();
}

Error Arguments::addInput(StringRef Path, StringRef Output) {
  auto File = readInput(Path);
  if (!File)
    return File.takeError();
  StringRef Contents = (*File)->getBuffer();
  return addBuffer(Contents.size(), Contents, Output);
}

Error Arguments::addZeroed(StringRef Size, StringRef Output) {
  uint64_t Bytes = 0;
  if (Size.getAsInteger(0, Bytes) || Bytes > MaxBufferBytes)
    return wrong(Size, "not a size in bytes; give at most 4 GiB");
  return addBuffer(Bytes, "", Output);
}

Error Arguments::add(StringRef Text) {
  auto [Kind, Rest] = Text.split(':');
  if (Kind == "in")
    return addInput(Rest, "");
  if (Kind == "value")
    return addFileValue(Rest);
  if (Kind == "zero")
    return addZeroed(Rest, "");
  if (Kind == "out" || Kind == "inout") {
    auto [First, Last] = Rest.rsplit(':');
    if (First.empty() || Last.empty())
      return wrong(Text, "two parts expected; see softgpu-run --help");
    return Kind == "out" ? addZeroed(Last, First) : addInput(First, Last);
  }
  static constexpr StringLiteral Numbers[] = {"u8",  "u16", "u32", "u64",
                                              "i8",  "i16", "i32", "i64",
                                              "f16", "f32", "f64"};
  if (!is_contained(Numbers, Kind))
    return wrong(Text, "no such kind; see softgpu-run --help");
  return addNumber(Kind, Rest);
}

std::vector<ArrayRef<uint8_t>> Arguments::values() const {
  return std::vector<ArrayRef<uint8_t>>(Values.begin(), Values.end());
}

Error Arguments::writeOutputs() const {
  for (const Buffer &B : Buffers) {
    if (B.Output.empty())
      continue;
    std::string_view Bytes(B.Bytes->getBufferStart(), B.Size);
    if (Status S = OutputFile::write(B.Output, Bytes); !S.ok())
      return toError(S);
  }
  return Error::success();
}
