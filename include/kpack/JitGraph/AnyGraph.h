//===- kpack/JitGraph/AnyGraph.h - graphs without their types ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prepared graph whose interface the compiler does not know: members have
// names that are looked up when it runs. For plans out of files, for tools, and
// below the C API (kpack_jit_graph.h).
//
//   AnyGraph::save(G->replay(), "vad.kpgraph");         // one program
//
//   Result<AnyGraph> Any = AnyGraph::load("vad.kpgraph");      // another one
//   Any->bind("chunk", Samples, Bytes);
//   Any->set("t", 480);
//   Any->execute();
//   Result<AnyGraph::Tensor> P = Any->output("probability");
//
// What is set and bound holds from the next call on, all of it or none.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_ANYGRAPH_H
#define KPACK_JITGRAPH_ANYGRAPH_H

#include "kpack/JitGraph/PlanInfo.h"
#include "kpack/JitGraph/Replay.h"

namespace kpack::jit {

/// One thread at a time.
class AnyGraph {
public:
  /// Memory of the graph.
  struct Tensor {
    void *Data;
    ElementType Type;
    uint64_t Bytes; ///< at the upper bounds
    /// Of an output those of the last call, of an input at the upper bounds.
    std::vector<int64_t> Extents;
    std::vector<int64_t> Strides; ///< in elements
  };

  /// There is nothing to execute yet: all but load() and of() is NotPrepared.
  AnyGraph() = default;
  static AnyGraph of(std::unique_ptr<Replay> Prepared);
  /// Errors: those of files, InvalidFormat, UnsupportedVersion, and those of
  /// preparing.
  static Result<AnyGraph>
  load(const std::string &Path,
       const PrepareConfig &How = PrepareConfig::from_env());
  /// The plan of \p Of, with its constants as they were prepared. Errors:
  /// IoError.
  static Status save(const Replay &Of, const std::string &Path);

  /// For the next call. Errors: InputBufferNotFound, there is no such variable
  /// or input. Null: the graph's own memory again.
  Status set(std::string_view Variable, int64_t Value);
  Status bind(std::string_view Input, const void *Data,
              std::optional<uint64_t> Bytes);
  /// Errors: those of Replay::bind() and run(). What was set and bound for a
  /// call that fails is forgotten.
  Status execute();
  /// As Prepared::execute_async(). Errors: those of execute(); Busy, Device.
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
