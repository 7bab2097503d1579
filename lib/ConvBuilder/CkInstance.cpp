//===- CkInstance.cpp - descriptors from CK's kernel names ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each template of CK is a row of a table: its parameters in order, each a
// function that reads one value into a field of the signature or the algorithm.
// Names, orders and meanings are those that CK's builder prints and tests
// (experimental/builder, reflect and test). The type of the data that passes
// through LDS has no field here: it is read and dropped.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/CkInstance.h"

#include "kpack/ConvBuilder/CkVariants.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Operations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// CK's spelling of a value.
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
    // a x + d; a is 1 unless a caller sets it.
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

struct TemplateRow;

/// Reads the text of one instance. Its functions are for the parameters below:
/// each reads one, and notes the reason if it returns false.
class InstanceReader {
public:
  explicit InstanceReader(std::string_view Text) : Text(Text) {}

  /// Errors: InvalidFormat, with the place in the text.
  Result<CkInstance> read();

  bool number(int &Value) {
    std::string_view Word = next();
    return parseNumber(Word, Value) ||
           fail(shown(Word) + " is no number from 0 to " +
                std::to_string(MostNumber));
  }
  bool flag(bool &Value) {
    std::string_view Word = next();
    Value = Word == "true" || Word == "1";
    return Value || Word == "false" || Word == "0" ||
           fail(shown(Word) + " is neither true nor false");
  }
  template <typename Enum, size_t Count>
  bool named(const Word<Enum> (&Table)[Count], Enum &Value, const char *Kind) {
    std::string_view Word = next();
    for (const auto &Each : Table)
      if (Each.Theirs == Word) {
        Value = Each.Ours;
        return true;
      }
    return fail(shown(Word) + " is no " + Kind);
  }
  bool type(DataType &Value) { return named(Types, Value, "type"); }
  bool layout(TensorLayout &Value) {
    std::string_view Word = next();
    return valueOf(Word, Value) || fail(shown(Word) + " is no layout");
  }
  bool operation(Tensor &Target) {
    ElementwiseOperation Op{};
    if (!named(Operations, Op, "operation that is known"))
      return false;
    Operation &Read = Target.operation.make();
    Read.elementwise_operation = Op;
    // The text does not describe auxiliary operands.
    for (unsigned I = 0; I < auxiliaryCount(Op); ++I)
      Read.auxiliary_operand_configs.push({});
    return true;
  }
  /// Layouts or types of auxiliary operands.
  bool noOthers() {
    std::string_view Word = next();
    return Word == "EmptyTuple" || fail(shown(Word) + " is not EmptyTuple");
  }
  bool padding() {
    std::string_view Word = next();
    return detail::readPaddingWord(Word, algorithm().padding.make()) ||
           fail(shown(Word) + " is no padding");
  }
  bool dimensions() {
    int &Count = signature().spatial_dim;
    return number(Count) &&
           ((Count >= 1 && Count <= 3) || fail("dimensions are 1, 2 or 3"));
  }
  /// "Seq(1,0,2)", of \p Least to Most numbers.
  template <unsigned Most>
  bool sequence(List<int, Most> &Numbers, unsigned Least = 1);
  /// Reads three numbers, or four whose first is the number of pieces of k.
  bool cluster(LoadCluster &Value) {
    List<int, 4> Numbers;
    if (!sequence(Numbers, 3))
      return false;
    unsigned First = Numbers.size() - 3;
    Value = {Numbers[First], Numbers[First + 1], Numbers[First + 2],
             First ? Numbers[0] : 0};
    return true;
  }
  bool cluster(StoreCluster &Value) {
    List<int, 4> Numbers;
    if (!sequence(Numbers, 4))
      return false;
    Value = {Numbers[0], Numbers[1], Numbers[2], Numbers[3]};
    return true;
  }

  Signature &signature() { return Instance.Sig; }
  Algorithm &algorithm() { return Instance.How; }
  /// The tensors that are matrices A and B of the product.
  Tensor &tensorA() {
    return isForward() ? signature().input : signature().output;
  }
  Tensor &tensorB() {
    return isForward() ? signature().weight : signature().input;
  }

