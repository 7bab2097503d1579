//===- KernelMetadata.cpp - argument layout of GPU kernels ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that an older compiler has left out are zero.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Gpu/KernelMetadata.h"

#include "Support/ElfNotes.h"
#include "kpack/Archive/detail/Msgpack.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace kpack;
using namespace kpack::jit;
using Value = detail::MsgpackValue;
using Reader = detail::MsgpackReader;

/// Upper bound of a kernel's argument bytes; limits the block of a launch.
static constexpr uint32_t MaxArgumentBytes = 1 << 16;
static constexpr uint32_t MetadataNote = 32; // NT_AMDGPU_METADATA

const KernelMetadata *ImageMetadata::find(std::string_view Symbol) const {
  for (const KernelMetadata &Kernel : Kernels)
    if (Kernel.Symbol == Symbol)
      return &Kernel;
  return nullptr;
}

static Status malformed(const std::string &Why) {
  return Status(StatusCode::InvalidFormat,
                "device code: " + Why + "; compile it again");
}

//===----------------------------------------------------------------------===//
// The MessagePack of a code object's note
//===----------------------------------------------------------------------===//

static bool takeText(Reader &In, const Value &V, std::string &Target) {
  if (V.Kind != Value::Str)
    return In.refuse("a name is not a str");
  Target = V.Text;
  return true;
}

static bool takeNumber(Reader &In, const Value &V, uint32_t &Target) {
  if (V.Kind != Value::Uint || V.Number > UINT32_MAX)
    return In.refuse("not a number of 32 bits");
  Target = uint32_t(V.Number);
  return true;
}

static bool takeArgument(Reader &In, const Value &V, KernelMetadata &Kernel) {
  static constexpr std::string_view Names[] = {".name", ".offset", ".size",
                                               ".value_kind"};
  KernelArgument A;
  std::string Kind;
  uint32_t Seen = 0;
  bool Read = In.fields(V, Names, Seen, [&](size_t I, const Value &Field) {
    return I == 0   ? takeText(In, Field, A.Name)
           : I == 1 ? takeNumber(In, Field, A.Offset)
           : I == 2 ? takeNumber(In, Field, A.Size)
                    : takeText(In, Field, Kind);
  });
  if (!Read)
    return false;
  if ((Seen & 14) != 14)
    return In.refuse("an argument has no place, size or kind");
  if (A.Offset > MaxArgumentBytes || A.Size > MaxArgumentBytes)
    return In.refuse("an argument lies too far away");
  if (Kind.compare(0, 7, "hidden_") == 0)
    return true;
  // Launches pack arguments in this order, so they must not overlap.
  if (A.Offset < Kernel.ArgumentBytes)
    return In.refuse("arguments overlap");
  A.IsPointer = Kind == "global_buffer" || Kind == "dynamic_shared_pointer";
  Kernel.ArgumentBytes = A.Offset + A.Size;
  Kernel.Arguments.push_back(std::move(A));
  return true;
}

static bool takeBlock(Reader &In, const Value &V, KernelMetadata &Kernel) {
  if (V.Kind != Value::Array || V.Number != Kernel.RequiredBlock.size())
    return In.refuse("a workgroup has not three sizes");
  size_t Index = 0;
  return In.items(V, [&](const Value &Item) {
    return takeNumber(In, Item, Kernel.RequiredBlock[Index++]);
  });
}

static bool takeKernel(Reader &In, const Value &V, ImageMetadata &Metadata) {
  static constexpr std::string_view Names[] = {".name",
                                               ".args",
                                               ".reqd_workgroup_size",
                                               ".max_flat_workgroup_size",
                                               ".group_segment_fixed_size",
                                               ".private_segment_fixed_size",
                                               ".wavefront_size",
                                               ".vgpr_count",
                                               ".agpr_count",
                                               ".vgpr_spill_count",
                                               ".sgpr_spill_count"};
  KernelMetadata Kernel;
  uint32_t *Numbers[] = {&Kernel.MaxBlock,     &Kernel.SharedBytes,
                         &Kernel.PrivateBytes, &Kernel.WaveSize,
                         &Kernel.Vgprs,        &Kernel.Agprs,
                         &Kernel.VgprSpills,   &Kernel.SgprSpills};
  constexpr size_t Others = std::size(Names) - std::size(Numbers);
  uint32_t Seen = 0;
  bool Read = In.fields(V, Names, Seen, [&](size_t I, const Value &Field) {
    switch (I) {
    case 0:
      return takeText(In, Field, Kernel.Symbol);
    case 1:
      return Field.Kind == Value::Array
                 ? In.items(Field,
                            [&](const Value &Item) {
                              return takeArgument(In, Item, Kernel);
                            })
                 : In.refuse("arguments are not an array");
    case 2:
      return takeBlock(In, Field, Kernel);
    default:
      return takeNumber(In, Field, *Numbers[I - Others]);
    }
  });
  if (!Read)
    return false;
  if (Kernel.Symbol.empty())
    return In.refuse("a kernel has no name");
  Metadata.Kernels.push_back(std::move(Kernel));
  return true;
}

