//===- memory.cpp - memory of the GPU and of the host ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, copies, what the host shares with the GPU, and variables.
// Addresses without memory are in virtual_memory.cpp, pools in pools.cpp.
//
//===----------------------------------------------------------------------===//
#include "own.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace own;

namespace {
/// Rows with a pitch. HIP 5.7 gives them out on GPUs with images alone, which
/// gfx942 is not: there they are parts of plain memory.
hipPitchedPtr allocateRows(size_t Width, size_t Rows) {
  hipPitchedPtr Found{};
  hipError_t Error = hipMallocPitch(&Found.ptr, &Found.pitch, Width, Rows);
  if (Error == hipErrorInvalidValue && version() < 60000000) {
    Found.pitch = 128;
    Error = hipMalloc(&Found.ptr, Found.pitch * Rows);
  }
  EXPECT_EQ(Error, hipSuccess);
  EXPECT_GE(Found.pitch, Width);
  return Found;
}
} // namespace

TEST(Memory, IsFilledAndCopied) {
  Array From(1000), To(1000, 7);
  HIP(hipMemset(From, 0x5a, From.bytes()));
  HIP(add(From, 1, 500));
  HIP(hipMemcpy(To, From, To.bytes(), hipMemcpyDeviceToDevice));
  std::vector<int> Expected = all(1000, 0x5a5a5a5a);
  std::fill_n(Expected.begin(), 500, 0x5a5a5a5b);
  EXPECT_EQ(To.read(), Expected);
  HIP(hipMemsetD32(To, 12345, 10));
  std::fill_n(Expected.begin(), 10, 12345);
  EXPECT_EQ(To.read(), Expected);
}

TEST(Memory, CopiesByTheDefaultKind) {
  Array Device(256);
  std::vector<int> From = ascending(256), To(256);
  HIP(hipMemcpy(Device, From.data(), Device.bytes(), hipMemcpyDefault));
  HIP(add(Device, 3, 256));
  HIP(hipMemcpy(To.data(), Device, Device.bytes(), hipMemcpyDefault));
  EXPECT_EQ(To, ascending(256, 3));
}

// More than one packet of a copy engine moves, from pageable memory.
TEST(Memory, CopiesManyMegabytes) {
  const int N = 5 * 1024 * 1024 + 3;
  Array Device(N);
  std::vector<int> From = ascending(N);
  HIP(hipMemcpy(Device, From.data(), Device.bytes(), hipMemcpyHostToDevice));
  EXPECT_TRUE(Device.read() == From);
}

TEST(Memory, CopiesRectangles) {
  hipPitchedPtr Device = allocateRows(100, 30);
  char *Rows = static_cast<char *>(Device.ptr);
  size_t Pitch = Device.pitch;
  std::vector<char> From(100 * 30), To(100 * 30, 'x');
  std::iota(From.begin(), From.end(), char(1));
  HIP(hipMemcpy2D(Rows, Pitch, From.data(), 100, 100, 30,
                  hipMemcpyHostToDevice));
  HIP(hipMemset2D(Rows + Pitch, Pitch, 9, 50, 2));
  HIP(hipMemcpy2D(To.data(), 100, Rows, Pitch, 100, 30, hipMemcpyDeviceToHost));
  std::fill_n(From.begin() + 100, 50, char(9));
  std::fill_n(From.begin() + 200, 50, char(9));
  EXPECT_EQ(To, From);
  HIP(hipFree(Rows));
}

TEST(Memory, CopiesBoxes) {
  hipExtent Box = make_hipExtent(40, 6, 5);
  hipPitchedPtr Device = allocateRows(40, 30);
  Device.xsize = 40;
  Device.ysize = 6;
  std::vector<char> From(40 * 6 * 5), To(40 * 6 * 5);
  std::iota(From.begin(), From.end(), char(0));
  hipMemcpy3DParms Copy{};
  Copy.srcPtr = make_hipPitchedPtr(From.data(), 40, 40, 6);
  Copy.dstPtr = Device;
  Copy.extent = Box;
  Copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&Copy));
  Copy.srcPtr = Device;
  Copy.dstPtr = make_hipPitchedPtr(To.data(), 40, 40, 6);
  Copy.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&Copy));
  EXPECT_EQ(To, From);
  HIP(hipFree(Device.ptr));
}

TEST(Memory, OfTheHostIsMapped) {
  for (unsigned Flags :
       {unsigned(hipHostMallocDefault), unsigned(hipHostMallocMapped),
        unsigned(hipHostMallocNonCoherent), unsigned(hipHostMallocCoherent),
        unsigned(hipHostMallocWriteCombined)}) {
    int *Host = nullptr, *Device = nullptr;
    HIP(hipHostMalloc(reinterpret_cast<void **>(&Host), 4096, Flags));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&Device), Host, 0));
    for (int I = 0; I < 1024; ++I)
      Host[I] = I;
    HIP(add(Device, 5, 1024));
    HIP(hipDeviceSynchronize());
    EXPECT_EQ(std::vector<int>(Host, Host + 1024), ascending(1024, 5)) << Flags;
    HIP(hipHostFree(Host));
  }
}

TEST(Memory, OfTheHostIsRegistered) {
  auto *Host = static_cast<int *>(std::aligned_alloc(4096, 8192));
  std::fill_n(Host, 2048, 1);
  int *Device = nullptr;
  HIP(hipHostRegister(Host, 8192, hipHostRegisterDefault));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&Device), Host, 0));
  HIP(add(Device, 41, 2048));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(std::vector<int>(Host, Host + 2048), all(2048, 42));
  HIP(hipHostUnregister(Host));
  EXPECT_EQ(hipHostUnregister(Host), hipErrorHostMemoryNotRegistered);
  std::free(Host);
}

