//===- CodeObject.cpp - texts and numbers read from kernels ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the five lines of a note; Support/ElfNotes.h and
// Jit/Executor/Gpu/KernelMetadata.h read ELF, notes and MessagePack. A kernel's
// name that differs from the hash of its texts is no error: the kernel was
// compiled before fields were added, and fields that it does not name have
// their defaults.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/CodeObject.h"

#include "ConvBuilder/Emit.h"
#include "Jit/Executor/Gpu/KernelMetadata.h"
#include "Support/ElfNotes.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <unordered_map>

using namespace kpack;
using namespace kpack::conv;

namespace {

Status malformed(const std::string &Why) {
  return Status(StatusCode::InvalidFormat,
                "code object: " + Why + "; compile it again");
}

Status inNote(const std::string &Why) {
  return malformed("its note of convolutions: " + Why);
}

/// Removes the first line of \p Lines, which must begin with \p Name and a
/// space, and returns the rest of it.
Result<std::string_view> takeLine(std::string_view &Lines,
                                  std::string_view Name) {
  size_t End = Lines.find('\n');
  std::string_view Line = Lines.substr(0, End);
  if (End == std::string_view::npos || !Line.starts_with(Name) ||
      Line.substr(Name.size(), 1) != " ")
    return inNote("no line '" + std::string(Name) + " ...' where it has to be");
  Lines.remove_prefix(End + 1);
  return Line.substr(Name.size() + 1);
}

template <Described T> Status takeValue(std::string_view &Lines, T &Parsed) {
  Result<std::string_view> Text = takeLine(Lines, ObjectName<T>);
  if (!Text)
    return Text.status();
  Result<T> Read = parse<T>(*Text);
  if (!Read)
    return inNote(Read.status().message());
  Parsed = *Read;
  return Status::success();
}

/// True if getSymbol() could have returned \p Name.
bool isSymbol(std::string_view Name) {
  constexpr std::string_view Start = "conv_";
  return Name.starts_with(Start) && Name.size() == Start.size() + 16 &&
         Name.find_first_not_of("0123456789abcdef", Start.size()) ==
             std::string_view::npos;
}

/// Reads a note without looking at the code.
Status takeNote(std::string_view Lines, KernelTraits &Traits) {
  if (Lines.empty() || Lines.back() != '\0')
    return inNote("is cut off");
  Lines.remove_suffix(1);
  Result<std::string_view> Schema = takeLine(Lines, "kpack-conv");
  if (!Schema)
    return Schema.status();
  if (*Schema != std::to_string(SchemaVersion))
    return inNote("is of another version than " +
                  std::to_string(SchemaVersion));
  Result<std::string_view> Symbol = takeLine(Lines, "kernel");
  if (!Symbol)
    return Symbol.status();
  Traits.Symbol = *Symbol;
  if (Status S = takeValue(Lines, Traits.Sig); !S.ok())
    return S;
  if (Status S = takeValue(Lines, Traits.How); !S.ok())
    return S;
  Result<std::string_view> Processor = takeLine(Lines, "processor");
  if (!Processor)
    return Processor.status();
  Traits.Processor = *Processor;
  if (!Lines.empty())
    return inNote("has more than five lines");
  if (Traits.Processor != CpuProcessor && !isValidTargetId(Traits.Processor))
    return inNote("processor: is no target id");
  if (!isSymbol(Traits.Symbol))
    return inNote("kernel: is no name of a kernel of convolutions");
  Result<Lowered> Values = lower(Traits.Sig, Traits.How, Traits.Processor);
  if (!Values)
    return inNote(Values.status().message());
  Traits.Made = *Values;
  return Status::success();
}

/// Limits a value to 2^30, which no kernel exceeds.
int getNumber(uint32_t Value) {
  return static_cast<int>(std::min<uint32_t>(Value, 1u << 30));
}

CodeFacts factsOf(const jit::ImageMetadata &Image,
                  const jit::KernelMetadata &Kernel) {
  CodeFacts Facts;
  Facts.Target = std::string_view(Image.Target);
  Facts.WaveSize = getNumber(Kernel.WaveSize);
  Facts.MaxThreads = getNumber(Kernel.MaxBlock);
  Facts.LdsBytes = getNumber(Kernel.SharedBytes);
  Facts.PrivateBytes = getNumber(Kernel.PrivateBytes);
  Facts.Vgprs = getNumber(Kernel.Vgprs);
  Facts.Agprs = getNumber(Kernel.Agprs);
  Facts.VgprSpills = getNumber(Kernel.VgprSpills);
  Facts.SgprSpills = getNumber(Kernel.SgprSpills);
  Facts.ArgumentBytes = getNumber(Kernel.ArgumentBytes);
  return Facts;
}

Status noKernel(const std::string &Symbol) {
  return malformed("it has no kernel " + Symbol);
}

} // namespace

Result<CodeFacts> conv::codeFacts(std::string_view Image,
                                  std::string_view Symbol) {
  Result<jit::ImageMetadata> Metadata = jit::readCodeObjectMetadata(Image);
  if (!Metadata)
    return Metadata.status();
  const jit::KernelMetadata *Kernel = Metadata->find(Symbol);
  return Kernel ? Result<CodeFacts>(factsOf(*Metadata, *Kernel))
                : noKernel(std::string(Symbol));
}

Result<std::vector<KernelTraits>> conv::traits(std::string_view Image) {
  std::vector<KernelTraits> All;
  Result<jit::ImageMetadata> Metadata = jit::readCodeObjectMetadata(Image);
  // A hostile file has many notes, so each lookup is by hash.
  std::unordered_map<std::string_view, const jit::KernelMetadata *> Kernels;
  if (Metadata)
    for (const jit::KernelMetadata &Kernel : Metadata->Kernels)
      Kernels.emplace(Kernel.Symbol, &Kernel);
  for (std::string_view Note : elfNotes(Image, "kpack", ConvNoteType)) {
    KernelTraits Kernel;
    if (Status S = takeNote(Note, Kernel); !S.ok())
      return S;
    if (Kernel.Processor != CpuProcessor) {
      if (!Metadata)
        return Metadata.status();
      auto Found = Kernels.find(Kernel.Symbol);
      if (Found == Kernels.end())
        return noKernel(Kernel.Symbol);
      Kernel.Code = factsOf(*Metadata, *Found->second);
    }
    All.push_back(std::move(Kernel));
  }
  if (All.empty())
    return malformed("it has no note of convolutions: it is no ELF file, or "
                     "its kernels are not of this builder");
  return All;
}
