//===- CkInstance.cpp - CK's names of kernels -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A template is a row: its parameters in their order, each with what it means.
// Names, orders and meanings are those that CK's builder prints and tests
// (experimental/builder, reflect and test). The type of what passes through LDS
// is no field of ours: it is read, and nothing is done with it.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/CkInstance.h"

#include "kpack/ConvBuilder/CkVariants.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Operations.h"

#include <algorithm>
#include <charconv>
#include <span>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// What a parameter is. Numbers of A and B come in the same order.
enum class Is {
  Dims,
  InLayout,
  WeiLayout,
  OutLayout,
  Others, ///< layouts or types of auxiliary operands
  InType,
  WeiType,
  OutType,
  SumType,
  LdsType,
  InOp,
  WeiOp,
  OutOp,
  Filter,
  Pads,
  Stages,
  Threads,
  TileM,
  TileN,
  TileK,
  TileK0, ///< in packs of k
  PackA,
  PackB,
  Pack, ///< of both
  InstrM,
  InstrN,
  RepeatM,
  RepeatN,
  ClusterA,
  OrderA,
  AccessA,
  DimA,
  LoadA,
  LdsA,
  PadA,
  ClusterB,
  OrderB,
  AccessB,
  DimB,
  LoadB,
  LdsB,
  PadB,
  ShuffleM,
  ShuffleN,
  ClusterC,
  StoreC,
  ComputeA,
  ComputeB,
  Loop,
  Scheduler,
  Version,
  Merge,
  Direct,
  TransposeFrom,
  TransposeTo,
  ThreadM,
  ThreadN,
  ThreadK,
  ThreadsM,
  ThreadsN,
  SliceA,
  SliceClusterA,
  VectorA,
  VectorOrderA,
  TargetA,
  SliceB,
  SliceClusterB,
  VectorB,
  VectorOrderB,
  TargetB,
  AccessC,
  DimC,
};

// Pieces that several templates have.
#define KPACK_FORWARD_TENSORS                                                  \
  Is::Dims, Is::InLayout, Is::WeiLayout, Is::Others, Is::OutLayout,            \
      Is::InType, Is::WeiType, Is::SumType, Is::LdsType, Is::Others,           \
      Is::OutType, Is::InOp, Is::WeiOp, Is::OutOp, Is::Filter, Is::Pads
#define KPACK_BACKWARD_TENSORS                                                 \
  Is::Dims, Is::InLayout, Is::WeiLayout, Is::OutLayout, Is::InType,            \
      Is::WeiType, Is::OutType, Is::SumType, Is::InOp, Is::WeiOp, Is::OutOp,   \
      Is::Filter
#define KPACK_BACKWARD_TENSORS_AND_OTHERS                                      \
  Is::Dims, Is::InLayout, Is::WeiLayout, Is::OutLayout, Is::Others,            \
      Is::InType, Is::WeiType, Is::OutType, Is::SumType, Is::Others, Is::InOp, \
      Is::WeiOp, Is::OutOp, Is::Filter
#define KPACK_INSTRUCTION Is::InstrM, Is::InstrN, Is::RepeatM, Is::RepeatN
#define KPACK_TRANSFERS                                                        \
  Is::ClusterA, Is::OrderA, Is::AccessA, Is::DimA, Is::LoadA, Is::LdsA,        \
      Is::PadA, Is::ClusterB, Is::OrderB, Is::AccessB, Is::DimB, Is::LoadB,    \
      Is::LdsB, Is::PadB, Is::ShuffleM, Is::ShuffleN, Is::ClusterC, Is::StoreC
#define KPACK_DL                                                               \
  Is::Threads, Is::TileM, Is::TileN, Is::TileK0, Is::Pack, Is::ThreadM,        \
      Is::ThreadN, Is::ThreadK, Is::ThreadsM, Is::ThreadsN, Is::SliceA,        \
      Is::SliceClusterA, Is::OrderA, Is::AccessA, Is::VectorA,                 \
      Is::VectorOrderA, Is::TargetA, Is::SliceB, Is::SliceClusterB,            \
      Is::OrderB, Is::AccessB, Is::VectorB, Is::VectorOrderB, Is::TargetB,     \
      Is::AccessC, Is::DimC, Is::StoreC