  // Parameters from which finish() computes fields.
  Shuffle Repeat{};                  ///< instructions of a wave, by m and n
  int K0 = 0;                        ///< tile along k, in packs; 0: not given
  bool PadsA = false, PadsB = false; ///< of the matrices in LDS

private:
  bool isForward() const {
    return Instance.Sig.direction == ConvDirection::FORWARD;
  }
  bool fail(std::string Reason) {
    if (Why.empty())
      Why = std::move(Reason);
    return false;
  }
  /// Returns the part of \p Piece that a message shows.
  static std::string shown(std::string_view Piece) {
    std::string Shown(Piece.substr(0, 48));
    std::replace_if(
        Shown.begin(), Shown.end(),
        [](unsigned char C) { return C < ' ' || C > 126; }, '?');
    return "'" + Shown + "'";
  }
  static bool parseNumber(std::string_view Piece, int &Value) {
    auto [End, Error] =
        std::from_chars(Piece.data(), Piece.data() + Piece.size(), Value);
    return Error == std::errc() && End == Piece.data() + Piece.size() &&
           Value >= 0 && Value <= MostNumber;
  }

  const TemplateRow *readTemplate();
  bool readSeparator(bool IsFirst);
  std::string_view next();
  void finish(const TemplateRow &Row);
  int countWaves(int Tile, int Instr, int Times);

  static constexpr int MostNumber = 4096;

  std::string_view Text;
  size_t Position = 0; ///< of the first unread byte
  size_t Start = 0;    ///< of the current piece
  std::string Why;
  CkInstance Instance;
};

template <unsigned Most>
bool InstanceReader::sequence(List<int, Most> &Numbers, unsigned Least) {
  std::string_view Piece = next(), Inside = Piece;
  Numbers = {};
  bool IsOne = Inside.starts_with("Seq(") && Inside.ends_with(')');
  if (IsOne)
    Inside = Inside.substr(4, Inside.size() - 5);
  for (bool More = IsOne; More;) {
    size_t End = Inside.find(',');
    int Parsed = 0;
    if (Numbers.size() == Most || !parseNumber(Inside.substr(0, End), Parsed)) {
      IsOne = false;
      break;
    }
    Numbers.push(Parsed);
    More = End != Inside.npos;
    if (More)
      Inside.remove_prefix(End + 1);
  }
  return (IsOne && Numbers.size() >= Least) ||
         fail(shown(Piece) + " is no Seq of " +
              (Least == Most
                   ? std::to_string(Most)
                   : std::to_string(Least) + " to " + std::to_string(Most)) +
              " numbers");
}

/// Reads one parameter of a template into its field.
using Parameter = bool (*)(InstanceReader &);

