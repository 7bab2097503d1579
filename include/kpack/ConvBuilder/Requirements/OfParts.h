//===- Requirements/OfParts.h - checks of an algorithm's parts --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that an algorithm has the parts that its kind needs and no others, and
// that their values are implemented. An unused part is an error, since its
// author expects an effect.
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFPARTS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFPARTS_H

#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// Writes the kind whose kernel uses a part or not.
constexpr void sayKind(FindingOut &F, const Context &C) {
  F << "kind " << C.Algo->kind;
  if (C.isGemm())
    F << " with isa " << C.Algo->isa;
}

/// Writes a finding for an absent part.
constexpr void missing(const Context &C, Literal Path, Literal Member = "") {
  FindingOut F = C.find();
  F << "algorithm." << Path << Member;
  F.fact() << "is absent, ";
  sayKind(F, C);
  F << " needs it";
  F.remedy() << "resolve() chooses one";
}

/// Checks a required number; zero is absent, and a negative number is invalid.
constexpr void needed(const Context &C, Literal Path, Literal Member,
                      int Value) {
  if (Value < 0) {
    FindingOut F = C.find();
    F << "algorithm." << Path << Member;
    F.fact(1) << "is " << Value;
    F.remedy() << "at least 1";
  } else if (Value == 0 && C.Want.Parts == Absent::IsRefused) {
    missing(C, Path, Member);
  }
}
constexpr void optional(const Context &C, Literal Path, Literal Member,
                        int Value) {
  if (Value < 0)
    needed(C, Path, Member, Value);
}
constexpr void needed(const Context &C, Literal Path, const MNK &Value) {
  needed(C, Path, ".m", Value.m);
  needed(C, Path, ".n", Value.n);
  needed(C, Path, ".k", Value.k);
}

/// Returns true if a part is present; reports a part that must not be absent.
template <typename Part>
constexpr bool isThere(const Context &C, Literal Path,
                       const Optional<Part> &Value) {
  if (!Value && C.Want.Parts == Absent::IsRefused)
    missing(C, Path);
  return Value.has();
}

constexpr void neededOfOperand(const Context &C, Literal Path,
                               const Optional<Operand> &Way) {
  if (!isThere(C, Path, Way))
    return;
  needed(C, Path, ".k_pack", Way->k_pack);
  needed(C, Path, ".load_vector", Way->load_vector);
  needed(C, Path, ".lds_vector", Way->lds_vector);
  optional(C, Path, ".lds_pad", Way->lds_pad);
}

constexpr void neededOfGemm(const Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (isThere(C, "tile", Algo.tile))
    needed(C, "tile", *Algo.tile);
  if (usesMatrix(Algo.isa)) {
    if (isThere(C, "wave", Algo.wave)) {
      needed(C, "wave.waves", Algo.wave->waves);
      needed(C, "wave.instr", Algo.wave->instr);
    }
  } else if (!C.is(Isa::AUTO) && isThere(C, "thread", Algo.thread)) {
    const ThreadTile &Thread = *Algo.thread;
    needed(C, "thread", ".m1", Thread.m1);
    needed(C, "thread", ".n1", Thread.n1);
    needed(C, "thread", ".k_per_thread", Thread.k_per_thread);
    for (bool IsM : {true, false}) {
      const List<int, 2> &Threads = IsM ? Thread.m1_xs : Thread.n1_xs;
      Literal Member = IsM ? ".m1_xs" : ".n1_xs";
      needed(C, "thread", Member,
             Threads.size() == 2
                 ? Threads[0] < Threads[1] ? Threads[0] : Threads[1]
                 : 0);
    }
  }
  neededOfOperand(C, "a", Algo.a);
  neededOfOperand(C, "b", Algo.b);
  if (isThere(C, "c", Algo.c))
    needed(C, "c", ".store_vector", Algo.c->store_vector);
  if (isThere(C, "pipeline", Algo.pipeline))
    optional(C, "pipeline", ".stages", Algo.pipeline->stages);
  if (isThere(C, "split", Algo.split)) {
    optional(C, "split", ".k_batch", Algo.split->k_batch);
    optional(C, "split", ".groups_merge", Algo.split->groups_merge);
  }
  isThere(C, "padding", Algo.padding);
  if (Algo.transpose) {
    needed(C, "transpose", ".source_vector", Algo.transpose->source_vector);
    needed(C, "transpose", ".target_vector", Algo.transpose->target_vector);
  }
}

