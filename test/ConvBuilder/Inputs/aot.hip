// A program with kernels of its own: each is launched for a problem, and its
// result compared with the reference, bit for bit, since numbers are small and
// whole.
#include "hip_subset.h"

#include "kpack/ConvBuilder/Instance.h"
#include "kpack/ConvBuilder/Reference.h"
#include "kpack/ConvBuilder/TensorShape.h"

#include <cstdio>
#include <cstring>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr Signature Forward{
    .spatial_dim = 2,
    .data_type = DataType::FP16,
    .output = {.operation = Operation{.elementwise_operation =
                                          ElementwiseOperation::RELU}}};
constexpr Signature Gradient{.spatial_dim = 1,
                             .direction = ConvDirection::BACKWARD_WEIGHT,
                             .data_type = DataType::FP32};
constexpr Algorithm Direct{.kind = Kind::DIRECT, .block_size = 64};
constexpr Algorithm Tiled{.kind = Kind::IMPLICIT_GEMM,
                          .isa = Isa::MFMA,
                          .tile = MNK{32, 32, 16},
                          .wave = WaveTile{{1, 1, 1}, {32, 32, 8}},
                          // For any number of channels.
                          .a = Operand{.load_vector = 1},
                          .b = Operand{.load_vector = 1},
                          .c = ResultPath{.store_vector = 1}};

constexpr Algorithm Shared = [] {
  Algorithm How = Tiled;
  How.split.make().stream_k.make();
  return How;
}();

constexpr Problem Image{
    .groups = 2, .batch = 2, .c = 5, .k = 7, .image = {6, 5}, .filter = {3, 2}};
constexpr Problem Line{
    .batch = 3, .c = 4, .k = 6, .image = {17}, .filter = {3}, .stride = {2}};

/// A tensor on both sides.
struct Memory {
  std::vector<char> Host;
  void *Device = nullptr;

  Memory(const Signature &Sig, const Problem &P, Role Of, DataType Type,
         int Seed) {
    long long Count = shapeOf(Sig, P, Of)->span();
    Host.resize(Count * (Type == DataType::FP16 ? 2 : 4));
    for (long long I = 0; I < Count; ++I)
      setElement(Type, Fp8Form::Ocp, Host.data(), I, (I * 7 + Seed) % 5 - 2);
    hipMalloc(&Device, Host.size());
    hipMemcpy(Device, Host.data(), Host.size(), hipMemcpyHostToDevice);
  }
};

template <typename Instance>
bool check(const char *Name, Instance Conv, const Problem &P) {
  const Signature &Sig = Conv.signature();
  DataType Type = Sig.input.config.data_type;
  Memory Input(Sig, P, Role::Input, Type, 1);
  Memory Weight(Sig, P, Role::Weight, Type, 2);
  Memory Output(Sig, P, Role::Output, Type, 3);
  Args OnDevice = argsFor(Sig), OnHost = OnDevice;
  OnDevice.input.data = Input.Device, OnHost.input.data = Input.Host.data();
  OnDevice.weight.data = Weight.Device, OnHost.weight.data = Weight.Host.data();
  OnDevice.output.data = Output.Device, OnHost.output.data = Output.Host.data();
  if (Result<InstanceLaunch> What = Conv.launchOf(P, OnDevice);
      What && What->Shape.Workspace)
    hipMalloc(&OnDevice.workspace, What->Shape.Workspace);
  Status Done = Conv.run(nullptr, P, OnDevice);
  if (!Done.ok() || !reference(Sig, P, OnHost).ok()) {
    std::printf("%s: %s\n", Name, Done.message().c_str());
    return Done.detail() == Errc::WrongIsa;
  }
  Memory &Result = Sig.direction == ConvDirection::FORWARD ? Output : Weight;
  std::vector<char> Got(Result.Host.size());
  hipMemcpy(Got.data(), Result.Device, Got.size(), hipMemcpyDeviceToHost);
  bool IsEqual = Got == Result.Host;
  std::printf("%s: %zu bytes %s\n", Name, Got.size(),
              IsEqual ? "right" : "WRONG");
  return IsEqual;
}

} // namespace

int main() {
  bool IsRight = check("direct", make_conv_instance<Forward, Direct>(), Image);
  IsRight &= check("tiled", make_conv_instance<Forward, Tiled, "1", "gfx90a">(),
                   Image);
  IsRight &= check("shared",
                   make_conv_instance<Forward, Shared, "1", "gfx90a">(), Image);
  IsRight &= check("gradient", make_conv_instance<Gradient, Direct>(), Line);
  int Records = 0;
  for (const AotRecord *R : aotRecords())
    Records += std::strcmp(R->Processor, "gfx90a") == 0;
  std::printf("%d records for gfx90a\n", Records);
  return IsRight ? 0 : 1;
}
