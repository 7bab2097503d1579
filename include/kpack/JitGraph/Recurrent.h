//===- JitGraph/Recurrent.h - graphs with state across calls ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph with outputs that are inputs of its next call:
//
//   auto R = recurrent(std::move(*G), carry(&Vad<Live>::h, &Vad<Live>::h_next),
//                      carry(&Vad<Live>::c, &Vad<Live>::c_next));
//   auto Probability = R->step([&](const Vad<Live> &Io) {
//     std::copy(Chunk.begin(), Chunk.end(), Io.chunk.begin());
//   });
//
// State is not copied: the memory of the output and of the input are exchanged.
// It changes only at the end of a successful step. For one output with all
// values, [head | h | c], and h and c in the caller's memory, use
// PackedRecurrent.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_RECURRENT_H
#define KPACK_JITGRAPH_RECURRENT_H

#include "kpack/JitGraph/Graph.h"

#include <chrono>
#include <cstring>

namespace kpack::jit {

/// The times of a step: filling and packing inputs, executing, reading outputs.
struct StepTiming {
  std::chrono::nanoseconds pack{}, execute{}, read{};
};

/// All carried state, as bytes at the upper bounds.
struct RecurrentState {
  std::vector<std::vector<std::byte>> parts;
  friend bool operator==(const RecurrentState &,
                         const RecurrentState &) = default;
};

struct LstmState {
  std::vector<float> h, c;
  static LstmState zeros(size_t Size) {
    return {std::vector<float>(Size), std::vector<float>(Size)};
  }
};

namespace graph_detail {

/// Two members of Io<Live>, of one element type.
template <class Io, class Item> struct CarriedPair {
  In<Live, Item> Io::*From;
  Out<Live, Item> Io::*To;
};

using StepClock = std::chrono::steady_clock;

/// Calls the user's function, which returns nothing or a Status.
template <class Io, typename Function>
Status fill(Function &Fill, const Io &Values) {
  if constexpr (std::is_void_v<std::invoke_result_t<Function &, const Io &>>) {
    Fill(Values);
    return Status::success();
  } else {
    return Fill(Values);
  }
}

} // namespace graph_detail

template <class Io, class Item, class U>
graph_detail::CarriedPair<Io, Item> carry(In<Live, Item> Io::*InputMember,
                                          Out<Live, U> Io::*OutputMember) {
  static_assert(std::is_same_v<Item, U>,
                "carry: the input and the output are of two element types");
  if constexpr (std::is_same_v<Item, U>)
    return {InputMember, OutputMember};
}

template <template <class> class Io> class PackedRecurrent;

/// A graph with its state. One thread at a time.
template <template <class> class Io> class Recurrent {
  using Members = InterfaceOf<Io>;

public:
  /// Starts with the state 0. Errors: OutputLayoutMismatch, a pair differs in
  /// its shape, or a member is in two pairs.
  template <class... Items>
  static Result<Recurrent>
  create(Prepared<Io> PreparedGraph,
         graph_detail::CarriedPair<Io<Live>, Items>... Carried) {
    Recurrent R(std::move(PreparedGraph));
    Status Failure;
    ((Failure.ok() ? void(Failure = R.add(Carried)) : void()), ...);
    if (!Failure.ok())
      return Failure;
    // The program may have started calls before.
    if (Status S = R.Of.Machine->settle(); !S.ok())
      return S;
    R.reset();
    return R;
  }

  /// The form with one output; see PackedRecurrent.
  static Result<PackedRecurrent<Io>> packed(Prepared<Io> PreparedGraph,
                                            LstmState State, size_t HeadLength,
                                            In<Live, float> Io<Live>::*H,
                                            In<Live, float> Io<Live>::*C) {
    return PackedRecurrent<Io>::create(std::move(PreparedGraph),
                                       std::move(State), HeadLength, H, C);
  }

  /// Runs one call: \p Fill writes inputs that are not carried and returns
  /// nothing or a Status; \p Call is that of execute(). Returns the first
  /// output that is not carried, if it is of float; all are in io(). An error,
  /// which may be \p Fill's, leaves the state unchanged.
  template <typename Function>
  Result<View<const float>> step(Function &&Fill, const Io<Bind> &Call = {}) {
    Replay::Turn Turn(*Of.Machine);
    if (!Turn)
      return Replay::busy();
    auto Start = graph_detail::StepClock::now();
    settle();
    if (Status S = graph_detail::fill(Fill, Of.io()); !S.ok())
      return S;
    if (Status S = bind(Call); !S.ok())
      return S;
    auto Filled = graph_detail::StepClock::now();
    if (Status S = Of.Machine->run(); !S.ok())
      return S;
    auto Ran = graph_detail::StepClock::now();
    IsPending = true;
    Timing = {Filled - Start, Ran - Filled, {}};
    return head();
  }

  const Io<Live> &io() const { return Of.io(); }
  PlanInfo plan() const { return Of.plan(); }
  StepTiming last_timing() const { return Timing; }

  /// Sets all of the state to 0.
  void reset() {
    for (Pair P : Pairs)
      std::memset(memory(P), 0, P.Bytes);
  }
  /// Sets one stream to 0, \p Row of the first dimension. Errors:
  /// VarOutOfRange.
  Status reset(int64_t Row) {
    for (Pair P : Pairs)
      if (Row < 0 || Row >= P.Rows)
        return graphFailure(
            GraphErrc::VarOutOfRange,
            "row: " + std::to_string(Row) + " is not within 0 to " +
                std::to_string(P.Rows - 1) + "; name a row of the state");
    for (Pair P : Pairs) {
      size_t Size = P.Bytes / static_cast<size_t>(P.Rows);
      std::memset(memory(P) + static_cast<size_t>(Row) * Size, 0, Size);
    }
    return Status::success();
  }

  /// Returns the state, for checkpoints and for continuing in a clone.
  RecurrentState state() const {
    RecurrentState All;
    for (Pair P : Pairs)
      All.parts.emplace_back(memory(P), memory(P) + P.Bytes);
    return All;
  }
  /// Errors: OutputLayoutMismatch, a state of another graph.
  Status set_state(const RecurrentState &All) {
    bool Fits = All.parts.size() == Pairs.size();
    for (size_t I = 0; Fits && I < Pairs.size(); ++I)
      Fits = All.parts[I].size() == Pairs[I].Bytes;
    if (!Fits)
      return graphFailure(GraphErrc::OutputLayoutMismatch,
                          "state: is of another graph, or of other bounds; "
                          "give back one that state() has returned");
    for (size_t I = 0; I < Pairs.size(); ++I)
      std::memcpy(memory(Pairs[I]), All.parts[I].data(), Pairs[I].Bytes);
    return Status::success();
  }

  /// Makes another one of the same plan, whose state is 0. Errors: OutOfMemory.
  Result<Recurrent> clone() const {
    Result<Prepared<Io>> Other = Of.clone();
    if (!Other)
      return Other.status();
    Recurrent R(std::move(*Other));
    R.Pairs = Pairs;
    return R;
  }

private:
  explicit Recurrent(Prepared<Io> PreparedGraph)
      : Of(std::move(PreparedGraph)) {}

  /// Indexes among inputs and outputs.
  struct Pair {
    uint32_t In, Out;
    size_t Bytes;
    int64_t Rows;
  };

  static const GraphBuffer &inputOf(const GraphPlan &Plan, uint32_t I) {
    return Plan.Buffers[Plan.Inputs[I]];
  }
  static const GraphBuffer &outputOf(const GraphPlan &Plan, uint32_t I) {
    return Plan.Buffers[Plan.Outputs[I]];
  }

  /// Returns the number of members of its kind before the one at \p Address.
  template <MemberKind Kind> uint32_t placeOf(const void *Address) const {
    uint32_t Count = 0, Found = 0;
    auto OfMember = [&]<typename M>(const M &Member, size_t) {
      if constexpr (graph_detail::KindOf<M> == Kind) {
        if (&Member == Address)
          Found = Count;
        ++Count;
      }
    };
    Members::forEach(Of.io(), OfMember);
    return Found;
  }

  template <class Item>
  Status add(graph_detail::CarriedPair<Io<Live>, Item> P) {
    const GraphPlan &Plan = Of.Machine->plan();
    uint32_t In = placeOf<MemberKind::In>(&(Of.io().*P.From));
    uint32_t Out = placeOf<MemberKind::Out>(&(Of.io().*P.To));
    const GraphBuffer &InputBuffer = inputOf(Plan, In),
                      &OutputBuffer = outputOf(Plan, Out);
    bool IsTwice = false;
    for (Pair Other : Pairs)
      IsTwice |= Other.In == In || Plan.Outputs[Other.Out] == Plan.Outputs[Out];
    if (IsTwice || InputBuffer.Extents != OutputBuffer.Extents ||
        InputBuffer.Strides != OutputBuffer.Strides ||
        InputBuffer.Bytes != OutputBuffer.Bytes)
      return graphFailure(
          GraphErrc::OutputLayoutMismatch,
          InputBuffer.Name + ": is carried from " + OutputBuffer.Name +
              ", which " +
              (IsTwice ? "is carried already" : "has another shape") +
              "; give each state an output of its own shape");
    int64_t Rows =
        InputBuffer.Extents.empty() ? 1 : InputBuffer.Extents[0].hi();
    Pairs.push_back({In, Out, InputBuffer.Bytes, Rows});
    return Status::success();
  }

  /// Returns the current memory of the state.
  std::byte *memory(Pair P) const {
    Replay &R = *Of.Machine;
    return static_cast<std::byte *>(
        IsPending ? const_cast<void *>(R.output(P.Out)) : R.input(P.In));
  }

  /// Makes the state the input. Not at the end of the previous step, so that
  /// the caller can read its outputs.
  void settle() {
    if (!IsPending)
      return;
    for (Pair P : Pairs)
      Of.Machine->exchange(P.In, P.Out);
    IsPending = false;
    Of.refresh();
  }

  Status bind(const Io<Bind> &Call) {
    auto All = Of.collect(Call);
    std::span Inputs = std::span(All.Inputs).first(All.InputCount);
    for (const Replay::BoundInput &Input : Inputs)
      for (Pair P : Pairs)
        if (P.In == Input.Input)
          return graphFailure(GraphErrc::DuplicateInputBuffer,
                              inputOf(Of.Machine->plan(), P.In).Name +
                                  ": is carried and cannot be bound; use "
                                  "set_state()");
    if (Status S = Of.Machine->bind(All.Values, Inputs); !S.ok())
      return S;
    if (Of.Shown != Of.Machine->version())
      Of.refresh();
    // Rows that this call does not compute keep their values.
    for (Pair P : Pairs)
      if (!isFull(P))
        std::memcpy(const_cast<void *>(Of.Machine->output(P.Out)),
                    Of.Machine->input(P.In), P.Bytes);
    return Status::success();
  }
  bool isFull(Pair P) const {
    const GraphBuffer &B = outputOf(Of.Machine->plan(), P.Out);
    std::span<const int64_t> Extents = Of.Machine->outputExtents(P.Out);
    for (size_t I = 0; I < Extents.size(); ++I)
      if (Extents[I] != B.Extents[I].hi())
        return false;
    return true;
  }

  View<const float> head() const {
    View<const float> Found;
    uint32_t Out = 0;
    bool IsFirst = true;
    auto OfMember = [&]<typename M>(const M &Member, size_t) {
      if constexpr (graph_detail::KindOf<M> == MemberKind::Out) {
        bool IsCarried = false;
        for (Pair P : Pairs)
          IsCarried |= P.Out == Out;
        ++Out;
        if (IsCarried || !IsFirst)
          return;
        IsFirst = false;
        if constexpr (std::is_base_of_v<View<const float>, M>)
          Found = Member;
      }
    };
    Members::forEach(Of.io(), OfMember);
    return Found;
  }

  Prepared<Io> Of;
  std::vector<Pair> Pairs;
  bool IsPending = false; ///< the state is in the outputs
  StepTiming Timing;
};

/// Calls Recurrent<Io>::create() and deduces Io.
template <template <class> class Io, class... Items>
Result<Recurrent<Io>>
recurrent(Prepared<Io> PreparedGraph,
          graph_detail::CarriedPair<Io<Live>, Items>... Carried) {
  return Recurrent<Io>::create(std::move(PreparedGraph), Carried...);
}

/// The state of an LSTM on the host: copied into two inputs, and out of one
/// output [head | h | c] after each step.
template <template <class> class Io> class PackedRecurrent {
  using Members = InterfaceOf<Io>;
  using Input = In<Live, float> Io<Live>::*;
  static_assert(Members::countOf(MemberKind::Out) == 1,
                "packed: the interface has one output");

public:
  /// Errors: OutputLayoutMismatch, the output does not have \p HeadLength
  /// elements and those of h and c, or an input not as many as its state.
  static Result<PackedRecurrent> create(Prepared<Io> PreparedGraph,
                                        LstmState State, size_t HeadLength,
                                        Input H, Input C) {
    PackedRecurrent R(std::move(PreparedGraph), std::move(State), HeadLength, H,
                      C);
    const GraphPlan &Plan = R.Of.replay().plan();
    const GraphBuffer &B = Plan.Buffers[Plan.Outputs[0]];
    bool IsConstant = B.Type == ElementType::Float32;
    for (Dim Extent : B.Extents)
      IsConstant &= Extent.isConstant();
    size_t Elements = B.Bytes / sizeof(float);
    size_t Expected = HeadLength + R.State.h.size() + R.State.c.size();
    if (!IsConstant || Elements != Expected)
      return graphFailure(GraphErrc::OutputLayoutMismatch,
                          B.Name + ": has " + std::to_string(Elements) +
                              (IsConstant ? "" : " or fewer") +
                              " elements, head and state have " +
                              std::to_string(Expected) +
                              "; make it [head | h | c], of floats");
    const Io<Live> &All = R.Of.io();
    if ((All.*H).size() != R.State.h.size() ||
        (All.*C).size() != R.State.c.size())
      return graphFailure(GraphErrc::OutputLayoutMismatch,
                          "state: its inputs have " +
                              std::to_string((All.*H).size()) + " and " +
                              std::to_string((All.*C).size()) +
                              " elements; give h and c as many");
    return R;
  }

  /// Like Recurrent::step(); returns the head.
  template <typename Function>
  Result<std::span<const float>> step(Function &&Fill,
                                      const Io<Bind> &Call = {}) {
    auto Start = graph_detail::StepClock::now();
    const Io<Live> &All = Of.io();
    std::copy(State.h.begin(), State.h.end(), (All.*H).begin());
    std::copy(State.c.begin(), State.c.end(), (All.*C).begin());
    if (Status S = graph_detail::fill(Fill, All); !S.ok())
      return S;
    auto Filled = graph_detail::StepClock::now();
    if (Status S = Of.execute(Call); !S.ok())
      return S;
    auto Ran = graph_detail::StepClock::now();
    auto *Packed = static_cast<const float *>(Of.replay().output(0));
    const float *First = Packed + HeadLength;
    std::copy_n(First, State.h.size(), State.h.begin());
    std::copy_n(First + State.h.size(), State.c.size(), State.c.begin());
    Timing = {Filled - Start, Ran - Filled,
              graph_detail::StepClock::now() - Ran};
    return std::span(Packed, HeadLength);
  }

  void reset() {
    State = {std::vector<float>(State.h.size()),
             std::vector<float>(State.c.size())};
  }
  const Io<Live> &io() const { return Of.io(); }
  const LstmState &state() const { return State; }
  StepTiming last_timing() const { return Timing; }

private:
  PackedRecurrent(Prepared<Io> PreparedGraph, LstmState State,
                  size_t HeadLength, Input H, Input C)
      : Of(std::move(PreparedGraph)), State(std::move(State)),
        HeadLength(HeadLength), H(H), C(C) {}

  Prepared<Io> Of;
  LstmState State;
  size_t HeadLength;
  Input H, C;
  StepTiming Timing;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_RECURRENT_H
