//===- kpack/JitGraph/GraphError.h - error codes of graphs ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of preparing and executing a graph, more exact than a StatusCode. They
// are the detail of a Status, like the details of compiles (Errc), which have
// smaller numbers:
//
//   if (Status S = G->execute({.t = 1501}); !S.ok())
//     if (graphErrorOf(S) == GraphErrc::VarOutOfRange) ...
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_GRAPHERROR_H
#define KPACK_JITGRAPH_GRAPHERROR_H

#include "kpack/Support/Status.h"

namespace kpack::jit {

/// Numbers never change.
enum class GraphErrc : int32_t {
  None = 0,                   ///< no error of a graph
  NotPrepared = 100,          ///< C and AnyGraph: there is no plan yet
  InputBufferNotFound = 101,  ///< bound to null; strict: an input never used
  DuplicateInputBuffer = 102, ///< an input's memory overlaps with other memory
  Build = 103,                ///< the build function failed
  Tensor = 104,               ///< an operation that it wrote makes no sense
  Device = 105,               ///< there is nothing to execute the graph on
  OutputLayoutMismatch = 106, ///< carried input and output differ
  Runtime = 107,              ///< a kernel failed
  VarOutOfRange = 108,        ///< a call's value is outside of the bounds
  BadBounds = 109,            ///< bounds of prepare make no sense
  ShapeMismatch = 110,        ///< two shapes, or a size, do not fit
  DtypeMismatch = 111,        ///< two element types do not fit
  Misaligned = 112,           ///< an input's memory is not aligned
  Busy = 113,                 ///< another thread is executing it
  TraceDiverged = 114,        ///< two runs of the build wrote two graphs
  OutOfMemory = 115,          ///< no memory for the buffers
};

inline GraphErrc graphErrorOf(const Status &S) {
  auto Detail = static_cast<int32_t>(S.detail());
  return Detail < static_cast<int32_t>(GraphErrc::NotPrepared)
             ? GraphErrc::None
             : static_cast<GraphErrc>(Detail);
}

inline Status graphFailure(GraphErrc Reason, std::string Message,
                           StatusCode Code = StatusCode::InvalidArgument) {
  return Status(Code, std::move(Message), static_cast<Errc>(Reason));
}

/// Returns \p S with the detail \p Reason, unless it has a detail already.
inline Status graphFailure(GraphErrc Reason, const Status &S) {
  return S.detail() == Errc::None ? graphFailure(Reason, S.message(), S.code())
                                  : S;
}

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPHERROR_H
