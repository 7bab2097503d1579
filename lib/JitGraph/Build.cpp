//===- Build.cpp - untyped part of graph preparation ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables are declared before inputs, whose shapes name them, both in the
// order of the interface. So an interface always has the same graph.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/Build.h"

#include "JitGraph/Codegen/LowerGraph.h"
#include "kpack/JitGraph/GraphError.h"

using namespace kpack;
using namespace kpack::jit;

static Status declareVariables(std::span<const DeclaredMember> Members,
                               OpGraph &Ops, std::span<TracedMember> Traced) {
  for (size_t I = 0; I < Members.size(); ++I) {
    if (Members[I].Kind != MemberKind::Var)
      continue;
    Result<Dim> Size = Ops.dims().variable(Members[I].Name, Members[I].Range);
    if (!Size)
      return graphFailure(GraphErrc::BadBounds, Size.status());
    Traced[I].Size = *Size;
  }
  return Status::success();
}

static Status badShape(const DeclaredMember &Member, const std::string &Why) {
  return graphFailure(GraphErrc::ShapeMismatch, Member.Name + ": " + Why);
}

static Result<std::vector<Dim>> shapeOf(const DeclaredMember &Member,
                                        OpGraph &Ops,
                                        std::span<const TracedMember> Traced) {
  if (Member.Shape.size() > MaxRank)
    return badShape(Member, "has " + std::to_string(Member.Shape.size()) +
                                " dimensions; give it at most " +
                                std::to_string(MaxRank));
  std::vector<Dim> Shape;
  int64_t Elements = 1;
  for (Extent E : Member.Shape) {
    if (!E.isVariable() && E.value() < 1)
      return badShape(Member, "has an extent of " + std::to_string(E.value()) +
                                  "; give it one of 1 or more");
    auto Place = static_cast<size_t>(E.value());
    Dim Size = E.isVariable()
                   ? (Place < Traced.size() ? Traced[Place].Size : Dim())
                   : Ops.dims().constant(E.value());
    if (!Size.valid() || Size.lo() < 0)
      return badShape(Member, "has an extent that is no variable of this "
                              "interface, or one below 0; name another");
    if (__builtin_mul_overflow(Elements, Size.hi(), &Elements))
      return badShape(Member, "has more elements than 64 bits can count; "
                              "narrow the bounds of variables");
    Shape.push_back(Size);
  }
  return Shape;
}

static Status declareInputs(std::span<const DeclaredMember> Members,
                            OpGraph &Ops, std::span<TracedMember> Traced) {
  for (size_t I = 0; I < Members.size(); ++I) {
    if (Members[I].Kind != MemberKind::In)
      continue;
    Result<std::vector<Dim>> Shape = shapeOf(Members[I], Ops, Traced);
    if (!Shape)
      return Shape.status();
    Traced[I].Node =
        Ops.addInput({Members[I].Name, Members[I].Type, std::move(*Shape)});
  }
  return Status::success();
}

static Status declareOutputs(std::span<const DeclaredMember> Members,
                             OpGraph &Ops,
                             std::span<const TracedMember> Traced) {
  for (size_t I = 0; I < Members.size(); ++I) {
    if (Members[I].Kind != MemberKind::Out)
      continue;
    TensorRef Value = Traced[I].Assigned;
    if (Value.id() == TensorRef::None || Value.graph() != &Ops ||
        Value.id() >= Ops.size())
      return graphFailure(GraphErrc::Build,
                          Members[I].Name + ": the build function assigned no "
                                            "tensor of this graph; assign one");
    if (Ops.node(Value.id()).Type != Members[I].Type)
      return graphFailure(
          GraphErrc::DtypeMismatch,
          Members[I].Name + ": is of " + std::string(nameOf(Members[I].Type)) +
              ", assigned one of " +
              std::string(nameOf(Ops.node(Value.id()).Type)) + "; cast it");
    Ops.addOutput(Members[I].Name, Value.id());
  }
  return Status::success();
}