constexpr Is ForwardXdl[] = {KPACK_FORWARD_TENSORS,
                             Is::Stages,
                             Is::Threads,
                             Is::TileM,
                             Is::TileN,
                             Is::TileK,
                             Is::PackA,
                             Is::PackB,
                             KPACK_INSTRUCTION,
                             KPACK_TRANSFERS,
                             Is::ComputeA,
                             Is::ComputeB,
                             Is::Loop,
                             Is::Merge};
constexpr Is ForwardXdlV3[] = {KPACK_FORWARD_TENSORS,
                               Is::Threads,
                               Is::TileM,
                               Is::TileN,
                               Is::TileK,
                               Is::PackA,
                               Is::PackB,
                               KPACK_INSTRUCTION,
                               KPACK_TRANSFERS,
                               Is::Scheduler,
                               Is::Version,
                               Is::ComputeA,
                               Is::ComputeB,
                               Is::Direct};
constexpr Is ForwardLarge[] = {KPACK_FORWARD_TENSORS,
                               Is::Stages,
                               Is::Threads,
                               Is::TileM,
                               Is::TileN,
                               Is::TileK,
                               Is::PackA,
                               Is::PackB,
                               KPACK_INSTRUCTION,
                               KPACK_TRANSFERS,
                               Is::ComputeA,
                               Is::ComputeB,
                               Is::Loop};
constexpr Is ForwardWmma[] = {KPACK_FORWARD_TENSORS,
                              Is::Stages,
                              Is::Threads,
                              Is::TileM,
                              Is::TileN,
                              Is::TileK,
                              Is::Pack,
                              KPACK_INSTRUCTION,
                              KPACK_TRANSFERS,
                              Is::Loop,
                              Is::Version};
constexpr Is ForwardDl[] = {
    Is::Dims,    Is::InType,    Is::WeiType,  Is::Others,
    Is::OutType, Is::SumType,   Is::InLayout, Is::WeiLayout,
    Is::Others,  Is::OutLayout, Is::InOp,     Is::WeiOp,
    Is::OutOp,   Is::Filter,    Is::Pads,     KPACK_DL};
constexpr Is WeightXdl[] = {KPACK_BACKWARD_TENSORS,
                            Is::Threads,
                            Is::TileM,
                            Is::TileN,
                            Is::TileK0,
                            Is::Pack,
                            KPACK_INSTRUCTION,
                            KPACK_TRANSFERS,
                            Is::ComputeA,
                            Is::ComputeB,
                            Is::TransposeFrom,
                            Is::TransposeTo};
constexpr Is WeightXdlV3[] = {KPACK_BACKWARD_TENSORS,
                              Is::Threads,
                              Is::TileM,
                              Is::TileN,
                              Is::TileK,
                              Is::Pack,
                              KPACK_INSTRUCTION,
                              KPACK_TRANSFERS,
                              Is::Scheduler,
                              Is::Version,
                              Is::ComputeA,
                              Is::ComputeB};
constexpr Is WeightWmmaV3[] = {KPACK_BACKWARD_TENSORS,
                               Is::Threads,
                               Is::TileM,
                               Is::TileN,
                               Is::TileK,
                               Is::Pack,
                               KPACK_INSTRUCTION,
                               KPACK_TRANSFERS,
                               Is::Scheduler,
                               Is::Version,
                               Is::ComputeA,
                               Is::ComputeB,
                               Is::TransposeFrom,
                               Is::TransposeTo};
