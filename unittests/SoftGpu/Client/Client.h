//===- Client.h - a program that uses the emulated driver -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does what ROCr and its thunk do, with calls of the C library alone: opens the
// device files, maps memory, makes queues and rings their doorbells, waits for
// events. Kernels are of a few instructions for gfx90a, which node 1 is.
//
// The test program itself never opens a device: each test does so in children,
// which begin with one thread and nothing open.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_CLIENT_CLIENT_H
#define KPACK_UNITTESTS_SOFTGPU_CLIENT_CLIENT_H

#include "../../../lib/SoftGpu/Kfd/Abi.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cerrno>
#include <functional>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kpack::softgpu::test {

constexpr uint64_t Page = 4096;
constexpr uint32_t GpuId = 0x1001; ///< of node 1

inline uint64_t number(const volatile void *Address) {
  return reinterpret_cast<uint64_t>(Address);
}

/// Memory of the GPU that the process sees at the same address.
struct Area {
  uint64_t Handle = 0;
  uint8_t *Data = nullptr;
  uint64_t Size = 0;
  template <typename T> T *as(size_t Offset = 0) const {
    return reinterpret_cast<T *>(Data + Offset);
  }
};

class Client {
public:
  Client();
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  /// 0, or errno.
  template <typename T> int request(unsigned Number, T &Arguments) const {
    return ::ioctl(Kfd, _IOWR(AMDKFD_IOCTL_BASE, Number, T), &Arguments) == 0
               ? 0
               : errno;
  }
  /// The same; what has failed fails the test.
  template <typename T> void demand(unsigned Number, T &Arguments) const {
    EXPECT_EQ(request(Number, Arguments), 0) << "request " << Number;
  }

  Area allocate(uint64_t Size = Page) const;
  void free(Area &A) const;
  /// \p A as the driver has made its handle, for the GPU and the process.
  void map(Area &A, uint64_t Offset) const;

  /// Names \p A for other processes. 0, or errno.
  int lend(const Area &A, kfd::IpcImport &Loan) const;
  /// Maps what another process has lent. 0, or errno.
  int borrow(kfd::IpcImport Loan, Area &A) const;

  uint32_t createEvent(uint32_t Type = KFD_IOC_EVENT_SIGNAL) const;
  void destroyEvent(uint32_t Id) const;
  /// KFD_IOC_WAIT_RESULT_*, or a negated errno.
  int waitFor(kfd_event_data &Event, uint32_t Milliseconds) const;

  int Kfd = -1, Render = -1; ///< descriptors
};

/// Addresses that nothing is at.
uint8_t *reserve(uint64_t Size);

/// A queue of either kind: its memory, its doorbell and its end.
class ClientQueue {
public:
  ClientQueue(const ClientQueue &) = delete;
  ClientQueue &operator=(const ClientQueue &) = delete;

protected:
  ClientQueue(Client &C, uint32_t Type, uint64_t ReadOffset,
              uint64_t WriteOffset);
  ~ClientQueue();
  void ring(uint64_t Index);
  /// Before the memory goes that its packets use.
  void destroy();

  static constexpr uint64_t RingBytes = 4096;
  Client &C;
  Area Ring, Shared;
  uint32_t Id = 0;
  void *Doorbells = nullptr; ///< a page of them
  uint64_t *Doorbell = nullptr;
};

/// Of kernels. Members are for one thread at a time.
class KernelQueue : ClientQueue {
public:
  explicit KernelQueue(Client &C);
  ~KernelQueue();

  /// A kernel that writes a value.
  void store(uint32_t *To, uint32_t Value);
  /// A kernel whose lanes read words that are 64 bytes apart, each into the
  /// register that had its address.
  void gather(const uint8_t *From);
  /// A kernel that writes 1 to \p Began and ends when \p Until is not zero.
  void hold(uint32_t *Began, uint32_t *Until);
  /// Whether all that was submitted has ended, in the time given.
  bool wait(uint32_t Milliseconds = 60000);
  /// Takes the kernels away, which may be running.
  void freeCode();

private:
  struct Layout;
  Layout &layout() const { return *Shared.as<Layout>(); }
  void submit(size_t Kernel, uint64_t First, uint64_t Second);

  Area Code;
  uint32_t Event = 0;
};

/// Of copies.
class CopyQueue : ClientQueue {
public:
  explicit CopyQueue(Client &C);
  void copy(void *To, const void *From, uint32_t Bytes);
  bool wait(uint32_t Milliseconds = 60000);
};

/// Until \p Variable has \p Value.
void awaitValue(uint32_t *Variable, uint32_t Value);
void setValue(uint32_t *Variable, uint32_t Value);

/// A process that does \p Body, and is killed if that takes minutes. It ends
/// with what \p Body returns, or with 99 if an expectation in it has failed.
class Child {
public:
  explicit Child(const std::function<int()> &Body);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// The exit status; of a signal 128 and its number.
  int wait();
  void kill();

private:
  pid_t Id;
};

/// Between two processes; both have both ends.
class Channel {
public:
  Channel();
  ~Channel();
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  template <typename T> void send(const T &Value) const {
    EXPECT_EQ(::write(Ends[1], &Value, sizeof(T)), ssize_t(sizeof(T)));
  }
  template <typename T = char> T receive() const {
    T Value{};
    EXPECT_EQ(::read(Ends[0], &Value, sizeof(T)), ssize_t(sizeof(T)));
    return Value;
  }

private:
  int Ends[2];
};

} // namespace kpack::softgpu::test

#endif // KPACK_UNITTESTS_SOFTGPU_CLIENT_CLIENT_H