/// Checks a promised filter: it promises all of its numbers, since resolve()
/// chooses none of them.
constexpr void neededOfFilter(const Context &C, const FilterFacts &Is) {
  auto Both = [&](std::string_view Path, const HW &Value, int Least) {
    for (bool IsH : {true, false}) {
      int Extent = IsH ? Value.h : Value.w;
      if (Extent >= Least)
        continue;
      FindingOut F = C.find();
      F << "algorithm.depthwise.filter." << Path << (IsH ? ".h" : ".w");
      F.fact(Least) << "is " << Extent;
      F.remedy() << "at least " << Least << ", or no part filter";
    }
  };
  Both("size", Is.size, 1);
  Both("stride", Is.stride, 1);
  Both("dilation", Is.dilation, 1);
  Both("pad", Is.pad, 0);
}

/// A1: all required parts are given.
constexpr void neededParts(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (C.is(Kind::AUTO)) {
    if (C.Want.Parts == Absent::IsRefused)
      (C.find("algorithm.kind") << "is AUTO").remedy()
          << "resolve() chooses one";
    return;
  }
  if (C.is(Isa::AUTO) && C.Want.Parts == Absent::IsRefused) {
    // If no isa is possible, A3 reports it.
    if (!C.isGemm() || canMultiply(Algo, C.Sig, C.Gpu))
      (C.find("algorithm.isa") << "is AUTO").remedy()
          << "resolve() chooses one";
    if (C.isGemm())
      return;
  }
  needed(C, "block_size", "", Algo.block_size);
  if (C.isGemm())
    neededOfGemm(C);
  if (C.is(Kind::DEPTHWISE) && isThere(C, "depthwise", Algo.depthwise)) {
    const Depthwise &D = *Algo.depthwise;
    needed(C, "depthwise", ".tile.h", D.tile.h);
    needed(C, "depthwise", ".tile.w", D.tile.w);
    needed(C, "depthwise", ".subtile.h", D.subtile.h);
    needed(C, "depthwise", ".subtile.w", D.subtile.w);
    needed(C, "depthwise", ".nbatch", D.nbatch);
    needed(C, "depthwise", ".in_vector", D.in_vector);
    needed(C, "depthwise", ".out_vector", D.out_vector);
    if (D.filter)
      neededOfFilter(C, *D.filter);
  }
}

constexpr void unused(const Context &C, Literal Path, bool IsGiven,
                      bool IsUsed = false) {
  if (!IsGiven || IsUsed)
    return;
  FindingOut F = C.find();
  F << "algorithm." << Path;
  F.fact();
  sayKind(F, C);
  F << " does not use it";
  F.remedy() << "leave it out";
}

/// A2: no unused parts are given.
constexpr void unusedParts(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (C.is(Kind::AUTO))
    return;
  bool IsGemm = C.isGemm(), IsOpen = C.is(Isa::AUTO);
  unused(C, "isa", !IsOpen && !C.is(Isa::VALU), IsGemm);
  unused(C, "tile", Algo.tile.has(), IsGemm);
  unused(C, "wave", Algo.wave.has(),
         IsGemm && (IsOpen || usesMatrix(Algo.isa)));
  unused(C, "thread", Algo.thread.has(),
         IsGemm && (IsOpen || !usesMatrix(Algo.isa)));
  unused(C, "a", Algo.a.has(), IsGemm);
  unused(C, "b", Algo.b.has(), IsGemm);
  unused(C, "c", Algo.c.has(), IsGemm);
  // Counts repeats of waves.
  unused(C, "c.shuffle",
         Algo.c && (Algo.c->shuffle.m > 1 || Algo.c->shuffle.n > 1),
         IsOpen || usesMatrix(Algo.isa));
  unused(C, "pipeline", Algo.pipeline.has(), IsGemm);
  unused(C, "depthwise", Algo.depthwise.has(), C.is(Kind::DEPTHWISE));
  // Threads store elements of a filter one by one.
  unused(C, "depthwise.out_vector",
         C.is(Kind::DEPTHWISE) && Algo.depthwise &&
             Algo.depthwise->out_vector > 1,
         C.Sig.direction != ConvDirection::BACKWARD_WEIGHT);
  unused(C, "specialization",
         Algo.specialization != ConvSpecialization::DEFAULT, IsGemm);
  unused(C, "padding", Algo.padding.has(), IsGemm);
  unused(C, "padding.o", Algo.padding && Algo.padding->o);
  // All kinds have 64-bit offsets; the rest of the part is for one kind.
  if (Algo.split) {
    const Split &S = *Algo.split;
    unused(C, "split.k_batch", S.k_batch > 1, IsGemm);
    unused(C, "split.two_stage", S.two_stage, IsGemm);
    unused(C, "split.groups_merge", S.groups_merge > 1, IsGemm);
    unused(C, "split.split_image", S.split_image, IsGemm);
    unused(C, "split.stream_k", S.stream_k.has(), IsGemm);
  }
  unused(C, "transpose", Algo.transpose.has(), IsGemm);
}

