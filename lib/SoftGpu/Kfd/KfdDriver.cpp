//===- KfdDriver.cpp - state of the emulated kernel driver ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opening, closing, fork() and exit.
//
//===----------------------------------------------------------------------===//
#include "KfdDriver.h"
#include "Support/Printable.h"
#include "Support/SealedFile.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace kpack::softgpu;

//===----------------------------------------------------------------------===//
// The driver of the process
//===----------------------------------------------------------------------===//

namespace kpack::softgpu {

struct DriverSlot {
  std::mutex Lock; ///< for opening and closing
  std::atomic<Driver *> Current{nullptr};

  /// Allocated on the heap and never destroyed; see KfdDriver.h.
  static DriverSlot &get() {
    static DriverSlot &Slot = *make();
    return Slot;
  }

  Driver *open();

private:
  static DriverSlot *make() {
    ::pthread_atfork(nullptr, nullptr, startAnew);
    return new DriverSlot;
  }

  /// Runs in the child of a fork(). Leaks the parent's driver, whose locks may
  /// be held by threads that the child does not have.
  static void startAnew() { new (&get()) DriverSlot; }
};

} // namespace kpack::softgpu

static void complain(const std::string &Text) {
  std::fprintf(stderr, "kpack-run: error: %s\n",
               kpack::printable(Text).c_str());
}

Driver *DriverSlot::open() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Current.load() || Current.load()->Process != ::getpid()) {
    llvm::Expected<Configuration> C = Configuration::fromEnvironment();
    if (!C) {
      complain(llvm::toString(C.takeError()));
      return nullptr;
    }
    Current = new Driver(std::move(*C));
  }
  return Current;
}

Driver *Driver::opened() {
  Driver *D = DriverSlot::get().Current;
  // A child that was made without fork() (whose pthread_atfork() handlers have
  // not run) has no driver.
  return D && D->Process == ::getpid() ? D : nullptr;
}
Driver *Driver::open() { return DriverSlot::get().open(); }

/// Runs at exit, after the destructors of the libraries that use this one and
/// before those of libLLVM, which kernels need.
__attribute__((destructor)) static void endQueues() {
  Driver *D = DriverSlot::get().Current;
  if (!D)
    return;
  D->Queues.endAll();
  D->Findings.finish();
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// A program may have many buffers, and all but small ones have separate files.
static void raiseFileLimit() {
  rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) == 0) {
    Limit.rlim_cur = Limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &Limit);
  }
}

/// Returns null if no page is configured or it cannot be mapped.
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
    : Settings(std::move(C)), Pages(memoryFile("softgpu pages")),
      FaultCount(openStatusPage(Settings.StatusPath)) {
  if (::ftruncate(Pages.get(), PagesBytes) != 0)
    Pages = UniqueFd();
  raiseFileLimit();
  MachineOptions Options = Settings.Machine;
  Options.Interrupt = [this] {
    Events.interrupt();
    Activity.ring();
  };
  for (const GpuProcessor *P : Settings.Gpus) {
    Gpus.push_back(
        std::make_unique<Gpu>(uint32_t(Gpus.size()) + 1, *P, Options));
    Memory.addGpu(*Gpus.back());
  }
}

void Driver::reportFault(const Gpu &Where, const std::string &Kernel,
                         Fault What) {
  What.Kernel.clear(); // already in front of the message
  if (std::string Freed = Memory.describeFreed(What.Address); !Freed.empty())
    What.Detail += "; freed: " + Freed;
  complain(Kernel + ": " + What.message());
  if (FaultCount)
    std::atomic_ref<uint32_t>(*FaultCount).fetch_add(1);
}
