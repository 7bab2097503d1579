//===- Demangle.cpp - demangling with a limit -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's parser creates a node for each part of a name, leaves first, through
// this file's allocator. So the allocator knows an upper bound of each node's
// text before anything is printed.
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

/// For some names the parser recurses for each letter.
constexpr size_t LongestName = 8 << 10;
constexpr uint64_t LongestText = 1 << 20;
/// Text of a node beside its parts, such as "std::basic_string<char, ...>".
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
    // Prints its part once for each element of a pack, which has at most as
    // many elements as the part has letters.
    if constexpr (std::is_same_v<T, ParameterPackExpansion>)
      Size = SaturatingMultiply(Size, Size / OwnText);
    // Its target is known only at the end of the name.
    if constexpr (std::is_same_v<T, ForwardTemplateReference>)
      Size = UINT64_MAX;
    T *Created = new (Nodes.Allocate(sizeof(T), alignof(T)))
        T(std::forward<Args>(Parts)...);
    Sizes[Created] = Size;
    return Created;
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
    return 0; // numbers and flags, which OwnText covers
  }

  BumpPtrAllocator Nodes;
  DenseMap<const Node *, uint64_t> Sizes;
};

/// The parser's allocator is protected.
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
