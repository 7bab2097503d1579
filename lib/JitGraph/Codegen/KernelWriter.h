//===- KernelWriter.h - the value of an element, as C++ ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes statements that compute one element of a node from what is in buffers.
// A kernel is nested loops; each has a scope, and a statement goes into the
// outermost scope in which all its indices are known:
//
//   depth 1    the function     what is the same for all elements
//   depth 2    a row            float v3 = sum of the row / n;
//   depth 3    a tile of it     sums for each element of the tile (CPU)
//   depth 4    an element       float v7 = (b1[i0*144 + j] - v3) * v5;
//
// So the mean of a row is computed once a row, because its index does not have
// j in it, and nobody has to plan that. What a bounds check guards stays
// inside of its branch.
//
// Siblings: RowKernel.cpp and ContractKernel.cpp write the loops.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_KERNELWRITER_H
#define KPACK_LIB_JITGRAPH_CODEGEN_KERNELWRITER_H

#include "Fusion.h"
#include "LinearIndex.h"
#include "kpack/JitGraph/GraphPlan.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kpack::jit {

/// Lanes of a reduction over a row, and elements of a tile, on a CPU.
constexpr int RowLanes = 16;
constexpr int TileSize = 64;

/// \p D as a kernel's text has it: a number, or one of the sizes that it gets,
/// to which it is added.
std::string sizeOperand(Dim D, std::vector<Dim> &Sizes);

class KernelWriter {
public:
  using Indices = std::vector<LinearIndex>;

  /// Depths of the loops that all kernels have.
  enum : unsigned { InFunction = 1, InRow = 2, InTile = 3, InElement = 4 };

  /// \p HasTiles: elements are computed in tiles, whose counter is "l".
  KernelWriter(const OpGraph &Graph, const Fusion &Chosen, GraphTarget Target,
               bool HasTiles = false)
      : G(Graph), Chosen(Chosen), Target(Target), HasTiles(HasTiles) {}

  /// Opens a scope inside of the innermost one.
  void open() { Scopes.emplace_back(); }
  /// Closes the innermost: its statements.
  std::string close();
  /// Appends to the innermost scope.
  void line(const std::string &Text) { Scopes.back().Code += Text + "\n"; }

  /// The value of \p Node there: an expression without side effects.
  std::string value(uint32_t Node, const Indices &At);
  /// As if the node were not in a buffer: for the kernel that writes it.
  std::string computed(uint32_t Node, const Indices &At);
  /// From now on this is the value, in this scope.
  void define(uint32_t Node, const Indices &At, std::string Expression);

  /// The name of the node's buffer, as an argument of the kernel.
  std::string buffer(uint32_t Node);
  /// For what is no node: the buffer that the kernel writes.
  std::string writtenBuffer(ElementType Type);
  /// A number, or an argument of the kernel.
  std::string size(Dim D);
  LinearIndex plus(const LinearIndex &I, Dim D, int64_t Factor);
  /// The place of an element in a buffer with these strides.
  static std::string offset(std::span<const int64_t> Strides,
                            const Indices &At);

  /// What the kernel computes with, and what its buffers hold.
  static std::string computeType(ElementType Type);
  static std::string storedType(ElementType Type);
  /// A value as it is stored.
  static std::string stored(ElementType Type, const std::string &Value);

  /// Arguments: nodes whose buffers are read, in order; sizes.
  const std::vector<uint32_t> &readNodes() const { return Reads; }
  const std::vector<Dim> &sizes() const { return Sizes; }
  /// Names of operations that were computed.
  std::string operations() const;
  OpLocation location() const { return Where; }
  /// Whether something is computed for a whole tile. If not, all is as without
  /// tiles.
  bool usesTiles() const { return UsesTiles; }

private:
  struct Scope {
    std::string Code;
    std::map<std::string, std::string> Known;
  };

  std::string keyOf(uint32_t Node, const Indices &At) const;
  const std::string *known(const std::string &Key) const;
  /// Puts "Type name = Expression;" where the indices are known.
  std::string declare(const std::string &Key, unsigned Depth,
                      const std::string &Type, const std::string &Expression);
  std::string fresh(const char *Prefix) {
    return Prefix + std::to_string(NextName++);
  }
  unsigned depthOf(const Indices &At) const;
  /// Takes the scopes further in than \p Depth away, while statements are
  /// written there, and gives them back.
  std::vector<Scope> setAside(unsigned Depth);
  void putBack(std::vector<Scope> &Inner);

  std::string load(uint32_t Node, const Indices &At, const std::string &Key);
  std::string computed(uint32_t Node, const Indices &At,
                       const std::string &Key);
  std::string elementwise(const OpNode &N, const Indices &At);
  std::string view(const OpNode &N, const Indices &At);
  std::string reshape(const OpNode &N, const Indices &At);
  std::string guarded(const OpNode &N, const Indices &At);
  std::string reduction(uint32_t Node, const Indices &At);
  std::string contraction(uint32_t Node, const Indices &At);
  /// Statements of a loop's body over \p Counter, at \p Depth.
  std::string body(uint32_t Node, size_t Axis, const Indices &At,
                   const std::string &Counter, std::string &Value);
  std::string reduceRow(const OpNode &N, const std::string &Name,
                        const Indices &At);
  void reduceTile(const OpNode &N, const std::string &Name, const Indices &At);

  const OpGraph &G;
  const Fusion &Chosen;
  GraphTarget Target;
  bool HasTiles;
  bool UsesTiles = false;
  std::vector<Scope> Scopes = std::vector<Scope>(2); ///< [0] is not used
  unsigned Floor = InFunction; ///< nothing goes further out than this
  size_t Together = InRow + 1; ///< with no more scopes all threads are here
  unsigned NextName = 0;
  std::vector<uint32_t> Reads;
  std::vector<Dim> Sizes;
  std::set<uint32_t> Computed;
  OpLocation Where;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_KERNELWRITER_H
