//===- processes.cpp - what two processes share ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of memory and of events, which one process gets and another opens.
//
//===----------------------------------------------------------------------===//
#include "Helper.h"
#include "own.h"

#include <sys/wait.h>

using namespace own;

namespace {
// ROCm 5.7 and 6.4 assert that sizes are whole pages.
const int Count = 5 * 4096;

/// Adds 1 to memory that another process has allocated, and says how it ended.
int addToOthers(int Socket) {
  hipIpcMemHandle_t Handle;
  int *Data = nullptr;
  if (!receive(Socket, Handle))
    return 1;
  // hipIpcMemLazyEnablePeerAccess has been 0 up to HIP 5.
  unsigned Flags = version() < 60000000 ? 0 : 1;
  hipError_t Error =
      hipIpcOpenMemHandle(reinterpret_cast<void **>(&Data), Handle, Flags);
  if (Error == hipSuccess)
    Error = add(Data, 1, Count);
  if (Error == hipSuccess)
    Error = hipDeviceSynchronize();
  if (Error == hipSuccess)
    Error = hipIpcCloseMemHandle(Data);
  send(Socket, Error);
  return 0;
}

/// Waits for an event of another process, for as long as that wants.
int waitForOthers(int Socket) {
  hipIpcEventHandle_t Handle;
  hipEvent_t Event = nullptr;
  if (!receive(Socket, Handle))
    return 1;
  hipError_t Error = hipIpcOpenEventHandle(&Event, Handle);
  send(Socket, Error);
  int Go = 0;
  if (Error != hipSuccess || !receive(Socket, Go))
    return 2;
  Error = hipEventSynchronize(Event);
  send(Socket, Error);
  hipError_t Destroyed = hipEventDestroy(Event);
  send(Socket, Destroyed);
  return 0;
}
} // namespace

TEST(Processes, ShareMemory) {
  Helper Other(addToOthers);
  Array Data(Count, 41);
  hipIpcMemHandle_t Handle;
  HIP(hipIpcGetMemHandle(&Handle, Data));
  ASSERT_TRUE(send(Other.socket(), Handle));
  hipError_t Error = hipErrorUnknown;
  ASSERT_TRUE(receive(Other.socket(), Error));
  HIP(Error);
  int Status = Other.end();
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << Status;
  EXPECT_EQ(Data.read(), all(Count, 42));
}

TEST(Processes, ShareEvents) {
  Helper Other(waitForOthers);
  hipEvent_t Event;
  hipIpcEventHandle_t Handle;
  HIP(hipEventCreateWithFlags(&Event,
                              hipEventDisableTiming | hipEventInterprocess));
  SUPPORTED(hipIpcGetEventHandle(&Handle, Event));
  ASSERT_TRUE(send(Other.socket(), Handle));
  hipError_t Error = hipErrorUnknown;
  ASSERT_TRUE(receive(Other.socket(), Error));
  HIP(Error);
  Array Data(64);
  HIP(add(Data, 1, 64));
  HIP(hipEventRecord(Event, nullptr));
  int Go = 1;
  ASSERT_TRUE(send(Other.socket(), Go));
  ASSERT_TRUE(receive(Other.socket(), Error));
  EXPECT_EQ(Error, hipSuccess);
  ASSERT_TRUE(receive(Other.socket(), Error));
  EXPECT_EQ(Error, hipSuccess);
  int Status = Other.end();
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << Status;
  HIP(hipEventDestroy(Event));
}

TEST(Processes, UseTheirOwnGpus) {
  Helper Other([](int Socket) {
    int Value = 0;
    if (!receive(Socket, Value))
      return 1;
    int *Data = nullptr, Host = 0;
    if (hipMalloc(reinterpret_cast<void **>(&Data), 4) != hipSuccess ||
        hipMemset(Data, 0, 4) != hipSuccess ||
        add(Data, Value, 1) != hipSuccess ||
        hipMemcpy(&Host, Data, 4, hipMemcpyDeviceToHost) != hipSuccess)
      return 2;
    send(Socket, Host);
    return 0;
  });
  Array Mine(1, 1);
  int Value = 99, Found = 0;
  ASSERT_TRUE(send(Other.socket(), Value));
  ASSERT_TRUE(receive(Other.socket(), Found));
  EXPECT_EQ(Found, 99);
  EXPECT_EQ(Mine.read(), all(1, 1));
  EXPECT_EQ(Other.end(), 0);
}
