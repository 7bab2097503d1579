//===- kpack/ConvBuilder/CkShapes.h - import of CK's algorithms -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the algorithms of CK's builder, 19 shapes of structs, to Algorithm:
//
//   constexpr Algorithm A = canonical(Theirs);
//   importAlgorithm(Theirs).Variant             CkVariant::FwdXdlV3
//
// CK takes the first concept that is satisfied, whatever else the struct has.
// Here the parts of a struct must be exactly those of one variant with its
// specialization; anything else is an error (CkVariants.h). A struct with only
// a specialization is valid, too. Large tensors may have their algorithm in a
// member base_algorithm.
//
// Derived values: waves = tile / (instruction * repeats), which must be an
// integer. lds_padding is one pack of k. The isa of the DL kernels is VALU,
// which supports all types; that of Tile is AUTO. MULTIPLE_D follows from the
// operands of the signature.
//
// Siblings: Canonical.h (signatures), Algorithm.h (the result), CkParts.h
// (members of the structs).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CKSHAPES_H
#define KPACK_CONVBUILDER_CKSHAPES_H

#include "kpack/ConvBuilder/Canonical.h"
#include "kpack/ConvBuilder/CkParts.h"

namespace kpack::conv {

namespace detail {

/// Checks that a member that is read twice has one value.
template <typename Value>
constexpr void agree(const ShapePath &At, std::string_view Name,
                     std::string_view Other, const Value &First,
                     const Value &Second, ShapeReport &Report) {
  if (First == Second)
    return;
  ShapePath Member{&At, Name};
  Report.say("A17", Member, "contradicts ", Other);
  ++Report.Value;
}

/// Reads the filter specialization of a direction.
template <typename Object>
constexpr void readFilter(Walk<Object> &From, CkReader &In) {
  ConvSpecialization &To = In.To.specialization;
  ConvSpecialization Data = ConvSpecialization::DEFAULT;
  if (optional<member::fwd_specialization>(From, To))
    In.Parts |= part::FwdFilter;
  bool ForWeight = optional<member::bwd_weight_specialization>(From, To);
  bool ForData = optional<member::bwd_data_specialization>(From, Data);
  if (ForWeight || ForData)
    In.Parts |= part::BwdFilter;
  if (ForData && !ForWeight)
    To = Data;
  if (ForData && ForWeight)
    agree(From.At, "bwd_data_specialization", "bwd_weight_specialization", Data,
          To, From.Report);
}

/// Reads specialization: the filter's for Tile, else the algorithm's.
template <typename Object>
constexpr void readSpecialization(Walk<Object> &From, CkReader &In) {
  if constexpr (Walk<Object>::template Has<member::specialization>) {
    using Theirs =
        typename Walk<Object>::template TypeOf<member::specialization>;
    if constexpr (SameWords<Theirs, ConvSpecialization>) {
      In.Parts |= part::TileFilter;
      required<member::specialization>(From, In.To.specialization);
      return;
    }
  }
  SpecialWord Outer;
  optional<member::specialization>(From, Outer);
  if (Outer && In.Special)
    agree(From.At, "specialization", "that of base_algorithm", Outer,
          In.Special, From.Report);
  if (Outer)
    In.Special = Outer;
}

template <typename Object>
constexpr void readPadding(Walk<Object> &From, CkReader &In) {
  Padding First, Second;
  bool ByFirst = optional<member::gemm_specialization>(From, First);
  bool BySecond = optional<member::gemm_padding>(From, Second);
  if (ByFirst && BySecond)
    agree(From.At, "gemm_padding", "gemm_specialization", Second, First,
          From.Report);
  if (ByFirst || BySecond) {
    In.Parts |= part::Pads;
    In.To.padding = ByFirst ? First : Second;
  }
  if constexpr (Walk<Object>::template Has<member::DoPadGemmM> ||
                Walk<Object>::template Has<member::DoPadGemmN>) {
    Padding Both;
    required<member::DoPadGemmM>(From, Both.m);
    required<member::DoPadGemmN>(From, Both.n);
    In.Parts |= part::DoPads;
    In.To.padding = Both;
  } else {
    From.template ask<member::DoPadGemmM>();
    From.template ask<member::DoPadGemmN>();
  }
}

template <typename Object>
constexpr void readLoop(Walk<Object> &From, CkReader &In) {
  Algorithm &To = In.To;
  PipelineVersion Version{};
  int Count = 0;
  if (optionalPart<member::block_gemm_pipeline>(
          From, "pipeline",
          [&](auto &Inner) { readPipeline(Inner, To.pipeline.make()); }))
    In.Parts |= part::BlockPipeline;
  if (optional<member::pipeline_version>(From, Version)) {
    In.Parts |= part::GridPipeline;
    To.pipeline.make().version = Version;
  }
  if (optional<member::num_gemm_k_prefetch_stages>(From, Count)) {
    In.Parts |= part::Stages;
    To.pipeline.make().stages = Count;
  }
  PipelineScheduler Scheduler{};
  if (!optional<member::loop_scheduler>(From, Scheduler))
    return;
  In.Parts |= part::Loop;
  PipelineScheduler &Given = To.pipeline.make().scheduler;
  if (!(In.Parts & part::BlockPipeline))
    Given = Scheduler;
  else if (Scheduler != PipelineScheduler::DEFAULT)
    agree(From.At, "loop_scheduler", "block_gemm_pipeline.scheduler", Scheduler,
          Given, From.Report);
}

template <typename Object>
constexpr void readTranspose(Walk<Object> &From, CkReader &In) {
  using Source = member::max_transpose_transfer_src_scalar_per_vector;
  using Target = member::max_transpose_transfer_dst_scalar_per_vector;
  if constexpr (Walk<Object>::template Has<Source> ||
                Walk<Object>::template Has<Target>) {
    Transpose &To = In.To.transpose.make();
    required<Source>(From, To.source_vector);
    required<Target>(From, To.target_vector);
    In.Parts |= part::Transposes;
  } else {
    From.template ask<Source>();
    From.template ask<Target>();
  }
}

/// Reads all parts of any variant.
template <typename Object>
constexpr void readAlgorithm(Walk<Object> &From, CkReader &In) {
  Algorithm &To = In.To;
  auto Is = [&](unsigned Part, bool There) { In.Parts |= There ? Part : 0; };
  optionalPart<member::base_algorithm>(
      From, "algorithm", [&](auto &Inner) { readAlgorithm(Inner, In); });
  Is(part::ThreadBlock,
     optionalPart<member::thread_block>(
         From, "block", [&](auto &Inner) { readThreadBlock(Inner, In); }));
  optionalPart<member::gridwise_gemm>(
      From, "part", [&](auto &Inner) { readGridwise(Inner, In); });
  optionalPart<member::transfer>(From, "transfer",
                                 [&](auto &Inner) { readTransfer(Inner, In); });
  readFilter(From, In);
  readSpecialization(From, In);
  readPadding(From, In);
  readLoop(From, In);
  readTranspose(From, In);
  int Merged = 0;
  if (optional<member::num_conv_groups_to_merge>(From, Merged)) {
    In.Parts |= part::Merge;
    To.split.make().groups_merge = Merged;
  }
  Is(part::DlThread,
     optionalPart<member::thread_config>(From, "config", [&](auto &Inner) {
       readThreadConfig(Inner, To.thread.make());
     }));
  Is(part::DlCluster,
     optionalPart<member::thread_cluster>(From, "cluster", [&](auto &Inner) {
       readThreadCluster(Inner, To.thread.make());
     }));
  Is(part::BlockGemm,
     optionalPart<member::block_gemm>(
         From, "part", [&](auto &Inner) { readBlockGemm(Inner, To); }));
  Is(part::Optimizations,
     optionalPart<member::optimizations>(
         From, "part", [&](auto &Inner) { readOptimizations(Inner, In); }));
  Is(part::StreamKParams,
     optionalPart<member::streamk>(
         From, "streamk", [&](auto &Inner) { readStreamK(Inner, In); }));
  Is(part::DepthwiseParams,
     optionalPart<member::depthwise_params>(
         From, "part", [&](auto &Inner) { readDepthwise(Inner, To); }));
}

/// Returns tile / (instruction * repeats), the number of waves.
constexpr int wavesIn(int Tile, int Instruction, int Repeat,
                      std::string_view Name, const ShapePath &At,
                      ShapeReport &Report) {
  long long Step = static_cast<long long>(Instruction) * Repeat;
  if (Step != 0 && Tile % Step == 0)
    return static_cast<int>(Tile / Step);
  ShapePath Block{&At, "thread_block"}, Size{&Block, "tile_size"},
      Member{&Size, Name};
  Report.say("A5", Member, Tile, " is no multiple of what a wave has, ",
             Instruction, " of an instruction, ", Repeat, " times");
  ++Report.Value;
  return 0;
}

constexpr Isa isaOf(unsigned Parts) {
  if (Parts & part::Xdl)
    return Isa::MFMA;
  if (Parts & part::Wmma)
    return Isa::WMMA;
  return Parts & part::DlThread ? Isa::VALU : Isa::AUTO;
}

constexpr Kind kindOf(CkVariant Variant) {
  switch (Variant) {
  case CkVariant::None:
  case CkVariant::SpecializationOnly:
    return Kind::AUTO;
  case CkVariant::Reference:
    return Kind::REFERENCE;
  case CkVariant::Depthwise:
    return Kind::DEPTHWISE;
  default:
    return Kind::IMPLICIT_GEMM;
  }
}

/// Sets the values that depend on all parts.
constexpr void complete(CkReader &In, CkVariant Variant, const ShapePath &At,
                        ShapeReport &Report) {
  Algorithm &To = In.To;
  To.kind = kindOf(Variant);
  To.isa = isaOf(In.Parts);
  if (In.Parts & (part::Xdl | part::Wmma)) {
    WaveTile &Wave = To.wave.make();
    Wave.waves = {
        wavesIn(To.tile->m, Wave.instr.m, In.Repeat.m, "m", At, Report),
        wavesIn(To.tile->n, Wave.instr.n, In.Repeat.n, "n", At, Report), 1};
  }
  if (In.PadA)
    To.a->lds_pad = To.a->k_pack;
  if (In.PadB)
    To.b->lds_pad = To.b->k_pack;
  if (In.Special == ConvAlgorithmSpecialization::LARGE_TENSOR)
    To.split.make().index64 = true;
  if (In.Special == ConvAlgorithmSpecialization::TWO_STAGE)
    To.split.make().two_stage = true;
  if (!In.ExplicitGemm ||
      To.specialization == ConvSpecialization::FILTER_1X1_STRIDE1_PAD0)
    return;
  ShapePath Member{&At, "optimizations.explicit_gemm"};
  Report.say("A17", Member,
             "needs specialization FILTER_1X1_STRIDE1_PAD0, not ",
             nameOf(To.specialization));
  ++Report.Value;
}

/// Returns the auxiliary operands of the result's operation.
constexpr unsigned operandsOfResult(const Signature &Of) {
  const Tensor &Result = Of.direction == ConvDirection::FORWARD ? Of.output
                         : Of.direction == ConvDirection::BACKWARD_DATA
                             ? Of.input
                             : Of.weight;
  return Result.operation ? Result.operation->auxiliary_operand_configs.size()
                          : 0;
}

constexpr void checkVariant(CkVariant Variant, const Signature &Of,
                            const ShapePath &At, ShapeReport &Report) {
  const CkRow &Row = CkRows[static_cast<unsigned>(Variant)];
  bool Forward = Of.direction == ConvDirection::FORWARD;
  if ((Row.Has & (part::FwdFilter | part::DepthwiseParams) && !Forward) ||
      (Row.Has & part::BwdFilter && Forward)) {
    Report.say("A17", At, Row.Name, " is not for the direction ",
               nameOf(Of.direction));
    ++Report.Value;
  }
  if (Row.Has & part::BwdFilter && operandsOfResult(Of) &&
      Row.Special != ConvAlgorithmSpecialization::MULTIPLE_D) {
    Report.say("A17", At, Row.Name,
               " has no auxiliary operands, and the result has ",
               operandsOfResult(Of), "; MULTIPLE_D has");
    ++Report.Value;
  }
}

struct AlgorithmShape {
  static constexpr std::string_view Name = "algorithm";
  template <typename Object> static constexpr void read(Walk<Object> &From) {
    Algorithm To;
    CkReader In{.To = To};
    readAlgorithm(From, In);
  }
};

/// A type that is meant as an algorithm: a class that is no signature.
template <typename Type>
concept LikeAlgorithm = std::is_class_v<Type> && !LikeSignature<Type>;

} // namespace detail

/// An algorithm with its recognised variant.
struct ImportedAlgorithm {
  Algorithm Value{};
  FixedText<MaxShapeText> Error;
  CkVariant Variant = CkVariant::None;

