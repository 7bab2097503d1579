//===- AnyGraph.cpp - graphs with members named at run time ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/AnyGraph.h"

#include "JitGraph/Graph/PlanFile.h"
#include "Support/MappedFile.h"
#include "kpack/JitGraph/GraphError.h"
#include "kpack/Support/OutputFile.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

static Status notPrepared() {
  return graphFailure(GraphErrc::NotPrepared,
                      "graph: there is no plan yet; load one, or prepare one");
}

static Status notFound(std::string_view Name, const char *Noun) {
  return graphFailure(GraphErrc::InputBufferNotFound,
                      std::string(Name) + ": is no " + Noun +
                          " of this graph; plan().text() lists them");
}

/// Returns the index of the item with this name, or the number of items.
template <typename Items>
static uint32_t placeOf(const Items &All, std::string_view Name) {
  auto Found = std::find_if(All.begin(), All.end(), [&](const auto &Item) {
    return Item.Name == Name;
  });
  return static_cast<uint32_t>(Found - All.begin());
}

AnyGraph AnyGraph::of(std::unique_ptr<Replay> Prepared) {
  AnyGraph G;
  G.Machine = std::move(Prepared);
  G.Values.resize(G.Machine->variables().size());
  return G;
}

Result<AnyGraph> AnyGraph::load(const std::string &Path,
                                const PrepareConfig &Config) {
  if (!Config.environment.ok())
    return Config.environment;
  Result<MappedFile> File = MappedFile::open(Path);
  if (!File)
    return File.status();
  Result<GraphPlan> Plan = readPlan(File->bytes(), Path);
  if (!Plan)
    return Plan.status();
  Result<std::shared_ptr<const CompiledPlan>> Compiled =
      compilePlan(std::move(*Plan), Config);
  if (!Compiled)
    return Compiled.status();
  Result<std::unique_ptr<Replay>> Created =
      Replay::create(std::move(*Compiled));
  if (!Created)
    return Created.status();
  if (Config.warm_run && (*Created)->plan().SizesInMemory) {
    // A loaded plan has only these kernels, so there is no fallback.
    Result<bool> Agree = (*Created)->waysAgree();
    if (!Agree)
      return Agree.status();
    if (!*Agree)
      return graphFailure(GraphErrc::Device,
                          Path + ": the runtime's graph does not compute what "
                                 "its kernels do one by one; save a plan that "
                                 "is prepared without one_launch");
  }
  if (Config.warm_run)
    if (Status S = (*Created)->warmUp(); !S.ok())
      return S;
  return of(std::move(*Created));
}

Status AnyGraph::save(const Replay &Graph, const std::string &Path) {
  return OutputFile::write(Path, writePlan(Graph.plan()));
}

Status AnyGraph::set(std::string_view Variable, int64_t Value) {
  if (!Machine)
    return notPrepared();
  uint32_t Place = placeOf(Machine->variables(), Variable);
  if (Place == Values.size())
    return notFound(Variable, "variable");
  Values[Place] = Value;
  return Status::success();
}

Status AnyGraph::bind(std::string_view Input, const void *Data,
                      std::optional<uint64_t> Bytes) {
  if (!Machine)
    return notPrepared();
  const std::vector<OpInput> &All = Machine->plan().Ops.inputs();
  uint32_t Place = placeOf(All, Input);
  if (Place == All.size())
    return notFound(Input, "input");
  // The graph's memory is large enough.
  if (!Data)
    Bytes = std::nullopt;
  Inputs.push_back({Place, Data ? Data : Machine->input(Place), Bytes});
  return Status::success();
}

Status AnyGraph::bindAll() {
  Status Done = Machine->bind(Values, Inputs);
  std::fill(Values.begin(), Values.end(), std::nullopt);
  Inputs.clear();
  return Done;
}

Status AnyGraph::execute() {
  if (!Machine)
    return notPrepared();
  Replay::Turn Turn(*Machine);
  if (!Turn)
    return Replay::busy();
  Status Done = bindAll();
  return Done.ok() ? Machine->run() : Done;
}

Result<Event> AnyGraph::execute_async(Stream Where) {
  if (!Machine)
    return notPrepared();
  Replay::Turn Turn(*Machine);
  if (!Turn)
    return Replay::busy();
  if (Status S = Machine->checkRoom(); !S.ok())
    return S;
  if (Status S = bindAll(); !S.ok())
    return S;
  return Machine->start(Where);
}

AnyGraph::Tensor AnyGraph::tensorOf(uint32_t Buffer, const void *Data) const {
  const GraphBuffer &B = Machine->plan().Buffers[Buffer];
  return {const_cast<void *>(Data), B.Type, B.Bytes, {}, B.Strides};
}

Result<AnyGraph::Tensor> AnyGraph::input(std::string_view Name) const {
  if (!Machine)
    return notPrepared();
  const GraphPlan &Plan = Machine->plan();
  uint32_t Place = placeOf(Plan.Ops.inputs(), Name);
  if (Place == Plan.Inputs.size())
    return notFound(Name, "input");
  Tensor Found = tensorOf(Plan.Inputs[Place], Machine->input(Place));
  for (Dim Extent : Plan.Buffers[Plan.Inputs[Place]].Extents)
    Found.Extents.push_back(Extent.hi());
  return Found;
}

Result<AnyGraph::Tensor> AnyGraph::output(std::string_view Name) const {
  if (!Machine)
    return notPrepared();
  const GraphPlan &Plan = Machine->plan();
  uint32_t Place = placeOf(Plan.Ops.outputs(), Name);
  if (Place == Plan.Outputs.size())
    return notFound(Name, "output");
  Tensor Found = tensorOf(Plan.Outputs[Place], Machine->output(Place));
  std::span<const int64_t> Extents = Machine->outputExtents(Place);
  Found.Extents.assign(Extents.begin(), Extents.end());
  return Found;
}

Result<PlanInfo> AnyGraph::plan() const {
  if (!Machine)
    return notPrepared();
  return PlanInfo(Machine->compiled());
}

Result<AnyGraph> AnyGraph::clone() const {
  if (!Machine)
    return notPrepared();
  Result<std::unique_ptr<Replay>> Other = Machine->clone();
  if (!Other)
    return Other.status();
  return of(std::move(*Other));
}
