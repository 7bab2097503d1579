// Textures of linear memory, read as elements of some types and as fractions.
#include "check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int Count = 128; // elements

template <typename T>
__global__ void fetch(hipTextureObject_t Texture, float4 *Out) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  T Value = tex1Dfetch<T>(Texture, I);
  Out[I] = make_float4(Value.x, Value.y, Value.z, Value.w);
}

static hipTextureObject_t makeTexture(void *Data, hipChannelFormatDesc Format,
                                      size_t Bytes, hipTextureReadMode Mode) {
  hipResourceDesc Resource = {};
  Resource.resType = hipResourceTypeLinear;
  Resource.res.linear.devPtr = Data;
  Resource.res.linear.desc = Format;
  Resource.res.linear.sizeInBytes = Bytes;
  hipTextureDesc How = {};
  How.readMode = Mode;
  hipTextureObject_t Texture;
  CHECK(hipCreateTextureObject(&Texture, &Resource, &How, nullptr));
  return Texture;
}

// T: what the kernel gets; Component: what four of make an element in memory.
template <typename T, typename Component>
static bool holds(hipTextureReadMode Mode, float Scale) {
  std::vector<Component> Host(Count * 4);
  for (int I = 0; I < Count * 4; ++I)
    Host[I] = Component(I * 5 + 3);
  size_t Bytes = Host.size() * sizeof(Component);
  void *Data;
  float4 *Out;
  CHECK(hipMalloc(&Data, Bytes));
  CHECK(hipMalloc((void **)&Out, Count * sizeof(float4)));
  CHECK(hipMemcpy(Data, Host.data(), Bytes, hipMemcpyHostToDevice));
  hipChannelFormatDesc Format =
      hipCreateChannelDesc<HIP_vector_type<Component, 4>>();
  hipTextureObject_t Texture = makeTexture(Data, Format, Bytes, Mode);
  fetch<T><<<Count / 64, 64>>>(Texture, Out);
  std::vector<float> Got(Count * 4);
  CHECK(hipMemcpy(Got.data(), Out, Got.size() * 4, hipMemcpyDeviceToHost));
  CHECK(hipDestroyTextureObject(Texture));
  bool Right = true;
  for (int I = 0; I < Count * 4; ++I) {
    float Expected = float(Host[I]) / Scale;
    if (Got[I] != Expected && Right) {
      std::printf("component %d: %a, not %a\n", I, Got[I], Expected);
      Right = false;
    }
  }
  return Right;
}

int main() {
  const hipTextureReadMode Element = hipReadModeElementType;
  const hipTextureReadMode Fraction = hipReadModeNormalizedFloat;
  bool Right = holds<float4, float>(Element, 1);
  Right &= holds<int4, int32_t>(Element, 1);
  Right &= holds<uchar4, uint8_t>(Element, 1);
  Right &= holds<short4, int16_t>(Element, 1);
  // Not uint8_t: ROCm 5.2 says in the resource that those are signed.
  Right &= holds<float4, uint16_t>(Fraction, 65535);
  std::puts(Right ? "right" : "wrong");
  return Right ? 0 : 1;
}
