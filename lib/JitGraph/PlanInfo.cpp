//===- PlanInfo.cpp - description of a prepared graph ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/PlanInfo.h"

#include "JitGraph/Replay/CompiledPlan.h"

#include "JitGraph/Sizes/DimText.h"
#include "Support/Texts.h"
#include "kpack/Support/Json.h"

#include <algorithm>
#include <set>

using namespace kpack;
using namespace kpack::jit;

std::span<const GraphBuffer> PlanInfo::buffers() const {
  return Of->Plan.Buffers;
}
std::span<const GraphKernel> PlanInfo::kernels() const {
  return Of->Plan.Kernels;
}
std::span<const GraphNode> PlanInfo::nodes() const { return Of->Plan.Nodes; }
std::span<const OpConstant> PlanInfo::constants() const {
  return Of->Plan.Weights;
}
std::span<const DimVariable> PlanInfo::variables() const {
  return Of->Plan.Ops.dims().variables();
}
std::string PlanInfo::source() const {
  std::string Text = Of->Plan.Source;
  for (const GraphUnit &Unit : Of->Plan.Units)
    Text += "\n// What follows is compiled by itself: " + Unit.Name + "\n" +
            Unit.Text;
  for (const GraphKernel &Kernel : Of->Plan.Kernels) {
    size_t Name = Text.find(" " + Kernel.Name + "(");
    if (!Kernel.Where.Line || Name == std::string::npos)
      continue;
    // The line before has its operations.
    size_t Begin = Text.rfind('\n', Name);
    if (Begin != std::string::npos)
      Text.insert(Begin, "; " + std::string(Kernel.Where.File) + ":" +
                             std::to_string(Kernel.Where.Line));
  }
  return Text;
}
/// Returns the key of our kernels' program, if there is one.
const std::string &PlanInfo::key() const {
  static const std::string None;
  auto IsOurs = [](const GraphKernel &K) { return K.Unit == 0; };
  auto Found = std::find_if(kernels().begin(), kernels().end(), IsOurs);
  if (Found != kernels().end())
    return Found->Key;
  return kernels().empty() ? None : kernels()[0].Key;
}

static std::vector<GraphBuffer> some(const GraphPlan &Plan,
                                     std::span<const uint32_t> Which) {
  std::vector<GraphBuffer> Some;
  for (uint32_t I : Which)
    Some.push_back(Plan.Buffers[I]);
  return Some;
}

std::vector<GraphBuffer> PlanInfo::inputs() const {
  return some(Of->Plan, Of->Plan.Inputs);
}
std::vector<GraphBuffer> PlanInfo::outputs() const {
  return some(Of->Plan, Of->Plan.Outputs);
}

