//===- Requirements.h - checks of signatures and algorithms -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of all requirements. Compilers and programs run the same checks and
// show the same text:
//
//   Report R = validate(Sig, Algo, "gfx942");
//   if (!R.ok())
//     complain(R.view());  // [A5] algorithm.tile.m: 96 is no multiple of ...
//
// Groups: S for a signature; A for an algorithm with its signature and, if
// given, a processor; P for a problem's sizes; R for the code object of a
// compiled kernel. All checks of the groups run; the report keeps 16 findings
// and counts the rest. docs/reference/conv-requirements.md is a printout of
// this table.
//
// Checks compile nothing, and depend on their arguments only.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_H

#include "kpack/ConvBuilder/Requirements/OfClusters.h"
#include "kpack/ConvBuilder/Requirements/OfCode.h"
#include "kpack/ConvBuilder/Requirements/OfInstructions.h"
#include "kpack/ConvBuilder/Requirements/OfOperations.h"
#include "kpack/ConvBuilder/Requirements/OfParts.h"
#include "kpack/ConvBuilder/Requirements/OfProblem.h"
#include "kpack/ConvBuilder/Requirements/OfSignature.h"
#include "kpack/ConvBuilder/Requirements/OfSplit.h"
#include "kpack/ConvBuilder/Requirements/OfTiles.h"
#include "kpack/ConvBuilder/Requirements/OfVectors.h"

namespace kpack::conv {

enum class RequirementGroup : char {
  Signature = 'S',
  Algorithm = 'A',
  Problem = 'P',
  CodeObject = 'R',
};

/// Title: a short name. Text: the condition. Remedy: how to satisfy it.
struct Requirement {
  std::string_view Id;
  const char *Title;
  const char *Text;
  const char *Remedy;
  /// Null if it is checked elsewhere: when a user's type is read (S0), or by a
  /// test that disassembles kernels (R4).
  void (*Check)(checks::Context &);

