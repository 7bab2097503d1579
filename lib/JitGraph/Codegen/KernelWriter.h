//===- KernelWriter.h - C++ for the value of an element ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes statements that compute one element of a node from buffers. A kernel
// is nested loops, each with a scope, and a statement goes into the outermost
// scope that knows all its indices:
//
//   depth 1    the function     equal for all elements
//   depth 2    a row            float v3 = sum of the row / n;
//   depth 3    a tile of it     sums for each element of the tile (CPU)
//   depth 4    an element       float v7 = (b1[i0*144 + j] - v3) * v5;
//
// So the mean of a row is computed once per row without a plan for it, because
// its index does not contain j. Statements under a bounds check stay in its
// branch.
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

/// Returns \p D in a kernel's text: a number, or one of its size arguments
/// \p Sizes, to which \p D is added.
std::string sizeOperand(Dim D, std::vector<Dim> &Sizes);

class KernelWriter {
public:
  using Indices = std::vector<LinearIndex>;

  /// Depths of the loops of all kernels.
  enum : unsigned { InFunction = 1, InRow = 2, InTile = 3, InElement = 4 };

  /// \p HasTiles: elements are computed in tiles, with the counter "l".
  KernelWriter(const OpGraph &Graph, const Fusion &Chosen, GraphTarget Target,
               bool HasTiles = false)
      : G(Graph), Chosen(Chosen), Target(Target), HasTiles(HasTiles) {}

  /// Opens a scope in the innermost one.
  void open() { Scopes.emplace_back(); }
  /// Closes the innermost scope and returns its statements.
  std::string close();
  /// Appends to the innermost scope.
  void line(const std::string &Text) { Scopes.back().Code += Text + "\n"; }

  /// Returns the value of \p Node at the indices, an expression without side
  /// effects.
  std::string value(uint32_t Node, const Indices &Position);
  /// The same for a node without regard to its buffer, for the kernel that
  /// writes it.
  std::string computed(uint32_t Node, const Indices &Position);
  /// Defines the value from now on, in this scope.
  void define(uint32_t Node, const Indices &Position, std::string Expression);

  /// Returns the name of the node's buffer, an argument of the kernel.
  std::string buffer(uint32_t Node);
  /// Returns the name of the buffer that the kernel writes, if it is not a
  /// node's.
  std::string writtenBuffer(ElementType Type);
  /// Returns a number, or an argument of the kernel.
  std::string size(Dim D);
  LinearIndex plus(const LinearIndex &I, Dim D, int64_t Factor);
  /// Returns the offset of an element in a buffer with these strides.
  static std::string offset(std::span<const int64_t> Strides,
                            const Indices &Position);

  /// Return the type for computation, and that in buffers.
  static std::string computeType(ElementType Type);
  static std::string storedType(ElementType Type);
  /// Converts a value for storing.
  static std::string stored(ElementType Type, const std::string &Value);

  /// Arguments: nodes with buffers to read, in order; sizes.
  const std::vector<uint32_t> &readNodes() const { return Reads; }
  const std::vector<Dim> &sizes() const { return Sizes; }
  /// Returns the names of the computed operations.
  std::string operations() const;
  OpLocation location() const { return Where; }
  /// True if some value is computed for a whole tile. If not, the text is the
  /// same as without tiles.
  bool usesTiles() const { return UsesTiles; }

private:
  struct Scope {
    std::string Code;
    std::map<std::string, std::string> Known;
  };

  std::string getKey(uint32_t Node, const Indices &Position) const;
  const std::string *known(const std::string &Key) const;
  /// Puts "Type name = Expression;" into the scope that knows the indices.
  std::string declare(const std::string &Key, unsigned Depth,
                      const std::string &Type, const std::string &Expression);
  std::string fresh(const char *Prefix) {
    return Prefix + std::to_string(NextName++);
  }
  unsigned getDepth(const Indices &Position) const;
  /// Removes the scopes deeper than \p Depth while statements are written
  /// there; putBack() restores them.
  std::vector<Scope> setAside(unsigned Depth);
  void putBack(std::vector<Scope> &Inner);

  std::string load(uint32_t Node, const Indices &Position,
                   const std::string &Key);
  std::string computed(uint32_t Node, const Indices &Position,
                       const std::string &Key);
  std::string elementwise(const OpNode &N, const Indices &Position);
  std::string view(const OpNode &N, const Indices &Position);
  std::string reshape(const OpNode &N, const Indices &Position);
  std::string guarded(const OpNode &N, const Indices &Position);
  std::string reduction(uint32_t Node, const Indices &Position);
  std::string contraction(uint32_t Node, const Indices &Position);
  /// Returns statements of a loop's body over \p Counter, at \p Depth.
  std::string body(uint32_t Node, size_t Axis, const Indices &Position,
                   const std::string &Counter, std::string &Value);
  std::string reduceRow(const OpNode &N, const std::string &Name,
                        const Indices &Position);
  void reduceTile(const OpNode &N, const std::string &Name,
                  const Indices &Position);

  const OpGraph &G;
  const Fusion &Chosen;
  GraphTarget Target;
  bool HasTiles;
  bool UsesTiles = false;
  std::vector<Scope> Scopes = std::vector<Scope>(2); ///< [0] is not used
  unsigned Floor = InFunction; ///< outermost depth for statements
  /// With at most so many scopes, all threads of a block are at one element.
  size_t Together = InRow + 1;
  unsigned NextName = 0;
  std::vector<uint32_t> Reads;
  std::vector<Dim> Sizes;
  std::set<uint32_t> Computed;
  OpLocation Where;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_KERNELWRITER_H