  constexpr bool failed() const { return !Error.empty(); }
};

/// Returns the errors of the members of a type that is meant as an algorithm;
/// empty if none. Its variant may depend on its value.
template <typename Type> constexpr FixedText<MaxShapeText> algorithmReport() {
  return detail::ShapeText<detail::AlgorithmShape, Type>;
}

/// Converts \p From to an Algorithm.
template <typename Object>
constexpr ImportedAlgorithm importAlgorithm(const Object &From) {
  ImportedAlgorithm Result;
  detail::ShapeReport Report;
  detail::ShapePath Root{nullptr, detail::AlgorithmShape::Name};
  if constexpr (std::is_same_v<Object, Algorithm>) {
    Result.Value = From;
  } else {
    detail::CkReader In{.To = Result.Value};
    constexpr bool WithNames =
        detail::HasUnknown<detail::AlgorithmShape, Object>;
    detail::readStruct<WithNames>(
        &From, Root, Report, Root.Name,
        [&](auto &Inner) { detail::readAlgorithm(Inner, In); });
    // For a misspelled member, the missing member already has a finding.
    if (Report.count() == Report.Unknown)
      Result.Variant = detail::variantOf(In.Parts, In.Special, Root, Report);
    if (!Report.count())
      detail::complete(In, Result.Variant, Root, Report);
  }
  detail::checkAllBounds<Object>(Result.Value, Root, Report);
  if (Report.count())
    Result.Error = Report.text();
  return Result;
}

/// Returns features of the signature that the variant does not support; empty
/// if none. CK has separate factories for them. Our kernels support all, so
/// this only checks the intent.
constexpr FixedText<MaxShapeText> variantReport(CkVariant Variant,
                                                const Signature &Of) {
  detail::ShapeReport Report;
  detail::ShapePath Root{nullptr, detail::AlgorithmShape::Name};
  detail::checkVariant(Variant, Of, Root, Report);
  return Report.text();
}

namespace detail {
template <LikeAlgorithm Object> struct Importer<Object> {
  static constexpr ImportedAlgorithm read(const Object &From) {
    return importAlgorithm(From);
  }
};
} // namespace detail

/// Like canonical() for a signature.
template <detail::LikeAlgorithm Object>
consteval Algorithm canonical(const Object &From) {
  if constexpr (!std::is_same_v<Object, Algorithm>)
    requireEmpty<detail::ShapeText<detail::AlgorithmShape, Object>>();
  ImportedAlgorithm Result = importAlgorithm(From);
  if (Result.failed())
    detail::theValueMeansNothing(Result.Error.view());
  return Result.Value;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKSHAPES_H
