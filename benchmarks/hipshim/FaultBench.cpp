//===- FaultBench.cpp - time to fill memory by SIGSEGV or userfaultfd -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time from a touch to the filled part, for parts of 4 KiB to 16 MiB: as the
// shim does it (SIGSEGV, LazyMemory), and with userfaultfd and a thread that
// waits. Filling is a memset in both. Results: docs/reference/shim.md.
//
// clang++ -std=c++17 -O2 -I include -I lib benchmarks/hipshim/FaultBench.cpp
//   -L build/lib -lkpackHipShim -lkpackRuntime -lkpackArchive -lkpackSupport
//   -lzstd -pthread
//
//===----------------------------------------------------------------------===//
#include "../../lib/HipShim/FaultHandler.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace kpack::hipshim;

static double microseconds() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static double computeMedian(std::vector<double> Times) {
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

static constexpr unsigned Rounds = 101;

namespace {
class OnePart final : public PageSource {
public:
  explicit OnePart(uint64_t Size) : Size(Size) {}
  Part partAt(uint64_t, uint64_t) override { return {0, Size}; }
  void fill(const Part &P, char *To) override { std::memset(To, 1, P.Size); }
  void noMemory(const Part &) noexcept override {}

private:
  const uint64_t Size;
};
} // namespace

static double timeOfSignal(LazyMemory &Memory, uint64_t Size) {
  std::vector<double> Times;
  for (unsigned I = 0; I != Rounds; ++I) {
    LazyMemory::Range *R =
        Memory.reserve(uint64_t(1) << 30, std::make_unique<OnePart>(Size));
    const char *Begin = Memory.begin(R);
    double Start = microseconds();
    (void)*static_cast<const volatile char *>(Begin);
    Times.push_back(microseconds() - Start);
    Memory.release(R);
  }
  return computeMedian(Times);
}

/// Fills whole parts of \p Size as faults come, until the file is closed.
static void serve(int Faults, uint64_t Size) {
  std::vector<char> Content(Size);
  uffd_msg Message;
  while (read(Faults, &Message, sizeof(Message)) == sizeof(Message)) {
    if (Message.event != UFFD_EVENT_PAGEFAULT)
      return;
    std::memset(Content.data(), 1, Size);
    uffdio_copy Copy = {};
    Copy.dst = Message.arg.pagefault.address / LazyMemory::pageSize() *
               LazyMemory::pageSize();
    Copy.src = reinterpret_cast<uint64_t>(Content.data());
    Copy.len = Size;
    ioctl(Faults, UFFDIO_COPY, &Copy);
  }
}

/// Negative: the kernel does not allow it.
static double timeOfUserfault(uint64_t Size) {
  int Faults = static_cast<int>(
      syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
  uffdio_api Api = {UFFD_API, 0, 0};
  if (Faults < 0 || ioctl(Faults, UFFDIO_API, &Api) != 0)
    return -1;
  std::thread(serve, Faults, Size).detach();
  std::vector<double> Times;
  for (unsigned I = 0; I != Rounds; ++I) {
    void *Begin = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uffdio_register Register = {};
    Register.range = {reinterpret_cast<uint64_t>(Begin), Size};
    Register.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (ioctl(Faults, UFFDIO_REGISTER, &Register) != 0)
      return -1;
    double Start = microseconds();
    (void)*static_cast<const volatile char *>(Begin);
    Times.push_back(microseconds() - Start);
    munmap(Begin, Size);
  }
  return computeMedian(Times);
}

int main() {
  static auto *Memory = new LazyMemory();
  installFaultHandler(*Memory, {::sigaction, ::pthread_sigmask});
  std::printf("%10s %12s %12s   (median us of %u)\n", "KiB", "SIGSEGV",
              "userfaultfd", Rounds);
  for (uint64_t Size = 4096; Size <= 16u << 20; Size *= 16)
    std::printf("%10llu %12.1f %12.1f\n",
                static_cast<unsigned long long>(Size / 1024),
                timeOfSignal(*Memory, Size), timeOfUserfault(Size));
}
