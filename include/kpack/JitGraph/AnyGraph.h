//===- AnyGraph.h - graphs with members named at run time -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prepared graph whose interface the compiler does not know: names of members
// are looked up at run time. For plans from files, for tools, and for the C API
// (kpack_jit_graph.h).
//
//   AnyGraph::save(G->replay(), "vad.kpgraph");         // one program
//
//   Result<AnyGraph> Any = AnyGraph::load("vad.kpgraph");      // another one
//   Any->bind("chunk", Samples, Bytes);
//   Any->set("t", 480);
//   Any->execute();
//   Result<AnyGraph::Tensor> P = Any->output("probability");
//
// Values and bindings take effect at the next call, all of them or none.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_ANYGRAPH_H
#define KPACK_JITGRAPH_ANYGRAPH_H

#include "kpack/JitGraph/PlanInfo.h"
#include "kpack/JitGraph/Replay.h"

namespace kpack::jit {

/// Not thread-safe: one thread at a time.
class AnyGraph {
public:
  /// A tensor in the graph's memory.
  struct Tensor {
    void *Data;
    ElementType Type;
    uint64_t Bytes; ///< at the upper bounds
    /// For an output those of the last call, for an input the upper bounds.
    std::vector<int64_t> Extents;
    std::vector<int64_t> Strides; ///< in elements
  };

  /// An empty graph: all functions but load() and of() fail with NotPrepared.
  AnyGraph() = default;
  static AnyGraph of(std::unique_ptr<Replay> Prepared);
  /// Loads and prepares a plan. Errors: those of files, InvalidFormat,
  /// UnsupportedVersion, and those of preparing.
  static Result<AnyGraph>
  load(const std::string &Path,
       const PrepareConfig &Config = PrepareConfig::from_env());
  /// Writes the plan of \p Graph, with its constants as they were prepared.
  /// Errors: IoError.
  static Status save(const Replay &Graph, const std::string &Path);

  /// Sets a value or an input for the next call. Null restores the graph's
  /// memory. Errors: InputBufferNotFound, there is no such variable or input.
  Status set(std::string_view Variable, int64_t Value);
  Status bind(std::string_view Input, const void *Data,
              std::optional<uint64_t> Bytes);
  /// Runs a call. Errors: those of Replay::bind() and run(). A call that fails
  /// discards its values and bindings.
  Status execute();
  /// Like Prepared::execute_async(). Errors: those of execute(); Busy, Device.
  Result<Event> execute_async(Stream Where = {});

  /// Errors: InputBufferNotFound.
  Result<Tensor> input(std::string_view Name) const;
  Result<Tensor> output(std::string_view Name) const;
  Result<PlanInfo> plan() const;
  /// Errors: OutOfMemory.
  Result<AnyGraph> clone() const;

private:
  Tensor tensorOf(uint32_t Buffer, const void *Data) const;
  Status bindAll();

  std::unique_ptr<Replay> Machine;
  std::vector<std::optional<int64_t>> Values;
  std::vector<Replay::BoundInput> Inputs;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_ANYGRAPH_H
