// What instances say while compiling, with any compiler: of our structs, of
// structs of others, with and without a processor.
#include "kpack/ConvBuilder/Instance.h"

using namespace kpack::conv;

constexpr Signature Sig{
    .spatial_dim = 2,
    .data_type = DataType::FP16,
    .input = {{TensorLayout::NHWGC}},
    .weight = {{TensorLayout::GKYXC}},
    .output = {.config = {TensorLayout::NHWGK},
               .operation = Operation{.elementwise_operation =
                                          ElementwiseOperation::RELU}}};
constexpr Algorithm Mfma{.kind = Kind::IMPLICIT_GEMM,
                         .isa = Isa::MFMA,
                         .tile = MNK{128, 128, 32},
                         .wave = WaveTile{{2, 2, 1}, {32, 32, 8}}};

constexpr auto Conv = make_conv_instance<Sig, Mfma, "1", "gfx942">();
static_assert(Conv.lds_bytes() > 0 && Conv.lds_bytes() <= 65536);
static_assert(Conv.processor() == "gfx942");
static_assert(Conv.algorithm().block_size == 256);
static_assert(Conv.lowered().tile_m == 128);
static_assert(
    Conv.text().starts_with("{spatial_dim=2,accumulation_data_type="));
static_assert(
    Conv.text().find("};{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256") !=
    std::string_view::npos);
static_assert(std::is_same_v<
              decltype(make_conv_instance<Sig, Mfma, "1", "gfx942:xnack+">()),
              ConvBuilder<Sig, Mfma, "0.1.0", "gfx942">::Instance>);

// There and back.
constexpr InstanceParts Parts = from_instance_string(Conv.instance_string());
static_assert(Parts.ok() && Parts.Processor.view() == "gfx942");
static_assert(Parts.Sig == Conv.signature() && Parts.Algo == Conv.algorithm());
static_assert(traits<decltype(Conv)>().lowered == Conv.lowered());
static_assert(traits<decltype(Conv)>().algorithm == Parts.Algo);
static_assert(!from_instance_string("kpack::conv<{};{}>").ok());
static_assert(from_instance_string("kpack::conv<{spatial_dim=2,inptu={}};{};>")
                  .Error.Offset == 27);
static_assert(
    from_instance_string("kpack::conv<{};{kind=FAST};>").Error.Offset == 21);
static_assert(from_instance_string("kpack::conv<{};{};gfx1>").Error.Offset ==
              18);

// Structs of somebody else, without what is optional.
struct Config {
  TensorLayout layout;
};
struct Conv2 {
  Config config;
};
struct Mine {
  int spatial_dim;
  DataType data_type;
  Conv2 input, weight, output;
};
constexpr Mine Theirs{2,
                      DataType::FP16,
                      {{TensorLayout::NHWGC}},
                      {{TensorLayout::GKYXC}},
                      {{TensorLayout::NHWGK}}};
constexpr Signature Ours{.spatial_dim = 2,
                         .data_type = DataType::FP16,
                         .input = {{TensorLayout::NHWGC}},
                         .weight = {{TensorLayout::GKYXC}},
                         .output = {{TensorLayout::NHWGK}}};
constexpr Algorithm Direct{.kind = Kind::DIRECT};
static_assert(std::is_same_v<ConvBuilder<Theirs, Direct>::Instance,
                             ConvBuilder<Ours, Direct>::Instance>);
constexpr auto Anywhere = make_conv_instance<Theirs, Direct>();
static_assert(Anywhere.processor().empty());
static_assert(Anywhere.instance_string().ends_with(";{kind=DIRECT};>"));
static_assert(from_instance_string(Anywhere.instance_string()).Algo == Direct);