namespace param {

#define KPACK_PARAMETER(Name, Call)                                            \
  constexpr Parameter Name = [](InstanceReader &R) -> bool { return R.Call; }

KPACK_PARAMETER(Dims, dimensions());
KPACK_PARAMETER(InLayout, layout(R.signature().input.config.layout));
KPACK_PARAMETER(WeiLayout, layout(R.signature().weight.config.layout));
KPACK_PARAMETER(OutLayout, layout(R.signature().output.config.layout));
KPACK_PARAMETER(Others, noOthers());
KPACK_PARAMETER(InType, type(R.signature().input.config.data_type));
KPACK_PARAMETER(WeiType, type(R.signature().weight.config.data_type));
KPACK_PARAMETER(OutType, type(R.signature().output.config.data_type));
KPACK_PARAMETER(SumType, type(R.signature().accumulation_data_type));
constexpr Parameter LdsType = [](InstanceReader &R) {
  DataType Dropped{};
  return R.type(Dropped);
};
KPACK_PARAMETER(InOp, operation(R.signature().input));
KPACK_PARAMETER(WeiOp, operation(R.signature().weight));
KPACK_PARAMETER(OutOp, operation(R.signature().output));
KPACK_PARAMETER(Filter,
                named(Filters, R.algorithm().specialization, "specialization"));
KPACK_PARAMETER(Pads, padding());
KPACK_PARAMETER(Stages, number(R.algorithm().pipeline.make().stages));
KPACK_PARAMETER(Threads, number(R.algorithm().block_size));
KPACK_PARAMETER(TileM, number(R.algorithm().tile.make().m));
KPACK_PARAMETER(TileN, number(R.algorithm().tile.make().n));
KPACK_PARAMETER(TileK, number(R.algorithm().tile.make().k));
KPACK_PARAMETER(TileK0, number(R.K0));
KPACK_PARAMETER(PackA, number(R.algorithm().a.make().k_pack));
KPACK_PARAMETER(PackB, number(R.algorithm().b.make().k_pack));
/// One number for the packs of both matrices.
constexpr Parameter Pack = [](InstanceReader &R) {
  bool IsRead = PackA(R);
  R.algorithm().b.make().k_pack = R.algorithm().a->k_pack;
  return IsRead;
};
KPACK_PARAMETER(InstrM, number(R.algorithm().wave.make().instr.m));
KPACK_PARAMETER(InstrN, number(R.algorithm().wave.make().instr.n));
KPACK_PARAMETER(RepeatM, number(R.Repeat.m));
KPACK_PARAMETER(RepeatN, number(R.Repeat.n));
KPACK_PARAMETER(PadA, flag(R.PadsA));
KPACK_PARAMETER(PadB, flag(R.PadsB));
constexpr Parameter ShuffleM = [](InstanceReader &R) {
  ResultPath &C = R.algorithm().c.make();
  C.through_lds = true;
  return R.number(C.shuffle.m);
};
KPACK_PARAMETER(ShuffleN, number(R.algorithm().c->shuffle.n));
KPACK_PARAMETER(ClusterC, cluster(R.algorithm().c->cluster));
KPACK_PARAMETER(StoreC, number(R.algorithm().c->store_vector));
KPACK_PARAMETER(AccessC, sequence(R.algorithm().c.make().access_order));
KPACK_PARAMETER(DimC, number(R.algorithm().c->vector_dim));
KPACK_PARAMETER(ComputeA, type(R.tensorA().config.compute_type));
KPACK_PARAMETER(ComputeB, type(R.tensorB().config.compute_type));
KPACK_PARAMETER(Scheduler,
                named(Schedulers, R.algorithm().pipeline.make().scheduler,
                      "scheduler"));
KPACK_PARAMETER(Version, named(Versions, R.algorithm().pipeline.make().version,
                               "version"));
KPACK_PARAMETER(Merge, number(R.algorithm().split.make().groups_merge));
constexpr Parameter Direct = [](InstanceReader &R) {
  bool IsRead = R.flag(R.algorithm().a->direct_to_lds);
  R.algorithm().b->direct_to_lds = R.algorithm().a->direct_to_lds;
  return IsRead;
};
KPACK_PARAMETER(TransposeFrom,
                number(R.algorithm().transpose.make().source_vector));
KPACK_PARAMETER(TransposeTo, number(R.algorithm().transpose->target_vector));
KPACK_PARAMETER(ThreadM, number(R.algorithm().thread.make().m1));
KPACK_PARAMETER(ThreadN, number(R.algorithm().thread->n1));
KPACK_PARAMETER(ThreadK, number(R.algorithm().thread->k_per_thread));
KPACK_PARAMETER(ThreadsM, sequence(R.algorithm().thread->m1_xs, 2));
KPACK_PARAMETER(ThreadsN, sequence(R.algorithm().thread->n1_xs, 2));

// Parameters of the operand \p Which, &Algorithm::a or &Algorithm::b.
template <auto Which>
KPACK_PARAMETER(Cluster, cluster((R.algorithm().*Which)->cluster));
template <auto Which>
KPACK_PARAMETER(Order, sequence((R.algorithm().*Which)->cluster_order));
template <auto Which>
KPACK_PARAMETER(Access, sequence((R.algorithm().*Which)->access_order));
template <auto Which>
KPACK_PARAMETER(Dim, number((R.algorithm().*Which)->vector_dim));
template <auto Which>
KPACK_PARAMETER(Load, number((R.algorithm().*Which)->load_vector));
template <auto Which>
KPACK_PARAMETER(Lds, number((R.algorithm().*Which)->lds_vector));
template <auto Which>
KPACK_PARAMETER(Slice, sequence((R.algorithm().*Which)->slice.make().lengths));
template <auto Which>
KPACK_PARAMETER(SliceCluster, sequence((R.algorithm().*Which)->slice->cluster));
template <auto Which>
KPACK_PARAMETER(Vector, sequence((R.algorithm().*Which)->slice->source_vector));
template <auto Which>
KPACK_PARAMETER(VectorOrder,
                sequence((R.algorithm().*Which)->slice->vector_order));
template <auto Which>
KPACK_PARAMETER(Target, sequence((R.algorithm().*Which)->slice->target_vector));

#undef KPACK_PARAMETER

} // namespace param

template <size_t... Counts>
constexpr auto join(const std::array<Parameter, Counts> &...Pieces) {
  std::array<Parameter, (Counts + ...)> All{};
  auto End = All.begin();
  ((End = std::copy(Pieces.begin(), Pieces.end(), End)), ...);
  return All;
}

