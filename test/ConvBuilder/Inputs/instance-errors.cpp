// Each function stops the compilation with another text.
#include "kpack/ConvBuilder/Instance.h"

using namespace kpack::conv;

constexpr Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
constexpr Algorithm Direct{.kind = Kind::DIRECT};
constexpr Algorithm Mfma{.kind = Kind::IMPLICIT_GEMM, .isa = Isa::MFMA};

void version() { (void)make_conv_instance<Sig, Direct, "0.2.0">(); }
void processor() { (void)make_conv_instance<Sig, Mfma, "1", "gfx1100">(); }
void unknown() { (void)make_conv_instance<Sig, Direct, "1", "gfx123">(); }

constexpr Signature Large{.spatial_dim = 4, .data_type = DataType::FP16};
void signature() { (void)make_conv_instance<Large, Direct>(); }

struct Misspelled {
  int spatial_dim;
  DataType data_type;
  ConvDirection direcion;
  Tensor input, weight, output;
};
constexpr Misspelled Wrong{
    2, DataType::FP16, ConvDirection::BACKWARD_DATA, {}, {}, {}};
void member() { (void)make_conv_instance<Wrong, Direct>(); }
