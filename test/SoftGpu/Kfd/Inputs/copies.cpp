// Copies in every direction that HIP has, with each kind of host memory, and
// their order and times: copies. Or only one there and one back, which need no
// kernel where there is a copy engine: copies once. All bytes are compared.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime_api.h>
#include <vector>

using Bytes = std::vector<unsigned char>;

static void expect(bool Right, const char *What, size_t Size) {
  if (Right)
    return;
  std::printf("wrong: %s of %zu bytes\n", What, Size);
  std::exit(1);
}

static Bytes pattern(size_t Size, unsigned Seed) {
  Bytes B(Size);
  for (size_t I = 0; I < Size; ++I)
    B[I] = (unsigned char)((I * 2654435761u + Seed) >> 13);
  return B;
}

static unsigned char *device(size_t Size) {
  void *P;
  CHECK(hipMalloc(&P, Size));
  return static_cast<unsigned char *>(P);
}

/// There, around on the GPU and back, at odd addresses; the bytes before and
/// behind stay.
static void there(const unsigned char *From, unsigned char *Back, size_t Size,
                  const char *What) {
  unsigned char *A = device(Size + 16), *B = device(Size + 16);
  CHECK(hipMemset(B, 0xa5, Size + 16));
  CHECK(hipMemcpy(A + 3, From, Size, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(B + 5, A + 3, Size, hipMemcpyDeviceToDevice));
  std::memset(Back, 0, Size);
  CHECK(hipMemcpy(Back, B + 5, Size, hipMemcpyDeviceToHost));
  expect(std::memcmp(Back, From, Size) == 0, What, Size);
  unsigned char Around[2];
  CHECK(hipMemcpy(&Around[0], B + 4, 1, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(&Around[1], B + 5 + Size, 1, hipMemcpyDeviceToHost));
  expect(Around[0] == 0xa5 && Around[1] == 0xa5, "what is beside", Size);
  CHECK(hipFree(A));
  CHECK(hipFree(B));
}

static void linear() {
  for (size_t Size : {1ul, 3ul, 4096ul, 65537ul, 1ul << 20, (9ul << 20) + 7}) {
    Bytes Pageable = pattern(Size, 1), Back(Size);
    there(Pageable.data(), Back.data(), Size, "a pageable copy");
    void *Pinned, *PinnedBack;
    CHECK(hipHostMalloc(&Pinned, Size, 0));
    CHECK(hipHostMalloc(&PinnedBack, Size, 0));
    std::memcpy(Pinned, pattern(Size, 2).data(), Size);
    there(static_cast<unsigned char *>(Pinned),
          static_cast<unsigned char *>(PinnedBack), Size, "a pinned copy");
    CHECK(hipHostFree(Pinned));
    CHECK(hipHostFree(PinnedBack));
    CHECK(hipHostRegister(Pageable.data(), Size, 0));
    there(Pageable.data(), Back.data(), Size, "a registered copy");
    CHECK(hipHostUnregister(Pageable.data()));
  }
}

/// A rectangle of bytes whose lines lie apart, in both directions.
static void twoDimensions() {
  for (size_t Width : {37ul, 64ul, 1000ul}) {
    const size_t Lines = 23, HostPitch = Width + 11;
    Bytes From = pattern(HostPitch * Lines, 3), Back(HostPitch * Lines);
    void *A, *B;
    size_t PitchA, PitchB;
    CHECK(hipMallocPitch(&A, &PitchA, Width, Lines));
    CHECK(hipMallocPitch(&B, &PitchB, Width + 300, Lines));
    CHECK(hipMemcpy2D(A, PitchA, From.data(), HostPitch, Width, Lines,
                      hipMemcpyHostToDevice));
    CHECK(hipMemcpy2D(B, PitchB, A, PitchA, Width, Lines,
                      hipMemcpyDeviceToDevice));
    CHECK(hipMemcpy2D(Back.data(), HostPitch, B, PitchB, Width, Lines,
                      hipMemcpyDeviceToHost));
    for (size_t Y = 0; Y < Lines; ++Y) {
      expect(std::memcmp(&Back[Y * HostPitch], &From[Y * HostPitch], Width) ==
                 0,
             "a line of a 2D copy", Width);
      expect(Back[Y * HostPitch + Width] == 0, "what is behind a line", Width);
    }
    CHECK(hipFree(A));
    CHECK(hipFree(B));
  }
}

static void threeDimensions() {
  const size_t Width = 52, Lines = 9, Planes = 5, Corner = 4;
  Bytes From = pattern(Width * Lines * Planes, 4), Back(From.size());
  hipPitchedPtr A;
  CHECK(hipMalloc3D(&A, hipExtent{Width + 20, Lines, Planes}));
  hipMemcpy3DParms There{};
  There.srcPtr = hipPitchedPtr{From.data(), Width, Width, Lines};
  There.dstPtr = A;
  There.dstPos = hipPos{Corner, 0, 0};
  There.extent = hipExtent{Width, Lines, Planes};
  There.kind = hipMemcpyHostToDevice;
  CHECK(hipMemcpy3D(&There));
  hipMemcpy3DParms Here{};
  Here.srcPtr = A;
  Here.srcPos = There.dstPos;
  Here.dstPtr = hipPitchedPtr{Back.data(), Width, Width, Lines};
  Here.extent = There.extent;
  Here.kind = hipMemcpyDeviceToHost;
  CHECK(hipMemcpy3D(&Here));
  expect(Back == From, "a 3D copy", From.size());
  CHECK(hipFree(A.ptr));
}

/// Copies of one stream in order, those of another behind an event of it.
static void ordered() {
  const size_t Size = 3 << 20;
  hipStream_t First, Second;
  hipEvent_t Begin, Done;
  CHECK(hipStreamCreate(&First));
  CHECK(hipStreamCreate(&Second));
  CHECK(hipEventCreate(&Begin));
  CHECK(hipEventCreate(&Done));
  unsigned char *A = device(Size), *B = device(Size);
  void *Host;
  CHECK(hipHostMalloc(&Host, 2 * Size, 0));
  auto *From = static_cast<unsigned char *>(Host), *Back = From + Size;
  for (unsigned Round = 0; Round < 5; ++Round) {
    Bytes Expected = pattern(Size, Round);
    std::memcpy(From, Expected.data(), Size);
    CHECK(hipEventRecord(Begin, First));
    CHECK(hipMemcpyAsync(A, From, Size, hipMemcpyHostToDevice, First));
    CHECK(hipMemcpyAsync(B, A, Size, hipMemcpyDeviceToDevice, First));
    CHECK(hipMemsetAsync(A, 0x77, 64, First));
    CHECK(hipEventRecord(Done, First));
    CHECK(hipStreamWaitEvent(Second, Done, 0));
    CHECK(hipMemcpyAsync(Back, B, Size, hipMemcpyDeviceToHost, Second));
    CHECK(hipStreamSynchronize(Second));
    expect(std::memcmp(Back, Expected.data(), Size) == 0, "a later stream",
           Size);
    float Milliseconds = -1;
    CHECK(hipEventElapsedTime(&Milliseconds, Begin, Done));
    expect(Milliseconds > 0 && Milliseconds < 60000, "the time of a copy",
           Size);
  }
  CHECK(hipHostFree(Host));
  CHECK(hipFree(A));
  CHECK(hipFree(B));
  CHECK(hipEventDestroy(Begin));
  CHECK(hipEventDestroy(Done));
  CHECK(hipStreamDestroy(First));
  CHECK(hipStreamDestroy(Second));
}

static void peers(int Count) {
  const size_t Size = 100003;
  for (int From = 0; From < Count; ++From)
    for (int To = 0; To < Count; ++To) {
      Bytes Expected = pattern(Size, From * 7 + To), Back(Size);
      CHECK(hipSetDevice(From));
      unsigned char *A = device(Size);
      CHECK(
          hipMemcpy(A, Expected.data(), Size, hipMemcpyHostToDevice));
      CHECK(hipSetDevice(To));
      unsigned char *B = device(Size);
      CHECK(hipMemcpyPeer(B, To, A, From, Size));
      CHECK(hipMemcpy(Back.data(), B, Size, hipMemcpyDeviceToHost));
      expect(Back == Expected, "a copy between GPUs", Size);
      CHECK(hipFree(A));
      CHECK(hipFree(B));
    }
}

static void once() {
  const size_t Size = 100000;
  void *Host, *Device = device(Size);
  CHECK(hipHostMalloc(&Host, 2 * Size, 0));
  auto *From = static_cast<unsigned char *>(Host);
  Bytes Expected = pattern(Size, 6);
  std::memcpy(From, Expected.data(), Size);
  CHECK(hipMemcpy(Device, From, Size, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(From + Size, Device, Size, hipMemcpyDeviceToHost));
  expect(std::memcmp(From + Size, Expected.data(), Size) == 0, "one copy",
         Size);
}

int main(int Argc, char **) {
  int Count = 0;
  CHECK(hipGetDeviceCount(&Count));
  if (Argc > 1) {
    once();
    std::printf("right, once\n");
    return 0;
  }
  for (int Device = 0; Device < Count; ++Device) {
    CHECK(hipSetDevice(Device));
    linear();
    twoDimensions();
    threeDimensions();
    ordered();
  }
  peers(Count);
  std::printf("right on %d GPUs\n", Count);
}