constexpr Is WeightTwoStage[] = {KPACK_BACKWARD_TENSORS,
                                 Is::Threads,
                                 Is::TileM,
                                 Is::TileN,
                                 Is::TileK,
                                 Is::Pack,
                                 KPACK_INSTRUCTION,
                                 KPACK_TRANSFERS,
                                 Is::Scheduler,
                                 Is::Version,
                                 Is::Merge,
                                 Is::ComputeA,
                                 Is::ComputeB,
                                 Is::TransposeFrom,
                                 Is::TransposeTo};
constexpr Is WeightOthersXdl[] = {KPACK_BACKWARD_TENSORS_AND_OTHERS,
                                  Is::Threads,
                                  Is::TileM,
                                  Is::TileN,
                                  Is::TileK0,
                                  Is::Pack,
                                  KPACK_INSTRUCTION,
                                  KPACK_TRANSFERS,
                                  Is::ComputeA,
                                  Is::ComputeB};
constexpr Is WeightOthersWmma[] = {KPACK_BACKWARD_TENSORS_AND_OTHERS,
                                   Is::Threads,
                                   Is::TileM,
                                   Is::TileN,
                                   Is::TileK,
                                   Is::Pack,
                                   KPACK_INSTRUCTION,
                                   KPACK_TRANSFERS,
                                   Is::Scheduler,
                                   Is::Version,
                                   Is::ComputeA,
                                   Is::ComputeB};
constexpr Is WeightDl[] = {KPACK_BACKWARD_TENSORS, KPACK_DL};

struct TemplateRow {
  std::string_view Name;
  ConvDirection Direction;
  Isa In;
  std::span<const Is> Parameters;
  bool TwoStage = false;
  bool Index64 = false;
};

constexpr ConvDirection Fwd = ConvDirection::FORWARD,
                        Wei = ConvDirection::BACKWARD_WEIGHT;

constexpr TemplateRow Templates[] = {
    {"DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle", Fwd, Isa::MFMA,
     ForwardXdl},
    {"DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3", Fwd, Isa::MFMA,
     ForwardXdlV3},
    {"DeviceGroupedConvFwdMultipleD_Xdl_CShuffle_Large_Tensor", Fwd, Isa::MFMA,
     ForwardLarge, false, true},
    {"DeviceGroupedConvFwdMultipleD_Wmma_CShuffle", Fwd, Isa::WMMA,
     ForwardWmma},
    {"DeviceGroupedConvFwdDlMultipleD_NHWC_KYXC_NHWK", Fwd, Isa::VALU,
     ForwardDl},
    {"DeviceGroupedConvBwdWeight_Xdl_CShuffle", Wei, Isa::MFMA, WeightXdl},
    {"DeviceGroupedConvBwdWeight_Xdl_CShuffleV3", Wei, Isa::MFMA, WeightXdlV3},
    {"DeviceGroupedConvBwdWeight_Wmma_CShuffleV3", Wei, Isa::WMMA,
     WeightWmmaV3},
    {"DeviceGroupedConvBwdWeightTwoStage_Xdl_CShuffle", Wei, Isa::MFMA,
     WeightTwoStage, true},
    {"DeviceGroupedConvBwdWeightTwoStage_Wmma_CShuffleV3", Wei, Isa::WMMA,
     WeightTwoStage, true},
    {"DeviceGroupedConvBwdWeightMultipleD_Xdl_CShuffle", Wei, Isa::MFMA,
     WeightOthersXdl},
    {"DeviceGroupedConvBwdWeightMultipleD_Wmma_CShuffleV3", Wei, Isa::WMMA,
     WeightOthersWmma},
    {"DeviceGroupedConvBwdWeight_Dl", Wei, Isa::VALU, WeightDl},
};

/// CK's word for a value of ours.
template <typename Enum> struct Word {
  std::string_view Theirs;
  Enum Ours;
};

constexpr Word<DataType> Types[] = {
    {"fp32", DataType::FP32}, {"fp16", DataType::FP16},
    {"bf16", DataType::BF16}, {"fp8", DataType::FP8},
    {"bf8", DataType::BF8},   {"fp64", DataType::FP64},
    {"s8", DataType::I8},     {"s32", DataType::I32}};
