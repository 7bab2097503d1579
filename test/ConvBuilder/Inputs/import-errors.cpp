// Structs that are no signature and no algorithm, each with the text of its error:
// the table of import-errors.test. Each refuse<> is a case.
#include "CkLookAlikes.h"
#include "kpack/ConvBuilder/CkShapes.h"

using namespace kpack::conv;
using namespace lookalike;

template <auto Of> void refuse() { canonicalOf<Of>(); }

struct Config {
  TensorLayout layout = TensorLayout::NHWGC;
};
struct Conv {
  Config config;
};
struct Operands {
  int spatial_dim = 2;
  Conv input, weight;
};
struct Three : Operands {
  Conv output;
};
template <typename Output> struct WithOutput : Operands {
  Output output;
};
template <typename Op> struct Fused {
  Config config;
  Op operation;
};

//===----------------------------------------------------------------------===//
// Misspelled: in CK, these are what they are without that member
//===----------------------------------------------------------------------===//

struct Direcion {
  int spatial_dim = 2;
  ConvDirection direcion = ConvDirection::BACKWARD_DATA;
  Conv input, weight, output;
};
template void refuse<Direcion{}>();
// CHECK: error: {{.*}}[S0] signature.direcion: is no member that is known; did you mean direction?
struct DataTyp : Three {
  DataType data_typ = DataType::FP16;
};
template void refuse<DataTyp{}>();
// CHECK: error: {{.*}}[S0] signature: 5 members, 4 recognised
struct AccumulationType {
  DataType data_type = DataType::FP16;
  DataType accumulation_type = DataType::FP32;
  int spatial_dim = 2;
  Conv input, weight, output;
};
template void refuse<AccumulationType{}>();
// CHECK: error: {{.*}}[S0] signature.accumulation_type: is no member that is known; did you mean accumulation_data_type?
struct ElementwiseOp : Three {
  ElementwiseOperation elementwise_op = ElementwiseOperation::RELU;
};
template void refuse<ElementwiseOp{}>();
// CHECK: error: {{.*}}[S0] signature: 5 members, 4 recognised
struct OutputAndMore {
  Conv output;
  ConvDirection direction_ = ConvDirection::FORWARD;
};
struct InBase : Operands, OutputAndMore {};
template void refuse<InBase{}>();
// CHECK: error: {{.*}}[S0] signature: 5 members, 4 recognised
struct ConfigWithDtype {
  TensorLayout layout = TensorLayout::NHWGK;
  DataType dtype = DataType::FP16;
};
struct DtypeConv {
  ConfigWithDtype config;
};
template void refuse<WithOutput<DtypeConv>{}>();
// CHECK: error: {{.*}}[S0] signature.output.config.dtype: is no member that is known; absent: data_type, compute_type
struct Operatoin {
  Config config;
  Operation operatoin;
};
template void refuse<WithOutput<Operatoin>{}>();
// CHECK: error: {{.*}}[S0] signature.output.operatoin: is no member that is known; did you mean operation?
struct AuxiliaryOperands {
  ElementwiseOperation elementwise_operation = ElementwiseOperation::ADD_CLAMP;
  Config auxiliary_operands[1];
};
template void refuse<WithOutput<Fused<AuxiliaryOperands>>{}>();
// CHECK: error: {{.*}}[S0] signature.output.operation.auxiliary_operands: is no member that is known; did you mean auxiliary_operand_configs?
template <typename Operand> struct Adds {
  ElementwiseOperation elementwise_operation = ElementwiseOperation::ADD_CLAMP;
  Operand auxiliary_operand_configs[1];
};
template void refuse<WithOutput<Fused<Adds<ConfigWithDtype>>>{}>();
// CHECK: error: {{.*}}[S0] signature.output.operation.auxiliary_operand_configs[0].dtype: is no member that is known; absent: data_type, compute_type, elementwise_operation

