//===- CkVariants.h - table of CK's algorithm variants ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 19 variants of an algorithm in CK's builder, as a table of their parts,
// and the words that only they use. This finds the variant of a struct:
//
//   variantOf(its parts, its specialization, path, report)
//
// A variant matches if the parts are exactly its own. No struct matches two
// rows, so the order of rows is irrelevant. If no row matches, the report lists
// extra and missing parts relative to the nearest variant.
//
// Sibling: CkShapes.h, which finds and reads the parts.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CKVARIANTS_H
#define KPACK_CONVBUILDER_CKVARIANTS_H

#include "kpack/ConvBuilder/Algorithm.h"
#include "kpack/ConvBuilder/Shapes.h"

#include <bit>

namespace kpack::conv {

//===----------------------------------------------------------------------===//
// Words of these shapes only
//===----------------------------------------------------------------------===//

enum class ConvAlgorithmSpecialization : unsigned char {
  LARGE_TENSOR,
  REFERENCE,
  TWO_STAGE,
  MULTIPLE_D,
};

using TileConvSpecialization = ConvSpecialization;

/// Directions of padding: their two spellings, and their bits in a mask. Names
/// have at least two letters, since a program may define one letter as a macro.
#define KPACK_CONV_PADDINGS(EACH)                                              \
  EACH(MPadding, M_PADDING, 1)                                                 \
  EACH(NPadding, N_PADDING, 2)                                                 \
  EACH(MNPadding, MN_PADDING, 3)                                               \
  EACH(KPadding, K_PADDING, 4)                                                 \
  EACH(MKPadding, MK_PADDING, 5)                                               \
  EACH(NKPadding, NK_PADDING, 6)                                               \
  EACH(MNKPadding, MNK_PADDING, 7)                                             \
  EACH(OPadding, O_PADDING, 8)                                                 \
  EACH(MOPadding, MO_PADDING, 9)                                               \
  EACH(NOPadding, NO_PADDING, 10)                                              \
  EACH(MNOPadding, MNO_PADDING, 11)                                            \
  EACH(KOPadding, KO_PADDING, 12)                                              \
  EACH(MKOPadding, MKO_PADDING, 13)                                            \
  EACH(NKOPadding, NKO_PADDING, 14)                                            \
  EACH(MNKOPadding, MNKO_PADDING, 15)

/// Two spellings of one thing; both are read into a Padding.
enum class GemmSpecialization : unsigned char {
#define KPACK_CONV_PADDING(SPECIALIZATION, PADDING, MASK) SPECIALIZATION = MASK,
  Default,
  KPACK_CONV_PADDINGS(KPACK_CONV_PADDING)
#undef KPACK_CONV_PADDING
};
enum class GemmPadding : unsigned char {
#define KPACK_CONV_PADDING(SPECIALIZATION, PADDING, MASK) PADDING = MASK,
  DEFAULT,
  KPACK_CONV_PADDINGS(KPACK_CONV_PADDING)
#undef KPACK_CONV_PADDING
};

/// The shape of a struct among those of CK.
enum class CkVariant : unsigned char {
  None, ///< no CK shape: an Algorithm, or an error
  SpecializationOnly,
  Reference,
  Tile,
  Depthwise,
  FwdXdl,
  FwdXdlV3,
  FwdWmma,
  FwdWmmaV3,
  FwdDl,
  LargeTensor,
  BwdXdl,
  BwdXdlV3,
  BwdTwoStageXdl,
  BwdMultiDXdl,
  BwdDl,
  BwdWmma,
  BwdWmmaV3,
  BwdTwoStageWmmaV3,
  BwdMultiDWmma,
  BwdMultiDWmmaV3,
};

namespace detail {

//===----------------------------------------------------------------------===//
// The variants
//===----------------------------------------------------------------------===//

/// The parts of a struct, as bits.
namespace part {
enum : unsigned {
  ThreadBlock = 1u << 0,
  BlockSize = 1u << 1,
  Xdl = 1u << 2,
  Wmma = 1u << 3,
  BlockTransfer = 1u << 4,
  TileTransfer = 1u << 5,
  DlTransfer = 1u << 6,
  FwdFilter = 1u << 7,
  BwdFilter = 1u << 8,
  TileFilter = 1u << 9,
  Pads = 1u << 10,
  Stages = 1u << 11,
  Loop = 1u << 12,
  Merge = 1u << 13,
  BlockPipeline = 1u << 14,
  GridPipeline = 1u << 15,
  Transposes = 1u << 16,
  DoPads = 1u << 17,
  DlThread = 1u << 18,
  DlCluster = 1u << 19,
  BlockGemm = 1u << 20,
  Optimizations = 1u << 21,
  StreamKParams = 1u << 22,
  DepthwiseParams = 1u << 23,
};
} // namespace part

inline constexpr unsigned CkPartCount = 24;

/// Returns the name of the lowest bit.
constexpr std::string_view nameOfPart(unsigned Parts) {
  constexpr const char *Names[CkPartCount] = {
      "thread_block",
      "thread_block.block_size",
      "gridwise_gemm.xdl_params",
      "gridwise_gemm.m_per_wmma",
      "transfer.a.block_transfer",
      "transfer.a_scalar_per_vector",
      "transfer.a.thread_slice_lengths",
      "fwd_specialization",
      "bwd_weight_specialization or bwd_data_specialization",
      "specialization",
      "gemm_specialization",
      "num_gemm_k_prefetch_stages",
      "loop_scheduler",
      "num_conv_groups_to_merge",
      "block_gemm_pipeline",
      "pipeline_version",
      "max_transpose_transfer_src_scalar_per_vector",
      "DoPadGemmM",
      "thread_config",
      "thread_cluster",
      "block_gemm",
      "optimizations",
      "streamk",
      "depthwise_params"};
  return Names[std::countr_zero(Parts)];
}

/// A variant: its required parts, its optional parts, and the specialization
/// that distinguishes it from another one with the same parts.
struct CkRow {
  const char *Name;
  unsigned Has = 0;
  unsigned May = 0;
  Optional<ConvAlgorithmSpecialization> Special{};
};

/// Groups of parts that several variants share.
namespace part {
inline constexpr unsigned Block = ThreadBlock | BlockSize;
inline constexpr unsigned Fwd = Block | BlockTransfer | FwdFilter | Pads;
inline constexpr unsigned Bwd = Block | BlockTransfer | BwdFilter;
inline constexpr unsigned Dl = Block | DlTransfer | DlThread | DlCluster;
inline constexpr unsigned Prefetch = Stages | Loop;
inline constexpr unsigned MultiD = Prefetch | Transposes | DoPads;
inline constexpr unsigned Tile =
    ThreadBlock | TileTransfer | TileFilter | BlockGemm | Optimizations;
} // namespace part

/// Indexed by CkVariant.
inline constexpr CkRow CkRows[] = {
    {"none of CK's", 0, 0, {}},
    {"SpecializationOnly", 0, 0, {}},
    {"Reference", 0, 0, ConvAlgorithmSpecialization::REFERENCE},
    {"Tile", part::Tile, part::BlockSize | part::StreamKParams, {}},
    {"Depthwise", part::DepthwiseParams, 0, {}},
    {"FwdXdl", part::Fwd | part::Xdl | part::Prefetch | part::Merge, 0, {}},
    {"FwdXdlV3",
     part::Fwd | part::Xdl | part::BlockPipeline | part::Merge,
     0,
     {}},
    {"FwdWmma",
     part::Fwd | part::Wmma | part::Prefetch | part::GridPipeline,
     part::Merge,
     {}},
    {"FwdWmmaV3",
     part::Fwd | part::Wmma | part::BlockPipeline | part::Merge,
     0,
     {}},
    {"FwdDl", part::Dl | part::FwdFilter | part::Pads, 0, {}},
    {"LargeTensor", part::Fwd | part::Xdl | part::Prefetch | part::Merge, 0,
     ConvAlgorithmSpecialization::LARGE_TENSOR},
    {"BwdXdl", part::Bwd | part::Xdl | part::Transposes, 0, {}},
    {"BwdXdlV3",
     part::Bwd | part::Xdl | part::BlockPipeline | part::Merge,
     part::Transposes,
     {}},
    {"BwdTwoStageXdl",
     part::Bwd | part::Xdl | part::BlockPipeline | part::Merge |
         part::Transposes,
     0, ConvAlgorithmSpecialization::TWO_STAGE},
    {"BwdMultiDXdl", part::Bwd | part::Xdl, part::MultiD,
     ConvAlgorithmSpecialization::MULTIPLE_D},
    {"BwdDl", part::Dl | part::BwdFilter, 0, {}},
    {"BwdWmma",
     part::Bwd | part::Wmma | part::Prefetch | part::GridPipeline,
     0,
     {}},
    {"BwdWmmaV3",
     part::Bwd | part::Wmma | part::BlockPipeline | part::Transposes,
     0,
     {}},
    {"BwdTwoStageWmmaV3",
     part::Bwd | part::Wmma | part::BlockPipeline | part::Transposes |
         part::Merge,
     0, ConvAlgorithmSpecialization::TWO_STAGE},
    {"BwdMultiDWmma", part::Bwd | part::Wmma, part::MultiD | part::GridPipeline,
     ConvAlgorithmSpecialization::MULTIPLE_D},
    {"BwdMultiDWmmaV3", part::Bwd | part::Wmma | part::BlockPipeline,
     part::MultiD, ConvAlgorithmSpecialization::MULTIPLE_D},
};

constexpr std::string_view nameOf(ConvAlgorithmSpecialization Special) {
  constexpr const char *Names[] = {"LARGE_TENSOR", "REFERENCE", "TWO_STAGE",
                                   "MULTIPLE_D"};
  return Names[static_cast<unsigned>(Special)];
}

using SpecialWord = Optional<ConvAlgorithmSpecialization>;

/// Reads a specialization; NONE is absent.
constexpr bool readSpecialWord(std::string_view Word, SpecialWord &Parsed) {
  for (unsigned Index = 0; Index < 4; ++Index) {
    auto Special = static_cast<ConvAlgorithmSpecialization>(Index);
    if (nameOf(Special) == Word) {
      Parsed = Special;
      return true;
    }
  }
  return Word == "NONE";
}

/// Reads MNKPadding, MNK_PADDING, Default, DEFAULT.
constexpr bool readPaddingWord(std::string_view Word, Padding &Parsed) {
  Parsed = Padding();
  if (Word == "Default" || Word == "DEFAULT")
    return true;
  for (std::string_view Ending : {"Padding", "_PADDING"})
    if (Word.ends_with(Ending)) {
      for (char Letter : Word.substr(0, Word.size() - Ending.size())) {
        if (Letter != 'M' && Letter != 'N' && Letter != 'K' && Letter != 'O')
          return false;
        (Letter == 'M'   ? Parsed.m
         : Letter == 'N' ? Parsed.n
         : Letter == 'K' ? Parsed.k
                         : Parsed.o) = true;
      }
      return true;
    }
  return false;
}

/// Returns the weighted number of changes between a struct and a variant.
/// Missing parts cost less than extra parts, since users forget parts more
/// often than they add them.
constexpr int distanceTo(const CkRow &Row, unsigned Parts,
                         const SpecialWord &Special) {
  return std::popcount(Row.Has & ~Parts) +
         8 * std::popcount(Parts & ~(Row.Has | Row.May)) +
         !(Row.Special == Special);
}

/// Reports the changes, the first of each kind.
constexpr void tellDistance(const CkRow &Row, unsigned Parts,
                            const SpecialWord &Special, const ShapePath &Path,
                            ShapeReport &Report) {
  constexpr std::string_view Nearest = ", the nearest variant of CK";
  if (unsigned Extra = Parts & ~(Row.Has | Row.May)) {
    ShapePath Part{&Path, nameOfPart(Extra)};
    Report.say("A2", Part, "is no part of ", Row.Name, Nearest);
    ++Report.Value;
  }
  if (unsigned Missing = Row.Has & ~Parts) {
    ShapePath Part{&Path, nameOfPart(Missing)};
    Report.say("A1", Part, "is missing for ", Row.Name, Nearest);
    ++Report.Value;
  }
  if (Row.Special == Special)
    return;
  ShapePath Part{&Path, "specialization"};
  Report.say("A17", Part, Special ? nameOf(*Special) : "none",
             " is not that of ", Row.Name, Nearest, ", which has ",
             Row.Special ? nameOf(*Row.Special) : "none");
  ++Report.Value;
}

/// Returns the variant with these parts; None, with a finding, if none has.
constexpr CkVariant variantOf(unsigned Parts, const SpecialWord &Special,
                              const ShapePath &Path, ShapeReport &Report) {
  bool IsReference = Special == CkRows[2].Special;
  if (!(Parts & ~part::TileFilter) && (Parts || Special) && !IsReference)
    return CkVariant::SpecializationOnly;
  unsigned Nearest = static_cast<unsigned>(CkVariant::Reference);
  int Distance =
      IsReference ? distanceTo(CkRows[Nearest], Parts, Special) : 999;
  for (unsigned Index = Nearest + 1; !IsReference && Index < std::size(CkRows);
       ++Index)
    if (int Now = distanceTo(CkRows[Index], Parts, Special); Now < Distance) {
      Nearest = Index;
      Distance = Now;
    }
  if (Distance == 0)
    return static_cast<CkVariant>(Nearest);
  if (Parts || Special) {
    tellDistance(CkRows[Nearest], Parts, Special, Path, Report);
  } else {
    Report.say("A1", Path, "no part of CK's algorithms is in it");
    ++Report.Value;
  }
  return CkVariant::None;
}

} // namespace detail

/// "FwdXdlV3".
constexpr std::string_view nameOf(CkVariant Variant) {
  return detail::CkRows[static_cast<unsigned>(Variant)].Name;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKVARIANTS_H