// Parameter sequences that several templates share.
constexpr std::array ForwardTensors = {
    param::Dims,      param::InLayout, param::WeiLayout, param::Others,
    param::OutLayout, param::InType,   param::WeiType,   param::SumType,
    param::LdsType,   param::Others,   param::OutType,   param::InOp,
    param::WeiOp,     param::OutOp,    param::Filter,    param::Pads};
constexpr std::array BackwardTensors = {
    param::Dims,   param::InLayout, param::WeiLayout, param::OutLayout,
    param::InType, param::WeiType,  param::OutType,   param::SumType,
    param::InOp,   param::WeiOp,    param::OutOp,     param::Filter};
constexpr std::array BackwardTensorsAndOthers = {
    param::Dims,    param::InLayout, param::WeiLayout, param::OutLayout,
    param::Others,  param::InType,   param::WeiType,   param::OutType,
    param::SumType, param::Others,   param::InOp,      param::WeiOp,
    param::OutOp,   param::Filter};
constexpr std::array Stages = {param::Stages};
constexpr std::array Tile = {param::Threads, param::TileM, param::TileN,
                             param::TileK};
constexpr std::array TileInPacks = {param::Threads, param::TileM, param::TileN,
                                    param::TileK0};
constexpr std::array Packs = {param::PackA, param::PackB};
constexpr std::array OnePack = {param::Pack};
constexpr std::array Instruction = {param::InstrM, param::InstrN,
                                    param::RepeatM, param::RepeatN};
template <auto Which>
constexpr std::array Transfer = {param::Cluster<Which>, param::Order<Which>,
                                 param::Access<Which>,  param::Dim<Which>,
                                 param::Load<Which>,    param::Lds<Which>};
constexpr auto Transfers =
    join(Transfer<&Algorithm::a>, std::array{param::PadA},
         Transfer<&Algorithm::b>, std::array{param::PadB},
         std::array{param::ShuffleM, param::ShuffleN, param::ClusterC,
                    param::StoreC});
constexpr std::array Pipeline = {param::Scheduler, param::Version};
constexpr std::array Compute = {param::ComputeA, param::ComputeB};
constexpr std::array Transposes = {param::TransposeFrom, param::TransposeTo};
template <auto Which>
constexpr std::array SliceTransfer = {
    param::Slice<Which>,  param::SliceCluster<Which>, param::Order<Which>,
    param::Access<Which>, param::Vector<Which>,       param::VectorOrder<Which>,
    param::Target<Which>};
constexpr auto Dl =
    join(TileInPacks, OnePack,
         std::array{param::ThreadM, param::ThreadN, param::ThreadK,
                    param::ThreadsM, param::ThreadsN},
         SliceTransfer<&Algorithm::a>, SliceTransfer<&Algorithm::b>,
         std::array{param::AccessC, param::DimC, param::StoreC});

// Parameters of each template. CK calls a single scheduler Loop.
constexpr auto ForwardXdl =
    join(ForwardTensors, Stages, Tile, Packs, Instruction, Transfers, Compute,
         std::array{param::Scheduler, param::Merge});
constexpr auto ForwardXdlV3 =
    join(ForwardTensors, Tile, Packs, Instruction, Transfers, Pipeline, Compute,
         std::array{param::Direct});
constexpr auto ForwardLarge =
    join(ForwardTensors, Stages, Tile, Packs, Instruction, Transfers, Compute,
         std::array{param::Scheduler});
constexpr auto ForwardWmma = join(ForwardTensors, Stages, Tile, OnePack,
                                  Instruction, Transfers, Pipeline);
constexpr auto ForwardDl = join(
    std::array{param::Dims, param::InType, param::WeiType, param::Others,
               param::OutType, param::SumType, param::InLayout,
               param::WeiLayout, param::Others, param::OutLayout, param::InOp,
               param::WeiOp, param::OutOp, param::Filter, param::Pads},
    Dl);
constexpr auto WeightXdl = join(BackwardTensors, TileInPacks, OnePack,
                                Instruction, Transfers, Compute, Transposes);
constexpr auto WeightXdlV3 = join(BackwardTensors, Tile, OnePack, Instruction,
                                  Transfers, Pipeline, Compute);
constexpr auto WeightWmmaV3 = join(WeightXdlV3, Transposes);
constexpr auto WeightTwoStage =
    join(BackwardTensors, Tile, OnePack, Instruction, Transfers, Pipeline,
         std::array{param::Merge}, Compute, Transposes);