  constexpr RequirementGroup group() const {
    return static_cast<RequirementGroup>(*Id.data());
  }
};

/// In the order of checks: missing parts of a signature come before conflicts.
inline constexpr Requirement Requirements[] = {
    {"S0", "members",
     "a type of yours has known members only, because a misspelled optional "
     "member would count as absent",
     "correct the name, or write `using kpack_conv_ignored = void;` in the "
     "type",
     nullptr},
    {"S1", "dimensions", "spatial_dim is 1, 2 or 3", "give one of them",
     checks::spatialDim},
    {"S2", "types",
     "each tensor has a type: FP32, FP16, BF16, FP8, I8 or U8; a result can "
     "also be I32 or FP64",
     "give data_type to the signature or to the tensor", checks::dataTypes},
    {"S3", "layouts",
     "a tensor's layout is valid for its role and for the signature's "
     "dimensions",
     "use the layout that the message names", checks::layouts},
    {"S4", "strides of strided layouts",
     "a problem gives a layout with _strided one stride for each letter, and "
     "other layouts none",
     "give one for each letter, in their order", checks::strides},
    {"S5", "auxiliary operands",
     "an operation has as many auxiliary operands as it takes, and a chain "
     "only if it is UNARY_COMBINED_OP",
     "give auxiliary_operand_configs one entry for each",
     checks::auxiliaryCounts},
    {"S6", "operations on auxiliary operands",
     "the operation on an auxiliary operand takes one value",
     "use an operation of one value", checks::auxiliaryOfAuxiliary},
    {"S7", "layouts of auxiliary operands",
     "an auxiliary operand has a bias layout for the tensor's channels, or a "
     "layout of the tensor's role",
     "use GC, G_C_strided, G_K_strided or the tensor's layout",
     checks::auxiliaryLayouts},
    {"S8", "types of sums and products",
     "sums are I32 for integers, FP32 or FP64 for floats; elements are "
     "converted only to the compute types of the table below",
     "leave out accumulation_data_type and compute_type", checks::computeTypes},
    {"S9", "operations on tensors",
     "operands are loaded with operations of one value or SCALE_ADD; results "
     "of the six operations with _MUL_CLAMP or _MUL2_CLAMP are I8 or U8; "
     "fractions are stored as floats",
     "choose another operation, or another type for the tensor",
     checks::operations},
    {"S10", "mixed types",
     "the compute types of the operands are a pair of the table below, and the "
     "result can hold their sums",
     "give both operands one data_type, or one compute_type",
     checks::mixedTypes},
    {"S11", "version", "VERSION is known", "use \"1\"", checks::version},
    {"S12", "gradients of integers", "integers convolve FORWARD only",
     "use a floating-point type for gradients", checks::integerDirection},
    {"S13", "types of auxiliary operands",
     "auxiliary operands are FP32, FP16, BF16, FP8, I32, I8 or U8",
     "give data_type to the operand", checks::auxiliaryTypes},

    {"A1", "required parts",
     "all parts and numbers that the kind uses are given",
     "let resolve() complete the algorithm", checks::neededParts},
    {"A2", "unused parts", "the kind and isa use each given part",
     "leave out the part", checks::unusedParts},
    {"A3", "instructions of the processor",
     "the processor is known, and its isa multiplies the signature's types",
     "use an isa that the message names", checks::isaOfProcessor},
    {"A4", "shape of the matrix instruction",
     "the isa has an instruction of the shape wave.instr for these types on "
     "this processor",
     "use a shape that the message names", checks::instructionShape},
    {"A5", "divisibility",
     "tiles are multiples of the step of waves and threads",
     "use the multiple that the message names", checks::divisibility},
    {"A6", "size of the work-group",
     "block_size equals the number of threads in the waves, or of the thread "
     "tile; it is whole waves and at most 1024",
     "leave out block_size", checks::blockSize},
    {"A7", "LDS",
     "the tiles of A and B, and the part of C that passes through LDS at once, "
     "fit into the LDS of a work-group",
     "use a smaller tile.k, or one buffer", checks::ldsSize},
    {"A8", "registers",
     "the sums of a lane and 32 other registers do not exceed the registers of "
     "a wave; a thread of DEPTHWISE has at most 64 sums",
     "use a smaller tile, or more waves", checks::registers},
    {"A9", "width of vectors",
     "an access moves 1, 2, 4, 8 or 16 bytes, rows in LDS begin where a vector "
     "may, and a step of a thread has 1, 2, 4, 8 or 16 elements of k",
     "use fewer elements", checks::widths},
    {"A10", "dimension of vectors",
     "vectors are along a dimension whose elements are adjacent in memory and "
     "in the product",
     "use vectors of 1, or a layout with channels last",
     checks::vectorDimensions},
    {"A11", "threads of clusters",
     "the product of a cluster's numbers is block_size", "correct one of them",
     checks::clusterProducts},
    {"A12", "orders", "cluster_order and access_order name each dimension once",
     "give each of 0 to n - 1 once", checks::orders},
    {"A13", "threads cover A",
     "vectors and the cluster of a divide the tile of A",
     "use a divisor that the message names", checks::coversA},
    {"A14", "threads cover B",
     "vectors and the cluster of b divide the tile of B",
     "use a divisor that the message names", checks::coversB},
    {"A15", "threads cover C",
     "vectors and the cluster of c divide the part of C that passes through "
     "LDS at once",
     "use a divisor that the message names", checks::coversC},
    {"A16", "implemented values",
     "the pipeline is V1, V3 or V4; tiles are at most 1024 in each direction; "
     "waves do not share a sum",
     "use a value that the message names", checks::implemented},
    {"A17", "conflicting fields",
     "ODD_C excludes vectors of C; stream_k excludes k_batch and two_stage",
     "drop one of the two", checks::consistent},
    {"A18", "sums in pieces",
     "pieces are added in memory only if the result is FP32 and the operation "
     "linear, or if it is I32 without an operation",
     "set split.two_stage", checks::splitSum},
    {"A19", "stages",
     "tiles that are loaded ahead fit into the LDS buffers and registers",
     "use fewer stages", checks::stages},
    {"A20", "merged groups",
     "groups_merge excludes stream_k, which shares tiles of one group",
     "drop one of the two", checks::mergedGroups},
    {"A21", "loads to LDS",
     "the processor has direct_to_lds, the elements are not converted, and a "
     "load has 4 bytes, or 16 on gfx950",
     "leave out direct_to_lds", checks::directToLds},
    {"A22", "groups of waves", "wave_groups divides the waves of a work-group",
     "use 1", checks::waveGroups},
    {"A23", "occupancy",
     "the waves of one work-group fit into the registers at the same time",
     "use a smaller tile", checks::occupancy},

    {"P1", "sizes",
     "all sizes are at least 1, pads at least 0, and there is one for each "
     "dimension",
     "correct the problem", checks::sizes},
    {"P2", "size of the output",
     "the filter with its dilation fits into the image with its pad",
     "correct the problem", checks::outputSizes},
    {"P3", "assumptions of the algorithm",
     "the problem fits specialization, kind, padding and depthwise.filter",
     "use specialization=DEFAULT, padding in all directions, no "
     "depthwise.filter",
     checks::assumptions},
    {"P4", "alignment",
     "vectors divide their dimension, which is W for DEPTHWISE",
     "use shorter vectors", checks::alignment},
    {"P5", "offsets",
     "a tensor above 2 GiB has 64-bit offsets, or 32-bit offsets from the "
     "first image of a tile if the images of the tile are not larger",
     "set split.index64, or split.split_image", checks::offsets},
    {"P6", "workspace", "the workspace does not exceed the caller's limit",
     "use an algorithm with less", checks::workspace},
    {"P7", "determinism",
     "if the caller needs the same bits each time, nothing is added in varying "
     "order",
     "set split.two_stage, or split.stream_k", checks::deterministic},
    {"P8", "pieces of the sum",
     "algorithm and problem agree, and each piece has a tile",
     "give k_batch in one place", checks::pieces},
    {"P9", "strides",
     "strides are not negative, and elements of a result do not overlap",
     "correct the strides", checks::tensorStrides},
    {"P10", "launch",
     "a launch has at most 2147483647 work-groups, and stream_k shares at most "
     "as many tiles of k; the tile of DEPTHWISE and its halo fit into LDS",
     "use larger, or smaller tiles", checks::launch},

    {"R1", "LDS of the kernel", "a work-group takes no more than A7 computes",
     "report it: the model is too low", checks::realLds},
    {"R2", "spilled registers",
     "no VGPR is spilled to memory; SGPRs in lanes of VGPRs do not count",
     "use a smaller tile", checks::spills},
    {"R3", "private memory", "threads have no private memory",
     "use a smaller tile", checks::privateMemory},
    {"R4", "indexed registers", "no instruction indexes registers",
     "report it: a loop is not unrolled", nullptr},
    {"R5", "target",
     "the processor is the requested one, and its waves have as many threads "
     "as the algorithm assumes",
     "compile it again", checks::target},
    {"R6", "registers of the kernel",
     "the waves of a work-group fit into the registers at the same time",
     "use a smaller tile", checks::realRegisters},
};

/// Returns null if there is none.
constexpr const Requirement *findRequirement(std::string_view Id) {
  for (const Requirement &R : Requirements)
    if (R.Id == Id)
      return &R;
  return nullptr;
}

namespace detail {

/// The rows of one group, which are adjacent.
struct RowRange {
  const Requirement *First = nullptr;
  const Requirement *Last = nullptr; ///< past the end

