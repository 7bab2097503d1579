//===- Demangle.cpp - names out of files ----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's parser makes a node for each part of a name, from the leaves up, and
// asks an allocator of ours for it. So the allocator knows at most how long
// each node's text is before anything is printed.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Demangle.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Demangle/ItaniumDemangle.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::itanium_demangle;

namespace {

/// The parser recurses for each letter of some names.
constexpr size_t LongestName = 8 << 10;
constexpr uint64_t LongestText = 1 << 20;
/// What a node prints beside its parts: "std::basic_string<char, ...>".
constexpr uint64_t OwnText = 64;

class MeasuringAllocator {
public:
  void reset() {
    Nodes.Reset();
    Sizes.clear();
  }

  template <typename T, typename... Args> T *makeNode(Args &&...Parts) {
    uint64_t Size = OwnText;
    ((Size = SaturatingAdd(Size, sizeOf(Parts))), ...);
    // Prints its part once for each element of a pack, of which there are no
    // more than the part is long.
    if constexpr (std::is_same_v<T, ParameterPackExpansion>)
      Size = SaturatingMultiply(Size, Size / OwnText);
    // What it stands for is not known before the end.
    if constexpr (std::is_same_v<T, ForwardTemplateReference>)
      Size = UINT64_MAX;
    T *Made = new (Nodes.Allocate(sizeof(T), alignof(T)))
        T(std::forward<Args>(Parts)...);
    Sizes[Made] = Size;
    return Made;
  }

  void *allocateNodeArray(size_t Count) {
    return Nodes.Allocate(sizeof(Node *) * Count, alignof(Node *));
  }

  uint64_t sizeOf(const Node *Part) const { return Sizes.lookup(Part); }

private:
  uint64_t sizeOf(std::string_view Text) const { return Text.size(); }
  uint64_t sizeOf(NodeArray Parts) const {
    uint64_t Size = 0;
    for (const Node *Part : Parts)
      Size = SaturatingAdd(Size, sizeOf(Part));
    return Size;
  }
  template <typename Other>
  std::enable_if_t<!std::is_convertible_v<Other, const Node *> &&
                       !std::is_convertible_v<Other, std::string_view> &&
                       !std::is_convertible_v<Other, NodeArray>,
                   uint64_t>
  sizeOf(const Other &) const {
    return 0; // numbers and flags, of which OwnText has room for some
  }

  BumpPtrAllocator Nodes;
  DenseMap<const Node *, uint64_t> Sizes;
};

/// The parser has its allocator where others cannot see it.
class MeasuringParser : public ManglingParser<MeasuringAllocator> {
public:
  using ManglingParser::ManglingParser;
  uint64_t sizeOf(const Node *Root) const {
    return this->ASTAllocator.sizeOf(Root);
  }
};

} // namespace

std::string kpack::demangleName(StringRef Name) {
  if (Name.size() > LongestName)
    return Name.str();
  MeasuringParser Parser(Name.begin(), Name.end());
  const Node *Root = Parser.parse();
  if (!Root || Parser.sizeOf(Root) > LongestText)
    return Name.str();
  return demangle(Name);
}