PlanMemory PlanInfo::memory() const {
  const MemoryPlan &Pool = Of->Plan.Memory;
  PlanMemory All{Of->ArenaBytes + Of->PoolBytes, 0, Pool.Peak, Pool.NaiveSum,
                 Pool.LowerBound};
  for (const OpConstant &Weight : constants())
    All.Weights += Weight.Bytes.size();
  for (const GraphBuffer &B : buffers())
    if (B.Role == BufferRole::Derived)
      All.Weights += B.Bytes;
  return All;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string getRole(const GraphBuffer &B) {
  constexpr const char *Names[] = {"input", "output", "weight", "derived",
                                   "pooled"};
  return Names[static_cast<size_t>(B.Role)];
}

static std::vector<std::string> toTexts(std::span<const Dim> Dims) {
  std::vector<std::string> Texts;
  for (Dim D : Dims)
    Texts.push_back(toText(D));
  return Texts;
}

static std::string getLocation(const OpLocation &Where) {
  return Where.Line ? std::string(Where.File) + ":" + std::to_string(Where.Line)
                    : std::string();
}

static std::vector<std::string> namesOf(const GraphPlan &Plan,
                                        std::span<const uint32_t> Buffers) {
  std::vector<std::string> Names;
  for (uint32_t B : Buffers)
    Names.push_back(Plan.Buffers[B].Name);
  return Names;
}

static std::string countOf(size_t Count, const char *Noun) {
  return std::to_string(Count) + " " + Noun + (Count == 1 ? "" : "s");
}

static const char *textOf(KernelOrigin Origin) {
  constexpr const char *Names[] = {"unknown", "memory", "file", "compiled"};
  return Names[static_cast<size_t>(Origin)];
}

/// Returns "kernels: 3 compiled, 2 from file"; empty for a plan without
/// kernels.
static std::string getOrigins(std::span<const GraphKernel> Kernels) {
  std::string Text;
  for (KernelOrigin Origin :
       {KernelOrigin::Compiled, KernelOrigin::File, KernelOrigin::Memory}) {
    auto Count = std::count_if(
        Kernels.begin(), Kernels.end(),
        [Origin](const GraphKernel &K) { return K.Origin == Origin; });
    if (Count)
      Text += (Text.empty() ? "kernels: " : ", ") + std::to_string(Count) +
              (Origin == KernelOrigin::Compiled ? " " : " from ") +
              textOf(Origin);
  }
  return Text.empty() ? Text : Text + "\n";
}

std::string PlanInfo::explain() const {
  PlanMemory Memory = memory();
  std::string Text = countOf(nodes().size(), "node") + ", " +
                     countOf(kernels().size(), "kernel") + ", " +
                     countOf(constants().size(), "constant") + "\n";
  for (const DimVariable &V : variables())
    Text += V.Name + ": " + std::to_string(V.Range.Lo) + " to " +
            std::to_string(V.Range.Hi) + "\n";
  Text += "memory: " + std::to_string(Memory.Arena) + " bytes a clone, " +
          std::to_string(Memory.Weights) + " bytes of constants\n";
  Text += "pool: " + std::to_string(Memory.Pool) + " bytes, " +
          std::to_string(Memory.NaiveSum) + " without sharing, " +
          std::to_string(Memory.LowerBound) + " at least\n";
  for (const CompiledPlan::Bucket &B : Of->Buckets) {
    std::vector<std::string> Values;
    for (size_t I = 0; I < variables().size(); ++I)
      Values.push_back(variables()[I].Name + " " + std::to_string(B.Values[I]));
    Text +=
        "bucket: " + joined(Values) + ": " + countOf(B.Blocks, "block") + "\n";
  }
  Text += getOrigins(kernels());
  std::set<std::string_view> Keys;
  for (const GraphKernel &Kernel : kernels())
    if (!Kernel.Key.empty() && Keys.insert(Kernel.Key).second)
      Text += "key: " + Kernel.Key + "\n";
  for (const std::string &Note : Of->Notes)
    Text += "note: " + Note + "\n";
  return Text;
}

std::string PlanInfo::text() const {
  std::string Text;
  for (const GraphBuffer &B : buffers())
    Text += getRole(B) + " " + B.Name + ": " + std::string(nameOf(B.Type)) +
            " [" + joined(toTexts(B.Extents)) + "], " +
            std::to_string(B.Bytes) + " bytes\n";
  for (const GraphNode &N : nodes()) {
    std::span<const uint32_t> All(N.Buffers);
    const GraphKernel &Kernel = kernels()[N.Kernel];
    std::string Where = getLocation(Kernel.Where);
    Text += joined(namesOf(Of->Plan, All.first(N.Written))) + " = " +
            Kernel.Name + "(" +
            joined(namesOf(Of->Plan, All.subspan(N.Written))) + "), rows " +
            toText(N.Rows) + ": " + Kernel.Operations +
            (Where.empty() ? "" : " at " + Where) +
            (N.Bytes.valid() ? ", " + toText(N.Bytes) + " bytes" : "") +
            (N.Flops.valid() ? ", " + toText(N.Flops) + " flops" : "") + "\n";
  }
  return Text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static std::string jsonNumbers(std::span<const int64_t> Numbers) {
  std::vector<std::string> Texts;
  for (int64_t Value : Numbers)
    Texts.push_back(std::to_string(Value));
  return jsonArray(Texts);
}

static std::string writeJson(const GraphBuffer &B) {
  return jsonObject({{"name", jsonString(B.Name)},
                     {"role", jsonString(getRole(B))},
                     {"type", jsonString(nameOf(B.Type))},
                     {"extents", jsonStrings(toTexts(B.Extents))},
                     {"strides", jsonNumbers(B.Strides)},
                     {"bytes", std::to_string(B.Bytes)}});
}

static std::string writeJson(Dim Formula) {
  return Formula.valid() ? jsonString(toText(Formula)) : "null";
}

static std::string writeJson(const GraphPlan &Plan, const GraphNode &N) {
  std::span<const uint32_t> All(N.Buffers);
  return jsonObject(
      {{"kernel", std::to_string(N.Kernel)},
       {"writes", jsonStrings(namesOf(Plan, All.first(N.Written)))},
       {"reads", jsonStrings(namesOf(Plan, All.subspan(N.Written)))},
       {"sizes", jsonStrings(toTexts(N.Sizes))},
       {"rows", jsonString(toText(N.Rows))},
       {"bytes", writeJson(N.Bytes)},
       {"flops", writeJson(N.Flops)}});
}

static std::string writeJson(const GraphKernel &K) {
  return jsonObject({{"name", jsonString(K.Name)},
                     {"operations", jsonString(K.Operations)},
                     {"location", jsonString(getLocation(K.Where))},
                     {"origin", jsonString(textOf(K.Origin))},
                     {"key", jsonString(K.Key)}});
}

static std::string writeJson(const OpConstant &C) {
  return jsonObject({{"name", jsonString(C.Name)},
                     {"type", jsonString(nameOf(C.Type))},
                     {"shape", jsonNumbers(C.Shape)},
                     {"bytes", std::to_string(C.Bytes.size())},
                     {"location", jsonString(getLocation(C.Where))}});
}

static std::string writeJson(const DimVariable &V) {
  return jsonObject({{"name", jsonString(V.Name)},
                     {"lo", std::to_string(V.Range.Lo)},
                     {"hi", std::to_string(V.Range.Hi)}});
}

static std::string writeJson(const CompiledPlan::Bucket &B,
                             std::span<const DimVariable> Variables) {
  JsonMembers Values;
  for (size_t I = 0; I < Variables.size(); ++I)
    Values.emplace_back(Variables[I].Name, std::to_string(B.Values[I]));
  return jsonObject(
      {{"values", jsonObject(Values)}, {"blocks", std::to_string(B.Blocks)}});
}

static std::string writeJson(const PlanMemory &M) {
  return jsonObject({{"arena", std::to_string(M.Arena)},
                     {"weights", std::to_string(M.Weights)},
                     {"pool", std::to_string(M.Pool)},
                     {"naive_sum", std::to_string(M.NaiveSum)},
                     {"lower_bound", std::to_string(M.LowerBound)}});
}

template <typename T> static std::string jsonList(std::span<const T> Items) {
  std::vector<std::string> Texts;
  for (const T &Item : Items)
    Texts.push_back(writeJson(Item));
  return jsonArray(Texts);
}

std::string PlanInfo::json() const {
  std::vector<std::string> Nodes;
  for (const GraphNode &N : nodes())
    Nodes.push_back(writeJson(Of->Plan, N));
  std::vector<std::string> Buckets;
  for (const CompiledPlan::Bucket &B : Of->Buckets)
    Buckets.push_back(writeJson(B, variables()));
  return jsonObject({{"variables", jsonList(variables())},
                     {"buffers", jsonList(buffers())},
                     {"kernels", jsonList(kernels())},
                     {"nodes", jsonArray(Nodes)},
                     {"buckets", jsonArray(Buckets)},
                     {"constants", jsonList(constants())},
                     {"memory", writeJson(memory())},
                     {"key", jsonString(key())},
                     {"notes", jsonStrings(Of->Notes)}});
}

//===----------------------------------------------------------------------===//
// Graphviz
//===----------------------------------------------------------------------===//

/// Uses JSON's quoting. DOT has one escape that JSON does not need, which no
/// text here contains.
std::string PlanInfo::dot() const {
  std::string Text = "digraph plan {\n";
  for (size_t I = 0; I < buffers().size(); ++I) {
    const GraphBuffer &B = buffers()[I];
    Text += "  b" + std::to_string(I) +
            " [shape=" + (B.Role == BufferRole::Pooled ? "ellipse" : "box") +
            ",label=" +
            jsonString(B.Name + " [" + joined(toTexts(B.Extents)) + "]") +
            "];\n";
  }
  for (size_t I = 0; I < nodes().size(); ++I) {
    const GraphNode &N = nodes()[I];
    std::string Node = "n" + std::to_string(I);
    Text += "  " + Node +
            " [shape=component,label=" + jsonString(kernels()[N.Kernel].Name) +
            "];\n";
    for (size_t B = 0; B < N.Buffers.size(); ++B) {
      std::string Buffer = "b" + std::to_string(N.Buffers[B]);
      Text +=
          "  " +
          (B < N.Written ? Node + " -> " + Buffer : Buffer + " -> " + Node) +
          ";\n";
    }
  }
  return Text + "}\n";
}
