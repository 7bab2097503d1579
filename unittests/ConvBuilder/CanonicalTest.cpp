//===- CanonicalTest.cpp - tests of signatures from foreign structs -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs of many makes that mean the same Signature, what is said about those
// that mean none, and the concepts. What is said while compiling is in
// test/ConvBuilder.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Canonical.h"
#include "kpack/ConvBuilder/Text.h"

#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <string>

using namespace kpack::conv;

namespace {

template <typename Object> std::string import(const Object &Given) {
  Imported<Signature> Read = importSignature(Given);
  return std::string(Read.failed() ? Read.Error.view()
                                   : textOf(Read.Value).view());
}

template <typename Type> std::string report() {
  return std::string(shapeReport<Type>().view());
}

//===----------------------------------------------------------------------===//
// Of any make
//===----------------------------------------------------------------------===//

struct Config {
  TensorLayout layout;
};
struct Conv {
  Config config;
};
struct Smallest {
  int spatial_dim;
  Conv input, weight, output;
};
constexpr Conv Input{{TensorLayout::NHWGC}}, Weight{{TensorLayout::GKYXC}},
    Output{{TensorLayout::NHWGK}};
const std::string Layouts =
    "input={config={layout=NHWGC}},weight={config={layout=GKYXC}},"
    "output={config={layout=NHWGK}}}";

TEST(CanonicalTest, OptionalMembersAreAbsent) {
  constexpr Smallest Given{2, Input, Weight, Output};
  static_assert(shapeReport<Smallest>().empty());
  static_assert(ConvSignatureDescriptor<Smallest>);
  static_assert(canonicalOf<Given>() == canonical(Given));
  EXPECT_EQ(import(Given), "{spatial_dim=2," + Layouts);
}

TEST(CanonicalTest, ReadsEveryMember) {
  struct Full {
    TensorConfig config;
    Operation operation;
  };
  struct All {
    unsigned char spatial_dim = 3;
    ConvDirection direction = ConvDirection::BACKWARD_DATA;
    DataType data_type = DataType::BF16;
    DataType accumulation_data_type = DataType::FP32;
    ElementwiseOperation elementwise_operation = ElementwiseOperation::RELU;
    Full input{{TensorLayout::NDHWGC, DataType::FP16, DataType::FP32},
               {ElementwiseOperation::UNARY_COMBINED_OP,
                {},
                ElementwiseOperation::TANH,
                {ElementwiseOperation::ELU, ElementwiseOperation::GELU}}};
    Full weight{{TensorLayout::GKZYXC}, {}};
    Full output{{TensorLayout::NDHWGK}, {}};
  };
  static_assert(canonical(All{}).spatial_dim == 3);
  EXPECT_EQ(import(All{}),
            "{spatial_dim=3,direction=BACKWARD_DATA,data_type=BF16,"
            "accumulation_data_type=FP32,elementwise_operation=RELU,"
            "input={config={layout=NDHWGC,data_type=FP16,compute_type=FP32},"
            "operation={elementwise_operation=UNARY_COMBINED_OP,"
            "activation=TANH,chain=[ELU,GELU]}},"
            "weight={config={layout=GKZYXC},operation={}},"
            "output={config={layout=NDHWGK},operation={}}}");
}

TEST(CanonicalTest, OwnSignatureIsUnchanged) {
  constexpr Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
  static_assert(canonical(Sig) == Sig && canonicalOf<Sig>() == Sig);
  static_assert(ConvSignatureDescriptor<Signature>);
  static_assert(ConvTensorDescriptor<Tensor>);
  static_assert(TensorConfigDescriptor<TensorConfig>);
  static_assert(TensorOperatorDescriptor<Operation>);
  EXPECT_EQ(import(Sig), "{spatial_dim=2,data_type=FP16}");
}

// Two members of one base, a base of a base, and the struct's own.
struct Dimensions {
  int spatial_dim = 2;
  DataType data_type = DataType::FP16;
};
struct Operands : Dimensions {
  Conv input = Input, weight = Weight;
};
struct Inherited : Operands {
  Conv output = Output;
};

TEST(CanonicalTest, ReadsInheritedMembers) {
  static_assert(shapeReport<Inherited>().empty());
  EXPECT_EQ(import(Inherited{}), "{spatial_dim=2,data_type=FP16," + Layouts);
}

struct Static {
  static constexpr int spatial_dim = 2;
  static constexpr auto data_type = DataType::FP16;
  static constexpr Conv input = Input;
  Conv weight = Weight;
  static constexpr const Conv &output = Output;
};

TEST(CanonicalTest, ReadsStaticMembers) {
  static_assert(shapeReport<Static>().empty());
  static_assert(canonical(Static{}).data_type == DataType::FP16);
  EXPECT_EQ(import(Static{}), "{spatial_dim=2,data_type=FP16," + Layouts);
}

class WithConstructor {
public:
  constexpr explicit WithConstructor(int Dim) : spatial_dim(Dim) {}
  int spatial_dim;
  Conv input = Input, weight = Weight, output = Output;

private:
  [[maybe_unused]] int Hidden = 0;
};

// Its members cannot be counted, but read.
TEST(CanonicalTest, ReadsTypesWithConstructors) {
  static_assert(ConvSignatureDescriptor<WithConstructor>);
  EXPECT_EQ(import(WithConstructor(2)), "{spatial_dim=2," + Layouts);
}

namespace theirs {
enum class DataType { BF16 = 5, FP16 = 9, FP32 = 1, COMPLEX = 2 };
enum class TensorLayout { NHWGK, GC, GKYXC, NHWGC };
enum class ConvDirection { BACKWARD_WEIGHT, BACKWARD_DATA, FORWARD };
enum class ElementwiseOperation { SILU, BILINEAR, PASS_THROUGH };
struct Config {
  TensorLayout layout;
  DataType data_type = DataType::FP16;
};
struct Op {
  ElementwiseOperation elementwise_operation = ElementwiseOperation::BILINEAR;
  std::array<Config, 1> auxiliary_operand_configs{{{TensorLayout::GC}}};
};
struct Plain {
  Config config;
};
struct Fused {
  Config config;
  Op operation;
};
struct Sig {
  unsigned long spatial_dim = 2;
  ConvDirection direction = ConvDirection::FORWARD;
  DataType data_type = DataType::FP32;
  Plain input{{TensorLayout::NHWGC, DataType::BF16}};
  Plain weight{{TensorLayout::GKYXC}};
  Fused output{{TensorLayout::NHWGK}, {}};
};
} // namespace theirs

// Words are read by their names: numbers are others there.
TEST(CanonicalTest, ForeignEnumeratorsAreReadByName) {
  static_assert(ConvSignatureDescriptor<theirs::Sig>);
  static_assert(canonical(theirs::Sig{}).direction == ConvDirection::FORWARD);
  EXPECT_EQ(import(theirs::Sig{}),
            "{spatial_dim=2,data_type=FP32,"
            "input={config={layout=NHWGC,data_type=BF16}},"
            "weight={config={layout=GKYXC,data_type=FP16}},"
            "output={config={layout=NHWGK,data_type=FP16},"
            "operation={elementwise_operation=BILINEAR,"
            "auxiliary_operand_configs=[{layout=GC,data_type=FP16}]}}}");
  theirs::Sig Unknown;
  Unknown.input.config.data_type = theirs::DataType::COMPLEX;
  EXPECT_EQ(import(Unknown),
            "[S0] signature.input.config.data_type: 2 is no data type");
  Smallest Ours{2, {{static_cast<TensorLayout>(200)}}, Weight, Output};
  EXPECT_EQ(import(Ours),
            "[S0] signature.input.config.layout: 200 is no layout");
}

//===----------------------------------------------------------------------===//
// Operations and their operands
//===----------------------------------------------------------------------===//

template <typename Op> struct WithOp {
  struct Out {
    Config config = Output.config;
    Op operation;
  };
  int spatial_dim = 2;
  Conv input = Input, weight = Weight;
  Out output;
};

/// The operation alone.
template <typename Op> std::string operation(const Op &Given) {
  std::string Text = import(WithOp<Op>{.output = {.operation = Given}});
  std::size_t Position = Text.find("operation={");
  if (Position == std::string::npos)
    return Text;
  return Text.substr(Position, Text.size() - Position - 2);
}

struct UnaryOp {
  ElementwiseOperation elementwise_operation = ElementwiseOperation::SILU;
};
template <typename List> struct OpWith {
  ElementwiseOperation elementwise_operation =
      ElementwiseOperation::SCALEADD_SCALEADD_RELU;
  List auxiliary_operand_configs;
};
struct AuxTensor {
  TensorConfig config{TensorLayout::G_K_strided};
  UnaryOp operation;
};

TEST(CanonicalTest, ReadsAuxiliaryOperands) {
  const std::string Op = "operation={elementwise_operation="
                         "SCALEADD_SCALEADD_RELU";
  TensorConfig One{TensorLayout::GC}, Two{TensorLayout::NHWGK, DataType::FP32};
  const std::string Both = Op + ",auxiliary_operand_configs=[{layout=GC},"
                                "{layout=NHWGK,data_type=FP32}]}";
  EXPECT_EQ(operation(OpWith<std::array<TensorConfig, 2>>{
                .auxiliary_operand_configs = {One, Two}}),
            Both);
  EXPECT_EQ(operation(OpWith<TensorConfig[2]>{
                .auxiliary_operand_configs = {One, Two}}),
            Both);
  EXPECT_EQ(operation(OpWith<List<TensorConfig, 5>>{
                .auxiliary_operand_configs = {One, Two}}),
            Both);
  EXPECT_EQ(operation(OpWith<std::array<TensorConfig, 0>>{}), Op + "}");
  // As tensors: the operation is of one value, and done when it is loaded.
  EXPECT_EQ(operation(OpWith<std::array<AuxTensor, 1>>{}),
            Op + ",auxiliary_operand_configs=[{layout=G_K_strided,"
                 "elementwise_operation=SILU}]}");
  EXPECT_EQ(operation(OpWith<std::array<Conv, 1>>{
                .auxiliary_operand_configs = {Output}}),
            Op + ",auxiliary_operand_configs=[{layout=NHWGK}]}");
  EXPECT_EQ(operation(OpWith<std::array<TensorConfig, 6>>{}),
            "[S0] signature.output.operation.auxiliary_operand_configs: has 6 "
            "elements; at most 5 are possible");
}

TEST(CanonicalTest, AuxiliaryOfAuxiliary) {
  struct Inner {
    TensorConfig config{TensorLayout::GC};
    OpWith<std::array<TensorConfig, 1>> operation{};
  };
  EXPECT_EQ(operation(OpWith<std::array<Inner, 1>>{}),
            "[S6] signature.output.operation.auxiliary_operand_configs[0]."
            "operation.auxiliary_operand_configs[0]: an auxiliary operand has "
            "auxiliary operands itself; give them to the tensor's operation");
  struct NoInner {
    TensorConfig config{TensorLayout::GC};
    OpWith<std::array<TensorConfig, 0>> operation{
        .elementwise_operation = ElementwiseOperation::RELU,
        .auxiliary_operand_configs = {}};
  };
  EXPECT_EQ(operation(OpWith<std::array<NoInner, 1>>{}),
            "operation={elementwise_operation=SCALEADD_SCALEADD_RELU,"
            "auxiliary_operand_configs=[{layout=GC,"
            "elementwise_operation=RELU}]}");
}

TEST(CanonicalTest, OptionalOperationIsRead) {
  EXPECT_EQ(operation(std::optional<UnaryOp>(UnaryOp{})),
            "operation={elementwise_operation=SILU}");
  EXPECT_EQ(operation(std::optional<UnaryOp>()), "{spatial_dim=2," + Layouts);
  EXPECT_EQ(operation(Optional<Operation>()), "{spatial_dim=2," + Layouts);
  EXPECT_TRUE(report<WithOp<std::optional<UnaryOp>>>().empty());
}

//===----------------------------------------------------------------------===//
// Types that are two
//===----------------------------------------------------------------------===//

TEST(CanonicalTest, TupleTypesGiveBothTensors) {
  Signature Sig{.spatial_dim = 2,
                .data_type = DataType::FP16,
                .elementwise_operation = ElementwiseOperation::SCALE_ADD};
  Sig.input.config.data_type = DataType::FP16_FP16;
  EXPECT_EQ(import(Sig), "{spatial_dim=2,data_type=FP16,"
                         "elementwise_operation=SCALE_ADD,"
                         "input={config={data_type=FP16},"
                         "operation={elementwise_operation=SCALE_ADD,"
                         "auxiliary_operand_configs=[{data_type=FP16}]}}}");
  // With operands that are given, it is the type of the first.
  Sig.input.operation = Operation{ElementwiseOperation::BILINEAR,
                                  {{TensorLayout::GC}, {TensorLayout::NHWGC}}};
  EXPECT_EQ(import(Sig),
            "{spatial_dim=2,data_type=FP16,elementwise_operation=SCALE_ADD,"
            "input={config={data_type=FP16},"
            "operation={elementwise_operation=BILINEAR,"
            "auxiliary_operand_configs=[{layout=GC,data_type=FP16},"
            "{layout=NHWGC}]}}}");
  for (auto [Tuple, Element] : {std::pair(DataType::FP32_FP32, DataType::FP32),
                                std::pair(DataType::BF16_BF16, DataType::BF16),
                                std::pair(DataType::I8_I8, DataType::I8)}) {
    Sig.output.config.data_type = Tuple;
    EXPECT_EQ(importSignature(Sig).Value.output.config.data_type, Element);
  }
  EXPECT_EQ(import(Signature{.data_type = DataType::I8_I8}),
            "[S2] signature.data_type: I8_I8 is of one tensor, and given with "
            "it");
}

//===----------------------------------------------------------------------===//
// What is none
//===----------------------------------------------------------------------===//

struct Misspelled {
  int spatial_dim = 2;
  ConvDirection direcion = ConvDirection::BACKWARD_DATA;
  Conv input = Input, weight = Weight, output = Output;
};
struct OutputAndMore {
  Conv output = Output;
  ConvDirection direcion = ConvDirection::FORWARD;
};
struct MisspelledInBase : Operands, OutputAndMore {};

// In CK, this is FORWARD.
TEST(CanonicalTest, MisspelledMemberIsReported) {
  EXPECT_EQ(report<Misspelled>(),
            "[S0] signature.direcion: is no member that is known; did you mean "
            "direction?");
  EXPECT_EQ(import(Misspelled{}), report<Misspelled>());
  EXPECT_TRUE(ConvSignatureDescriptor<Misspelled>); // as in CK
  // Members of bases have names that cannot be had.
  EXPECT_EQ(report<MisspelledInBase>(),
            "[S0] signature: 6 members, 5 recognised (spatial_dim, data_type, "
            "input, weight, output): one is misspelled or unknown; absent: "
            "direction, accumulation_data_type, elementwise_operation");
}

TEST(CanonicalTest, MisspelledNestedMemberIsReported) {
  struct BadConfig {
    TensorLayout layout = TensorLayout::NHWGC;
    DataType dtype = DataType::FP16;
  };
  struct BadConv {
    BadConfig config;
  };
  struct Sig : Dimensions {
    BadConv input;
    Conv weight, output;
  };
  EXPECT_EQ(report<Sig>(), "[S0] signature.input.config.dtype: is no member "
                           "that is known; absent: data_type, compute_type");
  struct BadAux {
    TensorLayout layout = TensorLayout::GC;
    int more = 0;
  };
  using BadOp = OpWith<std::array<BadAux, 2>>;
  EXPECT_EQ(report<WithOp<BadOp>>(),
            "[S0] signature.output.operation.auxiliary_operand_configs.more: "
            "is no member that is known; absent: data_type, compute_type, "
            "elementwise_operation");
}

struct One {
  using kpack_conv_ignored = std::integral_constant<int, 1>;
  int spatial_dim = 2;
  int mine = 0;
  Conv input = Input, weight = Weight, output = Output;
};
struct Two : One {
  int mine_too = 0;
};
struct AnyNumber : Two {
  using kpack_conv_ignored = void;
};

TEST(CanonicalTest, UnrecognisedCountsAreReported) {
  EXPECT_EQ(report<One>(), "");
  EXPECT_TRUE(report<Two>().starts_with("[S0] signature: 6 members, 4 recog"));
  EXPECT_EQ(report<AnyNumber>(), "");
  EXPECT_EQ(import(AnyNumber{}), "{spatial_dim=2," + Layouts);
}

TEST(CanonicalTest, MissingAndWrong) {
  struct NoWeight : Dimensions {
    Conv input, output;
  };
  EXPECT_EQ(report<NoWeight>(),
            "[S0] signature.weight: this tensor is missing");
  EXPECT_FALSE(ConvSignatureDescriptor<NoWeight>);
  struct WrongDirection : Operands {
    Conv output;
    bool direction;
  };
  EXPECT_EQ(report<WrongDirection>(),
            "[S0] signature.direction: is bool, which is no direction");
  EXPECT_FALSE(ConvSignatureDescriptor<WrongDirection>);
  struct WrongDimension {
    float spatial_dim;
    Conv input, weight;
    int output;
  };
  EXPECT_EQ(report<WrongDimension>(),
            "[S0] signature.spatial_dim: is float, which is no number; [S0] "
            "signature.output: is int, which is no tensor");
  EXPECT_EQ(report<WithOp<OpWith<int>>>(),
            "[S0] signature.output.operation.auxiliary_operand_configs: is "
            "int, which is no list, such as std::array");
  struct AllWrong {
    float spatial_dim, direction, data_type, input, weight, output;
  };
  EXPECT_TRUE(report<AllWrong>().ends_with("no tensor; and 2 more"))
      << report<AllWrong>();
  EXPECT_EQ(report<int>(), "[S0] signature: is int, which is no signature");
}

TEST(CanonicalTest, OutOfRangeValuesAreReported) {
  EXPECT_EQ(import(Smallest{4, Input, Weight, Output}),
            "[S0] signature.spatial_dim: 4 is more than 3");
  EXPECT_EQ(import(Smallest{-2, Input, Weight, Output}),
            "[S0] signature.spatial_dim: -2 is no number");
}

//===----------------------------------------------------------------------===//
// Concepts
//===----------------------------------------------------------------------===//

static_assert(ConvSpatialDim<1> && ConvSpatialDim<3u> && !ConvSpatialDim<0> &&
              !ConvSpatialDim<4> && !ConvSpatialDim<ConvDirection::FORWARD>);
static_assert(ValidConvDataType<DataType::FP8> &&
              ValidConvDataType<DataType::U8> &&
              !ValidConvDataType<DataType::FP64> &&
              !ValidConvDataType<DataType::UNDEFINED_DATA_TYPE>);
static_assert(TensorConfigDescriptor<Config> && !TensorConfigDescriptor<Conv>);
static_assert(ConvTensorDescriptor<Conv> && !ConvTensorDescriptor<Config> &&
              !ConvTensorDescriptor<int>);
static_assert(TensorOperatorDescriptor<UnaryOp> &&
              !TensorOperatorDescriptor<Config>);
static_assert(ConvAlgorithmDescriptor<Conv> && !ConvAlgorithmDescriptor<int>);
static_assert(HasElementwiseOpWithAuxiliaryOperands<
                  WithOp<OpWith<std::array<TensorConfig, 1>>>::Out> &&
              HasElementwiseOpWithAuxiliaryOperands<Tensor> &&
              !HasElementwiseOpWithAuxiliaryOperands<WithOp<UnaryOp>::Out> &&
              !HasElementwiseOpWithAuxiliaryOperands<Conv>);

constexpr Smallest NoType{2, Input, Weight, Output};
constexpr Inherited Fp16{};
constexpr Signature OneTypeOfThree{
    .spatial_dim = 2, .weight = {.config = {.data_type = DataType::I8}}};
constexpr Signature ResultIsI32{
    .spatial_dim = 1,
    .data_type = DataType::I8,
    .output = {.config = {.data_type = DataType::I32}}};
constexpr Signature OperandIsI32{
    .spatial_dim = 1,
    .direction = ConvDirection::BACKWARD_DATA,
    .data_type = DataType::I8,
    .output = {.config = {.data_type = DataType::I32}}};
static_assert(ValidConvSignature<Fp16> && ValidConvSignature<OneTypeOfThree> &&
              ValidConvSignature<ResultIsI32> &&
              !ValidConvSignature<OperandIsI32> &&
              !ValidConvSignature<NoType> && !ValidConvSignature<Signature{}> &&
              !ValidConvSignature<Misspelled{}> && !ValidConvSignature<3>);
// All that validate() asks for.
static_assert(!ValidConvSignature<Signature{
                  .spatial_dim = 2,
                  .data_type = DataType::FP16,
                  .input = {.config = {.layout = TensorLayout::NWGC}}}>);
static_assert(!ValidConvSignature<Signature{
                  .spatial_dim = 2,
                  .data_type = DataType::FP16,
                  .elementwise_operation = ElementwiseOperation::BILINEAR}>);

static_assert(ConvDirectionIsForward<Fp16> &&
              !ConvDirectionIsBackwardData<Fp16> &&
              !ConvDirectionIsBackwardWeight<Fp16>);
static_assert(ConvDirectionIsBackwardData<OperandIsI32> &&
              !ConvDirectionIsForward<OperandIsI32>);
static_assert(ConvDirectionIsBackwardWeight<Signature{
                  .direction = ConvDirection::BACKWARD_WEIGHT}>);
static_assert(!ConvDirectionIsForward<3> && !ConvDirectionIsBackwardData<3> &&
              !ConvDirectionIsBackwardWeight<3> &&
              !ConvDirectionIsForward<Algorithm{}> &&
              !ConvDirectionIsForward<Misspelled{}>);

// Whatever a type is, concepts have an answer.
enum : unsigned { IsConfig = 1, IsOperator = 2, IsTensor = 4, IsSignature = 8 };

template <typename Type>
constexpr unsigned Is = TensorConfigDescriptor<Type> * IsConfig +
                        TensorOperatorDescriptor<Type> * IsOperator +
                        ConvTensorDescriptor<Type> * IsTensor +
                        ConvSignatureDescriptor<Type> * IsSignature;

struct Incomplete;
union Either {
  TensorLayout layout;
  ElementwiseOperation elementwise_operation;
};
struct Both {
  TensorLayout layout;
  ElementwiseOperation elementwise_operation;
  Config config;
};
struct Hidden : private Both {};
struct OneBase : Both {};
struct OtherBase : Both {};
struct Ambiguous : OneBase, OtherBase {};
struct Functions {
  TensorLayout layout();
  ElementwiseOperation elementwise_operation() const;
  static Config config();
  int spatial_dim, input, weight, output;
};
struct StaticFunctions {
  static TensorLayout layout();
  static ElementwiseOperation elementwise_operation();
};
struct Bits {
  int layout : 4;
  TensorLayout config : 7;
  ElementwiseOperation elementwise_operation : 7;
};
struct References {
  const TensorLayout &layout;
  ElementwiseOperation &elementwise_operation;
};
struct Types {
  enum layout { NHWGC };
  using elementwise_operation = ElementwiseOperation;
  struct config {};
};
struct Templates {
  template <typename Type> static constexpr Type layout{};
  template <typename Type> void elementwise_operation(Type);
};
struct Pointers {
  TensorLayout *layout;
  Pointers *config, *input, *weight, *output;
  void *elementwise_operation;
};
struct Arrays {
  TensorLayout layout[2];
  ElementwiseOperation elementwise_operation[3];
  Config config[2];
};
struct NotCopied {
  NotCopied(const NotCopied &) = delete;
  TensorLayout layout;
};
struct Polymorphic {
  virtual ~Polymorphic();
  TensorLayout layout;
};

static_assert(Is<Both> == (IsConfig | IsOperator | IsTensor) &&
              Is<const Both &> == Is<Both> && Is<OneBase> == Is<Both> &&
              Is<References> == (IsConfig | IsOperator) &&
              Is<NotCopied> == IsConfig && Is<Polymorphic> == IsConfig);
static_assert(!Is<void> && !Is<int> && !Is<int &> && !Is<int[3]> &&
              !Is<int[]> && !Is<int()> && !Is<void() const> && !Is<Both *> &&
              !Is<int Both::*> && !Is<decltype(nullptr)> && !Is<TensorLayout> &&
              !Is<Incomplete> && !Is<Either>);
static_assert(!Is<Hidden> && !Is<Ambiguous> && !Is<Functions> &&
              !Is<StaticFunctions> && !Is<Bits> && !Is<Types> &&
              !Is<Templates> && !Is<Pointers> && !Is<Arrays>);

struct OnlyDim {
  int spatial_dim;
};
struct WrongParts {
  ConvDirection spatial_dim;
  int input[2];
  void *weight;
  Both output;
};
static_assert(!ValidConvSignature<nullptr> && !ValidConvSignature<OnlyDim{2}> &&
              !ValidConvSignature<WrongParts{}> &&
              !ValidConvSignature<Algorithm{}> &&
              !ValidConvSignature<DataType::FP16> &&
              !ConvDirectionIsForward<OnlyDim{2}> &&
              !ConvDirectionIsForward<WrongParts{}>);
static_assert(!ConvAlgorithmDescriptor<void> &&
              !ConvAlgorithmDescriptor<Both &> &&
              ConvAlgorithmDescriptor<Incomplete> &&
              !HasElementwiseOpWithAuxiliaryOperands<Incomplete> &&
              !HasElementwiseOpWithAuxiliaryOperands<void> &&
              !HasElementwiseOpWithAuxiliaryOperands<Hidden>);

} // namespace
