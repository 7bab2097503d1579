//===- CodeObjectMetadata.cpp - parser of code object metadata ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's msgpack::Document trusts its input: it asserts the kind of a node,
// reads past the end, and cannot order keys that are maps. So we first walk the
// bytes, and check each node before use.
//
//===----------------------------------------------------------------------===//
#include "CodeObjectMetadata.h"
#include "kpack/Support/TargetId.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

using namespace kpack::softgpu;
using namespace llvm;

/// Upper limit of a kernel's arguments, which bounds the allocation in
/// launch().
static constexpr uint64_t MaxKernargBytes = 1 << 20;

namespace {

Error malformed(const Twine &Problem) {
  return createStringError("metadata note: " + Problem +
                           "; compile the code object again");
}

/// True for one complete MessagePack object whose maps have string keys and
/// whose nesting is no deeper than metadata's.
bool isWellFormed(StringRef Note) {
  struct Level {
    bool Map;
    uint64_t Left; ///< remaining objects, keys included
  };
  constexpr size_t MaxDepth = 16;
  SmallVector<Level, MaxDepth> Levels;
  msgpack::Reader Reader(Note);
  do {
    msgpack::Object Object;
    Expected<bool> Got = Reader.read(Object);
    if (!Got) {
      consumeError(Got.takeError());
      return false;
    }
    if (!*Got)
      return false;
    if (!Levels.empty()) {
      Level &L = Levels.back();
      if (L.Map && L.Left % 2 == 0 && Object.Kind != msgpack::Type::String)
        return false;
      --L.Left;
    }
    bool Map = Object.Kind == msgpack::Type::Map;
    if (Map || Object.Kind == msgpack::Type::Array) {
      if (Levels.size() == MaxDepth)
        return false;
      Levels.push_back({Map, uint64_t(Object.Length) * (Map ? 2 : 1)});
    }
    while (!Levels.empty() && Levels.back().Left == 0)
      Levels.pop_back();
  } while (!Levels.empty());
  return true;
}

/// Returns the value at \p Key, or an empty node.
msgpack::DocNode lookUp(msgpack::MapDocNode &Map, StringRef Key) {
  auto Found = Map.find(Key);
  return Found == Map.end() ? Map.getDocument()->getEmptyNode() : Found->second;
}

Error readString(msgpack::MapDocNode &Map, StringRef Key, std::string &Out) {
  msgpack::DocNode Node = lookUp(Map, Key);
  if (!Node.isString())
    return malformed("'" + Key + "' is missing or not a string");
  Out = Node.getString().str();
  return Error::success();
}

Error readNumber(msgpack::MapDocNode &Map, StringRef Key, uint32_t &Out) {
  msgpack::DocNode Node = lookUp(Map, Key);
  uint64_t Value = ~uint64_t(0);
  if (Node.getKind() == msgpack::Type::UInt)
    Value = Node.getUInt();
  else if (Node.getKind() == msgpack::Type::Int && Node.getInt() >= 0)
    Value = uint64_t(Node.getInt());
  if (Value > UINT32_MAX)
    return malformed("'" + Key + "' is missing or not a 32-bit number");
  Out = uint32_t(Value);
  return Error::success();
}

Expected<KernelArgument> readArgument(msgpack::DocNode Node,
                                      uint32_t KernargSize) {
  if (!Node.isMap())
    return malformed("an argument is not a map");
  msgpack::MapDocNode &Map = Node.getMap();
  KernelArgument A;
  if (Error E = readNumber(Map, ".offset", A.Offset))
    return E;
  if (Error E = readNumber(Map, ".size", A.Size))
    return E;
  if (A.Offset > KernargSize || A.Size > KernargSize - A.Offset)
    return malformed("an argument of " + Twine(A.Size) + " bytes at " +
                     Twine(A.Offset) + " does not lie in the " +
                     Twine(KernargSize) + " bytes of arguments");
  if (Error E = readString(Map, ".value_kind", A.ValueKind))
    return E;
  return A;
}

Error readArguments(msgpack::MapDocNode &Map, Kernel &K) {
  msgpack::DocNode Arguments = lookUp(Map, ".args");
  if (Arguments.isEmpty())
    return Error::success();
  if (!Arguments.isArray())
    return malformed("'.args' is not an array");
  for (msgpack::DocNode &Node : Arguments.getArray()) {
    Expected<KernelArgument> A = readArgument(Node, K.KernargSize);
    if (!A)
      return A.takeError();
    K.Arguments.push_back(std::move(*A));
  }
  return Error::success();
}

Error readSizes(msgpack::MapDocNode &Map, Kernel &K) {
  if (Error E = readNumber(Map, ".kernarg_segment_size", K.KernargSize))
    return E;
  if (K.KernargSize > MaxKernargBytes)
    return malformed("a kernel with " + Twine(K.KernargSize) +
                     " bytes of arguments");
  if (Error E =
          readNumber(Map, ".group_segment_fixed_size", K.GroupSegmentSize))
    return E;
  if (Error E =
          readNumber(Map, ".private_segment_fixed_size", K.PrivateSegmentSize))
    return E;
  msgpack::DocNode Dynamic = lookUp(Map, ".uses_dynamic_stack");
  K.DynamicStack =
      Dynamic.getKind() == msgpack::Type::Boolean && Dynamic.getBool();
  return Error::success();
}

Expected<CodeObjectMetadata::Entry> readKernel(msgpack::DocNode Node) {
  if (!Node.isMap())
    return malformed("a kernel is not a map");
  msgpack::MapDocNode &Map = Node.getMap();
  CodeObjectMetadata::Entry E;
  if (Error Err = readString(Map, ".name", E.Contents.Name))
    return Err;
  if (Error Err = readString(Map, ".symbol", E.Symbol))
    return Err;
  if (Error Err = readSizes(Map, E.Contents))
    return Err;
  if (Error Err = readArguments(Map, E.Contents))
    return Err;
  return E;
}

} // namespace

Expected<CodeObjectMetadata> CodeObjectMetadata::parse(StringRef Note) {
  msgpack::Document Document;
  if (!isWellFormed(Note) || !Document.readFromBlob(Note, /*Multi=*/false) ||
      !Document.getRoot().isMap())
    return malformed("not a MessagePack map");
  msgpack::MapDocNode &Root = Document.getRoot().getMap();
  CodeObjectMetadata M;
  std::string Target;
  if (Error E = readString(Root, "amdhsa.target", Target))
    return E;
  M.Target = kpack::stripTargetTriple(Target);
  msgpack::DocNode Kernels = lookUp(Root, "amdhsa.kernels");
  if (Kernels.isEmpty())
    return M;
  if (!Kernels.isArray())
    return malformed("'amdhsa.kernels' is not an array");
  for (msgpack::DocNode &Node : Kernels.getArray()) {
    Expected<Entry> K = readKernel(Node);
    if (!K)
      return K.takeError();
    M.Kernels.push_back(std::move(*K));
  }
  return M;
}
