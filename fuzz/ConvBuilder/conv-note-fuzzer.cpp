//===- conv-note-fuzzer.cpp - fuzzer of the reader of kernels' ELF notes --===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes as a code object; behind an 'N', as the lines of a note that is
// framed right, so that what reads them is reached too. What is taken must come
// back when it is written again.
//
//===----------------------------------------------------------------------===//
#include "../../unittests/ConvBuilder/CodeObjectWriter.h"

#include "kpack/ConvBuilder/CodeObject.h"

#include <cstdint>
#include <cstdlib>

using namespace kpack;
using namespace kpack::conv;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static void checkKernel(const KernelTraits &Kernel) {
  // What is written again has the name that the values have now.
  MadeCodeObject Made{.Sig = Kernel.Sig, .How = Kernel.How};
  Made.Processor = Kernel.Processor;
  if (Kernel.Code)
    Made.Facts = *Kernel.Code;
  Result<std::vector<KernelTraits>> Again = traits(Made.image());
  check(Again.ok() && Again->size() == 1);
  const KernelTraits &Other = Again->front();
  check(Other.Sig == Kernel.Sig && Other.How == withoutHints(Kernel.How));
  check(Other.Made == Kernel.Made && Other.Processor == Kernel.Processor);
  check(Other.Code.has_value() == Kernel.Code.has_value());
  if (Kernel.Code)
    check(Other.Code->Target.view() == Kernel.Code->Target.view() &&
          Other.Code->Vgprs == Kernel.Code->Vgprs);
}

static void read(std::string_view Image) {
  // A copy of exactly this size, so that a read behind its end is seen.
  std::vector<char> Copy(Image.begin(), Image.end());
  Result<std::vector<KernelTraits>> All = traits({Copy.data(), Copy.size()});
  if (!All)
    return check(All.status().code() == StatusCode::InvalidFormat &&
                 !All.status().message().empty());
  for (const KernelTraits &Kernel : *All)
    checkKernel(Kernel);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Bytes(reinterpret_cast<const char *>(Data), Size);
  if (!Bytes.starts_with('N'))
    read(Bytes);
  else {
    MadeCodeObject Made;
    Made.Lines = std::string(Bytes.substr(1)) + '\0';
    read(Made.image());
  }
  return 0;
}
