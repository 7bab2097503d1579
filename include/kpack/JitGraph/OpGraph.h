//===- JitGraph/OpGraph.h - nodes of a graph of operations ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a build function (which uses Ops.h), each with the shape of
// its result. Operands come before their users, and the same operation on the
// same operands is one node.
//
//   node  kind      shape        operands
//      0  Input     [b, t, 80]
//      1  Constant  [80, 144]
//      2  Reshape   [1, 80, 144]  1
//      3  Expand    [b, 80, 144]  2
//      4  Contract  [b, t, 144]   0 3
//
// The set is small. Operations with other names (softmax, convolution, an
// LSTM's cell) are built from these, so a pass or a back end has few cases.
// Views move no bytes: a reader computes another index. Only Expand broadcasts.
//
// Siblings: Reference.h computes a graph slowly, for tests; Lower.h makes
// kernels of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_OPGRAPH_H
#define KPACK_JITGRAPH_OPGRAPH_H

#include "kpack/JitGraph/ConstantBytes.h"
#include "kpack/JitGraph/Dim.h"
#include "kpack/JitGraph/ElementType.h"

#include <array>
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace kpack::jit {

enum class OpKind : uint8_t {
  // Sources.
  Input,    ///< Numbers: {which}
  Constant, ///< Numbers: {which of OpGraph::constants()}
  Full,     ///< Value everywhere
  Iota,     ///< [n]: 0, 1, 2, ...
  // Views.
  Reshape, ///< the same elements in the same order
  Permute, ///< Numbers: axis I of the result is the operand's Numbers[I]
  Expand,  ///< axes of extent 1 get the extent in Shape
  Slice,   ///< Dims: the start in each axis
  Pad,     ///< Dims: the count of Value before, in each axis; the rest after
  Concat,  ///< Numbers: {axis}
  Window,  ///< Numbers: {axis, size, stride}; a new last axis of that size
  // Element by element; all operands have the result's shape.
  Cast,
  Neg,
  Abs,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Add,
  Sub,
  Mul,
  Div,
  Min,
  Max,
  Less, ///< these give Bool
  LessEqual,
  Equal,
  Where, ///< condition (Bool), then, otherwise
  // Over one axis, which remains with an extent of 1.
  Sum,   ///< Numbers: {axis}
  MaxOf, ///< Numbers: {axis}
  // [batch..., m, k] by [batch..., k, n]; sums are of float or wider.
  Contract,
  // A result of a user's kernel. Numbers: {index in OpGraph::customs(), index
  // of the result}; results of one call are consecutive nodes. Dims: the grid,
  // x, y and z, then the size arguments.
  Custom,
};

constexpr std::string_view nameOf(OpKind Kind) {
  constexpr std::string_view Names[] = {
      "input",    "constant",   "full",  "iota",   "reshape", "permute",
      "expand",   "slice",      "pad",   "concat", "window",  "cast",
      "neg",      "abs",        "exp",   "log",    "sqrt",    "rsqrt",
      "add",      "sub",        "mul",   "div",    "min",     "max",
      "less",     "less_equal", "equal", "where",  "sum",     "max_of",
      "contract", "custom"};
  return Names[static_cast<size_t>(Kind)];
}

constexpr bool isView(OpKind Kind) {
  return Kind >= OpKind::Reshape && Kind <= OpKind::Window;
}
constexpr bool isElementwise(OpKind Kind) {
  return Kind >= OpKind::Cast && Kind <= OpKind::Where;
}
constexpr bool isReduction(OpKind Kind) {
  return Kind == OpKind::Sum || Kind == OpKind::MaxOf;
}

/// The place in the user's program. Unknown for operators: Line is 0.
struct OpLocation {
  const char *File = "";
  uint32_t Line = 0;

  OpLocation() = default;
  OpLocation(std::source_location L) : File(L.file_name()), Line(L.line()) {}
};

struct OpNode {
  OpKind Kind = OpKind::Full;
  ElementType Type = ElementType::Float32;
  std::vector<Dim> Shape;
  std::vector<uint32_t> Operands = {};
  std::vector<Dim> Dims = {};
  std::vector<int64_t> Numbers = {};
  double Value = 0;
  OpLocation Where = {};
};

/// Elements that are known when the graph is built: weights.
struct OpConstant {
  std::string Name; ///< for accessors; may be empty
  ElementType Type = ElementType::Float32;
  std::vector<int64_t> Shape;
  ConstantBytes Bytes;
  OpLocation Where = {};
};

struct ReferenceTensor;
/// Computes a user's kernel for evaluate() (Reference.h): tensors and sizes in
/// the order of the call, results of the right shape.
using ReferenceKernel = void (*)(std::span<const ReferenceTensor> Operands,
                                 std::span<const int64_t> Sizes,
                                 std::span<ReferenceTensor> Results);

/// A user's kernel and its call (CustomKernel.h).
struct OpCustom {
  /// One argument of the call.
  struct Argument {
    enum class Kind : uint8_t { Result, Operand, Size, Number };
    Kind What = Kind::Number;
    uint32_t Which = 0; ///< of Results, of operands, of sizes
    std::string Literal = {};

    bool operator==(const Argument &) const = default;
  };
  struct Output {
    ElementType Type = ElementType::Float32;
    std::vector<Dim> Shape;

    bool operator==(const Output &) const = default;
  };

  std::string Entry; ///< an expression of C++
  std::string Name;  ///< of the text, for messages
  std::string Text;
  std::vector<std::pair<std::string, std::string>> Headers = {};
  std::array<uint32_t, 3> Block = {1, 1, 1};
  std::vector<Argument> Arguments = {};
  std::vector<Output> Results = {};
  ReferenceKernel Reference = nullptr;

  bool operator==(const OpCustom &) const = default;
};

struct OpInput {
  std::string Name;
  ElementType Type = ElementType::Float32;
  std::vector<Dim> Shape;
};

struct OpOutput {
  std::string Name;
  uint32_t Node;
};

/// Two sizes that have to be equal in each call; a call with others is refused.
/// Shapes were checked as if they were equal.
struct OpGuard {
  Dim A, B;
  OpLocation Where = {};
};

/// Owns a graph and its sizes. Not thread-safe.
class OpGraph {
public:
  static constexpr uint32_t None = UINT32_MAX;

  OpGraph() : Sizes(std::make_unique<DimContext>()) {}
  OpGraph(OpGraph &&) = default;
  OpGraph &operator=(OpGraph &&) = default;

  DimContext &dims() const { return *Sizes; }

  /// Adds \p Node, whose operands are in this graph and whose attributes fit
  /// (Ops.h checks that). Returns its index, or that of an equal node.
  uint32_t add(OpNode Node);
  uint32_t addInput(OpInput I);
  /// Equal bytes are one constant.
  uint32_t addConstant(OpConstant C);
  /// Returns the index in customs(). Equal kernels are one, since they have no
  /// effect other than their results.
  uint32_t addCustom(OpCustom C);
  void addOutput(std::string Name, uint32_t Node) {
    Outputs.push_back({std::move(Name), Node});
  }

  /// Adds the build function's promise that both sizes, which are of dims(),
  /// are equal.
  void addGuard(OpGuard G) { Guards.push_back(G); }
  /// True if both are equal for all values that the guards permit; false if
  /// that cannot be proved.
  bool areEqual(Dim A, Dim B) const;

  const OpNode &node(uint32_t Id) const { return Nodes[Id]; }
  size_t size() const { return Nodes.size(); }
  const std::vector<OpInput> &inputs() const { return Inputs; }
  const std::vector<OpConstant> &constants() const { return Constants; }
  const std::vector<OpCustom> &customs() const { return Customs; }
  const std::vector<OpOutput> &outputs() const { return Outputs; }
  const std::vector<OpGuard> &guards() const { return Guards; }

  /// The first mistake of the build function. Operations need no check at each
  /// step: the result of a mistake is None.
  const Status &status() const { return FirstError; }
  /// Sets the status to \p Why unless there was one before. Returns None.
  uint32_t refuse(Status Why);

  /// Prints a line for each node, for tests and people.
  std::string text() const;

private:
  std::unique_ptr<DimContext> Sizes;
  std::vector<OpNode> Nodes;
  std::vector<OpInput> Inputs;
  std::vector<OpConstant> Constants;
  std::vector<OpCustom> Customs;
  std::vector<OpOutput> Outputs;
  std::vector<OpGuard> Guards;
  std::unordered_multimap<size_t, uint32_t> ByHash;
  Status FirstError;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_OPGRAPH_H