static size_t countOf(MemberKind Kind,
                      std::span<const DeclaredMember> Members) {
  size_t Count = 0;
  for (const DeclaredMember &Member : Members)
    Count += Member.Kind == Kind;
  return Count;
}

/// Runs \p Build once. \p Ops is empty, and must not move meanwhile.
static Status trace(std::span<const DeclaredMember> Members,
                    const BuildFunction &Build, OpGraph &Ops) {
  std::vector<TracedMember> Traced(Members.size());
  if (Status S = declareVariables(Members, Ops, Traced); !S.ok())
    return S;
  if (Status S = declareInputs(Members, Ops, Traced); !S.ok())
    return S;
  Status Built = Build(Ops, Traced);
  // The first failure is the cause.
  for (const Status &Wrong : {Ops.status(), Ops.dims().status()})
    if (!Wrong.ok())
      return graphFailure(GraphErrc::Tensor, Wrong);
  if (!Built.ok())
    return graphFailure(GraphErrc::Build, "build: " + Built.message(),
                        Built.code());
  if (Ops.dims().variables().size() != countOf(MemberKind::Var, Members))
    return graphFailure(GraphErrc::Build,
                        "build: declared a variable, to which no call gives a "
                        "value; make it a Var of the interface");
  return declareOutputs(Members, Ops, Traced);
}

static std::string firstDifference(std::string_view A, std::string_view B) {
  auto Line = [](std::string_view Text) {
    return std::string(Text.substr(0, Text.find('\n')));
  };
  while (!A.empty() && !B.empty() && Line(A) == Line(B)) {
    A.remove_prefix(std::min(A.size(), A.find('\n') + 1));
    B.remove_prefix(std::min(B.size(), B.find('\n') + 1));
  }
  return "'" + Line(A) + "', then '" + Line(B) + "'";
}

static Status compare(const OpGraph &A, const OpGraph &B) {
  std::string Difference;
  if (std::string First = A.text(), Second = B.text(); First != Second)
    Difference = firstDifference(First, Second);
  // The texts are equal, so the numbers of constants are, too.
  for (size_t I = 0; Difference.empty() && I < A.constants().size(); ++I)
    if (A.constants()[I].Bytes != B.constants()[I].Bytes)
      Difference = "other elements of constant " + std::to_string(I);
  for (size_t I = 0; Difference.empty() && I < A.customs().size(); ++I)
    if (A.customs()[I].Text != B.customs()[I].Text ||
        A.customs()[I].Headers != B.customs()[I].Headers)
      Difference = "another text of kernel '" + A.customs()[I].Entry + "'";
  if (Difference.empty())
    return Status::success();
  return graphFailure(GraphErrc::TraceDiverged,
                      "build: wrote " + Difference +
                          "; what changes between calls belongs into inputs "
                          "and variables");
}

/// Returns the inputs that no output depends on.
static std::vector<std::string> unusedInputs(const OpGraph &Ops) {
  std::vector<bool> IsUsed(Ops.size());
  for (const OpOutput &Output : Ops.outputs())
    IsUsed[Output.Node] = true;
  std::vector<bool> IsInputUsed(Ops.inputs().size());
  for (size_t I = Ops.size(); I-- > 0;) {
    const OpNode &Node = Ops.node(static_cast<uint32_t>(I));
    if (!IsUsed[I])
      continue;
    for (uint32_t Operand : Node.Operands)
      IsUsed[Operand] = true;
    if (Node.Kind == OpKind::Input)
      IsInputUsed[static_cast<size_t>(Node.Numbers[0])] = true;
  }
  std::vector<std::string> Names;
  for (size_t I = 0; I < IsInputUsed.size(); ++I)
    if (!IsInputUsed[I])
      Names.push_back(Ops.inputs()[I].Name);
  return Names;
}

