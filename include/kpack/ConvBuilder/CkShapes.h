//===- ConvBuilder/CkShapes.h - algorithms from CK's structs ----*- C++ -*-===//
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
constexpr void agree(const ShapePath &Path, std::string_view Name,
                     std::string_view Other, const Value &First,
                     const Value &Second, ShapeReport &Report) {
  if (First == Second)
    return;
  ShapePath Member{&Path, Name};
  Report.say("A17", Member, "contradicts ", Other);
  ++Report.Value;
}

/// Reads the filter specialization of a direction.
template <typename Object>
constexpr void readFilter(Walk<Object> &Walker, CkReader &In) {
  ConvSpecialization &Parsed = In.To.specialization;
  ConvSpecialization Data = ConvSpecialization::DEFAULT;
  if (optional<member::fwd_specialization>(Walker, Parsed))
    In.Parts |= part::FwdFilter;
  bool ForWeight = optional<member::bwd_weight_specialization>(Walker, Parsed);
  bool ForData = optional<member::bwd_data_specialization>(Walker, Data);
  if (ForWeight || ForData)
    In.Parts |= part::BwdFilter;
  if (ForData && !ForWeight)
    Parsed = Data;
  if (ForData && ForWeight)
    agree(Walker.At, "bwd_data_specialization", "bwd_weight_specialization",
          Data, Parsed, Walker.Report);
}

/// Reads specialization: the filter's for Tile, else the algorithm's.
template <typename Object>
constexpr void readSpecialization(Walk<Object> &Walker, CkReader &In) {
  if constexpr (Walk<Object>::template Has<member::specialization>) {
    using Theirs =
        typename Walk<Object>::template TypeOf<member::specialization>;
    if constexpr (SameWords<Theirs, ConvSpecialization>) {
      In.Parts |= part::TileFilter;
      required<member::specialization>(Walker, In.To.specialization);
      return;
    }
  }
  SpecialWord Outer;
  optional<member::specialization>(Walker, Outer);
  if (Outer && In.Special)
    agree(Walker.At, "specialization", "that of base_algorithm", Outer,
          In.Special, Walker.Report);
  if (Outer)
    In.Special = Outer;
}

template <typename Object>
constexpr void readPadding(Walk<Object> &Walker, CkReader &In) {
  Padding First, Second;
  bool ByFirst = optional<member::gemm_specialization>(Walker, First);
  bool BySecond = optional<member::gemm_padding>(Walker, Second);
  if (ByFirst && BySecond)
    agree(Walker.At, "gemm_padding", "gemm_specialization", Second, First,
          Walker.Report);
  if (ByFirst || BySecond) {
    In.Parts |= part::Pads;
    In.To.padding = ByFirst ? First : Second;
  }
  if constexpr (Walk<Object>::template Has<member::DoPadGemmM> ||
                Walk<Object>::template Has<member::DoPadGemmN>) {
    Padding Both;
    required<member::DoPadGemmM>(Walker, Both.m);
    required<member::DoPadGemmN>(Walker, Both.n);
    In.Parts |= part::DoPads;
    In.To.padding = Both;
  } else {
    Walker.template ask<member::DoPadGemmM>();
    Walker.template ask<member::DoPadGemmN>();
  }
}

template <typename Object>
constexpr void readLoop(Walk<Object> &Walker, CkReader &In) {
  Algorithm &Algo = In.To;
  PipelineVersion Version{};
  int Count = 0;
  if (optionalPart<member::block_gemm_pipeline>(
          Walker, "pipeline",
          [&](auto &Inner) { readPipeline(Inner, Algo.pipeline.make()); }))
    In.Parts |= part::BlockPipeline;
  if (optional<member::pipeline_version>(Walker, Version)) {
    In.Parts |= part::GridPipeline;
    Algo.pipeline.make().version = Version;
  }
  if (optional<member::num_gemm_k_prefetch_stages>(Walker, Count)) {
    In.Parts |= part::Stages;
    Algo.pipeline.make().stages = Count;
  }
  PipelineScheduler Scheduler{};
  if (!optional<member::loop_scheduler>(Walker, Scheduler))
    return;
  In.Parts |= part::Loop;
  PipelineScheduler &Given = Algo.pipeline.make().scheduler;
  if (!(In.Parts & part::BlockPipeline))
    Given = Scheduler;
  else if (Scheduler != PipelineScheduler::DEFAULT)
    agree(Walker.At, "loop_scheduler", "block_gemm_pipeline.scheduler",
          Scheduler, Given, Walker.Report);
}