constexpr Word<ElementwiseOperation> Operations[] = {
    {"PassThrough", ElementwiseOperation::PASS_THROUGH},
    {"Scale", ElementwiseOperation::SCALE},
    {"Bilinear", ElementwiseOperation::BILINEAR},
    {"Relu", ElementwiseOperation::RELU},
    // a x + d, where a is 1 unless somebody says something else.
    {"Add", ElementwiseOperation::SCALE_ADD}};
constexpr Word<ConvSpecialization> Filters[] = {
    {"Default", ConvSpecialization::DEFAULT},
    {"Filter1x1Pad0", ConvSpecialization::FILTER_1X1_PAD0},
    {"Filter1x1Stride1Pad0", ConvSpecialization::FILTER_1X1_STRIDE1_PAD0},
    {"Filter3x3", ConvSpecialization::FILTER_3x3},
    {"OddC", ConvSpecialization::ODD_C}};
constexpr Word<PipelineScheduler> Schedulers[] = {
    {"Default", PipelineScheduler::DEFAULT},
    {"Intrawave", PipelineScheduler::INTRAWAVE},
    {"Interwave", PipelineScheduler::INTERWAVE}};
constexpr Word<PipelineVersion> Versions[] = {{"v1", PipelineVersion::V1},
                                              {"v2", PipelineVersion::V2},
                                              {"v3", PipelineVersion::V3},
                                              {"v4", PipelineVersion::V4},
                                              {"v5", PipelineVersion::V5}};

class InstanceReader {
public:
  explicit InstanceReader(std::string_view Text) : Text(Text) {}

  Result<CkInstance> read() {
    if (const TemplateRow *Row = takeTemplate()) {
      for (size_t I = 0; I < Row->Parameters.size() && Why.empty(); ++I)
        if (takeSeparator(I == 0))
          take(Row->Parameters[I]);
      if (Why.empty() && Text.substr(At) != ">")
        fail("'>' and nothing more is expected behind " +
             std::to_string(Row->Parameters.size()) + " parameters");
      if (Why.empty())
        finish(*Row);
    }
    if (!Why.empty())
      return Status(StatusCode::InvalidFormat,
                    "instance: at " + std::to_string(Start) + ": " + Why);
    return std::move(Made);
  }

private:
  bool fail(std::string What) {
    if (Why.empty())
      Why = std::move(What);
    return false;
  }
  /// As much of \p Piece as a message shows.
  static std::string shown(std::string_view Piece) {
    std::string Shown(Piece.substr(0, 48));
    std::replace_if(
        Shown.begin(), Shown.end(),
        [](unsigned char C) { return C < ' ' || C > 126; }, '?');
    return "'" + Shown + "'";
  }

  const TemplateRow *takeTemplate() {
    std::string_view Name = Text.substr(0, Text.find('<'));
    At = Name.size();
    for (const TemplateRow &Row : Templates)
      if (Row.Name == Name) {
        Made.Template = Name;
        Made.Sig.direction = Row.Direction;
        Made.How.kind = Kind::IMPLICIT_GEMM;
        Made.How.isa = Row.In;
        return &Row;
      }
    fail(shown(Name) + " is no template that is known");
    return nullptr;
  }

  /// '<' or ','.
  bool takeSeparator(bool IsFirst) {
    Start = At;
    if (At < Text.size() && Text[At] == (IsFirst ? '<' : ',')) {
      Start = ++At;
      return true;
    }
    return fail(IsFirst ? "'<' is expected"
                        : "',' and a parameter is expected");
  }

  /// Up to the next separator that is in no parentheses.
  std::string_view word() {
    Start = At;
    for (int Depth = 0; At < Text.size(); ++At) {
      char C = Text[At];
      if (Depth == 0 && (C == ',' || C == '>'))
        break;
      Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    }
    return Text.substr(Start, At - Start);
  }

