//===- Driver.cpp - what the kernel driver would hold ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opening, closing, fork and exit.
//
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kpack::softgpu;

//===----------------------------------------------------------------------===//
// The one driver of the process
//===----------------------------------------------------------------------===//

namespace kpack::softgpu {

struct DriverSlot {
  std::mutex Lock; ///< of opening and closing
  std::atomic<Driver *> Current{nullptr};
  std::atomic<unsigned> Opens{0};
  bool IsChild = false; ///< of a process that may have opened the driver

  /// On the heap and never destroyed; see Driver.h.
  static DriverSlot &get() {
    static DriverSlot &Slot = *make();
    return Slot;
  }

  /// Reads the configuration at the first call; calls are counted.
  HSAKMT_STATUS open();
  HSAKMT_STATUS close();

private:
  static DriverSlot *make() {
    ::pthread_atfork(nullptr, nullptr, startAnew);
    return new DriverSlot;
  }

  /// In the child of a fork(). The parent's driver stays as it is, locks that
  /// threads of the parent held included: nobody will look at it.
  static void startAnew() {
    DriverSlot &Slot = get();
    new (&Slot) DriverSlot;
    Slot.IsChild = true;
  }
};

} // namespace kpack::softgpu

static void complain(const std::string &Text) {
  std::fprintf(stderr, "kpack-run: error: %s\n", Text.c_str());
}

HSAKMT_STATUS DriverSlot::open() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Current) {
    llvm::Expected<Configuration> C = Configuration::fromEnvironment();
    if (!C) {
      complain(llvm::toString(C.takeError()));
      return HSAKMT_STATUS_ERROR;
    }
    Current = new Driver(std::move(*C));
  }
  ++Opens;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DriverSlot::close() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Opens)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  --Opens;
  return HSAKMT_STATUS_SUCCESS;
}

Driver *Driver::opened() {
  DriverSlot &Slot = DriverSlot::get();
  return Slot.Opens ? Slot.Current.load() : nullptr;
}

HSAKMT_STATUS Driver::givenBack() {
  return DriverSlot::get().IsChild ? HSAKMT_STATUS_SUCCESS
                                   : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

/// At exit, after the destructors of the libraries that use this one and before
/// those of libLLVM, which it uses: no kernel may run any more.
__attribute__((destructor)) static void endQueues() {
  if (Driver *D = DriverSlot::get().Current)
    D->Queues.endAll();
}

//===----------------------------------------------------------------------===//
// Making it
//===----------------------------------------------------------------------===//

/// Null: nobody wants to know, or the page cannot be had.
static uint32_t *openStatusPage(const std::string &Path) {
  if (Path.empty())
    return nullptr;
  int Fd = ::open(Path.c_str(), O_RDWR | O_CLOEXEC);
  if (Fd < 0)
    return nullptr;
  void *Page = ::mmap(nullptr, sizeof(uint32_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED, Fd, 0);
  ::close(Fd);
  return Page == MAP_FAILED ? nullptr : static_cast<uint32_t *>(Page);
}

Driver::Driver(Configuration C)
    : Settings(std::move(C)), FaultCount(openStatusPage(Settings.StatusPath)) {
  MachineOptions Options = Settings.Machine;
  Options.Interrupt = [this] { Events.interrupt(); };
  for (const KmtProcessor *P : Settings.Gpus) {
    Gpus.push_back(
        std::make_unique<Gpu>(uint32_t(Gpus.size()) + 1, *P, Options));
    Gpus.back()->memory().add(Events.mailboxes());
    Memory.addGpu(*Gpus.back());
  }
}

void Driver::reportFault(const Gpu &Where, const std::string &Kernel,
                         Fault What) {
  What.Kernel.clear(); // said in front
  if (std::string Freed = Memory.describeFreed(What.Address); !Freed.empty())
    What.Detail += "; freed: " + Freed;
  complain(Kernel + ": " + What.message());
  if (FaultCount)
    std::atomic_ref<uint32_t>(*FaultCount).fetch_add(1);
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

HSAKMT_STATUS hsaKmtOpenKFD(void) { return DriverSlot::get().open(); }
HSAKMT_STATUS hsaKmtCloseKFD(void) { return DriverSlot::get().close(); }
