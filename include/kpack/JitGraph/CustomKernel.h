//===- JitGraph/CustomKernel.h - users' HIP kernels in graphs ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A __global__ function of HIP as an operation of a graph:
//
//   const Source Scale{.text = R"(
//     __global__ void scale(float *y, const float *x, int n, float by) {
//       int i = blockIdx.x * blockDim.x + threadIdx.x;
//       if (i < n)
//         y[i] = x[i] * by;
//     })", .entry = "scale"};
//   Tensor<float> Y = kernel(Scale, Grid({ceilDiv(Io.n, 256)}, {256}),
//                            result<float>({Io.n}), Io.x, Io.n, 0.5F);
//
// - The kernel's arguments follow the grid, in the kernel's order: a
//   result is a T *, a tensor a const T *, a Dim an integer that can hold all
//   its values, a number a constant of the kernel. The text's compiler checks
//   that when the graph is prepared.
// - Returns the tensors of results: one, or a tuple of several.
// - Tensors are laid out row by row for the upper bounds: stride() returns the
//   distance of rows. A kernel writes the elements within the extents, and
//   reads no others; it has no other effect, so two equal calls are one.
// - On a CPU the threads of a block run one after another. A kernel with
//   __shared__ or __syncthreads() needs another body there, for
//   #ifdef KPACK_JIT_CPU.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_CUSTOMKERNEL_H
#define KPACK_JITGRAPH_CUSTOMKERNEL_H

#include "kpack/Jit/Source.h"
#include "kpack/JitGraph/AnyOps.h"

#include <tuple>
#include <variant>

namespace kpack::jit {

/// The threads of a block, like HIP's dim3.
struct Threads {
  constexpr Threads(uint32_t X, uint32_t Y = 1, uint32_t Z = 1)
      : Extents{X, Y, Z} {}
  std::array<uint32_t, 3> Extents;
};

/// The blocks and threads of a launch.
class Grid {
public:
  /// \p Blocks are one to three extents, x first.
  Grid(Sizes Blocks, Threads Block,
       OpLocation Where = std::source_location::current())
      : Blocks(std::move(Blocks)), Block(Block), Where(Where) {}
  /// Sets a slow implementation for evaluate() (Reference.h).
  Grid &&reference(ReferenceKernel Function) && {
    Reference = Function;
    return std::move(*this);
  }

  Sizes Blocks;
  Threads Block;
  OpLocation Where;
  ReferenceKernel Reference = nullptr;
};

/// Stands for a tensor that the kernel writes.
struct AnyResult {
  ElementType Type;
  Sizes Shape;

  /// Returns the distance of neighbours along \p Axis, in elements; 0 if there
  /// is no such axis.
  int64_t stride(int64_t Axis) const;
};
template <Element Item> struct ResultOf : AnyResult {};
template <Element Item> ResultOf<Item> result(const Sizes &Shape) {
  return {{ElementTypeOf<Item>::Value, Shape}};
}
/// The same for a tensor.
int64_t stride(const TensorRef &X, int64_t Axis);

/// A number keeps its type, and so all of its digits.
using KernelNumber = std::variant<bool, int64_t, uint64_t, float, double>;
using KernelArgument = std::variant<TensorRef, AnyResult, Dim, KernelNumber>;

namespace any {

/// Returns as many results as \p Arguments contain, also after a mistake.
std::vector<TensorRef> kernel(const Source &Text, const Grid &Launch,
                              std::span<const KernelArgument> Arguments);

} // namespace any

namespace graph_detail {

template <typename Argument>
inline constexpr bool IsKernelTensor = std::is_base_of_v<TensorRef, Argument>;
template <typename Argument>
inline constexpr bool IsKernelResult = std::is_base_of_v<AnyResult, Argument>;

template <typename Argument> struct KernelResult {
  using Type = std::tuple<>;
};
template <Element Item> struct KernelResult<ResultOf<Item>> {
  using Type = std::tuple<Tensor<Item>>;
};
template <typename... A>
using KernelResults =
    decltype(std::tuple_cat(std::declval<typename KernelResult<A>::Type>()...));

template <typename Argument>
KernelArgument kernelArgument(const Argument &Value) {
  if constexpr (IsKernelTensor<Argument>)
    return static_cast<const TensorRef &>(Value);
  else if constexpr (IsKernelResult<Argument>)
    return static_cast<const AnyResult &>(Value);
  else if constexpr (std::is_base_of_v<Dim, Argument>)
    return static_cast<const Dim &>(Value);
  else if constexpr (std::is_same_v<Argument, bool> ||
                     std::is_same_v<Argument, float> ||
                     std::is_same_v<Argument, double>)
    return KernelNumber(Value);
  else if constexpr (std::is_integral_v<Argument> && std::is_signed_v<Argument>)
    return KernelNumber(static_cast<int64_t>(Value));
  else if constexpr (std::is_integral_v<Argument>)
    return KernelNumber(static_cast<uint64_t>(Value));
  else
    static_assert(sizeof(Argument) == 0,
                  "kernel: an argument is no tensor, result<T>(), Dim or "
                  "number; give it one of these");
}

} // namespace graph_detail

/// Calls the kernel \p From.entry of the text \p From. Returns the tensor of
/// the result among \p Arguments, or a tuple of all of them.
template <typename... A>
auto kernel(const Source &Text, const Grid &Launch, const A &...Arguments) {
  using Results = graph_detail::KernelResults<A...>;
  constexpr size_t Count = std::tuple_size_v<Results>;
  static_assert(Count != 0, "kernel: it writes nothing; give it a "
                            "result<T>(shape) where it has a pointer to write");
  static_assert((graph_detail::IsKernelTensor<A> || ...),
                "kernel: no argument is a tensor, which would say what graph "
                "the kernel is of; give it one");
  KernelArgument All[] = {graph_detail::kernelArgument(Arguments)...};
  std::vector<TensorRef> Outputs = any::kernel(Text, Launch, All);
  Results Typed;
  size_t Place = 0;
  std::apply(
      [&](auto &...Each) {
        ((Each = std::remove_reference_t<decltype(Each)>(Outputs[Place].graph(),
                                                         Outputs[Place].id()),
          ++Place),
         ...);
      },
      Typed);
  if constexpr (Count == 1)
    return std::get<0>(Typed);
  else
    return Typed;
}

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_CUSTOMKERNEL_H