  static bool parseNumber(std::string_view Piece, int &To) {
    auto [End, Error] =
        std::from_chars(Piece.data(), Piece.data() + Piece.size(), To);
    return Error == std::errc() && End == Piece.data() + Piece.size() &&
           To >= 0 && To <= MostNumber;
  }
  bool number(int &To) {
    std::string_view Piece = word();
    return parseNumber(Piece, To) ||
           fail(shown(Piece) + " is no number from 0 to " +
                std::to_string(MostNumber));
  }
  bool flag(bool &To) {
    std::string_view Piece = word();
    To = Piece == "true" || Piece == "1";
    return To || Piece == "false" || Piece == "0" ||
           fail(shown(Piece) + " is neither true nor false");
  }
  template <typename Enum, size_t Count>
  bool named(const Word<Enum> (&Words)[Count], Enum &To, const char *What) {
    std::string_view Piece = word();
    for (const Word<Enum> &Each : Words)
      if (Each.Theirs == Piece) {
        To = Each.Ours;
        return true;
      }
    return fail(shown(Piece) + " is no " + What);
  }
  bool layout(TensorLayout &To) {
    std::string_view Piece = word();
    return valueOf(Piece, To) || fail(shown(Piece) + " is no layout");
  }
  bool operation(Tensor &To) {
    ElementwiseOperation Op{};
    if (!named(Operations, Op, "operation that is known"))
      return false;
    Operation &Its = To.operation.make();
    Its.elementwise_operation = Op;
    // The text does not say what they are.
    for (unsigned I = 0; I < auxiliaryCount(Op); ++I)
      Its.auxiliary_operand_configs.push({});
    return true;
  }
  bool others() {
    std::string_view Piece = word();
    return Piece == "EmptyTuple" || fail(shown(Piece) + " is not EmptyTuple");
  }
  bool padding() {
    std::string_view Piece = word();
    return detail::readPaddingWord(Piece, Made.How.padding.make()) ||
           fail(shown(Piece) + " is no padding");
  }

  /// "Seq(1,0,2)", of \p Least to Most numbers.
  template <unsigned Most>
  bool sequence(List<int, Most> &To, unsigned Least = 1) {
    std::string_view Piece = word(), Inside = Piece;
    To = {};
    bool IsOne = Inside.starts_with("Seq(") && Inside.ends_with(')');
    if (IsOne)
      Inside = Inside.substr(4, Inside.size() - 5);
    for (bool More = IsOne; More;) {
      size_t End = Inside.find(',');
      int Number = 0;
      if (To.size() == Most || !parseNumber(Inside.substr(0, End), Number)) {
        IsOne = false;
        break;
      }
      To.push(Number);
      More = End != Inside.npos;
      if (More)
        Inside.remove_prefix(End + 1);
    }
    return (IsOne && To.size() >= Least) ||
           fail(shown(Piece) + " is no Seq of " +
                (Least == Most
                     ? std::to_string(Most)
                     : std::to_string(Least) + " to " + std::to_string(Most)) +
                " numbers");
  }
  /// Three numbers, or four with the pieces of k in front.
  bool cluster(LoadCluster &To) {
    List<int, 4> Numbers;
    if (!sequence(Numbers, 3))
      return false;
    unsigned First = Numbers.size() - 3;
    To = {Numbers[First], Numbers[First + 1], Numbers[First + 2],
          First ? Numbers[0] : 0};
    return true;
  }
  bool cluster(StoreCluster &To) {
    List<int, 4> Numbers;
    if (!sequence(Numbers, 4))
      return false;
    To = {Numbers[0], Numbers[1], Numbers[2], Numbers[3]};
    return true;
  }

  Tensor &ofA() {
    return Made.Sig.direction == Fwd ? Made.Sig.input : Made.Sig.output;
  }
  Tensor &ofB() {
    return Made.Sig.direction == Fwd ? Made.Sig.weight : Made.Sig.input;
  }