Result<BuiltGraph>
kpack::jit::buildGraph(std::span<const DeclaredMember> Members,
                       const BuildFunction &Build,
                       const PrepareConfig &Config) {
  BuiltGraph Graph;
  if (Status S = trace(Members, Build, Graph.Ops); !S.ok())
    return S;
  if (Config.verify_trace) {
    OpGraph Again;
    if (Status S = trace(Members, Build, Again); !S.ok())
      return S;
    if (Status S = compare(Graph.Ops, Again); !S.ok())
      return S;
  }
  for (const std::string &Name : unusedInputs(Graph.Ops)) {
    std::string Message = Name + ": no output depends on this input; use it "
                                 "in the build function, or leave it out";
    if (Config.strict)
      return graphFailure(GraphErrc::InputBufferNotFound, Message);
    Graph.Notes.push_back(Message);
  }
  return Graph;
}

/// Weights have names. A large constant without one may be a value that was
/// computed while the graph was built, and is now the same in all calls.
static void noteLargeConstants(const GraphPlan &Plan,
                               std::vector<std::string> &Notes) {
  constexpr size_t Large = 1 << 20;
  for (const OpConstant &C : Plan.Weights) {
    if (!C.Name.empty() || C.Bytes.size() <= Large)
      continue;
    std::string Place = C.Where.Line ? std::string(C.Where.File) + ":" +
                                           std::to_string(C.Where.Line) + ": "
                                     : std::string();
    Notes.push_back(Place + "constant of " + std::to_string(C.Bytes.size()) +
                    " bytes: is baked into the plan and has no name; make it "
                    "an input if calls have other values, or name the weight "
                    "that it is");
  }
}

static Result<std::unique_ptr<Replay>>
prepare(std::span<const DeclaredMember> Members, const BuildFunction &Build,
        const PrepareConfig &Config, std::vector<std::string> Notes) {
  Result<BuiltGraph> Graph = buildGraph(Members, Build, Config);
  if (!Graph)
    return Graph.status();
  LowerOptions Kernels;
  Kernels.Target = Config.where;
  Kernels.SizesInMemory = Config.where != GraphTarget::Cpu && Config.one_launch;
  Kernels.Fuse = Config.fuse;
  Result<GraphPlan> Plan = Config.lower ? Config.lower(std::move(Graph->Ops))
                                        : lower(std::move(Graph->Ops), Kernels);
  if (!Plan)
    return Plan.status();
  Notes.insert(Notes.end(), Graph->Notes.begin(), Graph->Notes.end());
  noteLargeConstants(*Plan, Notes);
  Result<std::shared_ptr<const CompiledPlan>> Compiled =
      compilePlan(std::move(*Plan), Config, std::move(Notes));
  if (!Compiled)
    return Compiled.status();
  return Replay::create(std::move(*Compiled));
}

Result<std::unique_ptr<Replay>>
kpack::jit::prepareGraph(std::span<const DeclaredMember> Members,
                         const BuildFunction &Build,
                         const PrepareConfig &Config) {
  if (!Config.environment.ok())
    return Config.environment;
  Result<std::unique_ptr<Replay>> Prepared =
      prepare(Members, Build, Config, {});
  if (!Prepared || !Config.warm_run)
    return Prepared;
  // Some runtimes had graphs that silently left kernels out.
  if ((*Prepared)->plan().SizesInMemory) {
    Result<bool> Agree = (*Prepared)->waysAgree();
    if (!Agree)
      return Agree.status();
    if (!*Agree) {
      PrepareConfig Launches = Config;
      Launches.one_launch = false;
      Prepared =
          prepare(Members, Build, Launches,
                  {"one_launch: the runtime's graph does not compute what "
                   "its kernels do one by one; each is launched"});
      if (!Prepared)
        return Prepared;
    }
  }
  if (Status S = (*Prepared)->warmUp(); !S.ok())
    return S;
  return Prepared;
}