// No page is its own: registered is what pages it touches.
TEST(Memory, OfTheHostIsRegisteredAtAnyAddress) {
  std::vector<int> Host(5000, 1);
  int *Device = nullptr;
  HIP(hipHostRegister(&Host[3], 4000 * sizeof(int), hipHostRegisterDefault));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&Device), &Host[3], 0));
  HIP(add(Device, 6, 4000));
  HIP(hipDeviceSynchronize());
  HIP(hipHostUnregister(&Host[3]));
  std::vector<int> Expected(5000, 1);
  std::fill_n(Expected.begin() + 3, 4000, 7);
  EXPECT_EQ(Host, Expected);
}

TEST(Memory, IsManaged) {
  int *Data = nullptr;
  SUPPORTED(hipMallocManaged(reinterpret_cast<void **>(&Data), 40000,
                             hipMemAttachGlobal));
  std::iota(Data, Data + 10000, 0);
  HIP(add(Data, 2, 10000));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(std::vector<int>(Data, Data + 10000), ascending(10000, 2));
  // Again, from the host's side and back.
  Data[9999] = -5;
  HIP(add(Data, 2, 10000));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(Data[9999], -3);
  EXPECT_EQ(Data[0], 4);
  HIP(hipFree(Data));
}

TEST(Memory, ManagedTakesAdvice) {
  int *Data = nullptr, Device = -7;
  SUPPORTED(hipMallocManaged(reinterpret_cast<void **>(&Data), 8192,
                             hipMemAttachGlobal));
  std::fill_n(Data, 2048, 3);
  SUPPORTED(hipMemAdvise(Data, 8192, hipMemAdviseSetPreferredLocation, 0));
  SUPPORTED(hipMemPrefetchAsync(Data, 8192, 0, nullptr));
  HIP(add(Data, 1, 2048));
  SUPPORTED(hipMemPrefetchAsync(Data, 8192, hipCpuDeviceId, nullptr));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(std::vector<int>(Data, Data + 2048), all(2048, 4));
  // Memory that never moves has no place that it prefers to the host.
  SUPPORTED(hipMemRangeGetAttribute(&Device, sizeof(Device),
                                    hipMemRangeAttributePreferredLocation, Data,
                                    8192));
  EXPECT_EQ(Device, hipCpuDeviceId);
  HIP(hipFree(Data));
}

TEST(Memory, KnowsItsPointers) {
  // The numbers of kinds have changed with HIP 6.
  const int Host = version() < 60000000 ? 0 : 1, Gpu = Host + 1;
  Array Device(16);
  hipPointerAttribute_t Found{};
  HIP(hipPointerGetAttributes(&Found, Device + 4));
  EXPECT_EQ(int(Found.memoryType), Gpu);
  EXPECT_EQ(Found.device, 0);
  void *Pinned = nullptr;
  HIP(hipHostMalloc(&Pinned, 4096, 0));
  HIP(hipPointerGetAttributes(&Found, Pinned));
  EXPECT_EQ(int(Found.memoryType), Host);
  EXPECT_EQ(Found.hostPointer, Pinned);
  HIP(hipHostFree(Pinned));
  hipDeviceptr_t Base = nullptr;
  size_t Size = 0;
  HIP(hipMemGetAddressRange(&Base, &Size, Device + 4));
  EXPECT_EQ(Base, hipDeviceptr_t(static_cast<int *>(Device)));
  EXPECT_EQ(Size, 64u);
}

TEST(Memory, IsCounted) {
  size_t Before = 0, During = 0, After = 0, Total = 0;
  void *Data = nullptr;
  HIP(hipMemGetInfo(&Before, &Total));
  EXPECT_EQ(Total, size_t(16) << 30);
  HIP(hipMalloc(&Data, size_t(1) << 30));
  HIP(hipMemGetInfo(&During, &Total));
  HIP(hipFree(Data));
  HIP(hipMemGetInfo(&After, &Total));
  EXPECT_EQ(Before - During, size_t(1) << 30);
  EXPECT_EQ(After, Before);
}

TEST(Memory, HasAnEnd) {
  void *Data = nullptr;
  EXPECT_EQ(hipMalloc(&Data, size_t(64) << 30), hipErrorOutOfMemory);
  // That was all: the GPU goes on.
  Array Small(64);
  HIP(add(Small, 1, 64));
  EXPECT_EQ(Small.read(), all(64, 1));
  EXPECT_EQ(hipFree(reinterpret_cast<void *>(0x1234000)), hipErrorInvalidValue);
}

TEST(Memory, OfVariables) {
  const int From[4] = {5, 6, 7, 8};
  int To[4] = {};
  Array Out(4);
  HIP(toTable(From));
  HIP(launch(tableKernel(), dim3(1), dim3(4), static_cast<int *>(Out)));
  EXPECT_EQ(Out.read(), (std::vector<int>{50, 120, 210, 320}));
  int *Address = nullptr;
  HIP(addressOfTable(reinterpret_cast<void **>(&Address)));
  HIP(add(Address, 100, 4));
  HIP(fromTable(To));
  EXPECT_EQ(std::vector<int>(To, To + 4), ascending(4, 105));
}