constexpr auto WeightOthersXdl = join(BackwardTensorsAndOthers, TileInPacks,
                                      OnePack, Instruction, Transfers, Compute);
constexpr auto WeightOthersWmma =
    join(BackwardTensorsAndOthers, Tile, OnePack, Instruction, Transfers,
         Pipeline, Compute);
constexpr auto WeightDl = join(BackwardTensors, Dl);

struct TemplateRow {
  std::string_view Name;
  ConvDirection Direction;
  Isa In;
  std::span<const Parameter> Parameters;
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

Result<CkInstance> InstanceReader::read() {
  if (const TemplateRow *Row = readTemplate()) {
    for (size_t I = 0; I < Row->Parameters.size() && Why.empty(); ++I)
      if (readSeparator(I == 0))
        Row->Parameters[I](*this);
    if (Why.empty() && Text.substr(Position) != ">")
      fail("'>' and nothing more is expected behind " +
           std::to_string(Row->Parameters.size()) + " parameters");
    if (Why.empty())
      finish(*Row);
  }
  if (!Why.empty())
    return Status(StatusCode::InvalidFormat,
                  "instance: at " + std::to_string(Start) + ": " + Why);
  return std::move(Instance);
}

const TemplateRow *InstanceReader::readTemplate() {
  std::string_view Name = Text.substr(0, Text.find('<'));
  Position = Name.size();
  for (const TemplateRow &Row : Templates)
    if (Row.Name == Name) {
      Instance.Template = Name;
      signature().direction = Row.Direction;
      algorithm().kind = Kind::IMPLICIT_GEMM;
      algorithm().isa = Row.In;
      return &Row;
    }
  fail(shown(Name) + " is no template that is known");
  return nullptr;
}

/// Reads '<' or ','.
bool InstanceReader::readSeparator(bool IsFirst) {
  Start = Position;
  if (Position < Text.size() && Text[Position] == (IsFirst ? '<' : ',')) {
    Start = ++Position;
    return true;
  }
  return fail(IsFirst ? "'<' is expected" : "',' and a parameter is expected");
}

/// Reads up to the next separator outside parentheses.
std::string_view InstanceReader::next() {
  Start = Position;
  for (int Depth = 0; Position < Text.size(); ++Position) {
    char C = Text[Position];
    if (Depth == 0 && (C == ',' || C == '>'))
      break;
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
  }
  return Text.substr(Start, Position - Start);
}

/// Computes the fields that depend on several parameters.
void InstanceReader::finish(const TemplateRow &Row) {
  Algorithm &Algo = algorithm();
  if (Row.TwoStage)
    Algo.split.make().two_stage = true;
  if (Row.Index64)
    Algo.split.make().index64 = true;
  if (K0 != 0) {
    if (K0 * Algo.a->k_pack > MostNumber) {
      fail("more than " + std::to_string(MostNumber) + " elements of k");
      return;
    }
    Algo.tile->k = K0 * Algo.a->k_pack;
  }
  if (Algo.thread) {
    Algo.thread->k0 = K0;
    Algo.thread->k1 = Algo.a->k_pack;
  }
  if (PadsA)
    Algo.a->lds_pad = Algo.a->k_pack;
  if (PadsB)
    Algo.b->lds_pad = Algo.b->k_pack;
  if (Algo.wave) {
    MNK &Waves = Algo.wave->waves;
    Waves.m = countWaves(Algo.tile->m, Algo.wave->instr.m, Repeat.m);
    Waves.n = countWaves(Algo.tile->n, Algo.wave->instr.n, Repeat.n);
    Waves.k = 1;
  }
  // Each number is small, but some fields have smaller limits.
  if (Result<Algorithm> Again = parse<Algorithm>(text(Algo)); !Again) {
    Start = 0;
    fail(Again.status().message());
  }
}

int InstanceReader::countWaves(int Tile, int Instr, int Times) {
  long long Step = static_cast<long long>(Instr) * Times;
  if (Step != 0 && Tile % Step == 0)
    return static_cast<int>(Tile / Step);
  Start = 0;
  fail("a tile of " + std::to_string(Tile) +
       " is no multiple of what a wave has, " + std::to_string(Instr) +
       " of an instruction, " + std::to_string(Times) + " times");
  return 0;
}

} // namespace

bool conv::isCkInstance(std::string_view Text) {
  return Text.starts_with("DeviceGroupedConv");
}

Result<CkInstance> conv::parseCkInstance(std::string_view Text) {
  return InstanceReader(Text).read();
}