template <typename Object>
constexpr void readTranspose(Walk<Object> &Walker, CkReader &In) {
  using Source = member::max_transpose_transfer_src_scalar_per_vector;
  using Target = member::max_transpose_transfer_dst_scalar_per_vector;
  if constexpr (Walk<Object>::template Has<Source> ||
                Walk<Object>::template Has<Target>) {
    Transpose &Parsed = In.To.transpose.make();
    required<Source>(Walker, Parsed.source_vector);
    required<Target>(Walker, Parsed.target_vector);
    In.Parts |= part::Transposes;
  } else {
    Walker.template ask<Source>();
    Walker.template ask<Target>();
  }
}

/// Reads all parts of any variant.
template <typename Object>
constexpr void readAlgorithm(Walk<Object> &Walker, CkReader &In) {
  Algorithm &Algo = In.To;
  auto Is = [&](unsigned Part, bool There) { In.Parts |= There ? Part : 0; };
  optionalPart<member::base_algorithm>(
      Walker, "algorithm", [&](auto &Inner) { readAlgorithm(Inner, In); });
  Is(part::ThreadBlock,
     optionalPart<member::thread_block>(
         Walker, "block", [&](auto &Inner) { readThreadBlock(Inner, In); }));
  optionalPart<member::gridwise_gemm>(
      Walker, "part", [&](auto &Inner) { readGridwise(Inner, In); });
  optionalPart<member::transfer>(Walker, "transfer",
                                 [&](auto &Inner) { readTransfer(Inner, In); });
  readFilter(Walker, In);
  readSpecialization(Walker, In);
  readPadding(Walker, In);
  readLoop(Walker, In);
  readTranspose(Walker, In);
  int Merged = 0;
  if (optional<member::num_conv_groups_to_merge>(Walker, Merged)) {
    In.Parts |= part::Merge;
    Algo.split.make().groups_merge = Merged;
  }
  Is(part::DlThread,
     optionalPart<member::thread_config>(Walker, "config", [&](auto &Inner) {
       readThreadConfig(Inner, Algo.thread.make());
     }));
  Is(part::DlCluster,
     optionalPart<member::thread_cluster>(Walker, "cluster", [&](auto &Inner) {
       readThreadCluster(Inner, Algo.thread.make());
     }));
  Is(part::BlockGemm,
     optionalPart<member::block_gemm>(
         Walker, "part", [&](auto &Inner) { readBlockGemm(Inner, Algo); }));
  Is(part::Optimizations,
     optionalPart<member::optimizations>(
         Walker, "part", [&](auto &Inner) { readOptimizations(Inner, In); }));
  Is(part::StreamKParams,
     optionalPart<member::streamk>(
         Walker, "streamk", [&](auto &Inner) { readStreamK(Inner, In); }));
  Is(part::DepthwiseParams,
     optionalPart<member::depthwise_params>(
         Walker, "part", [&](auto &Inner) { readDepthwise(Inner, Algo); }));
}