  constexpr explicit RowRange(RequirementGroup Group) {
    for (const Requirement &Row : Requirements)
      if (Row.group() == Group) {
        First = First ? First : &Row;
        Last = &Row + 1;
      }
  }
};
template <RequirementGroup Of> inline constexpr RowRange RowsOf{Of};

template <RequirementGroup Of> constexpr void check(checks::Context &C) {
  for (const Requirement *Row = RowsOf<Of>.First; Row != RowsOf<Of>.Last; ++Row)
    if (Row->Check) {
      C.Id = Row->Id;
      Row->Check(C);
    }
}

[[gnu::noinline]] constexpr Report
validate(const Signature &Given, const Signature &Sig, Known<Algorithm> Algo,
         const Target &For, Known<Problem> Sizes, const Conditions &Want) {
  Report R;
  checks::Context C{Given, Sig,  Algo.Value, For,    findProcessor(For),
                    Sizes, Want, R,          Algo.Is};
  check<RequirementGroup::Signature>(C);
  if (Algo)
    check<RequirementGroup::Algorithm>(C);
  if (Sizes)
    check<RequirementGroup::Problem>(C);
  ReportEnd End(R);
  return R;
}

} // namespace detail

/// Checks R: the compiled code of \p Sig and \p Algo, which are complete, for
/// \p For.
constexpr Report validateCode(const Signature &Sig, const Algorithm &Algo,
                              const Target &For, const CodeFacts &Code) {
  Report R;
  Conditions Want;
  checks::Context C{Sig, Sig,  &Algo, For, findProcessor(For), {}, Want,
                    R,   true, {},    Code};
  detail::check<RequirementGroup::CodeObject>(C);
  ReportEnd End(R);
  return R;
}

/// Checks S of a signature, after resolving it.
constexpr Report validate(const Signature &Sig, const Conditions &Want = {}) {
  return detail::validate(Sig, resolveSignature(Sig), {}, {}, {}, Want);
}

/// Checks S and A. Without a processor, only the requirements for all of them.
constexpr Report validate(const Signature &Sig, const Algorithm &Algo,
                          const Target &For = {}, const Conditions &Want = {}) {
  return detail::validate(Sig, resolveSignature(Sig), Algo, For, {}, Want);
}

/// Checks S, A and P.
constexpr Report validate(const Signature &Sig, const Algorithm &Algo,
                          const Target &For, const Problem &Sizes,
                          const Conditions &Want = {}) {
  return detail::validate(Sig, resolveSignature(Sig), Algo, For, Sizes, Want);
}

/// Checks S, and those of P that do not depend on an algorithm.
constexpr Report validate(const Signature &Sig, const Problem &Sizes,
                          const Conditions &Want = {}) {
  return detail::validate(Sig, resolveSignature(Sig), {}, {}, Sizes, Want);
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REQUIREMENTS_H