  bool take(Is What) {
    Signature &Sig = Made.Sig;
    Algorithm &How = Made.How;
    auto Type = [&](DataType &To) { return named(Types, To, "type"); };
    switch (What) {
    case Is::Dims:
      return number(Sig.spatial_dim) &&
             ((Sig.spatial_dim >= 1 && Sig.spatial_dim <= 3) ||
              fail("dimensions are 1, 2 or 3"));
    case Is::InLayout:
      return layout(Sig.input.config.layout);
    case Is::WeiLayout:
      return layout(Sig.weight.config.layout);
    case Is::OutLayout:
      return layout(Sig.output.config.layout);
    case Is::Others:
      return others();
    case Is::InType:
      return Type(Sig.input.config.data_type);
    case Is::WeiType:
      return Type(Sig.weight.config.data_type);
    case Is::OutType:
      return Type(Sig.output.config.data_type);
    case Is::SumType:
      return Type(Sig.accumulation_data_type);
    case Is::LdsType: {
      DataType NoField{};
      return Type(NoField);
    }
    case Is::InOp:
      return operation(Sig.input);
    case Is::WeiOp:
      return operation(Sig.weight);
    case Is::OutOp:
      return operation(Sig.output);
    case Is::Filter:
      return named(Filters, How.specialization, "specialization");
    case Is::Pads:
      return padding();
    case Is::Stages:
      return number(How.pipeline.make().stages);
    case Is::Threads:
      return number(How.block_size);
    case Is::TileM:
      return number(How.tile.make().m);
    case Is::TileN:
      return number(How.tile.make().n);
    case Is::TileK:
      return number(How.tile.make().k);
    case Is::TileK0:
      return number(K0);
    case Is::PackA:
      return number(How.a.make().k_pack);
    case Is::PackB:
      return number(How.b.make().k_pack);
    case Is::Pack:
      return number(How.a.make().k_pack) &&
             (How.b.make().k_pack = How.a->k_pack, true);
    case Is::InstrM:
      return number(How.wave.make().instr.m);
    case Is::InstrN:
      return number(How.wave.make().instr.n);
    case Is::RepeatM:
      return number(Repeat.m);
    case Is::RepeatN:
      return number(Repeat.n);
    case Is::ClusterA:
      return cluster(How.a->cluster);
    case Is::OrderA:
      return sequence(How.a->cluster_order);
    case Is::AccessA:
      return sequence(How.a->access_order);
    case Is::DimA:
      return number(How.a->vector_dim);
    case Is::LoadA:
      return number(How.a->load_vector);
    case Is::LdsA:
      return number(How.a->lds_vector);
    case Is::PadA:
      return flag(PadOfA);
    case Is::ClusterB:
      return cluster(How.b->cluster);
    case Is::OrderB:
      return sequence(How.b->cluster_order);
    case Is::AccessB:
      return sequence(How.b->access_order);
    case Is::DimB:
      return number(How.b->vector_dim);
    case Is::LoadB:
      return number(How.b->load_vector);
    case Is::LdsB:
      return number(How.b->lds_vector);
    case Is::PadB:
      return flag(PadOfB);
    case Is::ShuffleM:
      How.c.make().through_lds = true;
      return number(How.c->shuffle.m);
    case Is::ShuffleN:
      return number(How.c->shuffle.n);
    case Is::ClusterC:
      return cluster(How.c->cluster);
    case Is::StoreC:
      return number(How.c->store_vector);
    case Is::ComputeA:
      return Type(ofA().config.compute_type);
    case Is::ComputeB:
      return Type(ofB().config.compute_type);
    case Is::Loop:
    case Is::Scheduler:
      return named(Schedulers, How.pipeline.make().scheduler, "scheduler");
    case Is::Version:
      return named(Versions, How.pipeline.make().version, "version");
    case Is::Merge:
      return number(How.split.make().groups_merge);
    case Is::Direct:
      return flag(How.a->direct_to_lds) &&
             (How.b->direct_to_lds = How.a->direct_to_lds, true);
    case Is::TransposeFrom:
      return number(How.transpose.make().source_vector);
    case Is::TransposeTo:
      return number(How.transpose->target_vector);
    case Is::ThreadM:
      return number(How.thread.make().m1);
    case Is::ThreadN:
      return number(How.thread->n1);
    case Is::ThreadK:
      return number(How.thread->k_per_thread);
    case Is::ThreadsM:
      return sequence(How.thread->m1_xs, 2);
    case Is::ThreadsN:
      return sequence(How.thread->n1_xs, 2);
    case Is::SliceA:
      return sequence(How.a->slice.make().lengths);
    case Is::SliceClusterA:
      return sequence(How.a->slice->cluster);
    case Is::VectorA:
      return sequence(How.a->slice->source_vector);
    case Is::VectorOrderA:
      return sequence(How.a->slice->vector_order);
    case Is::TargetA:
      return sequence(How.a->slice->target_vector);
    case Is::SliceB:
      return sequence(How.b->slice.make().lengths);
    case Is::SliceClusterB:
      return sequence(How.b->slice->cluster);
    case Is::VectorB:
      return sequence(How.b->slice->source_vector);
    case Is::VectorOrderB:
      return sequence(How.b->slice->vector_order);
    case Is::TargetB:
      return sequence(How.b->slice->target_vector);
    case Is::AccessC:
      return sequence(How.c.make().access_order);
    case Is::DimC:
      return number(How.c->vector_dim);
    }
    return fail("no parameter");
  }