Result<ImageMetadata> jit::readCodeObjectMetadata(std::string_view Image) {
  std::vector<std::string_view> Notes = elfNotes(Image, "AMDGPU", MetadataNote);
  if (Notes.empty() || Notes.front().empty())
    return malformed("it is no code object with a note of metadata");
  static constexpr std::string_view Names[] = {"amdhsa.kernels",
                                               "amdhsa.target"};
  ImageMetadata Metadata;
  Reader In(Notes.front());
  Value Root;
  std::string Target;
  uint32_t Seen = 0;
  bool Read = In.read(Root) &&
              In.fields(Root, Names, Seen, [&](size_t I, const Value &Field) {
                if (I == 1)
                  return takeText(In, Field, Target);
                return Field.Kind == Value::Array
                           ? In.items(Field,
                                      [&](const Value &K) {
                                        return takeKernel(In, K, Metadata);
                                      })
                           : In.refuse("kernels are not an "
                                       "array");
              });
  if (!Read)
    return malformed("its metadata cannot be read: " + In.reason());
  Metadata.Target = stripTargetTriple(Target);
  if (!isValidTargetId(Metadata.Target))
    return malformed("its metadata has no target");
  return Metadata;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Splits a type at the commas outside of brackets.
static std::vector<std::string_view> getParameters(std::string_view Type) {
  std::vector<std::string_view> Parameters;
  size_t Start = 0;
  int Depth = 0;
  for (size_t I = 0; I <= Type.size(); ++I) {
    bool IsEnd = I == Type.size();
    if (!IsEnd && std::strchr("(<[{", Type[I]))
      ++Depth;
    if (!IsEnd && std::strchr(")>]}", Type[I]))
      --Depth;
    if (!IsEnd && (Type[I] != ',' || Depth != 0))
      continue;
    Parameters.push_back(Type.substr(Start, I - Start));
    Start = I + 1;
  }
  return Parameters;
}

/// Returns 0 if the name does not determine the size.
static uint32_t sizeOfType(std::string_view Type) {
  while (!Type.empty() && Type.front() == ' ')
    Type.remove_prefix(1);
  if (Type.find('*') != std::string_view::npos && Type.back() != ')')
    return 8;
  static constexpr std::pair<std::string_view, uint32_t> Sizes[] = {
      {"bool", 1},          {"char", 1},         {"signed char", 1},
      {"unsigned char", 1}, {"short", 2},        {"unsigned short", 2},
      {"int", 4},           {"unsigned int", 4}, {"long", 8},
      {"unsigned long", 8}, {"long long", 8},    {"unsigned long long", 8},
      {"float", 4},         {"double", 8},       {"_Float16", 2},
      {"__bf16", 2}};
  for (auto [Name, Size] : Sizes)
    if (Type == Name)
      return Size;
  return 0;
}

bool jit::fitsType(const KernelMetadata &Kernel, std::string_view Type) {
  static constexpr std::string_view Start = "void (";
  if (Type.substr(0, Start.size()) != Start || Type.back() != ')')
    return true;
  std::string_view Inside =
      Type.substr(Start.size(), Type.size() - Start.size() - 1);
  std::vector<std::string_view> Parameters;
  if (!Inside.empty())
    Parameters = getParameters(Inside);
  if (Parameters.size() != Kernel.Arguments.size())
    return false;
  for (size_t I = 0; I < Parameters.size(); ++I)
    if (uint32_t Size = sizeOfType(Parameters[I]);
        Size && Size != Kernel.Arguments[I].Size)
      return false;
  return true;
}