struct MergeMisspelled {
  Size num_conv_groups_to_merg = 1;
};
template void refuse<Put<HasBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasPrefetch, MergeMisspelled>{}>();
// CHECK: error: {{.*}}[S0] algorithm: 8 members, 7 recognised (thread_block, gridwise_gemm, transfer, fwd_specialization, gemm_specialization, num_gemm_k_prefetch_stages, loop_scheduler): one is misspelled or unknown; [A1] algorithm.num_conv_groups_to_merge: is missing for FwdXdl, the nearest variant of CK
struct TwoStag {
  int num_groups_to_merge = 1;
  bool split_image = false, explicit_gemm = false, two_stag = true;
};
template void refuse<TileWith<TwoStag>{}>();
// CHECK: error: {{.*}}[S0] algorithm.optimizations.two_stag: is no member that is known; did you mean two_stage?
struct StreamKParams {
  Reduction reduction_strategy = Reduction::TREE;
  bool persistent = true;
};
struct TileStream : Tile {
  StreamKParams stream_k;
};
template void refuse<TileStream{}>();
// CHECK: error: {{.*}}[S0] algorithm: 6 members, 5 recognised
struct Enable {
  bool enable = true;
  Reduction reduction_strategy = Reduction::TREE;
  bool persistent = true;
};
struct EnableOptimizations : TileOptimizations {
  Enable streamk;
};
template void refuse<TileWith<EnableOptimizations>{}>();
// CHECK: error: {{.*}}[S0] algorithm.optimizations.streamk.enable: is no member that is known; did you mean enabled?
struct Transposes {
  Size max_transpose_transfer_src_scalar_per_vector = 1;
  Size max_transpose_transfer_dest_scalar_per_vector = 1;
};
template void refuse<Put<HasBlock, HasXdl, HasTransfer<>, HasBwdDataFilter, HasSpecial<Special::MULTIPLE_D>, Transposes>{}>();
// CHECK: error: {{.*}}[S0] algorithm.max_transpose_transfer_dst_scalar_per_vector: this number is missing; [S0] algorithm: 6 members, 5 recognised
struct DoPads {
  Size DoPadGemmM = 1;
  Size DoPadGemmn = 1;
};
template void refuse<Put<HasBlock, HasXdl, HasTransfer<>, HasBwdDataFilter, HasSpecial<Special::MULTIPLE_D>, DoPads>{}>();
// CHECK: error: {{.*}}[S0] algorithm.DoPadGemmN: this bool is missing; [S0] algorithm: 6 members, 5 recognised

//===----------------------------------------------------------------------===//
// Of another type
//===----------------------------------------------------------------------===//

struct DirectionIsBool : Three {
  bool direction = true;
};
template void refuse<DirectionIsBool{}>();
// CHECK: error: {{.*}}[S0] signature.direction: is bool, which is no direction
struct TypeIsInt : Three {
  int data_type = 3;
};
template void refuse<TypeIsInt{}>();
// CHECK: error: {{.*}}[S0] signature.data_type: is int, which is no data type
struct DimensionIsFloat {
  float spatial_dim = 2;
  Conv input, weight, output;
};
template void refuse<DimensionIsFloat{}>();
// CHECK: error: {{.*}}[S0] signature.spatial_dim: is float, which is no number
struct LayoutIsType {
  DataType layout = DataType::FP16;
};
struct LayoutConv {
  LayoutIsType config;
};
template void refuse<WithOutput<LayoutConv>{}>();
// CHECK: error: {{.*}}[S0] signature.output.config.layout: is kpack::conv::DataType, which is no layout
template void refuse<WithOutput<Fused<int>>{}>();
// CHECK: error: {{.*}}[S0] signature.output.operation: is int, which is no operation
struct OneOperand {
  ElementwiseOperation elementwise_operation = ElementwiseOperation::ADD_CLAMP;
  Config auxiliary_operand_configs;
};
template void refuse<WithOutput<Fused<OneOperand>>{}>();
// CHECK: error: {{.*}}[S0] signature.output.operation.auxiliary_operand_configs: is Config, which is no list, such as std::array
template void refuse<WithOutput<Config>{}>();
// CHECK: error: {{.*}}[S0] signature.output.config: this config is missing; [S0] signature.output.layout: is no member that is known; absent: config, operation
struct FloatBlock {
  float block_size = 256;
  Sizes tile_size{256, 128, 32};
};
struct HasFloatBlock {
  FloatBlock thread_block;
};
template void refuse<Put<HasFloatBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasPrefetch, HasMerge>{}>();
// CHECK: error: {{.*}}[S0] algorithm.thread_block.block_size: is float, which is no number
struct VersionIsInt {
  int pipeline_version = 2;
};
template void refuse<Put<HasBlock, HasWmma, HasTransfer<>, HasFwdFilter, HasPrefetch, VersionIsInt>{}>();
// CHECK: error: {{.*}}[S0] algorithm.pipeline_version: is int, which is no pipeline version
struct SpecialIsInt {
  int specialization = 1;
};
template void refuse<SpecialIsInt{}>();
// CHECK: error: {{.*}}[S0] algorithm.specialization: is int, which is no specialization of an algorithm
struct PaddingIsFilter {
  Filter fwd_specialization = Filter::DEFAULT;
  Filter gemm_specialization = Filter::DEFAULT;
};
template void refuse<Put<HasBlock, HasXdl, HasTransfer<>, PaddingIsFilter, HasPrefetch, HasMerge>{}>();
// CHECK: error: {{.*}}[S0] algorithm.gemm_specialization: is lookalike::Filter, which is no padding
struct OneGroup {
  Size m1_xs = 8;
  std::array<Size, 2> n1_xs{8, 2};
};
struct HasOneGroup {
  OneGroup thread_cluster;
};
template void refuse<Put<HasBlock, HasFwdFilter, HasDlConfig, HasOneGroup, HasDlTransfer<4>>{}>();
// CHECK: error: {{.*}}[S0] algorithm.thread_cluster.m1_xs: is {{.*}}long{{.*}}, which is no list, such as std::array

