//===- JitGraph/Graph.h - typed graphs of tensor operations -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A computation whose sizes are known at each call, not before:
//
//   auto Encode = jit::graph<Encoder>(std::move(Model),
//       [](const Weights &M, Encoder<Trace> &Io) {
//         Io.encoded = relu(matmul(Io.mel, M.Kernel));
//       });
//   auto G = Encode.prepare({.mel = {8, 80, 3000}, .lengths = {8}});
//   std::copy(Samples.begin(), Samples.end(), G->io().mel.begin());
//   if (Status S = G->execute({.b = 4, .t = 800}); !S.ok())
//     return fail(S.message());
//   View<const float> Y = G->io().encoded;   // extents of this call
//
// Only a prepared graph can be executed, so the order of calls cannot be wrong.
// prepare() compiles, allocates and checks; execute() does none of that.
// Reference: docs/reference/jit-graph.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_GRAPH_H
#define KPACK_JITGRAPH_GRAPH_H

#include "kpack/JitGraph/Build.h"
#include "kpack/JitGraph/GraphError.h"
#include "kpack/JitGraph/PlanInfo.h"

#include <exception>

namespace kpack::jit {

template <template <class> class Io, class Model> class Graph;
template <template <class> class Io> class Recurrent;

/// An executable graph. One thread at a time; clone() it for other threads.
template <template <class> class Io> class Prepared {
  using Members = InterfaceOf<Io>;
  static constexpr size_t InCount = Members::countOf(MemberKind::In);
  static constexpr size_t VarCount = Members::countOf(MemberKind::Var);

public:
  /// Inputs to write and outputs to read, in memory that stays in place as long
  /// as this object. Outputs have the values and extents of the last call; the
  /// next one overwrites them.
  const Io<Live> &io() const { return Current; }

  /// Runs with the values and inputs of the last call; the first call uses
  /// upper bounds and the inputs of io(). Errors: Busy, Runtime.
  Status execute() {
    Replay::Turn Turn(*Machine);
    if (!Turn) [[unlikely]]
      return Replay::busy();
    return Machine->run();
  }

  /// Runs with other values and inputs; members that \p Call does not name keep
  /// theirs. Errors: those of execute(); VarOutOfRange, Misaligned,
  /// DuplicateInputBuffer, ShapeMismatch, before anything has run or changed.
  Status execute(const Io<Bind> &Call) {
    return call(Call, [](Replay &R) { return R.run(); });
  }

  /// Like execute(), but returns when the call is queued on \p Where; its event
  /// tells the progress. Outputs of io() have this call's extents at once, and
  /// its elements after Event::wait(). Do not write inputs before
  /// Event::inputs_consumed(). Calls run one after the other on any streams,
  /// and write the same outputs. On a CPU the call has run when this returns,
  /// on the caller's thread. Errors: as execute(); Busy, also if eight calls
  /// are running; Device, a CPU has no streams.
  Result<Event> execute_async(Stream Where = {}, const Io<Bind> &Call = {}) {
    Result<Event> Started = Event();
    Status Done = call<true>(Call, [&](Replay &R) {
      Started = R.start(Where);
      return Started.status();
    });
    if (!Done.ok())
      return Done;
    return Started;
  }

  /// Like execute(), and returns the time of each kernel.
  Result<std::vector<KernelProfile>>
  execute_profiled(const Io<Bind> &Call = {}) {
    std::vector<KernelProfile> Times;
    Status S = call(Call, [&](Replay &R) { return R.runProfiled(Times); });
    if (!S.ok())
      return S;
    return Times;
  }

  PlanInfo plan() const { return PlanInfo(Machine->compiled()); }

  /// Makes a graph of the same plan with separate memory, all of it 0. Kernels
  /// and constants are shared. Errors: OutOfMemory.
  Result<Prepared> clone() const {
    Result<std::unique_ptr<Replay>> Other = Machine->clone();
    if (!Other)
      return Other.status();
    return Prepared(std::move(*Other));
  }

  /// Replaces the elements of a constant of the build function, for this object
  /// and its later clones only. Errors: Busy, InputBufferNotFound,
  /// DtypeMismatch, ShapeMismatch.
  template <typename Item>
  Status rebind_constant(std::string_view Name,
                         std::span<const Item> Elements) {
    Replay::Turn Turn(*Machine);
    if (!Turn)
      return Replay::busy();
    return Machine->replaceWeight(Name, ElementTypeOf<Item>::Value,
                                  std::as_bytes(Elements));
  }
  template <graph_detail::HasElements Range>
  Status rebind_constant(std::string_view Name, const Range &Elements) {
    return rebind_constant(
        Name, std::span<const std::remove_cvref_t<decltype(*Elements.data())>>(
                  Elements.data(), Elements.size()));
  }

  /// The graph without its types.
  Replay &replay() const { return *Machine; }

private:
  template <template <class> class, class> friend class Graph;
  template <template <class> class> friend class Recurrent;

  explicit Prepared(std::unique_ptr<Replay> Owned) : Machine(std::move(Owned)) {
    refresh();
  }

  /// The arguments of a call for Replay.
  struct Arguments {
    std::array<std::optional<int64_t>, VarCount> Values;
    std::array<Replay::BoundInput, InCount> Inputs;
    size_t InputCount = 0;
  };

  Arguments collect(const Io<Bind> &Call) const {
    Arguments All;
    uint32_t In = 0;
    size_t Var = 0;
    auto OfMember = [&]<typename M>(const M &Member, size_t) {
      constexpr MemberKind Kind = graph_detail::KindOf<M>;
      if constexpr (Kind == MemberKind::In) {
        if (Member.isBound())
          All.Inputs[All.InputCount++] = {In, Member.data(), bytesOf(Member),
                                          /*IsNeverNull=*/true};
        ++In;
      } else if constexpr (Kind == MemberKind::Var) {
        All.Values[Var++] = Member.bound();
      }
    };
    Members::forEach(Call, OfMember);
    return All;
  }

  template <typename Item>
  static std::optional<uint64_t> bytesOf(const In<Bind, Item> &Member) {
    std::optional<size_t> Size = Member.size();
    return Size ? std::optional<uint64_t>(*Size * sizeof(Item)) : std::nullopt;
  }

  template <bool IsAsync = false, typename Function>
  Status call(const Io<Bind> &Call, Function Run) {
    Arguments All = collect(Call);
    Replay::Turn Turn(*Machine);
    if (!Turn) [[unlikely]]
      return Replay::busy();
    if (IsAsync)
      if (Status S = Machine->checkRoom(); !S.ok())
        return S;
    if (Status S = Machine->bind(All.Values,
                                 std::span(All.Inputs).first(All.InputCount));
        !S.ok()) [[unlikely]]
      return S;
    Status Done = Run(*Machine);
    if (Shown != Machine->version())
      refresh();
    return Done;
  }

  /// Updates io() from the machine. Within a turn.
  void refresh() {
    uint32_t In = 0, Out = 0;
    size_t Var = 0;
    auto OfMember = [&]<typename M>(M &Member, size_t) {
      constexpr MemberKind Kind = graph_detail::KindOf<M>;
      if constexpr (Kind == MemberKind::In)
        show(Member, In++);
      else if constexpr (Kind == MemberKind::Out)
        show(Member, Out++);
      else
        Member = M(Machine->values()[Var++]);
    };
    Members::forEach(Current, OfMember);
    Shown = Machine->version();
  }
  template <typename Item> void show(In<Live, Item> &Member, uint32_t I) {
    const GraphPlan &Plan = Machine->plan();
    size_t Elements = Plan.Buffers[Plan.Inputs[I]].Bytes / sizeof(Item);
    Member = In<Live, Item>(
        std::span<Item>(static_cast<Item *>(Machine->input(I)), Elements));
  }
  template <typename Item> void show(Out<Live, Item> &Member, uint32_t I) {
    const GraphPlan &Plan = Machine->plan();
    Member = Out<Live, Item>(View<const Item>(
        static_cast<const Item *>(Machine->output(I)),
        Machine->outputExtents(I), Plan.Buffers[Plan.Outputs[I]].Strides));
  }
  std::unique_ptr<Replay> Machine;
  Io<Live> Current{};
  uint64_t Shown = 0; ///< the machine's version in Current
};

/// For PrepareConfig::buckets: bucketsOf<Encoder>({{.t = 400}, {.t = 1500}}).
template <template <class> class Io>
std::vector<SizeBucket> bucketsOf(std::initializer_list<Io<Bind>> Calls) {
  using Members = InterfaceOf<Io>;
  std::vector<SizeBucket> All;
  for (const Io<Bind> &Call : Calls) {
    SizeBucket &Bucket = All.emplace_back();
    Members::forEach(Call, [&]<typename M>(const M &Member, size_t Place) {
      if constexpr (graph_detail::KindOf<M> == MemberKind::Var)
        if (Member.bound())
          Bucket.emplace_back(std::string(Members::name(Place)),
                              *Member.bound());
    });
  }
  return All;
}

/// A model and the function that builds its graph. Compiles and allocates
/// nothing.
template <template <class> class Io, class Model> class Graph {
  using Members = InterfaceOf<Io>;

public:
  using Function = std::function<Status(const Model &, Io<Trace> &)>;

  Graph(Model Parameters, Function Build)
      : TheModel(std::move(Parameters)), Build(std::move(Build)) {}

  const Model &model() const { return TheModel; }

  /// Compiles and allocates for all sizes up to those of \p Sizes. Can be
  /// called several times, with different sizes. Errors: BadBounds and those of
  /// prepareGraph().
  Result<Prepared<Io>>
  prepare(const Io<Spec> &Sizes,
          const PrepareConfig &Config = PrepareConfig::from_env()) const {
    std::vector<DeclaredMember> Declared(Members::Count);
    if (Status S = declare(Sizes, Declared); !S.ok())
      return S;
    Result<std::unique_ptr<Replay>> Built = prepareGraph(
        Declared,
        [this](OpGraph &Ops, std::span<TracedMember> Traced) {
          return trace(Ops, Traced);
        },
        Config);
    if (!Built)
      return Built.status();
    return Prepared<Io>(std::move(*Built));
  }

private:
  static Status declare(const Io<Spec> &Sizes,
                        std::span<DeclaredMember> Declared) {
    Status Failure;
    auto OfMember = [&]<typename M>(const M &Member, size_t Place) {
      DeclaredMember &D = Declared[Place];
      D.Kind = Members::kind(Place);
      D.Name = Members::name(Place);
      if constexpr (graph_detail::KindOf<M> == MemberKind::Var) {
        Result<DimRange> Range = Member.range(D.Name);
        if (!Range) {
          if (Failure.ok())
            Failure = graphFailure(GraphErrc::BadBounds, Range.status());
          return;
        }
        D.Range = *Range;
      } else {
        D.Type = elementOf(Member);
      }
      if constexpr (graph_detail::KindOf<M> == MemberKind::In)
        D.Shape.assign(Member.shape().begin(), Member.shape().end());
    };
    Members::forEach(Sizes, OfMember);
    return Failure;
  }
  template <class P, class Item>
  static constexpr ElementType elementOf(const In<P, Item> &) {
    return ElementTypeOf<Item>::Value;
  }
  template <class P, class Item>
  static constexpr ElementType elementOf(const Out<P, Item> &) {
    return ElementTypeOf<Item>::Value;
  }

  Status trace(OpGraph &Ops, std::span<TracedMember> Traced) const {
    Io<Trace> Written{};
    auto Give = [&]<typename M>(M &Member, size_t Place) {
      if constexpr (graph_detail::KindOf<M> == MemberKind::In)
        give(Member, Ops, Traced[Place].Node);
      else if constexpr (graph_detail::KindOf<M> == MemberKind::Var)
        Member = M(Traced[Place].Size);
    };
    Members::forEach(Written, Give);
    Status Built = guarded(Written);
    auto Take = [&]<typename M>(const M &Member, size_t Place) {
      if constexpr (graph_detail::KindOf<M> == MemberKind::Out)
        Traced[Place].Assigned = Member.assigned();
    };
    Members::forEach(std::as_const(Written), Take);
    return Built;
  }
  template <class Item>
  static void give(In<Trace, Item> &Member, OpGraph &Ops, uint32_t Node) {
    Member = In<Trace, Item>(Tensor<Item>(&Ops, Node));
  }

  /// Stops exceptions of the user's function.
  Status guarded(Io<Trace> &Written) const {
#ifdef __cpp_exceptions
    try {
      return Build(TheModel, Written);
    } catch (const std::exception &E) {
      return Status(StatusCode::InvalidArgument, E.what());
    } catch (...) {
      return Status(StatusCode::InvalidArgument, "threw an unknown exception");
    }
#else
    return Build(TheModel, Written);
#endif
  }

  Model TheModel;
  Function Build;
};

namespace graph_detail {

template <typename> inline constexpr bool IsTensor = false;
template <typename Item> inline constexpr bool IsTensor<Tensor<Item>> = true;
template <typename> inline constexpr bool IsTensorResult = false;
template <typename Item>
inline constexpr bool IsTensorResult<Result<Tensor<Item>>> = true;

/// Assigns the single result to the single output.
template <template <class> class Io, typename Item>
void assignOnly(Io<Trace> &Written, const Tensor<Item> &Value) {
  static_assert(InterfaceOf<Io>::countOf(MemberKind::Out) == 1,
                "build: it returns one tensor, and the interface has several "
                "outputs; assign each");
  InterfaceOf<Io>::forEach(Written, [&]<typename M>(M &Member, size_t) {
    if constexpr (KindOf<M> == MemberKind::Out)
      Member = Value;
  });
}

} // namespace graph_detail

/// Makes a graph. \p Build gets the model and an Io<Trace>, and returns
/// nothing, a Status, or, for an interface with one output, its Tensor<T> or
/// Result<Tensor<T>>.
template <template <class> class Io, class Model, typename Builder>
Graph<Io, std::decay_t<Model>> graph(Model &&Parameters, Builder Build) {
  using M = std::decay_t<Model>;
  using Returned = std::invoke_result_t<Builder &, const M &, Io<Trace> &>;
  auto Run = [Build = std::move(Build)](const M &TheModel,
                                        Io<Trace> &Written) mutable -> Status {
    if constexpr (std::is_void_v<Returned>) {
      Build(TheModel, Written);
      return Status::success();
    } else if constexpr (std::is_same_v<Returned, Status>) {
      return Build(TheModel, Written);
    } else if constexpr (graph_detail::IsTensor<Returned>) {
      graph_detail::assignOnly<Io>(Written, Build(TheModel, Written));
      return Status::success();
    } else if constexpr (graph_detail::IsTensorResult<Returned>) {
      Returned Value = Build(TheModel, Written);
      if (!Value)
        return Value.status();
      graph_detail::assignOnly<Io>(Written, *Value);
      return Status::success();
    } else {
      static_assert(graph_detail::Never<Returned>,
                    "build: it returns none of void, Status, Tensor<T> and "
                    "Result<Tensor<T>>");
    }
  };
  return Graph<Io, M>(std::forward<Model>(Parameters), std::move(Run));
}

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPH_H
