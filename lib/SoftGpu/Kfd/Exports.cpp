//===- Exports.cpp - functions for the preloaded library ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the table of Preload/Emulator.h with the process's Driver.
//
//===----------------------------------------------------------------------===//
#include "Hardware.h"
#include "KfdDriver.h"
#include "Requests.h"
#include "SoftGpu/Kfd/Preload/Emulator.h"

#include "SoftGpu/Machine/HostAccess.h"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack::softgpu;

/// Returns null if no GPU has that render node.
static Gpu *getGpu(Driver &D, DeviceKind Kind) {
  return Kind < RenderNode ? nullptr : D.gpu(Kind - RenderNode + 1);
}

static int open(DeviceKind Kind) {
  Driver *D = Driver::open();
  if (!D)
    return -ENODEV;
  return Kind == KfdDevice || getGpu(*D, Kind) ? 0 : -ENOENT;
}

static int request(DeviceKind Kind, unsigned long Number, void *Arguments) {
  Driver *D = Driver::opened();
  if (!D) // in the child of a fork(), which must open the device again
    return -EBADF;
  return Kind == KfdDevice ? answerRequest(*D, Number, Arguments)
                           : answerRenderRequest(Number, Arguments);
}

static int describe(DeviceKind Kind, GpuDescription *Description) {
  Driver *D = Driver::opened();
  Gpu *G = D ? getGpu(*D, Kind) : nullptr;
  if (!G)
    return -ENODEV;
  const GpuProcessor &P = G->processor();
  *Description = {};
  hardware::marketingName(P).copy(Description->Name,
                                  sizeof(Description->Name) - 1);
  Description->Family = P.Family;
  Description->Revision = 1;
  Description->DeviceId = P.DeviceId;
  Description->ComputeUnits = hardware::ComputeUnits;
  Description->MegaHertz = hardware::MegaHertz;
  Description->CounterKiloHertz = 1'000'000; // the clock counts nanoseconds
  return 0;
}

static int mapPages(Driver &D, uint64_t Size, int Flags, uint64_t *Address) {
  if (Size > Driver::PagesBytes)
    return -EINVAL;
  long Pages =
      ::syscall(SYS_mmap, *Address, Size, PROT_READ | PROT_WRITE,
                MAP_SHARED | (Flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)),
                D.pages(), off_t(0));
  if (Pages == -1)
    return -errno;
  *Address = uint64_t(Pages);
  return 0;
}

static int map(DeviceKind Kind, uint64_t Offset, uint64_t Size, int Flags,
               uint64_t *Address) {
  Driver *D = Driver::opened();
  if (!D)
    return -EBADF;
  return Kind == KfdDevice ? mapPages(*D, Size, Flags, Address)
                           : D->Memory.map(Offset, Size, Flags, *Address);
}

static int exportBuffer(uint64_t Handle, int *Fd) {
  Driver *D = Driver::opened();
  *Fd = D ? D->Memory.share(Handle) : -EBADF;
  return *Fd < 0 ? *Fd : 0;
}

static int importBuffer(int Fd, uint64_t *Handle, uint64_t *Size) {
  Driver *D = Driver::opened();
  return D ? D->Memory.import(Fd, /*Address=*/0, *Handle, *Size) : -EBADF;
}

static int setMetadata(uint64_t Handle, const BufferMetadata *Metadata) {
  Driver *D = Driver::opened();
  return D ? D->Memory.setMetadata(Handle, *Metadata) : -EBADF;
}

static int getMetadata(uint64_t Handle, BufferMetadata *Metadata) {
  Driver *D = Driver::opened();
  return D ? D->Memory.getMetadata(Handle, *Metadata) : -EBADF;
}

static int freeBuffer(uint64_t Handle) {
  Driver *D = Driver::opened();
  return D ? D->Memory.free(Handle) : -EBADF;
}

static int bind(DeviceKind Kind, uint64_t Handle, uint64_t Offset,
                uint64_t Size, uint64_t Address) {
  Driver *D = Driver::opened();
  Gpu *G = D ? getGpu(*D, Kind) : nullptr;
  return G ? D->Memory.bind(*G, Handle, Offset, Size, Address) : -EBADF;
}

static int unbind(DeviceKind Kind, uint64_t Address, uint64_t Size) {
  Driver *D = Driver::opened();
  Gpu *G = D ? getGpu(*D, Kind) : nullptr;
  return G ? D->Memory.unbind(*G, Address, Size) : -EBADF;
}

static int unmap(uint64_t Address, uint64_t Size) {
  Driver *D = Driver::opened();
  return D && D->Memory.unmapped(Address, Size);
}

static void replace(uint64_t Address, uint64_t Size) {
  if (Driver *D = Driver::opened())
    D->Memory.replaced(Address, Size);
}

static int exchangeAction(int Signal, const struct sigaction *New,
                          struct sigaction *Old) {
  return exchangeHostFaultAction(Signal, New, Old);
}

static int awaitActivity(uint64_t *Seen) {
  Driver *D = Driver::opened();
  if (!D)
    return -EBADF;
  D->Activity.await(*Seen);
  return 0;
}

extern "C" __attribute__((visibility("default"))) const EmulatorTable *
softgpuEmulator() {
  static constexpr EmulatorTable Table{open,
                                       request,
                                       describe,
                                       map,
                                       exportBuffer,
                                       importBuffer,
                                       setMetadata,
                                       getMetadata,
                                       freeBuffer,
                                       bind,
                                       unbind,
                                       BufferTable::mapOffset,
                                       unmap,
                                       replace,
                                       BufferTable::useSignals,
                                       exchangeAction,
                                       awaitActivity};
  return &Table;
}