//===----------------------------------------------------------------------===//
// Too much, too little, or of no meaning
//===----------------------------------------------------------------------===//

template void refuse<Put<HasBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasPrefetch, HasMerge, HasBlockPipeline, HasSpecial<Special::LARGE_TENSOR>>{}>();
// CHECK: error: {{.*}}[A2] algorithm.block_gemm_pipeline: is no part of LargeTensor, the nearest variant of CK
template void refuse<Put<FwdXdlV3, HasSpecial<Special::LARGE_TENSOR>>{}>();
// CHECK: error: {{.*}}[A17] algorithm.specialization: LARGE_TENSOR is not that of FwdXdlV3, the nearest variant of CK, which has none
template void refuse<Put<FwdXdl, HasGridPipeline>{}>();
// CHECK: error: {{.*}}[A2] algorithm.pipeline_version: is no part of FwdXdl, the nearest variant of CK
template void refuse<Put<HasBlock, HasSpecial<Special::REFERENCE>>{}>();
// CHECK: error: {{.*}}[A2] algorithm.thread_block: is no part of Reference, the nearest variant of CK
template void refuse<Put<Tile, HasPrefetch>{}>();
// CHECK: error: {{.*}}[A2] algorithm.num_gemm_k_prefetch_stages: is no part of Tile, the nearest variant of CK
template void refuse<Put<FwdDl, HasMerge>{}>();
// CHECK: error: {{.*}}[A2] algorithm.num_conv_groups_to_merge: is no part of FwdDl, the nearest variant of CK
template void refuse<Put<HasBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasPrefetch>{}>();
// CHECK: error: {{.*}}[A1] algorithm.num_conv_groups_to_merge: is missing for FwdXdl, the nearest variant of CK
struct AuxOfAux {
  Config config;
  Adds<Config> operation;
};
template void refuse<WithOutput<Fused<Adds<AuxOfAux>>>{}>();
// CHECK: error: {{.*}}[S6] signature.output.operation.auxiliary_operand_configs[0].operation.auxiliary_operand_configs[0]: an auxiliary operand has auxiliary operands itself; give them to the tensor
template void refuse<Signature{.spatial_dim = 4}>();
// CHECK: error: {{.*}}[S0] signature.spatial_dim: 4 is more than 3
template void refuse<Signature{.data_type = DataType::FP16_FP16}>();
// CHECK: error: {{.*}}[S2] signature.data_type: FP16_FP16 is of one tensor, and given with it
template void refuse<HasXdl{{0, 0, {0, 0, 0, 0}}}>();
// CHECK: error: {{.*}}[A1] algorithm.thread_block: is missing for {{.*}}, the nearest variant of CK