/// Checks one side of a tile. Larger ones exceed LDS and registers, except in
/// extreme shapes.
constexpr void sideOfTile(const Context &C, Literal Path, Literal Member,
                          int Length) {
  constexpr int Most = 1024;
  if (Length <= Most)
    return;
  FindingOut F = C.find();
  F << "algorithm." << Path << Member;
  F.fact(Most) << Length << " are more than a tile can have";
  F.remedy() << "at most " << Most;
}

/// A16 for tiles.
constexpr void implementedTiles(const Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (Algo.tile) {
    sideOfTile(C, "tile", ".m", Algo.tile->m);
    sideOfTile(C, "tile", ".n", Algo.tile->n);
    sideOfTile(C, "tile", ".k", Algo.tile->k);
  }
  if (Algo.depthwise) {
    sideOfTile(C, "depthwise.tile", ".h", Algo.depthwise->tile.h);
    sideOfTile(C, "depthwise.tile", ".w", Algo.depthwise->tile.w);
    sideOfTile(C, "depthwise", ".nbatch", Algo.depthwise->nbatch);
  }
  if (Algo.wave && Algo.wave->waves.k > 1)
    (C.find("algorithm.wave.waves.k", 1)
     << Algo.wave->waves.k << " waves that share a sum are not implemented")
            .remedy()
        << "1, and split.k_batch to divide sums";
}

/// A16: the values are implemented.
constexpr void implemented(Context &C) {
  const Algorithm &Algo = *C.Algo;
  implementedTiles(C);
  if (Algo.pipeline) {
    PipelineVersion Version = Algo.pipeline->version;
    if (Version != PipelineVersion::V1 && Version != PipelineVersion::V3 &&
        Version != PipelineVersion::V4)
      (C.find("algorithm.pipeline.version") << Version << " is not implemented")
              .remedy()
          << "V1, V3 and V4 are";
  }
}

/// A17 for sums: stream_k divides them and adds the parts, so it excludes
/// k_batch and two_stage.
constexpr void dividedOnce(const Context &C) {
  const Split &S = *C.Algo->split;
  auto Without = [&](bool IsGiven, Literal Path, std::string_view Why,
                     long long Value) {
    if (!IsGiven)
      return;
    FindingOut F = C.find();
    F << "algorithm.split." << Path;
    F.fact(1) << "stream_k " << Why << ", and " << Path << " is " << Value;
    F.remedy() << Path << '=' << (Value > 1 ? 1 : 0) << ", or no stream_k";
  };
  Without(S.k_batch > 1, "k_batch", "divides sums itself", S.k_batch);
  Without(S.two_stage, "two_stage", "adds in a second kernel by itself", 1);
}

/// A17: promises do not contradict each other.
constexpr void consistent(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (Algo.split && Algo.split->stream_k)
    dividedOnce(C);
  if (Algo.specialization != ConvSpecialization::ODD_C)
    return;
  for (int Which : {0, 1}) {
    detail::OperandWay Way = detail::wayOf(C, Which);
    const LayoutFacts &Facts = factsOf(tensorOf(C.Sig, Way.From).config.layout);
    if (!Way.Way || Way.Way->load_vector <= 1 || Facts.Count == 0 ||
        Facts.Letters[Facts.Count - 1] != 'C')
      continue;
    FindingOut F = C.find("algorithm.specialization");
    F << "ODD_C promises an odd number of channels, and " << Way.Name
      << ".load_vector reads " << Way.Way->load_vector << " of them at once";
    F.remedy() << "load_vector=1, or specialization=DEFAULT";
  }
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFPARTS_H