/// Returns tile / (instruction * repeats), the number of waves.
constexpr int wavesIn(int Tile, int Instruction, int Repeat,
                      std::string_view Name, const ShapePath &Path,
                      ShapeReport &Report) {
  long long Step = static_cast<long long>(Instruction) * Repeat;
  if (Step != 0 && Tile % Step == 0)
    return static_cast<int>(Tile / Step);
  ShapePath Block{&Path, "thread_block"}, Size{&Block, "tile_size"},
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
constexpr void complete(CkReader &In, CkVariant Variant, const ShapePath &Path,
                        ShapeReport &Report) {
  Algorithm &Algo = In.To;
  Algo.kind = kindOf(Variant);
  Algo.isa = isaOf(In.Parts);
  if (In.Parts & (part::Xdl | part::Wmma)) {
    WaveTile &Wave = Algo.wave.make();
    Wave.waves = {
        wavesIn(Algo.tile->m, Wave.instr.m, In.Repeat.m, "m", Path, Report),
        wavesIn(Algo.tile->n, Wave.instr.n, In.Repeat.n, "n", Path, Report), 1};
  }
  if (In.PadA)
    Algo.a->lds_pad = Algo.a->k_pack;
  if (In.PadB)
    Algo.b->lds_pad = Algo.b->k_pack;
  if (In.Special == ConvAlgorithmSpecialization::LARGE_TENSOR)
    Algo.split.make().index64 = true;
  if (In.Special == ConvAlgorithmSpecialization::TWO_STAGE)
    Algo.split.make().two_stage = true;
  if (!In.ExplicitGemm ||
      Algo.specialization == ConvSpecialization::FILTER_1X1_STRIDE1_PAD0)
    return;
  ShapePath Member{&Path, "optimizations.explicit_gemm"};
  Report.say("A17", Member,
             "needs specialization FILTER_1X1_STRIDE1_PAD0, not ",
             nameOf(Algo.specialization));
  ++Report.Value;
}

/// Returns the auxiliary operands of the result's operation.
constexpr unsigned operandsOfResult(const Signature &Sig) {
  const Tensor &Result = Sig.direction == ConvDirection::FORWARD ? Sig.output
                         : Sig.direction == ConvDirection::BACKWARD_DATA
                             ? Sig.input
                             : Sig.weight;
  return Result.operation ? Result.operation->auxiliary_operand_configs.size()
                          : 0;
}

constexpr void checkVariant(CkVariant Variant, const Signature &Sig,
                            const ShapePath &Path, ShapeReport &Report) {
  const CkRow &Row = CkRows[static_cast<unsigned>(Variant)];
  bool Forward = Sig.direction == ConvDirection::FORWARD;
  if ((Row.Has & (part::FwdFilter | part::DepthwiseParams) && !Forward) ||
      (Row.Has & part::BwdFilter && Forward)) {
    Report.say("A17", Path, Row.Name, " is not for the direction ",
               nameOf(Sig.direction));
    ++Report.Value;
  }
  if (Row.Has & part::BwdFilter && operandsOfResult(Sig) &&
      Row.Special != ConvAlgorithmSpecialization::MULTIPLE_D) {
    Report.say("A17", Path, Row.Name,
               " has no auxiliary operands, and the result has ",
               operandsOfResult(Sig), "; MULTIPLE_D has");
    ++Report.Value;
  }
}

struct AlgorithmShape {
  static constexpr std::string_view Name = "algorithm";
  template <typename Object> static constexpr void read(Walk<Object> &Walker) {
    Algorithm Algo;
    CkReader In{.To = Algo};
    readAlgorithm(Walker, In);
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
constexpr ImportedAlgorithm importAlgorithm(const Object &Source) {
  ImportedAlgorithm Result;
  detail::ShapeReport Report;
  detail::ShapePath Root{nullptr, detail::AlgorithmShape::Name};
  if constexpr (std::is_same_v<Object, Algorithm>) {
    Result.Value = Source;
  } else {
    detail::CkReader In{.To = Result.Value};
    constexpr bool WithNames =
        detail::HasUnknown<detail::AlgorithmShape, Object>;
    detail::readStruct<WithNames>(
        &Source, Root, Report, Root.Name,
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
                                                const Signature &Sig) {
  detail::ShapeReport Report;
  detail::ShapePath Root{nullptr, detail::AlgorithmShape::Name};
  detail::checkVariant(Variant, Sig, Root, Report);
  return Report.text();
}

namespace detail {
template <LikeAlgorithm Object> struct Importer<Object> {
  static constexpr ImportedAlgorithm read(const Object &Source) {
    return importAlgorithm(Source);
  }
};
} // namespace detail

/// Like canonical() for a signature.
template <detail::LikeAlgorithm Object>
consteval Algorithm canonical(const Object &Source) {
  if constexpr (!std::is_same_v<Object, Algorithm>)
    requireEmpty<detail::ShapeText<detail::AlgorithmShape, Object>>();
  ImportedAlgorithm Result = importAlgorithm(Source);
  if (Result.failed())
    detail::theValueMeansNothing(Result.Error.view());
  return Result.Value;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKSHAPES_H