  /// What follows from several parameters.
  void finish(const TemplateRow &Row) {
    Algorithm &How = Made.How;
    if (Row.TwoStage)
      How.split.make().two_stage = true;
    if (Row.Index64)
      How.split.make().index64 = true;
    if (K0 != 0) {
      if (K0 * How.a->k_pack > MostNumber) {
        fail("more than " + std::to_string(MostNumber) + " elements of k");
        return;
      }
      How.tile->k = K0 * How.a->k_pack;
    }
    if (How.thread) {
      How.thread->k0 = K0;
      How.thread->k1 = How.a->k_pack;
    }
    if (PadOfA)
      How.a->lds_pad = How.a->k_pack;
    if (PadOfB)
      How.b->lds_pad = How.b->k_pack;
    if (How.wave) {
      MNK &Waves = How.wave->waves;
      Waves.m = waves(How.tile->m, How.wave->instr.m, Repeat.m);
      Waves.n = waves(How.tile->n, How.wave->instr.n, Repeat.n);
      Waves.k = 1;
    }
    // Each number is small, but not all are as small as their fields.
    if (Result<Algorithm> Again = parse<Algorithm>(text(How)); !Again) {
      Start = 0;
      fail(Again.status().message());
    }
  }
  int waves(int Tile, int Instr, int Times) {
    long long Step = static_cast<long long>(Instr) * Times;
    if (Step != 0 && Tile % Step == 0)
      return static_cast<int>(Tile / Step);
    Start = 0;
    fail("a tile of " + std::to_string(Tile) +
         " is no multiple of what a wave has, " + std::to_string(Instr) +
         " of an instruction, " + std::to_string(Times) + " times");
    return 0;
  }

  static constexpr int MostNumber = 4096;

  std::string_view Text;
  size_t At = 0;    ///< what is not read yet
  size_t Start = 0; ///< of what is being read
  std::string Why;
  CkInstance Made;
  Shuffle Repeat{};
  int K0 = 0;
  bool PadOfA = false, PadOfB = false;
};

} // namespace

bool conv::isCkInstance(std::string_view Text) {
  return Text.starts_with("DeviceGroupedConv");
}

Result<CkInstance> conv::parseCkInstance(std::string_view Text) {
  return InstanceReader(Text).read();
}
